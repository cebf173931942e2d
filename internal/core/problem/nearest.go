package problem

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Nearest returns up to n known words that are similar to word, the most similar
// first. Two words are similar if they differ by a few typing errors, if one
// contains the other, or if word abbreviates the known word. Nearest never returns
// word itself. If no other known word is similar, it returns nil.
func Nearest(word string, known []string, n int) []string {
	type candidate struct {
		word string
		rank int
	}
	var candidates []candidate
	abbreviations := 0 // candidates with rank 1, which no other rank equals
	folded := fold(word)
	if folded == "" {
		return nil
	}
	for _, k := range known {
		if k == word {
			continue
		}
		other := fold(k)
		limit := max(1, max(len(folded), len(other))/3)
		d := distance(folded, other, limit)
		rank := 2 * d
		switch {
		case d > 0 && len(folded) < minContained && abbreviates(folded, other):
			// Short words often differ by one letter without any relation.
			rank = 1
			abbreviations++
		case d > 1 && abbreviates(folded, other):
			// A whole word is more likely than two typing errors.
			rank = 3
		case d <= limit:
		case len(folded) < minContained || len(other) < minContained,
			!strings.Contains(other, folded) && !strings.Contains(folded, other):
			continue
		}
		candidates = append(candidates, candidate{k, rank})
	}
	if abbreviations > maxAbbreviated {
		candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return c.rank == 1 })
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.word, b.word))
	})
	var nearest []string
	for _, c := range candidates[:min(n, len(candidates))] {
		nearest = append(nearest, c.word)
	}
	return nearest
}

// Closest returns word if it is known, or else the most similar known word, or the
// empty string if there is none.
func Closest(word string, known []string) string {
	if slices.Contains(known, word) {
		return word
	}
	if nearest := Nearest(word, known, 1); len(nearest) > 0 {
		return nearest[0]
	}
	return ""
}

// maxAbbreviated is the maximum number of known words that a short word may
// abbreviate. A word in more of them, such as get in the names of methods,
// distinguishes none.
const maxAbbreviated = 3

// minContained is the length of the shortest words that are similar to all words
// that contain them.
const minContained = 4

// abbreviates reports whether short, which is folded, is one of the words that make
// up long, or at least the first half of long.
func abbreviates(short, long string) bool {
	if len(short) < 2 {
		return false
	}
	if strings.HasPrefix(long, short) && 2*len(short) >= len(long) {
		return true
	}
	for word := range strings.SplitSeq(long, "_") {
		if word == short {
			return true
		}
	}
	return false
}

// DidYouMean returns a question that suggests the known words nearest to word,
// or the empty string if no known word is similar.
func DidYouMean(word string, known []string) string {
	nearest := Nearest(word, known, 3)
	if len(nearest) == 0 {
		return ""
	}
	return "Did you mean " + Or(nearest) + "?"
}

// Or quotes words and joins them as in "a", "b" or "c".
func Or(words []string) string { return join(quote(words), " or ") }

// And quotes words and joins them as in "a", "b" and "c".
func And(words []string) string { return join(quote(words), " and ") }

// Count returns a number with its noun, such as "1 error" or "3 warnings".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// AllOf joins words without quotes, as in a, b and c.
func AllOf(words []string) string { return join(words, " and ") }

// OneOf joins words without quotes, as in a, b or c.
func OneOf(words []string) string { return join(words, " or ") }

func quote(words []string) []string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return quoted
}

func join(words []string, conjunction string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + conjunction + words[last]
}

// Listing joins at most limit words with commas and appends the number of
// omitted words, if any.
func Listing(words []string, limit int) string {
	if len(words) <= limit {
		return strings.Join(words, ", ")
	}
	return strings.Join(words[:limit], ", ") + " and " + strconv.Itoa(len(words)-limit) + " more"
}

// maxCompared is the number of bytes of each word that are compared. It bounds
// the cost of comparing hostile input.
const maxCompared = 64

var folder = strings.NewReplacer("-", "_", "ph", "f")

// fold removes differences in case, between - and _ and between ph and f, and
// truncates s to maxCompared bytes.
func fold(s string) string {
	s = strings.ToLower(s[:min(len(s), maxCompared)])
	s = s[:min(len(s), maxCompared)] // ToLower can lengthen s
	return folder.Replace(s)
}

// distance returns the number of insertions, deletions, substitutions and
// transpositions that turn a into b, or limit+1 if it is greater than limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var rows [3][maxCompared + 1]int
	beforePrev, prev, row := &rows[0], &rows[1], &rows[2]
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
				row[j] = min(row[j], beforePrev[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		beforePrev, prev, row = prev, row, beforePrev
	}
	return prev[len(b)]
}
