package problem_test

import (
	"strings"
	"testing"

	"placard/internal/core/problem"
)

func TestClip(t *testing.T) {
	for s, want := range map[string]string{
		"":                            "",
		strings.Repeat("é", 40):       strings.Repeat("é", 40),
		strings.Repeat("é", 41):       strings.Repeat("é", 40) + "…",
		"a" + strings.Repeat("é", 40): "a" + strings.Repeat("é", 39) + "…",
		"caf\xe9":                     "caf\uFFFD",
	} {
		if got := problem.Clip(s); got != want {
			t.Errorf("Clip(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestClipTo(t *testing.T) {
	for limit, want := range map[int]string{0: "…", 1: "…", 2: "é…", 3: "éa"} {
		if got := problem.ClipTo("éa", limit); got != want {
			t.Errorf("ClipTo(%q, %d) = %q, want %q", "éa", limit, got, want)
		}
	}
}

func TestPathsClipLongNames(t *testing.T) {
	name := strings.Repeat("a", problem.MaxName)
	if got := problem.Root.Field(name).String(); got != name {
		t.Errorf("got %q, want the whole name", got)
	}
	if got, want := problem.Root.Field(name+"b").String(), `["`+name+`…"]`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
