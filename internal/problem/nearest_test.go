package problem_test

import (
	"strings"
	"testing"

	"placard/internal/problem"
)

func TestClipShortensLongText(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		strings.Repeat("é", 60): strings.Repeat("é", 60),
		strings.Repeat("é", 61): strings.Repeat("é", 60) + "…",
	} {
		if got := problem.Clip(text); got != want {
			t.Errorf("Clip(%q) = %q, want %q", text, got, want)
		}
	}
}
