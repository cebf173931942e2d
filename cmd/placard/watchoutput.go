package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// watchTree prints the findings of a tree, opened from dir, whenever it changes. It
// returns nil when the command is interrupted.
func watchTree(cmd *cobra.Command, t tree, dir string, asJSON bool, strict strictFlag) error {
	if ids, problems := t.releases(); len(ids) == 0 && len(problems) == 0 {
		return noRelease(dir)
	}
	w := treeWatcher{tree: t, progress: progressFrom(cmd.Context())}
	first := true
	print := func(report treeReport) error {
		var b strings.Builder
		if asJSON {
			if err := report.appendJSON(&b, strict); err != nil {
				return err
			}
		} else {
			report.appendText(&b, strict, first)
		}
		first = false
		if _, err := io.WriteString(cmd.OutOrStdout(), b.String()); err != nil {
			return err
		}
		for _, id := range report.changed {
			if err := t.refreshSchemas(id); err != nil {
				printError(cmd.ErrOrStderr(), err)
			}
		}
		return nil
	}
	// A check in progress does not delay the exit.
	done := make(chan error, 1)
	go func() { done <- w.run(cmd.Context(), print) }()
	select {
	case err := <-done:
		return failureOf(err)
	case <-cmd.Context().Done():
		return nil
	}
}

// appendText writes the findings and a summary, after a line with the time unless the
// report is the first one.
func (r treeReport) appendText(b *strings.Builder, strict strictFlag, first bool) {
	if !first {
		fmt.Fprintf(b, "--- %s\n", r.time.Format(time.TimeOnly))
	}
	printFindings(b, r.problems)
	if r.err != nil {
		printError(b, r.err)
		return
	}
	printSummary(b, problem.Count(r.releases, "release"), r.problems)
	if f, ok := strict.verdict(r.problems).(failure); ok {
		printError(b, f.error)
	}
}

// appendJSON writes the report as one line.
func (r treeReport) appendJSON(b *strings.Builder, strict strictFlag) error {
	errs, warnings := r.problems.Render(sentence).Split()
	message := ""
	if r.err != nil {
		message = withPeriod(problemOf(r.err).Message)
	}
	changed := r.changed
	if changed == nil {
		changed = []taxonomy.ID{}
	}
	err := json.MarshalWrite(b, struct {
		OK       bool          `json:"ok"`
		Time     time.Time     `json:"time"`
		Changed  []taxonomy.ID `json:"changed"`
		Message  string        `json:"message,omitzero"`
		Errors   problem.List  `json:"errors"`
		Warnings problem.List  `json:"warnings"`
	}{r.err == nil && strict.verdict(r.problems) == nil, r.time.UTC(), changed, message, errs, warnings})
	b.WriteByte('\n')
	return err
}
