package mcpapi

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner takes messages apart in the same pass that finds out whether they are
// strict JSON, so that a large document in one is gone through only once.
type scanner struct {
	dec     *jsontext.Decoder
	input   bytes.Buffer // what dec reads, which is body itself
	body    []byte
	members []member // memory for those of arguments
}

// envelope is what a message has around its params.
type envelope struct {
	kind    jsontext.Kind // of the message as a whole
	version jsontext.Value
	id      jsontext.Value
	method  jsontext.Value
	answer  bool // it has a result or an error
}

// scan finds the parts of a message, those of params in m, and reports whether
// body is one JSON value and nothing else. It does not say whether the parts
// are what they must be.
func (s *scanner) scan(body []byte, m *message) (e envelope, ok bool) {
	s.body = body
	s.input = *bytes.NewBuffer(body)
	if s.dec == nil {
		s.dec = jsontext.NewDecoder(&s.input)
	} else {
		s.dec.Reset(&s.input)
	}
	var err error
	if e.kind = s.dec.PeekKind(); e.kind == '{' {
		err = s.message(&e, m)
	} else {
		_, err = s.value()
	}
	if err != nil {
		return e, false
	}
	_, err = s.dec.ReadToken()
	return e, errors.Is(err, io.EOF)
}

func (s *scanner) message(e *envelope, m *message) error {
	_, err := s.object(func(name []byte) (err error) {
		switch string(name) {
		case "jsonrpc":
			e.version, err = s.value()
		case "id":
			e.id, err = s.value()
		case "method":
			e.method, err = s.value()
		case "params":
			m.params, err = s.params(m)
		case "result", "error":
			e.answer = true
			err = s.dec.SkipValue()
		default:
			err = s.dec.SkipValue()
		}
		return err
	})
	return err
}

func (s *scanner) params(m *message) (jsontext.Value, error) {
	if s.dec.PeekKind() != '{' {
		return s.value()
	}
	return s.object(func(name []byte) (err error) {
		switch string(name) {
		case "_meta":
			m.meta, err = s.value()
		case "name":
			m.name, err = s.value()
		case "uri":
			m.uri, err = s.value()
		case "arguments":
			m.arguments, err = s.arguments(m)
		default:
			err = s.dec.SkipValue()
		}
		return err
	})
}

func (s *scanner) arguments(m *message) (jsontext.Value, error) {
	if s.dec.PeekKind() != '{' {
		return s.value()
	}
	// Those of messages before, in a batch, stay as they are.
	first := len(s.members)
	whole, err := s.object(func(name []byte) error {
		value, err := s.value()
		s.members = append(s.members, member{name, value})
		return err
	})
	m.given = s.members[first:]
	return whole, err
}

// object reads an object. For each member, the function reads the value.
func (s *scanner) object(member func(name []byte) error) (jsontext.Value, error) {
	if _, err := s.dec.ReadToken(); err != nil {
		return nil, err
	}
	start := s.dec.InputOffset() - 1
	for s.dec.PeekKind() != '}' {
		name, err := s.value()
		if err != nil {
			return nil, err
		}
		if err := member(unquoted(name)); err != nil {
			return nil, err
		}
	}
	_, err := s.dec.ReadToken()
	return s.body[start:s.dec.InputOffset()], err
}

// value reads a value. It is part of the body, and not of what the decoder may
// change.
func (s *scanner) value() (jsontext.Value, error) {
	v, err := s.dec.ReadValue()
	end := int(s.dec.InputOffset())
	return s.body[end-len(v) : end], err
}

// release forgets what was scanned, and keeps the memory for it.
func (s *scanner) release() {
	clear(s.members)
	s.members, s.body, s.input = s.members[:0], nil, bytes.Buffer{}
}
