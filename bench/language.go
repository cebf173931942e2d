package main

import (
	"math/rand/v2"
	"strings"
)

// language makes texts whose words are as frequent as those of a natural one:
// the n-th most frequent in proportion to 1/n.
type language struct {
	rand       *rand.Rand
	vocabulary []string
	zipf       *rand.Zipf
}

func newLanguage(r *rand.Rand, words int) *language {
	l := &language{rand: r}
	l.vocabulary = l.invent(words)
	l.zipf = rand.NewZipf(r, 1.07, 2.7, uint64(len(l.vocabulary)-1))
	return l
}

// text returns as many words as the range allows.
func (l *language) text(from, to int) string {
	words := make([]string, from+l.rand.IntN(to-from+1))
	for i := range words {
		words[i] = l.vocabulary[l.zipf.Uint64()]
	}
	return strings.Join(words, " ")
}

// invent returns words of one to four syllables, frequent ones shorter.
func (l *language) invent(count int) []string {
	heads := strings.Fields("b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w")
	vowels := strings.Fields("a a e e e i i o o u ai ea ee io ou y")
	tails := []string{"", "", "", "", "n", "r", "s", "t", "l", "m", "nd", "nt", "st", "ck", "ng"}
	pick := func(list []string) string { return list[l.rand.IntN(len(list))] }
	seen := make(map[string]bool)
	var words []string
	for len(words) < count {
		var b strings.Builder
		for range 1 + l.rand.IntN(2+min(2, len(words)/500)) {
			b.WriteString(pick(heads) + pick(vowels) + pick(tails))
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}
