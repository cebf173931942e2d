package main

import (
	"math/rand/v2"
	"strings"
)

// textGenerator generates texts with the word frequencies of natural language:
// the frequency of the n-th most frequent word is proportional to 1/n.
type textGenerator struct {
	rand       *rand.Rand
	vocabulary []string
	zipf       *rand.Zipf
}

func newTextGenerator(r *rand.Rand, words int) *textGenerator {
	g := &textGenerator{rand: r}
	g.vocabulary = g.newVocabulary(words)
	g.zipf = rand.NewZipf(r, 1.07, 2.7, uint64(len(g.vocabulary)-1))
	return g
}

// text returns a text of minWords to maxWords words.
func (g *textGenerator) text(minWords, maxWords int) string {
	words := make([]string, minWords+g.rand.IntN(maxWords-minWords+1))
	for i := range words {
		words[i] = g.vocabulary[g.zipf.Uint64()]
	}
	return strings.Join(words, " ")
}

// newVocabulary returns words of one to four syllables, shorter ones first.
func (g *textGenerator) newVocabulary(count int) []string {
	onsets := strings.Fields("b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w")
	vowels := strings.Fields("a a e e e i i o o u ai ea ee io ou y")
	codas := []string{"", "", "", "", "n", "r", "s", "t", "l", "m", "nd", "nt", "st", "ck", "ng"}
	pick := func(list []string) string { return list[g.rand.IntN(len(list))] }
	seen := make(map[string]bool)
	var words []string
	for len(words) < count {
		var b strings.Builder
		for range 1 + g.rand.IntN(2+min(2, len(words)/500)) {
			b.WriteString(pick(onsets) + pick(vowels) + pick(codas))
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}
