package server

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/core/problem"
	"placard/internal/serve/httpapi"
	"placard/internal/storage/catalog"
)

// Handler returns a handler that serves health checks itself and passes all
// other requests to opts.Handler. It sets the headers common to all responses
// and logs every request.
//
// The request passed to opts.Handler has its id in the header X-Request-Id. Its
// Host and URL.Scheme are the ones that the client used, before any trusted proxy.
func Handler(opts Options) http.Handler { return newHandler(opts) }

type handler struct {
	Options
	draining atomic.Bool // the server is stopping
}

func newHandler(opts Options) *handler {
	opts.fill()
	if opts.Refuse == nil {
		opts.Refuse = func(w http.ResponseWriter, _ *http.Request, p problem.Problem) { httpapi.WriteError(w, p) }
	}
	if opts.Degraded == nil {
		opts.Degraded = func() []catalog.DegradedRelease { return nil }
	}
	return &handler{Options: opts}
}

// commonHeader is part of every response. All responses share its values.
var commonHeader = http.Header{
	"Access-Control-Allow-Origin":   {"*"},
	"Access-Control-Expose-Headers": {"X-Request-Id, Service-Content-Hash, Retry-After"},
	"Referrer-Policy":               {"no-referrer"},
	"X-Content-Type-Options":        {"nosniff"},
}

func (s *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, handler: s, request: r, start: time.Now(), id: requestIDOf(r), origin: s.Proxies.origin(r)}
	r.Header.Set(requestID, x.id)
	r.Host, r.URL.Scheme = x.origin.host, x.origin.scheme
	// A semicolon is an ordinary character. url.ParseQuery does not accept it.
	r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, ";", "%3B")
	if r.ContentLength != 0 {
		x.body = r.Body
		r.Body = requestBody{x}
	}
	h := w.Header()
	maps.Copy(h, commonHeader)
	h.Set(requestID, x.id)
	if s.RobotsTag != "" {
		h.Set("X-Robots-Tag", s.RobotsTag)
	}
	if s.RequestContext != nil {
		x.request = r.WithContext(s.RequestContext(r.Context()))
	}
	defer s.finish(x)
	s.route(x, x.request)
}

// route handles preflight requests and health checks, and passes all other
// requests for an allowed host to Handler.
func (s *handler) route(x *exchange, r *http.Request) {
	switch {
	case len(s.AllowedHosts) > 0 && !slices.Contains(s.AllowedHosts, hostname(r.Host)):
		x.route = "refused"
		s.Refuse(x, r, problem.New(problem.BadRequest, "This server does not serve the requested host.").
			Hint("Use the public address of this server."))
	case r.Method == http.MethodOptions:
		x.route = "preflight"
		preflight(x)
	case r.URL.Path == "/healthz":
		x.route = r.URL.Path
		s.health(x, r, false)
	case r.URL.Path == "/readyz":
		x.route = r.URL.Path
		s.health(x, r, true)
	default:
		s.Handler.ServeHTTP(x, r)
	}
}

// finish releases the resources of a request and records its outcome. It runs
// after the handler has returned or panicked.
func (s *handler) finish(x *exchange) {
	aborted := false
	if v := recover(); v != nil {
		aborted = !s.panicked(x, v)
	}
	if s.Guard != nil {
		s.Guard.release(x)
	}
	r := x.request
	if x.route == "" {
		x.route = r.Pattern
	}
	if x.status == 0 {
		// net/http sends 200 if the handler wrote nothing, unless the client is gone.
		x.status = http.StatusOK
		if r.Context().Err() != nil {
			x.status = statusClientGone
		}
	}
	took := time.Since(x.start)
	s.Metrics.served(x, took)
	s.log(x, took)
	if aborted {
		panic(http.ErrAbortHandler)
	}
}

func (s *handler) log(x *exchange, took time.Duration) {
	r := x.request
	attrs := []slog.Attr{
		slog.String("method", clip(r.Method)),
		slog.String("path", clip(r.URL.EscapedPath())),
		slog.String("route", x.route),
		slog.Int("status", x.status),
		slog.Int64("bytes", x.bytes),
		slog.Duration("took", took),
		slog.String("client", x.origin.addr.String()),
		slog.String("request_id", x.id),
	}
	if id := traceIDOf(r); id != "" {
		attrs = append(attrs, slog.String("trace_id", id))
	}
	s.Log.LogAttrs(r.Context(), level(x), "request", attrs...)
}

// clip limits the logged bytes of a method or path, both of which clients choose.
func clip(s string) string { return problem.ClipTo(s, 512) }

// statusClientGone is logged if the client disconnected before the response.
const statusClientGone = 499

// panicked logs the panic of a handler and writes an error response. It returns
// false if the connection must be aborted instead.
func (s *handler) panicked(x *exchange, v any) bool {
	if v == http.ErrAbortHandler {
		return false
	}
	s.Log.Error("panic", "error", fmt.Sprint(v), "request_id", x.id, "stack", string(debug.Stack()))
	if x.status != 0 {
		// Part of the response is sent; closing the connection is the only way to
		// tell the client.
		return false
	}
	// Remove headers that the handler set for its own response.
	h := x.Header()
	h.Del("Content-Encoding")
	h.Del("ETag")
	h.Del("Vary")
	s.Refuse(x, x.request, problem.New(problem.InternalError, "The server failed to handle this request.").
		Hint("Retry; if this persists, report the X-Request-Id of this response."))
	return true
}

func level(x *exchange) slog.Level {
	switch {
	case x.status == statusClientGone:
		return slog.LevelInfo
	case strings.HasPrefix(x.route, "/healthz"), strings.HasPrefix(x.route, "/readyz"):
		// Probes come every few seconds, and the prober reports failures itself.
		return slog.LevelDebug
	case x.status >= 500:
		return slog.LevelError
	case x.status >= 400:
		return slog.LevelWarn
	case x.route == "/preview":
		return slog.LevelDebug // open pages poll it every second
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

// unready reports whether the server should not receive requests, and why.
func (s *handler) unready() (reason problem.Problem, unready bool) {
	switch {
	case s.draining.Load():
		return problem.New(problem.NotReady, "The server is stopping.").Hint("Retry; a load balancer will choose another server."), true
	case s.Ready == nil:
		return problem.Problem{}, false
	}
	if err := s.Ready(); err != nil {
		if p, ok := errors.AsType[problem.Problem](err); ok && p.Code == problem.NotReady {
			return p, true
		}
		if degraded := s.Degraded(); len(degraded) > 0 {
			return problem.New(problem.NotReady, "No release can be served.").Hint("%s", degraded[0].Summary()), true
		}
		return problem.New(problem.NotReady, "No release is loaded yet.").Hint("Retry in a few seconds."), true
	}
	return problem.Problem{}, false
}

// health serves /healthz, which succeeds while the process runs, and /readyz,
// which succeeds while the server should receive requests and lists degraded
// releases.
func (s *handler) health(w http.ResponseWriter, r *http.Request, readiness bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		s.Refuse(w, r, problem.New(problem.MethodNotAllowed, "Method %s is not allowed for this route.", problem.Clip(r.Method)).Hint("Use GET or HEAD."))
		return
	}
	if readiness {
		if p, unready := s.unready(); unready {
			s.Refuse(w, r, p)
			return
		}
	}
	response := struct {
		OK       bool                      `json:"ok"`
		Degraded []catalog.DegradedRelease `json:"degraded,omitzero"`
	}{OK: true}
	if readiness {
		response.Degraded = s.Degraded()
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	_ = json.MarshalWrite(w, response)
}
