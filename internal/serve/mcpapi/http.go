package mcpapi

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/netip"
	"strconv"

	"placard/internal/core/problem"
	"placard/internal/serve/compress"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/requestbody"
)

// Header values shared between responses. They must not be modified.
var (
	exposeHeaders   = []string{"X-Request-Id, Service-Content-Hash, Retry-After, Mcp-Session-Id"}
	contentTypeJSON = []string{"application/json"}
	noStore         = []string{"no-store"}
)

// ServeHTTP implements [http.Handler]. It ignores the Accept header: responses
// are always JSON. Package server recovers from panics.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header()["Access-Control-Expose-Headers"] = exposeHeaders
	body, addr, err := s.readRequest(w, r)
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	buf := scratchPool.Get().(*scratch)
	defer buf.free()
	client := peer{
		http:    r,
		header:  r.Header,
		version: r.Header.Get(headerVersion),
		session: r.Header.Get(headerSession),
		addr:    addr,
	}
	resp := s.exchange(r.Context(), buf, body, client)
	switch {
	case resp.err != nil:
		resp.err.write(w, resp.id)
		return
	case len(resp.body) == 0:
		w.Header()["Cache-Control"] = noStore
		w.WriteHeader(http.StatusAccepted)
		return
	case resp.negotiated != "":
		w.Header().Set(headerSession, sessionFor(r))
	}
	writeResponse(w, r, resp.body)
}

// writeResponse sends a response in a content coding that the client accepts.
func writeResponse(w http.ResponseWriter, r *http.Request, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentTypeJSON
	h["Cache-Control"] = noStore
	var uncached *compress.Cache
	uncached.Send(w, r, http.StatusOK, compress.Body{Bytes: body})
}

// sessionFor returns the session id to issue in a handshake: the client's own, or
// a new one.
func sessionFor(r *http.Request) string {
	if session := r.Header.Get(headerSession); session != "" {
		return session
	}
	return rand.Text()
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = contentTypeJSON
	h["Cache-Control"] = noStore
	// net/http adds the length of a short body itself, without allocating.
	if len(body) >= 2<<10 {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(status)
	// A write error means that the client has disconnected; it is not logged.
	_, _ = w.Write(body)
}

// baseURL returns the base URL of the REST API as seen by the client that sent
// r; r is nil on a stream. Behind a trusted proxy, package server has set the
// scheme of r.URL to the original scheme.
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

// readRequest admits a request and reads its body. The address identifies the
// client.
func (s *Server) readRequest(w http.ResponseWriter, r *http.Request) ([]byte, netip.Addr, error) {
	client, err := s.Admit(w, r, ratelimit.Read)
	if err != nil {
		return nil, client, err
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST, OPTIONS")
		return nil, client, problem.New(problem.MethodNotAllowed, "Method %s is not allowed for this route.", problem.Clip(r.Method)).
			Hint("Send a JSON-RPC message with POST. There are no streams to GET and no sessions to DELETE.")
	}
	body, err := requestbody.Read(r, s.MaxBody)
	return body, client, err
}

// writeError responds to a request that was not accepted.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	p, ok := errors.AsType[problem.Problem](err)
	if !ok || p.Code == "" {
		s.Log.Error("request failed", "error", err, "request_id", r.Header.Get("X-Request-Id"))
		p = internalError
	}
	WriteError(w, p)
}
