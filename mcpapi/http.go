package mcpapi

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"placard.dev/compress"
	"placard.dev/problem"
	"placard.dev/ratelimit"
)

// defaultSession is whose view clients share that name no session.
const defaultSession = "__service_default_session__"

// buffers are for bodies of requests and answers. Large ones are not kept.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

type buffer struct {
	in  bytes.Buffer
	out []byte
}

const maxPooled = 1 << 18

func (b *buffer) release() {
	if b.in.Cap()+cap(b.out) > maxPooled {
		return
	}
	b.in.Reset()
	b.out = b.out[:0]
	buffers.Put(b)
}

// ServeHTTP answers one request. The Accept header is never a reason to refuse
// it: answers are always JSON.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Expose-Headers", "X-Request-Id, Service-Content-Hash, Retry-After, Mcp-Session-Id")
	defer s.recover(w, r)
	b := buffers.Get().(*buffer)
	defer b.release()
	if err := s.accept(w, r, &b.in); err != nil {
		s.refuse(w, r, err)
		return
	}
	from := peer{
		header:  r.Header,
		version: r.Header.Get(headerVersion),
		session: r.Header.Get(headerSession),
		baseURL: s.baseURL(r),
		trace:   r.Header.Get("X-Request-Id"),
	}
	if from.session == "" {
		from.session = defaultSession
	}
	answer := s.exchange(r.Context(), b.out, b.in.Bytes(), from)
	switch {
	case answer.refused != nil:
		answer.refused.write(w, answer.body[:0], answer.id)
		return
	case len(answer.body) == 0:
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusAccepted)
		return
	case answer.agreed != "":
		w.Header().Set(headerSession, sessionFor(r))
	}
	b.out = answer.body
	writeAnswer(w, r, answer.body)
}

// writeAnswer sends an answer in a coding that the client accepts.
func writeAnswer(w http.ResponseWriter, r *http.Request, body []byte) {
	if len(body) >= compress.MinSize {
		w.Header().Set("Vary", "Accept-Encoding")
		coding := compress.Negotiate(strings.Join(r.Header["Accept-Encoding"], ","), compress.Quick)
		if coding != compress.Identity {
			w.Header().Set("Content-Encoding", coding.String())
			body = compress.Bytes(body, coding, compress.Quick)
		}
	}
	writeJSON(w, http.StatusOK, body)
}

// sessionFor returns the session of a client that has shaken hands: its own, or
// a new one.
func sessionFor(r *http.Request) string {
	if own := r.Header.Get(headerSession); own != "" {
		return own
	}
	return rand.Text()
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that went away needs no answer and no log line of its own.
	_, _ = w.Write(body)
}

// baseURL returns where the client reaches the REST API. In front of us, the
// scheme that a proxy was asked with has been put into the request's URL.
func (s *Server) baseURL(r *http.Request) string {
	switch {
	case s.PublicURL != "" || r.Host == "":
		return s.PublicURL
	case r.URL.Scheme != "":
		return r.URL.Scheme + "://" + r.Host
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// accept admits a request and reads its body, counting the bytes as they arrive.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, into *bytes.Buffer) error {
	if err := s.Admit(w, r, ratelimit.Read); err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST, OPTIONS")
		return problem.New(problem.MethodNotAllowed, "%s is not possible here.", r.Method).
			Hint("POST one JSON-RPC message. There are no streams to GET and no sessions to DELETE.")
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return problem.New(problem.UnsupportedMediaType, "Request bodies with Content-Encoding %q are not read.", shorten(coding)).
			Hint("Send the JSON as it is.")
	}
	if r.ContentLength > s.MaxBody {
		return tooLong(s.MaxBody)
	}
	_, err := into.ReadFrom(io.LimitReader(r.Body, s.MaxBody+1))
	switch _, told := errors.AsType[problem.Problem](err); {
	case int64(into.Len()) > s.MaxBody:
		return tooLong(s.MaxBody)
	case err != nil && !told:
		return problem.New(problem.BadRequest, "The request body did not arrive whole.").Hint("Send it again.")
	}
	return err
}

func tooLong(most int64) problem.Problem {
	return problem.New(problem.PayloadTooLarge, "The message has more than %d bytes.", most).
		Hint("Send a smaller document; divide it into several that name each other in linked_instance_ids.")
}

// refuse answers a request that is not accepted.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p, ok := errors.AsType[problem.Problem](err)
	if !ok {
		s.Log.Error("request failed", "error", err, "request_id", r.Header.Get("X-Request-Id"))
		p = ourFault
	}
	WriteRefusal(w, p)
}

// recover answers for a handler that failed, and lets the process live on.
// Nothing is written before an answer is complete.
func (s *Server) recover(w http.ResponseWriter, r *http.Request) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	s.Log.Error("panic", "error", fmt.Sprint(v), "request_id", r.Header.Get("X-Request-Id"), "stack", string(debug.Stack()))
	WriteRefusal(w, ourFault)
}
