package main

import (
	"fmt"
	"strings"
	"time"

	"placard/internal/storage/store"
)

// contentJSON is a content that a release has or had.
type contentJSON struct {
	ContentHash string    `json:"content_hash"`
	From        time.Time `json:"from"`
	Until       time.Time `json:"until,omitzero"` // absent if it is published
	By          string    `json:"by,omitzero"`
	Note        string    `json:"note,omitzero"`
	Pruned      bool      `json:"pruned,omitzero"`
}

func describeContents(contents []store.Content) []contentJSON {
	var all []contentJSON
	for _, c := range contents {
		all = append(all, contentJSON{c.ContentHash, c.From, c.Until, c.By, c.Note, c.Gone})
	}
	return all
}

// maxContents is the maximum number of contents in a hint.
const maxContents = 20

// listContents returns the lines of a hint that describe contents.
func listContents(contents []contentJSON) string {
	var b strings.Builder
	for _, c := range contents[:min(len(contents), maxContents)] {
		b.WriteString("\n" + c.String())
	}
	if n := len(contents) - maxContents; n > 0 {
		fmt.Fprintf(&b, "\nand %d more.", n)
	}
	return b.String()
}

// String returns the content in one line.
func (c contentJSON) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", shortHash(c.ContentHash), c.From.Format(time.RFC3339))
	if c.By != "" {
		b.WriteString("  by " + c.By)
	}
	if note, _, _ := strings.Cut(c.Note, "\n"); note != "" {
		b.WriteString("  " + clipWidth(note, 60))
	}
	switch {
	case c.Until.IsZero():
		b.WriteString("  (published)")
	case c.Pruned:
		b.WriteString("  (pruned)")
	}
	return b.String()
}
