package mcpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

// A handle identifies a stored document, so that a client sends each document only
// once. It consists of handlePrefix and 26 characters, which have 130 bits. They are
// a MAC of the session and the document: nobody else can guess them, and a server
// always returns the same handle for the same document and stores it once.
const (
	handlePrefix = "doc_"
	handleSize   = len(handlePrefix) + 26
)

// document is the document of a call.
type document struct {
	given    jsontext.Value // as the client sent it; nil if the call has no document
	resolved jsontext.Value // as resolve_datachain returned it last; nil if it never did
	handle   string         // empty if the document is not stored
	notice   string         // tells the agent why the document is not stored
}

// encode returns both forms of d as one value of a [SessionStore].
func (d *document) encode() []byte {
	var size [binary.MaxVarintLen64]byte
	return slices.Concat(binary.AppendUvarint(size[:0], uint64(len(d.given))), d.given, d.resolved)
}

// decode sets both forms of d to parts of an encoded value.
func (d *document) decode(value []byte) error {
	size, n := binary.Uvarint(value)
	if n <= 0 || size > uint64(len(value)-n) {
		return errors.New("the stored document is damaged")
	}
	d.given, d.resolved = value[n:n+int(size)], nil
	if resolved := value[n+int(size):]; len(resolved) > 0 {
		d.resolved = resolved
	}
	return nil
}

// loadDocument loads the document that the handle of c refers to.
func (s *Server) loadDocument(ctx context.Context, c *call) error {
	handle := c.args.handle
	if session := c.documentSession(); session != "" && len(handle) == handleSize {
		value, err := s.Sessions.Get(ctx, documentKey(handle, session))
		if err == nil && value != nil {
			err = c.document.decode(value)
		}
		if err != nil {
			return fmt.Errorf("load a document: %w", err)
		}
		if value != nil {
			c.document.handle = handle
			return nil
		}
	}
	return argumentProblem(query.UnknownHandle, datachainName, "Handle %q is not known in this session.", problem.Clip(handle)).
		Hint("Send the document itself; the result has a new handle in meta.handle.")
}

// newHandle returns the handle of a document in a session.
func (s *Server) newHandle(session string, document []byte) string {
	mac := hmac.New(sha256.New, s.handleKey)
	mac.Write([]byte(session + "\n")) // no header contains a line break
	mac.Write(document)
	return (handlePrefix + base32.StdEncoding.EncodeToString(mac.Sum(nil)))[:handleSize]
}

// storeDocument stores both forms of the document of c under its handle. If it
// cannot, the document has no handle: the result of the call does not depend on it.
func (s *Server) storeDocument(ctx context.Context, c *call) {
	d := &c.document
	session := c.documentSession()
	if session == "" {
		return
	}
	handle := d.handle
	if handle == "" {
		handle = s.newHandle(session, d.given)
	}
	key := documentKey(handle, session)
	if d.resolved == nil {
		// The stored entry may have the resolved form too.
		if value, err := s.Sessions.Get(ctx, key); err == nil && value != nil {
			d.handle = handle
			return
		}
	}
	stored, err := s.Sessions.Put(ctx, key, d.encode())
	switch {
	case err != nil:
		s.report(c.request, fmt.Errorf("store a document: %w", err))
		d.handle, d.notice = "", "The document could not be stored and has no handle: send it again in the next call."
	case !stored:
		d.handle, d.notice = "", "The document is too large to be stored and has no handle: send it again in the next call."
	default:
		d.handle = handle
	}
}

// addHandle adds the handle of the document of c, if it has one, to the result. It
// stores the document if that has not been tried.
func (s *Server) addHandle(ctx context.Context, c *call, res *toolResult) {
	d := &c.document
	if d.given == nil {
		return
	}
	if d.handle == "" && d.notice == "" {
		s.storeDocument(ctx, c)
	}
	res.handle = d.handle
	res.note(d.notice)
}
