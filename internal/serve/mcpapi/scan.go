package mcpapi

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner splits messages into their parts and checks for strict JSON in the same
// pass, so that large documents are scanned only once.
type scanner struct {
	dec     *jsontext.Decoder
	input   bytes.Buffer // wraps body; read by dec
	body    []byte
	members []member // backing array of message.argumentMembers
}

// envelope holds the members of a message other than params.
type envelope struct {
	kind       jsontext.Kind // kind of the whole message
	version    jsontext.Value
	id         jsontext.Value
	method     jsontext.Value
	isResponse bool // has a result or an error
}

// scan splits body into its parts, storing the parts of params in m, and reports
// whether body is exactly one JSON value. It does not check the types of the
// parts.
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
			e.isResponse = true
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
	// In a batch, earlier messages keep their members.
	first := len(s.members)
	whole, err := s.object(func(name []byte) error {
		value, err := s.value()
		s.members = append(s.members, member{name, value})
		return err
	})
	m.argumentMembers = s.members[first:]
	return whole, err
}

// object reads an object. It calls member for each name; member reads the value.
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
		if err := member(unquoteBytes(name)); err != nil {
			return nil, err
		}
	}
	_, err := s.dec.ReadToken()
	return s.body[start:s.dec.InputOffset()], err
}

// value reads a value. It returns a slice of the body, because the decoder may
// overwrite its own buffer.
func (s *scanner) value() (jsontext.Value, error) {
	v, err := s.dec.ReadValue()
	end := int(s.dec.InputOffset())
	return s.body[end-len(v) : end], err
}

// reset drops all references to the scanned body and keeps the allocated memory.
func (s *scanner) reset() {
	clear(s.members)
	s.members, s.body, s.input = s.members[:0], nil, bytes.Buffer{}
}
