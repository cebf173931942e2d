package source

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
)

const quoteHint = "Put the text in quotes."

var (
	conflictMarker    = regexp.MustCompile(`^(?:<<<<<<<|>>>>>>>|=======)(?:\s|$)`)
	tabIndentation    = regexp.MustCompile(`^ *\t\s*\S`)
	colonWithoutSpace = regexp.MustCompile(`^\s*(?:- +)?([A-Za-z0-9_-]+):[^\s/]`)
	colonInValue      = regexp.MustCompile(`:\s.*\S$`)
	closedQuote       = regexp.MustCompile(`["']\s*$`)
)

// reportSyntaxError reports an error of the YAML library. It looks for common mistakes
// in the text around the error, and otherwise repeats the library's message.
func (r *fileReader) reportSyntaxError(file string, data []byte, err error) {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		load = &yaml.LoadError{Message: err.Error()}
	}
	pos := problem.Pos{File: file, Line: 1, Column: 1}
	switch i := bytes.IndexFunc(data, isControl); {
	case load.Mark.Line > 0:
		pos.Line, pos.Column = load.Mark.Line, load.Mark.Column
	case i >= 0:
		pos = offsetPos(file, data, i)
	}
	start := pos // of the construct that cannot be read
	if load.ContextMark.Line > 0 {
		start.Line, start.Column = load.ContextMark.Line, load.ContextMark.Column
	}
	lines := strings.Split(string(data), "\n")
	if r.reportCommonMistake(lines, start, pos) {
		return
	}
	// An unclosed bracket is noticed only where the next line cannot be read.
	if opening := skipColumns(lineAt(lines, start.Line), start.Column); strings.HasPrefix(opening, "[") || strings.HasPrefix(opening, "{") {
		pos = start
	}
	message := load.Message
	if load.ContextMsg != "" {
		message = load.ContextMsg + ", " + message
	}
	r.report(yamlSyntax, pos, "The YAML cannot be read: %s.", strings.Map(printable, message)).
		FixHint = "Check the indentation, the quotes and the brackets on this line and the line before."
}

// reportCommonMistake reports a common mistake in the lines around the error at pos,
// in a construct that begins at start. It returns false if it finds none.
func (r *fileReader) reportCommonMistake(lines []string, start, pos problem.Pos) bool {
	report := func(line, column int, message, hint string) bool {
		r.report(yamlSyntax, problem.Pos{File: pos.File, Line: line, Column: column}, "%s", message).FixHint = hint
		return true
	}
	for i, line := range lines {
		if conflictMarker.MatchString(line) {
			return report(i+1, 1, "The line marks a merge conflict.", "Keep one of the two versions, and remove the lines that mark the conflict.")
		}
	}
	around := []int{start.Line, pos.Line - 1, pos.Line}
	for _, number := range around {
		if line := lineAt(lines, number); tabIndentation.MatchString(line) {
			return report(number, strings.IndexByte(line, '\t')+1, "The line is indented with a tab.", "Indent with spaces, not tabs.")
		}
	}
	line := lineAt(lines, pos.Line)
	rest := skipColumns(line, pos.Column)
	before := strings.TrimSuffix(line, rest)
	if strings.HasPrefix(rest, ":") && colonInValue.MatchString(before) {
		return report(pos.Line, pos.Column, "The text contains a colon followed by a space, which would start another field.", quoteHint)
	}
	opening := skipColumns(lineAt(lines, start.Line), start.Column)
	isQuote := strings.HasPrefix(opening, "'") || strings.HasPrefix(opening, `"`)
	if isQuote && (pos.Line > start.Line || rest == "") {
		return report(start.Line, start.Column, "The quote is not closed.", closeHint)
	}
	if !isQuote && closedQuote.MatchString(before) {
		return report(pos.Line, pos.Column, "Text follows the closing quote.", closeHint)
	}
	for _, number := range around {
		if m := colonWithoutSpace.FindStringSubmatchIndex(lineAt(lines, number)); m != nil {
			return report(number, m[2]+1, "A space is missing after the colon.", "Write name: value.")
		}
	}
	return false
}

const closeHint = `Put the whole text in quotes. In single quotes, write '' for an apostrophe; in double quotes, write \" for a quote.`

// lineAt returns a line, counting from 1, without the line break.
func lineAt(lines []string, number int) string {
	if number < 1 || number > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[number-1], "\r")
}

// skipColumns returns the part of a line that starts at a column, counting from 1.
func skipColumns(line string, column int) string {
	for ; column > 1 && line != ""; column-- {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}

// reportOtherFormat reports a file that is not text in UTF-8 or is in another format
// than YAML. It returns true if it reports one.
func (r *fileReader) reportOtherFormat(file string, data []byte) bool {
	offset, binary := invalidUTF8(data)
	rule, pos := yamlSyntax, problem.Pos{File: file, Line: 1, Column: 1}
	if binary {
		rule = fileNotUTF8
	}
	switch format := icon.DetectFormat(data); {
	case format == icon.UTF16:
		r.report(fileNotUTF8, pos, "The file is %s.", format).FixHint = "Save the file as UTF-8."
	case format != "":
		r.report(rule, pos, "The file is %s, not YAML text.", format).FixHint = "Replace it with a text file, or move it out of this folder."
	case binary:
		r.report(fileNotUTF8, offsetPos(file, data, offset), "The file is not encoded in UTF-8.").FixHint = "Save the file as UTF-8."
	default:
		return false
	}
	return true
}

func isControl(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7F
}

// printable replaces characters that must not be printed. It is used with
// [strings.Map].
func printable(c rune) rune {
	if strconv.IsPrint(c) {
		return c
	}
	return utf8.RuneError
}
