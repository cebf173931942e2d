package problem

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Nearest returns those of known that a person who wrote word most likely
// meant, best first and at most n: few typing errors away, or one containing
// the other. It returns none rather than a bad guess.
func Nearest(word string, known []string, n int) []string {
	type guess struct {
		id    string
		score int
	}
	var guesses []guess
	folded := fold(word)
	if folded == "" {
		return nil
	}
	for _, id := range known {
		candidate := fold(id)
		allowed := max(1, max(len(folded), len(candidate))/3)
		d := distance(folded, candidate, allowed)
		if d > allowed {
			if len(folded) < 4 || len(candidate) < 4 ||
				!strings.Contains(candidate, folded) && !strings.Contains(folded, candidate) {
				continue
			}
			d = allowed + 1
		}
		guesses = append(guesses, guess{id, d})
	}
	slices.SortFunc(guesses, func(a, b guess) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.id, b.id))
	})
	var ids []string
	for _, g := range guesses[:min(n, len(guesses))] {
		ids = append(ids, g.id)
	}
	return ids
}

// DidYouMean returns a sentence that offers the nearest of known for word, or
// the empty string where nothing is near.
func DidYouMean(word string, known []string) string {
	near := Nearest(word, known, 3)
	if len(near) == 0 {
		return ""
	}
	return "Did you mean " + Or(near) + "?"
}

// Or joins quoted words as English does: "a", "b" or "c".
func Or(words []string) string { return join(words, " or ") }

// And joins quoted words as English does: "a", "b" and "c".
func And(words []string) string { return join(words, " and ") }

func join(words []string, last string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	k := len(quoted) - 1
	return strings.Join(quoted[:k], ", ") + last + quoted[k]
}

// Listing joins words with commas and, past most, says how many more there are.
func Listing(words []string, most int) string {
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:most], ", ") + " and " + strconv.Itoa(len(words)-most) + " more"
}

// longest is how many bytes of a word are compared.
const longest = 64

// fold makes spellings that people mix up the same: case, and - for _. Only so
// much of a word counts, so that a hostile one costs little to compare.
func fold(s string) string {
	s = strings.ToLower(s[:min(len(s), longest)])
	return strings.ReplaceAll(s[:min(len(s), longest)], "-", "_")
}

// distance counts insertions, deletions, substitutions and swaps of neighbours
// between a and b, giving up with limit+1 once it is past limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var rows [3][longest + 1]int
	before, prev, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

// Clip shortens a text that a message quotes.
func Clip(s string) string {
	most := 60
	for i := range s {
		if most == 0 {
			return s[:i] + "…"
		}
		most--
	}
	return s
}
