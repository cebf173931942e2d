package taxonomy

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPlaceholders(t *testing.T) {
	for text, want := range map[string][]Placeholder{
		"":                     nil,
		"Kept for {{ days }}.": {{9, 19, "days"}},
		"{{a}}{{b}}":           {{0, 5, "a"}, {5, 10, "b"}},
		"{{a b}} {{}}":         {{0, 7, "a b"}, {8, 12, ""}},
		"{{{a}}}":              {{1, 6, "a"}},
		"{{a{{b}}":             {{3, 8, "b"}},
		"{{a}b}} {c} {{d":      nil,
	} {
		if diff := cmp.Diff(want, slices.Collect(Placeholders(text))); diff != "" {
			t.Errorf("placeholders in %q (-want +got):\n%s", text, diff)
		}
	}
}

func TestPlaceholdersAgreeWithPattern(t *testing.T) {
	pattern := regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"{", "}", "{{", "}}", " ", "\n", "\u00a0", "a", "é"})).Draw(t, "text"), "")
		var want []Placeholder
		for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
			want = append(want, Placeholder{m[0], m[1], text[m[2]:m[3]]})
		}
		if diff := cmp.Diff(want, slices.Collect(Placeholders(text))); diff != "" {
			t.Fatalf("placeholders in %q (-want +got):\n%s", text, diff)
		}
	})
}

func TestPlaceholdersTakeLinearTime(t *testing.T) {
	for _, text := range []string{strings.Repeat("{", 1<<20), strings.Repeat("{{a", 1<<18), "{{" + strings.Repeat("a", 1<<20)} {
		for p := range Placeholders(text) {
			t.Errorf("%.8q…: got placeholder %v, want none", text, p)
		}
	}
}
