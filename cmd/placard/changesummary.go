package main

import (
	"fmt"
	"io"
	"strings"

	"placard/internal/compat"
	"placard/internal/diffview"
	"placard/internal/problem"
	"placard/internal/store"
	"placard/internal/taxonomy"
)

// changeSummary summarizes the changes since another release.
type changeSummary struct {
	Base     taxonomy.ID         `json:"base"`
	Changes  int                 `json:"changes"`
	Kinds    map[compat.Kind]int `json:"kinds"` // the number of changes of each kind
	Breaking problem.List        `json:"breaking"`
	counts   []string            // as diff prints them
}

// summarize returns the summary of c, which may be nil.
func summarize(c *store.Comparison) *changeSummary {
	if c == nil {
		return nil
	}
	s := &changeSummary{
		Base: c.Old, Changes: len(c.Changes), Kinds: make(map[compat.Kind]int), Breaking: c.Breaks().Render(sentence),
		counts: diffview.New(c.Before, c.After, c.Comparison).Counts(),
	}
	for _, change := range c.Changes {
		s.Kinds[change.Kind]++
	}
	return s
}

// print prints the summary, indented, and the breaking changes. c may be nil.
func (c *changeSummary) print(w io.Writer) {
	if c == nil {
		return
	}
	const indentation = "           "
	if c.Changes == 0 {
		fmt.Fprintf(w, "%sno changes since %s\n", indentation, c.Base)
		return
	}
	fmt.Fprintf(w, "%schanges since %s: %s\n", indentation, c.Base, strings.Join(c.counts, ", "))
	for _, p := range c.Breaking {
		fmt.Fprintln(w, printable(fmt.Sprintf("%sbreaking: %s [%s]", indentation, p.Message, p.Code)))
	}
}
