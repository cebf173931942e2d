package source

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
)

// syntaxError is an error of the YAML library with the text around it.
type syntaxError struct {
	*yaml.LoadError
	line  string // the line of the error
	rest  string // the part of line that starts at the error
	start string // the part of its line that starts at the context of the error
}

// syntaxMessage replaces the messages of the YAML library that contain a text. The
// first entry that applies is used.
type syntaxMessage struct {
	contains  string
	applies   func(e syntaxError) bool // if nil, always
	atContext bool                     // report the start of the construct, not the place where reading failed
	message   func(e syntaxError) string
	hint      string
}

const (
	quoteHint  = "Put the text in quotes."
	spacesHint = "Indent with spaces, not tabs."
	alignHint  = "Indent the fields of a group by the same number of spaces."
	escapeHint = `Write \\ for a backslash, or use single quotes.`
	innerQuote = `In single quotes, write '' for an apostrophe; in double quotes, write \" for a quote.`
	closeHint  = "Close it with the same quote. " + innerQuote
	fieldHint  = "Write it as name: value, or indent it if it continues the text above."
)

func text(message string) func(syntaxError) string {
	return func(syntaxError) string { return message }
}

func startsWith(prefixes ...string) func(syntaxError) bool {
	return func(e syntaxError) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(e.rest, p) {
				return true
			}
		}
		return false
	}
}

// unclosed returns the message for an opening bracket without its closing one.
func unclosed(opening, closing string) func(syntaxError) string {
	return func(e syntaxError) string {
		return fmt.Sprintf("The %s is not closed, or a comma is missing: expected a comma or %s before line %d, column %d.", opening, closing, e.Mark.Line, e.Mark.Column)
	}
}

func hasComment(e syntaxError) bool { return comment.MatchString(e.start) }

func specialStart(e syntaxError) string {
	first, _ := utf8.DecodeRuneInString(e.rest)
	return fmt.Sprintf("Text without quotes cannot start with %c.", printable(first))
}

var (
	colonWithoutSpace = regexp.MustCompile(`^[A-Za-z0-9_-]+:[^\s/]`)
	alias             = regexp.MustCompile(`^[^\s,\]}]*`)
	textAfterQuote    = regexp.MustCompile(`["']\s*$`)
	textAfterBracket  = regexp.MustCompile(`(?::|^\s*-)\s+[\[{].*[\]}]\s*$`)
	comment           = regexp.MustCompile(`\s#`)
	// otherSpaceAfterColon matches a space that YAML does not read as one.
	otherSpaceAfterColon = regexp.MustCompile(`^[A-Za-z0-9_-]+:\pZ*[\x{A0}\x{2000}-\x{200B}\x{202F}\x{3000}]`)
	// otherBullet matches the start of a list item that is written with a
	// character other than the hyphen.
	otherBullet = regexp.MustCompile(`^\s*(?:-\s+)?([\x{2010}-\x{2015}\x{2022}\x{2212}\x{B7}])\s`)
)

var syntaxMessages = []syntaxMessage{
	{contains: "cannot start any token", applies: startsWith("\t"), message: text("The line is indented with a tab."), hint: spacesHint},
	{contains: "cannot start any token", message: specialStart, hint: quoteHint},
	{contains: "tab character", message: text("The line is indented with a tab."), hint: spacesHint},
	{
		contains: "mapping values are not allowed",
		applies:  func(e syntaxError) bool { return strings.Contains(strings.TrimSuffix(e.line, e.rest), ": ") },
		message:  text("The text contains a colon followed by a space, which would start another field."), hint: quoteHint,
	},
	{
		contains: "mapping values are not allowed",
		message:  text("A field starts here, but the line above it is still open."),
		hint:     "Align this line with the fields around it, and write the line above as name: value. If this line continues a text, put the text in quotes.",
	},
	{
		contains: "could not find expected ':'", atContext: true,
		applies: func(e syntaxError) bool { return otherSpaceAfterColon.MatchString(e.start) },
		message: text("The space after the colon is a non-breaking space or another special one."), hint: "Replace it with an ordinary space.",
	},
	{
		contains: "could not find expected ':'", atContext: true,
		applies: func(e syntaxError) bool { return colonWithoutSpace.MatchString(e.start) },
		message: text("A space is missing after the colon."), hint: "Write name: value.",
	},
	{contains: "could not find expected ':'", atContext: true, message: text("The line is not a field, because it has no colon."), hint: fieldHint},
	{
		contains: "did not find expected key", applies: startsWith("]", "}"),
		message: text("The bracket closes nothing."), hint: "Remove it, or add the opening bracket.",
	},
	{
		contains: "did not find expected key",
		applies:  func(e syntaxError) bool { return textAfterQuote.MatchString(strings.TrimSuffix(e.line, e.rest)) },
		message:  text("Text follows the closing quote."), hint: "Put the whole text in quotes. " + innerQuote,
	},
	{
		contains: "did not find expected key",
		applies:  func(e syntaxError) bool { return textAfterBracket.MatchString(strings.TrimSuffix(e.line, e.rest)) },
		message:  text("Text follows the closing bracket."), hint: "Put the whole text in quotes.",
	},
	{contains: "did not find expected key", message: text("The indentation does not match the lines above."), hint: alignHint},
	{
		contains: "expected '-' indicator", message: text("The line is part of a list, but does not start with a dash."),
		hint: "Start it with a dash, or indent it if it belongs to the item above.",
	},
	{contains: "',' or ']'", atContext: true, applies: hasComment, message: text("The [ is not closed, because a # after a space starts a comment."), hint: "Put the text with the # in quotes."},
	{contains: "',' or '}'", atContext: true, applies: hasComment, message: text("The { is not closed, because a # after a space starts a comment."), hint: "Put the text with the # in quotes."},
	{contains: "',' or ']'", atContext: true, message: unclosed("[", "]"), hint: "Add the missing comma or bracket, and put text that contains brackets, commas or colons in quotes."},
	{contains: "',' or '}'", atContext: true, message: unclosed("{", "}"), hint: "Add the missing comma or brace, and put text that contains braces, commas or colons in quotes."},
	{
		contains: "expected node content", applies: func(e syntaxError) bool { return e.rest == "" },
		message: text("The file ends where a value is expected."), hint: "Write the value, and close all brackets.",
	},
	{
		contains: "expected node content", message: func(e syntaxError) string {
			return fmt.Sprintf("Expected a value, but found %q.", problem.Clip(strings.Map(printable, e.rest)))
		},
		hint: "Write the value or remove the extra comma or bracket. Put text that starts with a comma or bracket in quotes.",
	},
	{contains: "unexpected end of stream", atContext: true, message: text("The quote is not closed."), hint: closeHint},
	{contains: "unexpected document indicator", atContext: true, message: text("The quote is not closed before a line of hyphens or dots."), hint: closeHint},
	{contains: "unknown escape character", message: text("In double quotes, the backslash starts an escape that YAML does not have."), hint: escapeHint},
	{contains: "hexadecimal number", message: text("In double quotes, the escape needs hexadecimal digits."), hint: escapeHint},
	{contains: "Unicode character escape code", message: text("In double quotes, the escape does not name a character."), hint: "Write the character itself."},
	{contains: "alphabetic or numeric character", atContext: true, message: text("Text without quotes cannot start with & or *."), hint: quoteHint},
	{
		contains: "unknown anchor", message: func(e syntaxError) string {
			return fmt.Sprintf("The alias %q refers to an anchor that is not in the file.", problem.Clip(strings.Map(printable, alias.FindString(e.rest))))
		},
		hint: "Put the text in quotes if it should start with *, or write the values instead of the alias.",
	},
	{
		contains: "block sequence entries", message: text("A list cannot start here."),
		hint: "Start each item on a line of its own below the field, or put text that starts with a dash in quotes.",
	},
	{contains: "mapping keys are not allowed", message: text("Text without quotes cannot start with a question mark and a space."), hint: quoteHint},
	{contains: "indentation indicator", message: text("The number after | or > must not be 0."), hint: "Remove the number."},
	{
		contains: "comment or line break", applies: func(e syntaxError) bool { return strings.HasPrefix(e.start, "%") },
		message: text("The line is a YAML directive that cannot be read."), hint: "Remove the line, or put text that starts with % in quotes.",
	},
	{
		contains: "comment or line break", atContext: true, message: text("The line must end after | or >."),
		hint: "Start the text on the next line and indent it, or put text that starts with | or > in quotes.",
	},
	{contains: "tag", message: text("Text without quotes cannot start with an exclamation mark, which starts a YAML tag."), hint: quoteHint},
	{contains: "document start", message: text("The text continues after the end of the first value."), hint: "Write the file as fields, each as name: value, and put text that contains brackets in quotes."},
	{contains: "max depth", message: text("Lists and fields are nested too deeply."), hint: "Remove brackets and dashes that are not needed."},
	{contains: "control characters", message: text("The file contains an invisible control character."), hint: "Remove the character."},
	{contains: "irective", atContext: true, message: text("The line is a YAML directive that cannot be read."), hint: "Remove the line, or put text that starts with % in quotes."},
	{contains: "incompatible YAML document", message: text("The file declares a version of YAML that cannot be read."), hint: "Remove the line."},
	{contains: "", message: text("The YAML cannot be read from here on."), hint: "Check the indentation, the quotes and the brackets on this line and the line before."},
}

// reportSyntaxError reports an error of the YAML library in Placard's own words.
func (r *fileReader) reportSyntaxError(file string, data []byte, err error) {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		load = &yaml.LoadError{Message: err.Error()}
	}
	pos, context := problem.Pos{File: file, Line: 1, Column: 1}, problem.Pos{File: file}
	switch i := bytes.IndexFunc(data, isControl); {
	case load.Mark.Line > 0:
		pos.Line, pos.Column = load.Mark.Line, load.Mark.Column
	case i >= 0:
		pos = offsetPos(file, data, i)
	}
	context.Line, context.Column = load.ContextMark.Line, load.ContextMark.Column
	if context.Line == 0 {
		context = pos
	}
	lines := strings.Split(string(data), "\n")
	e := syntaxError{LoadError: load, line: lineAt(lines, pos.Line)}
	e.rest, e.start = skipColumns(e.line, pos.Column), skipColumns(lineAt(lines, context.Line), context.Column)
	if r.reportOtherBullet(file, lines, pos.Line) || strings.HasPrefix(e.rest, "- ") && r.reportMissingDash(file, lines, pos) {
		return
	}
	for _, m := range syntaxMessages {
		if strings.Contains(load.Message+" "+load.ContextMsg, m.contains) && (m.applies == nil || m.applies(e)) {
			if m.atContext {
				pos = context
			}
			r.report(yamlSyntax, pos, "%s", m.message(e)).FixHint = m.hint
			return
		}
	}
}

// reportOtherBullet reports a list item that starts with a character other than
// the hyphen, on the line of an error or on a line above that is less indented. It
// returns false if there is none.
func (r *fileReader) reportOtherBullet(file string, lines []string, number int) bool {
	for ; number > 0; number-- {
		line := lineAt(lines, number)
		if m := otherBullet.FindStringSubmatchIndex(line); m != nil {
			r.report(yamlSyntax, problem.Pos{File: file, Line: number, Column: utf8.RuneCountInString(line[:m[2]]) + 1},
				"YAML does not read %q as the dash of a list item.", line[m[2]:m[3]]).FixHint = "Write a hyphen and a space instead."
			return true
		}
		if above := number - 1; above == 0 || indentation(lineAt(lines, above)) >= indentation(line) {
			return false
		}
	}
	return false
}

// reportMissingDash reports a list whose first item does not start with a dash. pos
// is the position of a later item that does. It returns false if the lines above
// pos are not such a list.
func (r *fileReader) reportMissingDash(file string, lines []string, pos problem.Pos) bool {
	first := pos.Line
	for ; first > 1; first-- {
		if above := lineAt(lines, first-1); strings.TrimSpace(above) != "" && indentation(above) < pos.Column {
			break
		}
	}
	start := lineAt(lines, first)
	if first == pos.Line || first == 1 || !strings.HasSuffix(strings.TrimSpace(lineAt(lines, first-1)), ":") || strings.HasPrefix(strings.TrimSpace(start), "- ") {
		return false
	}
	r.report(yamlSyntax, problem.Pos{File: file, Line: first, Column: indentation(start) + 1}, "The line starts a list, but has no dash.").
		FixHint = fmt.Sprintf("Start it with a dash, and align it with the item on line %d.", pos.Line)
	return true
}

// indentation returns the number of spaces at the start of a line.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// lineAt returns a line, counting from 1, without the line break.
func lineAt(lines []string, number int) string {
	if number > len(lines) {
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
