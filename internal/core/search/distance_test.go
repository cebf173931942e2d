package search

import (
	"maps"
	"math/bits"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// referenceDistance computes the whole table, without shortcuts.
func referenceDistance(a, b []rune) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			switch {
			case i == 0:
				table[i][j] = j
			case j == 0:
				table[i][j] = i
			default:
				replaced := table[i-1][j-1]
				if a[i-1] != b[j-1] {
					replaced++
				}
				table[i][j] = min(replaced, table[i-1][j]+1, table[i][j-1]+1)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					table[i][j] = min(table[i][j], table[i-2][j-2]+1)
				}
			}
		}
	}
	return table[len(a)][len(b)]
}

func TestDistanceMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abcé")), 0, maxWordLetters, -1)
		a, b := []rune(word.Draw(t, "a")), []rune(word.Draw(t, "b"))
		limit := rapid.IntRange(1, 2).Draw(t, "limit")
		want := min(referenceDistance(a, b), limit+1)
		if got := distance(a, b, limit); got != want {
			t.Fatalf("distance = %d, want %d", got, want)
		}
		differing := bits.OnesCount64(signature([]byte(string(a))) ^ signature([]byte(string(b))))
		if maxBits := 2 * referenceDistance(a, b); differing > maxBits {
			t.Fatalf("signatures differ in %d bits, want at most %d", differing, maxBits)
		}
	})
}

func TestDictionaryMatchesLinearScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abйcsп")), 1, 10, -1)
		words := rapid.SliceOfDistinct(word, func(w string) string { return w }).Draw(t, "words")
		query := word.Draw(t, "query")
		letters := len([]rune(query))
		limit := maxTypos(letters)

		docs := make([]Document, len(words))
		for i, w := range words {
			docs[i].Title = w
		}
		d := &Build("xx", docs).words
		prefixed, misspelt := make(map[int]int), make(map[int]int)
		d.visitPrefixed([]byte(query), letters, func(_ []byte, class, letters int) { prefixed[class] = letters })
		if limit > 0 {
			d.visitMisspelt([]byte(query), letters, limit, func(_ []byte, class, typos int) { misspelt[class] = typos })
		}
		wantPrefixed, wantMisspelt := make(map[int]int), make(map[int]int)
		for _, w := range words {
			class, ok := d.find([]byte(w), len([]rune(w)))
			if !ok {
				t.Fatalf("find(%q) = false, want true", w)
			}
			if len(w) > len(query) && strings.HasPrefix(w, query) {
				wantPrefixed[class] = len([]rune(w))
			}
			if typos := referenceDistance([]rune(w), []rune(query)); 0 < typos && typos <= limit {
				wantMisspelt[class] = typos
			}
		}
		if !maps.Equal(prefixed, wantPrefixed) {
			t.Fatalf("visitPrefixed: got %v, want %v", prefixed, wantPrefixed)
		}
		if !maps.Equal(misspelt, wantMisspelt) {
			t.Fatalf("visitMisspelt: got %v, want %v", misspelt, wantMisspelt)
		}
	})
}
