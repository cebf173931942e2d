package search

import (
	"cmp"
	"slices"
)

// Limits of nearest words.
const (
	nearestPrefix   = 4 // letters of a common prefix
	maxNearestTypos = 4
)

// Nearest returns up to n words of the index that are similar to a word of query,
// the most similar first. It is meant for queries without hits: the words have a
// few more typing errors than a search accepts, or start with the same letters.
// They have no accents. Scripts without spaces have no nearest words. The step
// function may be nil.
func (ix *Index) Nearest(query string, n int, step func() error) ([]string, error) {
	type candidate struct {
		word  string
		typos int
	}
	var candidates []candidate
	s := newSearcher(ix)
	s.parse(normalize(query))
	var err error
	for i := range s.terms {
		t := &s.terms[i]
		if t.script != spaced || t.function || t.letters < nearestPrefix {
			continue
		}
		if step != nil {
			if err = step(); err != nil {
				break
			}
		}
		add := func(word []byte, typos int) {
			if !ix.lang.functionWords[string(word)] {
				candidates = append(candidates, candidate{string(word), typos})
			}
		}
		ix.words.visitMisspelt(t.folded, t.letters, min(t.letters/3+1, maxNearestTypos), func(word []byte, _, typos int) { add(word, typos) })
		ix.words.visitPrefixed(letterPrefix(t.folded, nearestPrefix), nearestPrefix, func(word []byte, _, _ int) { add(word, maxNearestTypos) })
	}
	s.release()
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.typos, b.typos), cmp.Compare(a.word, b.word))
	})
	var words []string
	for _, c := range candidates {
		if len(words) < n && !slices.Contains(words, c.word) {
			words = append(words, c.word)
		}
	}
	return words, err
}

// letterPrefix returns the first n letters of word, which has at least as many.
func letterPrefix(word []byte, n int) []byte {
	for i := range string(word) {
		if n == 0 {
			return word[:i]
		}
		n--
	}
	return word
}
