package mcpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
)

// maxBatch is the maximum number of messages in a batch.
const maxBatch = 20

// message is one JSON-RPC message. Its values are slices of the request body, which
// is known to be valid JSON.
type message struct {
	id     jsontext.Value // as sent by the client; nil if no response is expected
	method string         // empty for a response, which is ignored: we send no requests
	params jsontext.Value // an object, or nil

	meta      jsontext.Value // params._meta, or nil
	name      jsontext.Value // params.name
	uri       jsontext.Value // params.uri
	arguments jsontext.Value // params.arguments
}

// isRequest reports whether the sender expects a response.
func (m *message) isRequest() bool { return m.id != nil }

// parseError describes why body is not one strict JSON value. Duplicate names,
// invalid UTF-8 and trailing data are errors too.
func parseError(body []byte) *rpcError {
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
	return newError(codeParse, p)
}

// readBatch returns the messages in an array.
func readBatch(body jsontext.Value) (messages []jsontext.Value, err *rpcError) {
	for item := range items(body) {
		if len(messages) == maxBatch {
			return nil, newError(codeInvalidRequest, problem.New(problem.BadRequest, "The batch has more than %d messages.", maxBatch).
				Hint("Send at most %d in one batch.", maxBatch))
		}
		messages = append(messages, item)
	}
	if len(messages) == 0 {
		return nil, newError(codeInvalidRequest, problem.New(problem.BadRequest, "The batch is empty.").
			Hint("Send at least one message."))
	}
	return messages, nil
}

// read parses body into m, which must be empty. If body is JSON with a valid id,
// read sets m.id even if it returns an error.
func (m *message) read(body jsontext.Value) *rpcError {
	if !body.IsValid() {
		return parseError(body)
	}
	if body.Kind() != '{' {
		return invalidMessage("A message must be an object.")
	}
	var version, id, method jsontext.Value
	isResponse := false
	for name, value := range members(bytes.TrimSpace(body)) {
		switch string(name) {
		case "jsonrpc":
			version = value
		case "id":
			id = value
		case "method":
			method = value
		case "params":
			m.params = value
		case "result", "error":
			isResponse = true
		}
	}
	if id != nil {
		if id.Kind() != '"' && id.Kind() != '0' {
			return invalidMessage(`"id" must be a string or a number.`)
		}
		m.id = id
	}
	if string(version) != `"2.0"` {
		return invalidMessage(`"jsonrpc" must be "2.0".`)
	}
	if method == nil && isResponse {
		m.id = nil
		return nil
	}
	if method.Kind() != '"' {
		return invalidMessage(`"method" must be a string.`)
	}
	m.method = unquote(method)
	if m.params == nil {
		return nil
	}
	if m.params.Kind() != '{' {
		return invalidParams(problem.Root.Field("params"), `"params" must be an object.`)
	}
	for name, value := range members(m.params) {
		switch string(name) {
		case "_meta":
			m.meta = value
		case "name":
			m.name = value
		case "uri":
			m.uri = value
		case "arguments":
			m.arguments = value
		}
	}
	if m.meta != nil && m.meta.Kind() != '{' {
		return invalidParams(problem.Root.Field("params").Field("_meta"), `"_meta" must be an object.`)
	}
	return nil
}

func invalidMessage(text string) *rpcError {
	return newError(codeInvalidRequest, problem.New(problem.BadRequest, "%s", text).
		Hint(`For example, send {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}.`))
}

// The functions below read JSON that is known to be valid and has no surrounding
// white space, so they return no errors.

// members iterates over the unquoted names and the values of an object. Other values
// have no members.
func members(object jsontext.Value) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		if object.Kind() != '{' {
			return
		}
		for i := nextToken(object, 1); object[i] != '}'; {
			name := i
			i = skipValue(object, i)
			value := nextToken(object, i)
			end := skipValue(object, value)
			if !yield(unquoteBytes(object[name:i]), object[value:end]) {
				return
			}
			i = nextToken(object, end)
		}
	}
}

// findMember returns the value of a member of an object, or nil.
func findMember(object jsontext.Value, name string) jsontext.Value {
	for n, value := range members(object) {
		if string(n) == name {
			return value
		}
	}
	return nil
}

// items iterates over the items of an array.
func items(array jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		for i := nextToken(array, 1); array[i] != ']'; {
			end := skipValue(array, i)
			if !yield(array[i:end]) {
				return
			}
			i = nextToken(array, end)
		}
	}
}

// nextToken returns the index of the first token at or after i, skipping white
// space and separators.
func nextToken(v jsontext.Value, i int) int {
	for isSeparator(v[i]) {
		i++
	}
	return i
}

func isSeparator(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':'
}

// skipValue returns the end of the value that starts at i.
func skipValue(v jsontext.Value, i int) int {
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
		case isSeparator(c):
			i++
			continue
		default:
			for i < len(v) && !isSeparator(v[i]) && v[i] != '}' && v[i] != ']' {
				i++
			}
		}
		if depth == 0 {
			return i
		}
	}
}

// skipString returns the end of the string that starts at i.
func skipString(v jsontext.Value, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(v[i:], '"')
		// After an odd number of backslashes, the quote is escaped.
		escapes := 0
		for v[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// unquote decodes a JSON string. It returns the empty string for other values.
func unquote(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return string(unquoteBytes(v))
}

// unquoteBytes decodes a JSON string, without copying unless it has escapes.
func unquoteBytes(v jsontext.Value) []byte {
	if plain := v[1 : len(v)-1]; bytes.IndexByte(plain, '\\') < 0 {
		return plain
	}
	b, _ := jsontext.AppendUnquote(nil, v)
	return b
}
