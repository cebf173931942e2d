package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// resizeInterval is how often the size of the terminal is examined.
const resizeInterval = 250 * time.Millisecond

// watchTree prints the findings of a tree, opened from dir, whenever it changes. It
// returns nil when the command is interrupted.
func watchTree(cmd *cobra.Command, t tree, dir string, format outputFormat, strict strictFlag) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	if ids, problems := t.releases(); len(ids) == 0 && len(problems) == 0 {
		return noRelease(dir)
	}
	failures := make(chan error)
	w := treeWatcher{
		tree:     t,
		events:   newFolderEvents(),
		progress: progressFrom(ctx),
		onError: func(err error) {
			select {
			case failures <- err:
			case <-ctx.Done():
			}
		},
	}
	defer w.events.close()
	out := reportWriter{w: cmd.OutOrStdout(), dir: dir, format: format, strict: strict}
	if format == formatText {
		out.terminal = terminalOf(out.w)
	}
	reports := make(chan treeReport)
	go w.run(ctx, reports)
	var resized <-chan time.Time
	if out.terminal != nil {
		ticker := time.NewTicker(resizeInterval)
		defer ticker.Stop()
		resized = ticker.C
	}
	for {
		var err error
		select {
		case report := <-reports:
			err = out.write(report)
		case failed := <-failures:
			err = out.fail(cmd.ErrOrStderr(), failed)
		case <-resized:
			err = out.resize()
		case <-ctx.Done():
			return out.close()
		}
		if err != nil {
			return failure{err}
		}
	}
}

// reportWriter writes reports as text or JSON, or as a screen that is redrawn if
// it writes to a terminal.
type reportWriter struct {
	w        io.Writer
	dir      string // the tree, as named on the command line
	format   outputFormat
	strict   strictFlag
	terminal *os.File // nil if w is not a terminal or the format is JSON

	last    treeReport
	written bool   // last is the report written last
	failed  string // errors since the last report, on a terminal
	columns int
	rows    int
}

func (o *reportWriter) write(r treeReport) error {
	first := !o.written
	o.last, o.written, o.failed = r, true, ""
	var b strings.Builder
	switch {
	case o.terminal != nil:
		return o.draw(first)
	case o.format == formatJSON:
		if err := o.appendJSON(&b); err != nil {
			return err
		}
	default:
		if !first {
			fmt.Fprintf(&b, "--- %s\n", r.time.Format(time.TimeOnly))
		}
		printFindings(&b, r.problems)
		b.WriteString(o.summary())
	}
	_, err := io.WriteString(o.w, b.String())
	return err
}

// fail writes an error that is not about the tree. On a terminal, it becomes a part of
// the screen, because drawing would erase it.
func (o *reportWriter) fail(stderr io.Writer, err error) error {
	if o.terminal == nil {
		printError(stderr, err)
		return nil
	}
	var b strings.Builder
	printError(&b, err)
	o.failed += b.String()
	return o.draw(false)
}

// summary returns one or more lines that end in a line break.
func (o *reportWriter) summary() string {
	var b strings.Builder
	r := o.last
	if r.err != nil {
		printError(&b, r.err)
		return b.String()
	}
	printSummary(&b, problem.Count(r.releases, "release"), r.problems)
	if f, ok := o.strict.verdict(r.problems).(failure); ok {
		printError(&b, f.error)
	}
	return b.String()
}

func (o *reportWriter) appendJSON(w io.Writer) error {
	r := o.last
	errs, warnings := r.problems.Render(sentence).Split()
	message := ""
	if r.err != nil {
		message, _ = describeError(r.err)
		message = withPeriod(message)
	}
	changed := r.changed
	if changed == nil {
		changed = []taxonomy.ID{}
	}
	err := json.MarshalWrite(w, struct {
		OK       bool          `json:"ok"`
		Time     time.Time     `json:"time"`
		Changed  []taxonomy.ID `json:"changed"`
		Message  string        `json:"message,omitzero"`
		Errors   problem.List  `json:"errors"`
		Warnings problem.List  `json:"warnings"`
	}{r.err == nil && o.strict.verdict(r.problems) == nil, r.time.UTC(), changed, message, errs, warnings})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w)
	return err
}

// resize draws the screen again if the size of the terminal has changed.
func (o *reportWriter) resize() error {
	if columns, rows := terminalSize(o.terminal); !o.written || columns == o.columns && rows == o.rows {
		return nil
	}
	return o.draw(false)
}

// draw replaces the contents of the screen in one write. At first, it moves the
// previous contents out of the way, so that they can still be scrolled to.
func (o *reportWriter) draw(first bool) error {
	o.columns, o.rows = terminalSize(o.terminal)
	var b strings.Builder
	if first {
		b.WriteString(strings.Repeat("\n", o.rows))
	}
	b.WriteString("\x1b[H")
	for _, line := range o.screen() {
		b.WriteString("\x1b[K" + line + "\n")
	}
	b.WriteString("\x1b[J")
	_, err := io.WriteString(o.w, b.String())
	return err
}

// close ends the line in which the terminal has echoed the interrupt.
func (o *reportWriter) close() error {
	if o.terminal != nil {
		fmt.Fprintln(o.w)
	}
	return nil
}

// screen returns the lines of the screen for the last report. They leave the last
// row empty, for the cursor.
func (o *reportWriter) screen() []string {
	r := o.last
	add := func(lines []string, text string) []string {
		for line := range strings.Lines(text) {
			lines = append(lines, wrapLine(strings.TrimSuffix(line, "\n"), o.columns)...)
		}
		return lines
	}
	lines := add(nil, fmt.Sprintf("Watching %s. Press Ctrl-C to stop.\n%s  %s%s\n", printable(o.dir), r.time.Format(time.TimeOnly), o.summary(), o.failed))
	errs, warnings := r.problems.Render(sentence).Split()
	room := o.rows - 1 - len(lines)
	all := slices.Concat(errs, warnings)
	for i, p := range all {
		var b strings.Builder
		printFinding(&b, p, min(excerptWidth, max(o.columns-len("    1 | "), 20)))
		finding := add(nil, b.String())
		remaining := len(all) - i
		if len(finding) <= room && remaining == 1 || len(finding) < room {
			lines = append(lines, finding...)
			room -= len(finding)
			continue
		}
		if i == 0 && room > 1 {
			lines = append(lines, finding[:min(room-1, len(finding))]...)
			remaining--
		}
		if remaining > 0 {
			lines = append(lines, fmt.Sprintf("and %d more", remaining))
		}
		break
	}
	return lines[:min(len(lines), max(o.rows-1, 1))]
}

// wrapLine splits a line into lines of at most the given number of columns, at
// spaces if possible.
func wrapLine(line string, limit int) []string {
	line = strings.ReplaceAll(line, "\t", "    ")
	indent := "" // of all lines but the first
	if limit >= 40 {
		indent = "        "
	}
	end, next := fitting(line, limit)
	lines := []string{line[:end]}
	for line = line[next:]; line != ""; line = line[next:] {
		end, next = fitting(line, limit-len(indent))
		lines = append(lines, indent+line[:end])
	}
	return lines
}

// fitting returns the end of the first part of a line that has at most the given
// number of columns, and the start of the rest.
func fitting(line string, limit int) (end, next int) {
	total, space := 0, 0
	for i, r := range line {
		if r == ' ' {
			space = i
		}
		if total += columns(r); total <= limit || i == 0 {
			continue
		}
		if space > i/2 {
			return space, space + 1
		}
		return i, i
	}
	return len(line), len(line)
}
