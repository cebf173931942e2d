package mcpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/problem"
)

// maxBatch is how many messages one batch may have.
const maxBatch = 20

// message is one JSON-RPC message. Its parts refer to the bytes it was read
// from, which are valid JSON throughout.
type message struct {
	id     jsontext.Value // as the client spelt it; nil where nothing is to be answered
	method string         // empty for the answer to a request, of which we send none
	params jsontext.Value // an object, or nil

	meta      jsontext.Value // params._meta, nil where absent
	name      jsontext.Value // params.name
	uri       jsontext.Value // params.uri
	arguments jsontext.Value // params.arguments
	given     []member       // of arguments, where that is an object
}

// member is one of an object.
type member struct {
	name  []byte // unquoted
	value jsontext.Value
}

// isRequest reports whether the sender waits for an answer.
func (m *message) isRequest() bool { return m.id != nil }

// badJSON refuses what is not one strict JSON value: duplicate names, invalid
// UTF-8 and trailing data are faults too.
func badJSON(body []byte) *refusal {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	err := dec.SkipValue()
	at := dec.InputOffset()
	switch syntax, ok := errors.AsType[*jsontext.SyntacticError](err); {
	case err == nil:
		err = errors.New("unexpected data after the message")
	case errors.Is(err, io.EOF):
		err = errors.New("the message is empty")
	case errors.Is(err, jsontext.ErrDuplicateName) && ok:
		at, err = syntax.ByteOffset, fmt.Errorf("duplicate name %q in an object", problem.Clip(syntax.JSONPointer.LastToken()))
	case ok:
		at, err = syntax.ByteOffset, syntax.Err
	}
	p := problem.New(problem.BadRequest, "The message is not valid JSON: %v (byte %d).", err, at).
		Hint("Send one JSON-RPC 2.0 object in UTF-8, without a byte order mark or duplicate names.")
	return refuse(codeParse, p)
}

// readBatch returns the messages in an array.
func readBatch(body jsontext.Value) (messages []jsontext.Value, err *refusal) {
	for item := range items(body) {
		if len(messages) == maxBatch {
			return nil, refuse(codeRequest, problem.New(problem.BadRequest, "The batch has more than %d messages.", maxBatch).
				Hint("Send at most %d in one batch.", maxBatch))
		}
		messages = append(messages, item)
	}
	if len(messages) == 0 {
		return nil, refuse(codeRequest, problem.New(problem.BadRequest, "The batch is empty.").
			Hint("Send at least one message."))
	}
	return messages, nil
}

// read makes m, which is empty, the message that body is. The id is set also
// where that is refused, wherever it could be read.
func (m *message) read(body jsontext.Value, s *scanner) *refusal {
	e, ok := s.scan(body, m)
	if !ok {
		return badJSON(body)
	}
	if e.kind != '{' {
		return badMessage("A message must be an object.")
	}
	if e.id != nil {
		if e.id.Kind() != '"' && e.id.Kind() != '0' {
			return badMessage(`"id" must be a string or a number.`)
		}
		m.id = e.id
	}
	if string(e.version) != `"2.0"` {
		return badMessage(`"jsonrpc" must be "2.0".`)
	}
	if e.method == nil && e.answer {
		m.id = nil
		return nil
	}
	if e.method.Kind() != '"' {
		return badMessage(`"method" must be a string.`)
	}
	m.method = unquote(e.method)
	if m.params == nil {
		return nil
	}
	if m.params.Kind() != '{' {
		return badParams(problem.Root.Field("params"), `"params" must be an object.`)
	}
	if m.meta != nil && m.meta.Kind() != '{' {
		return badParams(problem.Root.Field("params").Field("_meta"), `"_meta" must be an object.`)
	}
	return nil
}

func badMessage(text string) *refusal {
	return refuse(codeRequest, problem.New(problem.BadRequest, "%s", text).
		Hint(`For example, send {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}.`))
}

// The functions below walk over JSON that is known to be valid and begins and
// ends without white space, so that they need neither errors nor memory.

// members are the names and values of an object.
func members(object jsontext.Value) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		for i := next(object, 1); object[i] != '}'; {
			name := i
			i = skip(object, i)
			value := next(object, i)
			end := skip(object, value)
			if !yield(unquoted(object[name:i]), object[value:end]) {
				return
			}
			i = next(object, end)
		}
	}
}

// items are the items of an array.
func items(array jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		for i := next(array, 1); array[i] != ']'; {
			end := skip(array, i)
			if !yield(array[i:end]) {
				return
			}
			i = next(array, end)
		}
	}
}

// next returns where the next token starts, past white space and separators.
func next(v jsontext.Value, i int) int {
	for isGap(v[i]) {
		i++
	}
	return i
}

func isGap(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':'
}

// skip returns where the value that starts at i ends.
func skip(v jsontext.Value, i int) int {
	for depth := 0; ; {
		switch c := v[i]; {
		case c == '"':
			i = skipString(v, i)
		case c == '{' || c == '[':
			depth++
			i++
		case c == '}' || c == ']':
			depth--
			i++
		case isGap(c):
			i++
			continue
		default:
			for i < len(v) && !isGap(v[i]) && v[i] != '}' && v[i] != ']' {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
}

// skipString returns where the string that starts at i ends.
func skipString(v jsontext.Value, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(v[i:], '"')
		// After an odd number of backslashes it is part of the string.
		escapes := 0
		for v[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// unquote returns what a JSON string says; the empty string for other values.
func unquote(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return string(unquoted(v))
}

// unquoted returns what a JSON string says, wherever it can without a copy.
func unquoted(v jsontext.Value) []byte {
	if plain := v[1 : len(v)-1]; bytes.IndexByte(plain, '\\') < 0 {
		return plain
	}
	b, _ := jsontext.AppendUnquote(nil, v)
	return b
}
