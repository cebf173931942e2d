package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/upgrade"
)

// located returns the positions of the edits that replace every x in a text.
func located(text string) []problem.Pos {
	u := upgradedDocument{document: document{"a.json", []byte(text)}, Result: new(upgrade.Result)}
	for i := range len(text) {
		if text[i] == 'x' {
			u.Edits = append(u.Edits, upgrade.Edit{Start: i, End: i + 1})
		}
	}
	var positions []problem.Pos
	for _, e := range u.edits() {
		positions = append(positions, e.Position)
	}
	return positions
}

func TestEditsHaveTheirPositions(t *testing.T) {
	var got []string
	for _, p := range located("xéx\n\nüx x\nx") {
		got = append(got, p.String())
	}
	want := []string{"a.json:1:1", "a.json:1:3", "a.json:3:2", "a.json:3:4", "a.json:4:1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
}

// With time proportional to the square of the length, this test would take hours.
func TestEditsInOneLongLineAreLocated(t *testing.T) {
	const edits = 2_000_000
	positions := located(strings.Repeat("       x", edits))
	if last, want := positions[len(positions)-1], (problem.Pos{File: "a.json", Line: 1, Column: 8 * edits}); len(positions) != edits || last != want {
		t.Errorf("got %d positions up to %v, want %d up to %v", len(positions), last, edits, want)
	}
}
