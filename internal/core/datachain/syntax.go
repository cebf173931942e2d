package datachain

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/core/problem"
)

// byteOrderMark may precede a document. Some programs on Windows write it.
const byteOrderMark = "\ufeff"

var (
	errTrailing = errors.New("trailing data")
	errDepth    = errors.New("too deep")
)

// diagnose returns the reason why body could not be parsed. The scanner only knows
// that it is invalid; the slower decoder knows why.
func (t *tree) diagnose(body []byte, m *meter) error {
	if rest, ok := bytes.CutPrefix(body, []byte(byteOrderMark)); ok {
		body = append(bytes.Repeat([]byte(" "), len(byteOrderMark)), rest...)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	for first := true; ; first = false {
		before, depth := int(dec.InputOffset()), dec.StackDepth()
		_, err := dec.ReadToken()
		after := int(dec.InputOffset())
		switch {
		case depth == 0 && !first:
			return t.syntaxProblem(len(t.text)-len(strings.TrimLeft(t.text[before:], " \t\r\n")), errTrailing)
		case err != nil:
			return t.syntaxProblem(before, err)
		case dec.StackDepth() > maxDepth:
			return t.syntaxProblem(after-1, errDepth)
		case !m.spend(1 + (after-before)/128):
			return m.err
		}
	}
}

// syntaxProblem returns the problem for err at the given offset. A syntax error of
// the decoder has a more precise offset.
func (t *tree) syntaxProblem(offset int, err error) problem.Problem {
	syntax, _ := errors.AsType[*jsontext.SyntacticError](err)
	if syntax != nil {
		offset = min(int(syntax.ByteOffset), len(t.text))
	}
	t.failedAt = offset
	line, column := lineColumn(t.text, offset)
	found := func(format string, args ...any) problem.Problem {
		return problem.New(problem.BadRequest, format+" (line %d, column %d).", append(args, line, column)...)
	}
	switch {
	case err == errTrailing:
		return found("Data follows the end of the document").
			Hint("A document is one JSON object; remove the data after it.")
	case err == errDepth:
		return found("The document is nested more than %d levels deep", maxDepth).
			Hint("Nest arrays and objects at most %d levels deep.", maxDepth)
	case err == io.EOF:
		return problem.New(problem.BadRequest, "The document is empty.").
			Hint("A document is one JSON object.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return found("The document ends before it is complete").
			Hint("Complete the document and close every quote, bracket and brace.")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return found("Duplicate name %q in an object", problem.Clip(syntax.JSONPointer.LastToken())).
			Hint("Keep one of the two members and remove or rename the other.")
	case trailingComma(t.text[offset:]):
		return found("The document has a trailing comma").
			Hint("Remove the comma before the closing bracket or brace.")
	case invalidRune(t.text[offset:]):
		return found("The document is not valid UTF-8").
			Hint("Encode it in UTF-8.")
	}
	if syntax != nil {
		err = syntax.Err
	}
	return found("The document is not valid JSON: %v", err).
		Hint("A document is one JSON object as defined by RFC 8259; a JSON formatter can locate the error.")
}

// trailingComma reports whether s starts with a comma before a closing bracket or
// brace.
func trailingComma(s string) bool {
	rest, ok := strings.CutPrefix(s, ",")
	rest = strings.TrimLeft(rest, " \t\r\n")
	return ok && rest != "" && (rest[0] == ']' || rest[0] == '}')
}

func invalidRune(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return r == utf8.RuneError && size == 1
}

// lineColumn returns the line and column of the byte at i, counted from 1.
func lineColumn(text string, i int) (line, column int) {
	before := text[:i]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}
