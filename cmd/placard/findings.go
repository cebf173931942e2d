package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/text/width"

	"placard/internal/core/problem"
)

// Formats of findings.
const (
	formatText = "text"
	formatJSON = "json"
)

// formatFlags are --format and its short form, --json.
type formatFlags struct {
	format string
	asJSON bool
}

// add adds the flags. The formats in others are possible besides text and JSON.
func (f *formatFlags) add(cmd *cobra.Command, usage string, others ...string) {
	cmd.Flags().Var(newChoice(&f.format, append([]string{formatText, formatJSON}, others...)...), "format", usage)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON, like --format json")
	cmd.MarkFlagsMutuallyExclusive("format", "json")
}

func (f *formatFlags) isJSON() bool { return f.asJSON || f.format == formatJSON }

// strictFlag is the value of --strict.
type strictFlag bool

func (s *strictFlag) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar((*bool)(s), "strict", false, "treat warnings as errors")
}

// verdict returns the error of a command that prints the given findings, or nil
// if they do not fail it.
func (s strictFlag) verdict(problems problem.List) error {
	if problems.HasErrors() {
		return errFindings
	}
	if s && len(problems) > 0 {
		return failure{problem.Failure("The tree has %s, and --strict treats warnings as errors.", problem.Count(len(problems), "warning")).
			Hint("Fix the warnings, or omit --strict.")}
	}
	return nil
}

// printFindings prints findings in the style of a compiler: position, message,
// code, the source line with a caret, and the hint.
func printFindings(w io.Writer, problems problem.List) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	for _, p := range problems.Render(sentence) {
		printFinding(out, p)
	}
}

// printFinding prints a rendered finding.
func printFinding(out io.Writer, p problem.Problem) {
	path := ""
	if p.Path.String() != "" {
		path = " (" + p.Path.String() + ")"
	}
	fmt.Fprintln(out, printable(fmt.Sprintf("%s: %s: %s%s [%s]", p.Pos, p.Severity, p.Message, path, p.Code)))
	if p.LineText != "" && len(p.LineText) <= maxExcerptLine {
		printExcerpt(out, p.LineText, p.Pos)
	}
	printHint(out, p.FixHint)
	fmt.Fprintln(out)
}

// printSummary prints the number of checked items, errors and warnings.
func printSummary(w io.Writer, subject string, problems problem.List) {
	errs, warnings := problems.Split()
	fmt.Fprintf(w, "%s checked: %s, %s.\n", subject, problem.Count(len(errs), "error"), problem.Count(len(warnings), "warning"))
}

const (
	// excerptWidth is the maximum number of characters in an excerpt.
	excerptWidth = 100
	// maxExcerptLine is the maximum length in bytes of a line that is excerpted.
	// For every finding, locating the column takes time proportional to the length.
	maxExcerptLine = 64 << 10
)

func printExcerpt(w io.Writer, line string, pos problem.Pos) {
	text := []rune(strings.TrimRight(strings.ToValidUTF8(line, "�"), "\r"))
	column := min(max(pos.Column, 1), len(text)+1)
	start := 0
	if column > excerptWidth-excerptWidth/5 {
		start = column - excerptWidth/2
	}
	end := min(len(text), start+excerptWidth)
	fmt.Fprintf(w, "%5d | %s\n", pos.Line, printable(string(text[start:end])))
	if pos.Column > 0 {
		fmt.Fprintf(w, "      | %s^\n", padding(text[start:column-1]))
	}
}

// printable replaces control characters, which could manipulate the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || 0x7f <= r && r < 0xa0 {
			return '�'
		}
		return r
	}, text)
}

// padding returns white space as wide as text.
func padding(text []rune) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\t' {
			b.WriteByte('\t')
			continue
		}
		b.WriteString("  "[:columns(r)])
	}
	return b.String()
}

// columns returns the number of columns that a character takes on a terminal.
func columns(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// clipWidth shortens a line without tabs to a number of columns.
func clipWidth(line string, limit int) string {
	total, end := 0, 0
	for i, r := range line {
		if total < limit {
			end = i
		}
		if total += columns(r); total > limit {
			return line[:end] + "…"
		}
	}
	return line
}

// printsJSON reports whether the output of a command is JSON. That of resolve is a
// document, which it must not be mistaken for.
func printsJSON(cmd *cobra.Command) bool {
	has := func(name, value string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Value.String() == value
	}
	return (has("json", "true") || has("format", formatJSON)) && cmd.Name() != "resolve"
}

// splitFindings returns the errors and the warnings in a list. Problems that abort a
// command have no severity of their own.
func splitFindings(problems problem.List) (errs, warnings problem.List) {
	errs, warnings = problems.Split()
	for i := range errs {
		errs[i].Severity = problem.Error
	}
	return errs, warnings
}

// printFindingsJSON prints findings in the JSON envelope of the API.
func printFindingsJSON(w io.Writer, problems problem.List, ok bool) error {
	errs, warnings := splitFindings(problems.Render(sentence))
	return printJSON(w, struct {
		OK       bool         `json:"ok"`
		Errors   problem.List `json:"errors"`
		Warnings problem.List `json:"warnings"`
	}{ok, errs, warnings})
}

// joinedError is the type of errors that [errors.Join] returns.
type joinedError interface {
	error
	Unwrap() []error
}

// printError prints the error of a command, with its code and hint if it is a
// problem. Joined errors are printed one by one.
func printError(w io.Writer, err error) {
	if joined, ok := err.(joinedError); ok {
		for _, err := range joined.Unwrap() {
			printError(w, err)
		}
		return
	}
	p := problemOf(err)
	if p.Code != "" {
		p.Message = fmt.Sprintf("%s [%s]", p.Message, p.Code)
	}
	printMessage(w, p.Message, p.FixHint)
}

// printMessage prints a message, which may have several lines, and a hint unless
// it is empty.
func printMessage(w io.Writer, message, hint string) {
	for line := range strings.SplitSeq("placard: "+withPeriod(message), "\n") {
		fmt.Fprintln(w, printable(line))
	}
	printHint(w, hint)
}

// printHint prints a hint, which may have several lines, unless it is empty.
func printHint(w io.Writer, hint string) {
	if hint == "" {
		return
	}
	first, rest, _ := strings.Cut(hint, "\n")
	fmt.Fprintln(w, printable("      = hint: "+first))
	for line := range strings.Lines(rest) {
		fmt.Fprintln(w, printable("        "+strings.TrimRight(line, "\n")))
	}
}

// withPeriod adds a period to a message that ends in neither a period nor a code in
// brackets.
func withPeriod(message string) string {
	if strings.HasSuffix(message, ".") || strings.HasSuffix(message, "]") {
		return message
	}
	return message + "."
}
