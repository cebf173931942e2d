package main

import (
	"fmt"
	"io"
	"strings"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/show/diffview"
)

// changeSummary summarizes the changes since another release.
type changeSummary struct {
	Base     taxonomy.ID         `json:"base"`
	Changes  int                 `json:"changes"`
	Kinds    map[compat.Kind]int `json:"kinds"` // the number of changes of each kind, as counted by diff
	Breaking problem.List        `json:"breaking"`
	counts   []string            // as diff prints them
}

// summarize returns the summary of c, which may be nil.
func summarize(c *compat.Comparison) *changeSummary {
	if c == nil {
		return nil
	}
	report := diffview.New(c, diffview.Options{})
	s := &changeSummary{Base: c.Old, Kinds: make(map[compat.Kind]int), Breaking: c.Breaks().Render(sentence), counts: report.Counts()}
	for _, section := range report.Sections {
		if !section.Breaking {
			s.Kinds[compat.Kind(section.ID)] = section.Count
			s.Changes += section.Count
		}
	}
	return s
}

// print prints the summary, indented, and reports whether there is more to say about
// the changes. In a dry run, it describes them. Otherwise, it only counts those that
// break documents. c may be nil.
func (c *changeSummary) print(w io.Writer, dryRun bool) (more bool) {
	const indentation = "           "
	switch {
	case c == nil:
		return false
	case !dryRun:
		if n := len(c.Breaking); n > 0 {
			verb := "break"
			if n == 1 {
				verb = "breaks"
			}
			fmt.Fprintf(w, "%s%s %s documents written for %s.\n", indentation, problem.Count(n, "change"), verb, c.Base)
		}
		return len(c.Breaking) > 0
	case c.Changes == 0:
		fmt.Fprintf(w, "%sno changes since %s\n", indentation, c.Base)
		return false
	}
	fmt.Fprintf(w, "%schanges since %s: %s\n", indentation, c.Base, strings.Join(c.counts, ", "))
	for _, p := range c.Breaking {
		fmt.Fprintln(w, printable(fmt.Sprintf("%sbreaking: %s [%s]", indentation, p.Message, p.Code)))
	}
	return true
}
