package search

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestCharactersWithoutAccentsFoldToThemselves(t *testing.T) {
	checked := 0
	for r := range rune(0x10000) {
		char := string(r)
		if !hasNoAccents(char) || normalize(char) != char {
			continue
		}
		checked++
		decomposed := norm.NFD.String(char)
		if strings.ContainsFunc(decomposed, isAccent) || norm.NFC.String(decomposed) != char || string(appendLetter(nil, r)) != char {
			t.Errorf("%U has an accent, want none", r)
		}
	}
	if checked < 20_000 {
		t.Errorf("checked %d characters, want all common ones", checked)
	}
}
