package datachain

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/problem"
)

const byteOrderMark = "\ufeff"

var (
	errByteOrderMark = errors.New("byte order mark")
	errTrailing      = errors.New("trailing data")
	errDepth         = errors.New("too deep")
)

// diagnose says why the text, which is body, was not read. The scanner only
// knows that something is wrong; the decoder knows what.
func (t *tree) diagnose(body []byte, m *meter) error {
	if strings.HasPrefix(t.text, byteOrderMark) {
		return t.fault(0, errByteOrderMark)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	for first := true; ; first = false {
		before, depth := int(dec.InputOffset()), dec.StackDepth()
		_, err := dec.ReadToken()
		after := int(dec.InputOffset())
		switch {
		case depth == 0 && !first:
			return t.fault(len(t.text)-len(strings.TrimLeft(t.text[before:], " \t\r\n")), errTrailing)
		case err != nil:
			return t.fault(before, err)
		case dec.StackDepth() > deepest:
			return t.fault(after-1, errDepth)
		case !m.spend(1 + (after-before)/128):
			return m.err
		}
	}
}

// fault says what keeps the text from being JSON that we read. The decoder may
// know better than at where that is.
func (t *tree) fault(at int, err error) problem.Problem {
	syntax, _ := errors.AsType[*jsontext.SyntacticError](err)
	if syntax != nil {
		at = min(int(syntax.ByteOffset), len(t.text))
	}
	t.stopped = at
	line, column := lineColumn(t.text, at)
	found := func(format string, args ...any) problem.Problem {
		return problem.New(problem.BadRequest, format+" (line %d, column %d).", append(args, line, column)...)
	}
	switch {
	case err == errByteOrderMark:
		return found("The document begins with a byte order mark").
			Hint("Send it in UTF-8 without a byte order mark.")
	case err == errTrailing:
		return found("Something follows the end of the document").
			Hint("Send one JSON object and nothing after it.")
	case err == errDepth:
		return found("The document is nested more than %d deep", deepest).
			Hint("Nest arrays and objects at most %d deep.", deepest)
	case err == io.EOF:
		return problem.New(problem.BadRequest, "The document is empty.").
			Hint("Send one JSON object.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return found("The document ends before it is complete").
			Hint("Send the whole document, with every quote, bracket and brace closed.")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return found("The name %q occurs twice in one object", problem.Clip(syntax.JSONPointer.LastToken())).
			Hint("Keep one of the two members and remove or rename the other.")
	case invalidRune(t.text[at:]):
		return found("The document is not valid UTF-8").
			Hint("Send it encoded in UTF-8.")
	}
	if syntax != nil {
		err = syntax.Err
	}
	return found("The document is not valid JSON: %v", err).
		Hint("Send one JSON object as RFC 8259 has it; a JSON formatter shows where this text departs from it.")
}

func invalidRune(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return r == utf8.RuneError && size == 1
}

// lineColumn returns where the byte at i stands for a reader, both from 1.
func lineColumn(text string, i int) (line, column int) {
	before := text[:i]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}
