package compat

import (
	"cmp"
	"slices"

	"placard/internal/taxonomy"
)

// pair is an item of two lists. One of the two is nil if the item was added or
// removed. Positions count from 1.
type pair[T any] struct {
	old, new       *T
	oldPos, newPos int
	moved          bool // relative to the other items of both lists
}

// either returns the new item or, if it was removed, the old one.
func (p pair[T]) either() *T {
	if p.new != nil {
		return p.new
	}
	return p.old
}

// match matches the items of two lists by id. It returns the items of the new list
// in order, then the removed ones in the order of the old list. If an id occurs
// more than once in a list, only the first item counts.
func match[T any](before, after []T, id func(*T) string) []pair[T] {
	positions := make(map[string]int, len(before))
	for i := range before {
		if _, ok := positions[id(&before[i])]; !ok {
			positions[id(&before[i])] = i
		}
	}
	pairs := make([]pair[T], 0, len(after))
	seen := make(map[string]bool, len(after))
	for i := range after {
		key := id(&after[i])
		if seen[key] {
			continue
		}
		seen[key] = true
		p := pair[T]{new: &after[i], newPos: i + 1}
		if k, ok := positions[key]; ok {
			p.old, p.oldPos = &before[k], k+1
		}
		pairs = append(pairs, p)
	}
	var both []*pair[T]
	for i := range pairs {
		if pairs[i].old != nil {
			both = append(both, &pairs[i])
		}
	}
	markMoved(both)
	for i := range before {
		if key := id(&before[i]); !seen[key] {
			seen[key] = true
			pairs = append(pairs, pair[T]{old: &before[i], oldPos: i + 1})
		}
	}
	return pairs
}

// markMoved marks the smallest number of pairs whose move explains the new order.
// The pairs are those of one list, in its new order, that have both items.
func markMoved[T any](pairs []*pair[T]) {
	positions := make([]int, len(pairs))
	for i, p := range pairs {
		positions[i] = p.oldPos
	}
	for i, inOrder := range longestIncreasing(positions) {
		pairs[i].moved = !inOrder
	}
}

// longestIncreasing marks the numbers of a longest increasing subsequence. The
// numbers are distinct.
func longestIncreasing(numbers []int) []bool {
	marked := make([]bool, len(numbers))
	if slices.IsSorted(numbers) {
		for i := range marked {
			marked[i] = true
		}
		return marked
	}
	// ends[k] is the index of the smallest number that ends a subsequence of length
	// k+1, and previous leads to the numbers before it.
	var ends []int
	previous := make([]int, len(numbers))
	for i, n := range numbers {
		k, _ := slices.BinarySearchFunc(ends, n, func(end, n int) int { return cmp.Compare(numbers[end], n) })
		previous[i] = -1
		if k > 0 {
			previous[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	for i := ends[len(ends)-1]; i >= 0; i = previous[i] {
		marked[i] = true
	}
	return marked
}

// Succession finds the elements of an old version in a newer one.
type Succession struct {
	last    map[string]bool // the elements of the newest version
	renames []renames       // from the oldest version to the newest
}

// renames are the renames that one version declares.
type renames struct {
	elements map[string]bool   // of the version
	to       map[string]string // by old id, which is not in elements
}

// NewSuccession returns the succession through the given versions, at least one,
// which are ordered from the oldest to the newest.
func NewSuccession(versions ...*taxonomy.Taxonomy) *Succession {
	s := &Succession{last: idsOf(versions[len(versions)-1].Elements)}
	for _, v := range versions {
		if r := renamesOf(v); len(r.to) > 0 {
			s.renames = append(s.renames, r)
		}
	}
	return s
}

// Find returns the id in the newest version of an element with the given id in an
// older one. Renames are followed from version to version. It returns false if the
// newest version does not have the element.
func (s *Succession) Find(id string) (string, bool) {
	names := []string{id} // that the element has had, the newest last
	for _, r := range s.renames {
		// A version may replace an id that is older than the last one, because a version
		// in between was a draft or was overlooked.
		for i := len(names) - 1; i >= 0 && !r.elements[names[i]]; i-- {
			if to, ok := r.to[names[i]]; ok {
				names = append(names, to)
				break
			}
		}
	}
	// The newest version may have the element under an older id.
	for _, name := range slices.Backward(names) {
		if s.last[name] {
			return name, true
		}
	}
	return id, false
}

// renamesOf returns the ids that t no longer has and the elements that replace them.
func renamesOf(t *taxonomy.Taxonomy) renames {
	var r renames
	for i := range t.Elements {
		e := &t.Elements[i]
		if e.Replaces == "" {
			continue
		}
		if r.to == nil {
			r = renames{idsOf(t.Elements), make(map[string]string)}
		}
		if _, taken := r.to[e.Replaces]; !taken && !r.elements[e.Replaces] {
			r.to[e.Replaces] = e.ID
		}
	}
	return r
}

func idsOf(elements []taxonomy.Element) map[string]bool {
	ids := make(map[string]bool, len(elements))
	for i := range elements {
		ids[elements[i].ID] = true
	}
	return ids
}
