package source

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
)

const quoteHint = "Put the text in quotes."

var conflictMarker = regexp.MustCompile(`(?m)^(?:<<<<<<<|>>>>>>>|=======)(?:\s|$)`)

// syntaxHints are hints about common mistakes, by a part of the library's message.
var syntaxHints = []struct{ message, hint string }{
	{"tab character", "Indent with spaces, not tabs."},
	{"escape character", `In double quotes, write \\ for a backslash.`},
	{"cannot start any token", "Indent with spaces, not tabs. Put text that starts with a special character in quotes."},
	{"mapping values are not allowed", "Put text that contains a colon in quotes, and write a space after the colon of a name."},
	{"quoted scalar", `Close the quote. In single quotes, write '' for an apostrophe; in double quotes, write \" for a quote.`},
	{"", "Check the indentation, the quotes, the brackets and the space after each colon on this line and the line before."},
}

// reportSyntaxError reports an error of the YAML library.
func (r *fileReader) reportSyntaxError(file string, data []byte, err error) {
	if marker := conflictMarker.FindIndex(data); marker != nil {
		r.report(yamlSyntax, offsetPos(file, data, marker[0]), "The line marks a merge conflict.").
			FixHint = "Keep one of the two versions, and remove the lines that mark the conflict."
		return
	}
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		load = &yaml.LoadError{Message: err.Error()}
	}
	pos := problem.Pos{File: file, Line: 1, Column: 1}
	switch i := bytes.IndexFunc(data, isControl); {
	// An unclosed quote or bracket is noticed only later.
	case strings.Contains(load.ContextMsg, "quoted scalar"), strings.Contains(load.ContextMsg, "flow"):
		pos.Line, pos.Column = load.ContextMark.Line, load.ContextMark.Column
	case load.Mark.Line > 0:
		pos.Line, pos.Column = load.Mark.Line, load.Mark.Column
	case i >= 0:
		pos = offsetPos(file, data, i)
	}
	message := load.Message
	if load.ContextMsg != "" {
		message = load.ContextMsg + ", " + message
	}
	hint := slices.IndexFunc(syntaxHints, func(h struct{ message, hint string }) bool { return strings.Contains(message, h.message) })
	r.report(yamlSyntax, pos, "The YAML cannot be read: %s.", strings.Map(printable, message)).FixHint = syntaxHints[hint].hint
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
