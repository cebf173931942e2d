package main

import (
	"strings"
	"testing"
	"time"

	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// A record can be written by any program that can write to the store.
func TestHistoryCannotManipulateTheTerminal(t *testing.T) {
	id := taxonomy.ID{Type: "place", Date: "2026-06-01", Status: taxonomy.Beta}
	var out strings.Builder
	printHistory(&out, []store.Record{
		{
			Revision: 2, At: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC), Action: "retire\x1b[2J", By: "a\nb\u009b1m",
			Note:    "one\r\n\x1b]0;title\x07\n1  forged",
			Aliases: []store.AliasChange{{Alias: "place@\x1bpilot\nx", New: id}},
		},
		{Revision: 1, At: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), Action: store.Prune, Removed: []string{"releases/a\n"}, Lost: []string{"journal/1.json"}},
	})
	const want = `2  2026-11-15T10:00:00Z  retire�[2J  a�b�1m
    place@�pilot�x  → place@2026-06-01-beta
    one�
    �]0;title�
    1  forged

1  2026-11-15T09:00:00Z  prune  -
    deleted releases/a�
    lost journal/1.json
`
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
