package server

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"placard.dev/httpapi"
	"placard.dev/problem"
)

// Handler returns what a server answers: health, and opts.Handler for the rest,
// with the headers that every answer has and a log line for each request.
func Handler(opts Options) http.Handler {
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	s := &handler{opts}
	return http.HandlerFunc(s.serve)
}

type handler struct{ Options }

const requestID = "X-Request-Id"

func (s *handler) serve(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	id := r.Header.Get(requestID)
	if !validRequestID(id) {
		id = rand.Text()
		// Handlers find the id of the request where clients put theirs.
		r.Header.Set(requestID, id)
	}
	h := w.Header()
	h.Set(requestID, id)
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, Service-Content-Hash, Retry-After")
	h.Set("X-Content-Type-Options", "nosniff")

	rec := &recorder{ResponseWriter: w}
	defer func() {
		if v := recover(); v != nil {
			s.panicked(rec, id, v)
		}
		s.Log.LogAttrs(r.Context(), level(rec.status), "request",
			slog.String("method", r.Method),
			slog.String("path", r.URL.EscapedPath()),
			slog.Int("status", rec.status),
			slog.Int64("bytes", rec.bytes),
			slog.Duration("took", time.Since(start)),
			slog.String("request_id", id),
		)
	}()

	switch {
	case r.Method == http.MethodOptions:
		preflight(rec)
	case r.URL.Path == "/healthz":
		s.health(rec, r, nil)
	case r.URL.Path == "/readyz":
		s.health(rec, r, s.Ready)
	default:
		s.Handler.ServeHTTP(rec, r)
	}
}

// panicked answers for a handler that failed, and lets the process live on.
func (s *handler) panicked(rec *recorder, id string, v any) {
	if v == http.ErrAbortHandler {
		panic(v)
	}
	s.Log.Error("panic", "error", fmt.Sprint(v), "request_id", id, "stack", string(debug.Stack()))
	if rec.status != 0 {
		// Half an answer is out: only breaking the connection tells the client.
		panic(http.ErrAbortHandler)
	}
	httpapi.WriteError(rec, problem.New(problem.InternalError, "Something went wrong on our side.").
		Hint("Retry; if it goes on, report the X-Request-Id of this answer."))
}

func level(status int) slog.Level {
	switch {
	case status >= 500:
		return slog.LevelError
	case status >= 400:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Service-Client, X-Request-Id, If-None-Match, "+
		"Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// health answers 200, or 503 while ready says no.
func (s *handler) health(w http.ResponseWriter, r *http.Request, ready func() error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		httpapi.WriteError(w, problem.New(problem.MethodNotAllowed, "%s is not possible here.", r.Method).Hint("Use GET or HEAD."))
		return
	}
	if ready != nil && ready() != nil {
		httpapi.WriteError(w, problem.New(problem.NotReady, "No release can be served yet.").Hint("Retry in a few seconds."))
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(`{"ok":true}`))
}

// validRequestID reports whether a client's own request id is kept.
func validRequestID(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return 1 <= len(s) && len(s) <= 128
}

// recorder notes what was answered, for the log.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
