package search

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// plainDistance is the textbook's: the whole table, and no shortcuts.
func plainDistance(a, b []rune) int {
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

func TestDistanceCountsTypingErrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abcé")), 0, longestWord, -1)
		a, b := []rune(word.Draw(t, "a")), []rune(word.Draw(t, "b"))
		limit := rapid.IntRange(1, 2).Draw(t, "limit")
		want := min(plainDistance(a, b), limit+1)
		if got := distance(a, b, limit); got != want {
			t.Fatalf("distance is %d, want %d", got, want)
		}
		if signatures := bits.OnesCount64(signature([]byte(string(a))) ^ signature([]byte(string(b)))); signatures > 2*plainDistance(a, b) {
			t.Fatalf("signatures differ in %d bits", signatures)
		}
	})
}

func TestADictionaryFindsWhatAScanOfItWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abйcsп")), 1, 10, -1)
		known := rapid.SliceOfDistinct(word, func(w string) string { return w }).Draw(t, "known")
		asked := word.Draw(t, "asked")
		letters := len([]rune(asked))
		limit := typos(letters)

		docs := make([]Document, len(known))
		for i, w := range known {
			docs[i].Title = w
		}
		d := &Build("xx", docs).words
		prefixed, misspelt := make(map[int]int), make(map[int]int)
		d.prefixed([]byte(asked), letters, func(class, letters int) { prefixed[class] = letters })
		if limit > 0 {
			d.misspelt([]byte(asked), letters, limit, func(class, errors int) { misspelt[class] = errors })
		}
		wantPrefixed, wantMisspelt := make(map[int]int), make(map[int]int)
		for _, w := range known {
			class, ok := d.find([]byte(w), len([]rune(w)))
			if !ok {
				t.Fatalf("%q is lost", w)
			}
			if len(w) > len(asked) && w[:len(asked)] == asked {
				wantPrefixed[class] = len([]rune(w))
			}
			if errors := plainDistance([]rune(w), []rune(asked)); 0 < errors && errors <= limit {
				wantMisspelt[class] = errors
			}
		}
		same := func(what string, want, got map[int]int) {
			if len(want) != len(got) {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
			for class, n := range want {
				if got[class] != n {
					t.Fatalf("%s: %v, want %v", what, got, want)
				}
			}
		}
		same("prefixed", wantPrefixed, prefixed)
		same("misspelt", wantMisspelt, misspelt)
	})
}
