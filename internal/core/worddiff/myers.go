package worddiff

import "slices"

// maxEdits is the maximum number of insertions and deletions that commonRanges
// finds. It limits the time to the product of maxEdits and the length of the
// sequences, and the memory to the square of maxEdits.
const maxEdits = 1000

// commonRanges returns the ranges that two sequences have in common, in order.
// Everything after maxEdits differences is different, except the common suffix.
func commonRanges(a, b []int) []match {
	prefix := commonPrefix(a, b)
	a, b = a[prefix:], b[prefix:]
	suffix := commonSuffix(a, b)
	a, b = a[:len(a)-suffix], b[:len(b)-suffix]

	matches := appendMatch(nil, match{0, 0, prefix})
	for _, m := range shortestEdit(a, b) {
		matches = appendMatch(matches, match{prefix + m.old, prefix + m.new, m.length})
	}
	return appendMatch(matches, match{prefix + len(a), prefix + len(b), suffix})
}

func appendMatch(matches []match, m match) []match {
	if m.length == 0 {
		return matches
	}
	return append(matches, m)
}

func commonPrefix(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// shortestEdit returns the common ranges of two sequences for the shortest way to
// edit a into b, or for its first maxEdits edits. It is the greedy algorithm of
// E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
//
// A point is a position x in a and a position y in b. It is on diagonal x-y.
func shortestEdit(a, b []int) []match {
	limit := min(len(a)+len(b), maxEdits)
	var rounds []frontier // by number of edits
	best := 0             // the diagonal in the last round with the most advanced point
	for edits := range limit + 1 {
		var previous frontier
		if edits > 0 {
			previous = rounds[edits-1]
		}
		current := make(frontier, 2*edits+1)
		rounds = append(rounds, current)
		farthest := -1
		for k := -edits; k <= edits; k += 2 {
			_, x := previous.step(k)
			y := x - k
			// A point beyond the end of a text is on no path to the end of both.
			if x <= len(a) && y <= len(b) {
				x += commonPrefix(a[x:], b[y:])
				if x+x-k > farthest {
					farthest, best = x+x-k, k
				}
			}
			current[edits+k] = int32(x)
			if x == len(a) && x-k == len(b) {
				return trace(rounds, k)
			}
		}
	}
	return trace(rounds, best)
}

// frontier holds the greatest x that a number of edits reaches on each diagonal
// from -edits to edits. Only every second diagonal is in use.
type frontier []int32

// at returns the greatest x on diagonal k, or -1 if f does not reach it.
func (f frontier) at(k int) int {
	if i := len(f)/2 + k; 0 <= i && i < len(f) {
		return int(f[i])
	}
	return -1
}

// step returns the point on diagonal k that is reached from f by one edit, and the
// diagonal it comes from. An empty frontier is before the start.
func (f frontier) step(k int) (from, x int) {
	if len(f) == 0 {
		return 0, 0
	}
	inserted, deleted := f.at(k+1), f.at(k-1)+1
	if inserted >= deleted {
		return k + 1, inserted
	}
	return k - 1, deleted
}

// trace returns the common ranges on the path to a diagonal of the last round.
func trace(rounds []frontier, k int) []match {
	var matches []match
	for edits := len(rounds) - 1; edits >= 0; edits-- {
		var previous frontier
		if edits > 0 {
			previous = rounds[edits-1]
		}
		end := rounds[edits].at(k)
		from, x := previous.step(k)
		matches = appendMatch(matches, match{x, x - k, end - x})
		k = from
	}
	slices.Reverse(matches)
	return matches
}
