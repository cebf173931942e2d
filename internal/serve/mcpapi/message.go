package mcpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json"
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

// readBatch returns the messages in an array, which is known to be valid JSON.
func readBatch(body jsontext.Value) ([]jsontext.Value, *rpcError) {
	var messages []jsontext.Value
	_ = json.Unmarshal(body, &messages)
	if len(messages) == 0 || len(messages) > maxBatch {
		return nil, newError(codeInvalidRequest, problem.New(problem.BadRequest, "The batch has %s.", problem.Count(len(messages), "message")).
			Hint("Send 1 to %d messages in one batch.", maxBatch))
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
	for name, value := range members(body) {
		switch name {
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
		switch name {
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

// members iterates over the names and the values of an object, which is known to be
// valid JSON. Other values have no members.
func members(object jsontext.Value) iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		if object.Kind() != '{' {
			return
		}
		dec := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		_, _ = dec.ReadToken() // the brace
		for dec.PeekKind() == '"' {
			token, _ := dec.ReadToken()
			name := token.String()
			value, _ := dec.ReadValue()
			end := int(dec.InputOffset()) // value itself is only valid until the next read
			if !yield(name, object[end-len(value):end]) {
				return
			}
		}
	}
}

// unquote decodes a JSON string. It returns the empty string for other values.
func unquote(v jsontext.Value) string {
	b, _ := jsontext.AppendUnquote(nil, v)
	return string(b)
}
