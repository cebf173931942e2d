package main

import (
	"fmt"
	"io"
	"strings"

	"placard/internal/compat"
	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// changeSummary summarizes the changes since another release.
type changeSummary struct {
	Base     taxonomy.ID         `json:"base"`
	Changes  int                 `json:"changes"`
	Kinds    map[compat.Kind]int `json:"kinds"` // the number of changes of each kind
	Breaking problem.List        `json:"breaking"`
}

// summarize returns the summary of c, which may be nil.
func summarize(c *compat.Comparison) *changeSummary {
	if c == nil {
		return nil
	}
	s := &changeSummary{Base: c.Old, Changes: len(c.Changes), Kinds: make(map[compat.Kind]int), Breaking: c.Breaks().Render(sentence)}
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
	var kinds []string
	for _, kind := range compat.Kinds {
		if n := c.Kinds[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
		}
	}
	fmt.Fprintf(w, "%s%s since %s: %s\n", indentation, problem.Count(c.Changes, "change"), c.Base, strings.Join(kinds, ", "))
	for _, p := range c.Breaking {
		fmt.Fprintln(w, printable(fmt.Sprintf("%sbreaking: %s [%s]", indentation, p.Message, p.Code)))
	}
}
