package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/width"

	"placard/internal/problem"
)

// format is how findings are printed.
type format string

const (
	formatText format = "text"
	formatJSON format = "json"
)

func (f *format) String() string { return string(*f) }
func (f *format) Type() string   { return "text|json" }

// Set is called by the command line's flag parser.
func (f *format) Set(s string) error {
	if s != string(formatText) && s != string(formatJSON) {
		return fmt.Errorf("%q is neither text nor json", s)
	}
	*f = format(s)
	return nil
}

// printFindings prints findings as compilers do: place, code, message, the
// line with a caret below the fault, and what to do about it. Texts holds what
// stands in files that are not on disk.
func printFindings(w io.Writer, problems problem.List, texts map[string][]byte) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	files := make(map[string][]string)
	for _, p := range problems {
		where := ""
		if p.Path.String() != "" {
			where = " (" + p.Path.String() + ")"
		}
		fmt.Fprintln(out, printable(fmt.Sprintf("%s: %s: %s%s [%s]", p.Pos, p.Severity, p.Message, where, p.Code)))
		lines, ok := files[p.Pos.File]
		if !ok {
			lines = splitLines(p.Pos.File, texts)
			files[p.Pos.File] = lines
		}
		if 1 <= p.Pos.Line && p.Pos.Line <= len(lines) {
			printExcerpt(out, lines[p.Pos.Line-1], p.Pos)
		}
		if p.FixHint != "" {
			fmt.Fprintln(out, printable("      = hint: "+p.FixHint))
		}
		fmt.Fprintln(out)
	}
}

func splitLines(file string, texts map[string][]byte) []string {
	data, ok := texts[file]
	if !ok {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			return nil // the finding says that it cannot be read
		}
	}
	return strings.Split(string(bytes.ToValidUTF8(data, []byte("�"))), "\n")
}

// printCount prints how a check ended.
func printCount(w io.Writer, subject string, problems problem.List) {
	errs, warnings := problems.Split()
	fmt.Fprintf(w, "%s checked: %s, %s.\n", subject, count(len(errs), "error"), count(len(warnings), "warning"))
}

// excerptWidth is how many characters of a long line are shown.
const excerptWidth = 100

func printExcerpt(w io.Writer, line string, pos problem.Pos) {
	text := []rune(strings.TrimRight(line, "\r"))
	column := min(max(pos.Column, 1), len(text)+1)
	start := 0
	if column > excerptWidth-20 {
		start = column - excerptWidth/2
	}
	end := min(len(text), start+excerptWidth)
	fmt.Fprintf(w, "%5d | %s\n", pos.Line, printable(string(text[start:end])))
	if pos.Column > 0 {
		fmt.Fprintf(w, "      | %s^\n", blanks(text[start:column-1]))
	}
}

// printable keeps control characters from files from reaching the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || 0x7f <= r && r < 0xa0 {
			return '�'
		}
		return r
	}, text)
}

// blanks returns white space as wide as text.
func blanks(text []rune) string {
	var b strings.Builder
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case r == '\t':
			b.WriteByte('\t')
		case kind == width.EastAsianWide, kind == width.EastAsianFullwidth:
			b.WriteString("  ")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// printFindingsJSON prints findings in the envelope of the API.
func printFindingsJSON(w io.Writer, problems problem.List) error {
	errs, warnings := problems.Split()
	err := json.MarshalWrite(w, struct {
		OK       bool         `json:"ok"`
		Errors   problem.List `json:"errors"`
		Warnings problem.List `json:"warnings"`
	}{len(errs) == 0, errs, warnings}, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w)
	return err
}

// count writes "1 error", "3 warnings".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// printError prints what ended a command: a problem with its hint, or any
// other error as it is.
func printError(w io.Writer, err error) {
	var p problem.Problem
	if !errors.As(err, &p) {
		fmt.Fprintln(w, "placard:", err)
		return
	}
	fmt.Fprintf(w, "placard: %s [%s]\n", p.Message, p.Code)
	if p.FixHint != "" {
		fmt.Fprintf(w, "      = hint: %s\n", p.FixHint)
	}
}
