package mcpapi

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"placard/internal/compress"
	"placard/internal/problem"
	"placard/internal/ratelimit"
	"placard/internal/requestbody"
)

// defaultSession is whose view clients share that name no session.
const defaultSession = "__service_default_session__"

// Values of headers that all answers share. Nobody may change them.
var (
	exposed    = []string{"X-Request-Id, Service-Content-Hash, Retry-After, Mcp-Session-Id"}
	typeJSON   = []string{"application/json"}
	noStore    = []string{"no-store"}
	varyCoding = []string{"Accept-Encoding"}
)

// ServeHTTP answers one request. The Accept header is never a reason to refuse
// it: answers are always JSON.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header()["Access-Control-Expose-Headers"] = exposed
	defer s.recover(w, r)
	d := desks.Get().(*desk)
	defer d.release()
	if err := s.accept(w, r, d); err != nil {
		s.refuse(w, r, err)
		return
	}
	from := peer{
		http:    r,
		header:  r.Header,
		version: r.Header.Get(headerVersion),
		session: r.Header.Get(headerSession),
	}
	if from.session == "" {
		from.session = defaultSession
	}
	answer := s.exchange(r.Context(), d, d.in, from)
	switch {
	case answer.refused != nil:
		answer.refused.write(w, d.out[:0], answer.id)
		return
	case len(answer.body) == 0:
		w.Header()["Cache-Control"] = noStore
		w.WriteHeader(http.StatusAccepted)
		return
	case answer.agreed != "":
		w.Header().Set(headerSession, sessionFor(r))
	}
	writeAnswer(w, r, answer.body)
}

// writeAnswer sends an answer in a coding that the client accepts.
func writeAnswer(w http.ResponseWriter, r *http.Request, body []byte) {
	if len(body) >= compress.MinSize {
		w.Header()["Vary"] = varyCoding
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
	h["Content-Type"] = typeJSON
	h["Cache-Control"] = noStore
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	// A client that went away needs no answer and no log line of its own.
	_, _ = w.Write(body)
}

// baseURL returns where the sender of r reaches the REST API; r is nil on a
// stream. In front of us, the scheme that a proxy was asked with has been put
// into the request's URL.
func (s *Server) baseURL(r *http.Request) string {
	switch {
	case s.PublicURL != "" || r == nil || r.Host == "":
		return s.PublicURL
	case r.URL.Scheme != "":
		return r.URL.Scheme + "://" + r.Host
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// accept admits a request and reads its body.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, d *desk) error {
	if err := s.Admit(w, r, ratelimit.Read); err != nil {
		return err
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST, OPTIONS")
		return problem.New(problem.MethodNotAllowed, "Method %s is not allowed for this route.", problem.Clip(r.Method)).
			Hint("Send a JSON-RPC message with POST. There are no streams to GET and no sessions to DELETE.")
	}
	var err error
	d.in, err = requestbody.Read(r, d.in, s.MaxBody)
	return err
}

// refuse answers a request that is not accepted.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p, ok := errors.AsType[problem.Problem](err)
	if !ok {
		s.Log.Error("request failed", "error", err, "request_id", r.Header.Get("X-Request-Id"))
		p = ourFault
	}
	WriteError(w, p)
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
	WriteError(w, ourFault)
}
