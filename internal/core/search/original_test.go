package search

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOriginalTextIsNormalizedAsQueriesAre(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "É", "e", "\u0301", "ﬃ", "ｶﾞ", "İ", "Σ", "’", "`", "{{x}}", "{{", "}}", "\u00AD", "각", "\u11A8", "\xff", " ", "ﷺ", strings.Repeat("\u0301", 40)})
	rapid.Check(t, func(t *rapid.T) {
		var text string
		for _, part := range rapid.SliceOf(parts).Draw(t, "parts") {
			text += part
		}
		o := normalizeOriginal(text, math.MaxInt)
		if want := normalize(text); o.normalized != want {
			t.Fatalf("%q: got %q, want %q", text, o.normalized, want)
		}
		for i := range len(o.normalized) {
			if s := o.span(i, i+1); s.Start < 0 || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("%q: byte %d of %q comes from %v", text, i, o.normalized, s)
			}
		}
	})
}
