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

// outputFormat is the value of --format.
type outputFormat string

const (
	formatText outputFormat = "text"
	formatJSON outputFormat = "json"
)

func (f *outputFormat) String() string { return string(*f) }
func (f *outputFormat) Type() string   { return "text|json" }

// Set implements pflag.Value.
func (f *outputFormat) Set(s string) error {
	if s != string(formatText) && s != string(formatJSON) {
		return fmt.Errorf("%q is not a format; use text or json", s)
	}
	*f = outputFormat(s)
	return nil
}

// printFindings prints findings in the style of a compiler: position, message,
// code, the source line with a caret, and the hint. Source lines come from
// contents, by file name, or else from the file system.
func printFindings(w io.Writer, problems problem.List, contents map[string][]byte) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	files := make(map[string][]string)
	for _, p := range problems {
		path := ""
		if p.Path.String() != "" {
			path = " (" + p.Path.String() + ")"
		}
		fmt.Fprintln(out, printable(fmt.Sprintf("%s: %s: %s%s [%s]", p.Pos, p.Severity, p.Message, path, p.Code)))
		lines, ok := files[p.Pos.File]
		if !ok {
			lines = readLines(p.Pos.File, contents)
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

func readLines(file string, contents map[string][]byte) []string {
	data, ok := contents[file]
	if !ok {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			return nil // the finding itself reports unreadable files
		}
	}
	return strings.Split(string(bytes.ToValidUTF8(data, []byte("�"))), "\n")
}

// printSummary prints the number of checked items, errors and warnings.
func printSummary(w io.Writer, subject string, problems problem.List) {
	errs, warnings := problems.Split()
	fmt.Fprintf(w, "%s checked: %s, %s.\n", subject, plural(len(errs), "error"), plural(len(warnings), "warning"))
}

// excerptWidth is the maximum number of characters in an excerpt.
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

// printFindingsJSON prints findings in the JSON envelope of the API.
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

// plural returns a count such as "1 error" or "3 warnings".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// printError prints the error of a command, with its code and hint if it is a
// problem.
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
