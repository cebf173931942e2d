package server_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"placard/internal/serve/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// logBuffer is a bytes.Buffer that is safe for concurrent use.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logBuffer) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// serve passes a request to the handler for opts and returns the response.
func serve(t *testing.T, opts server.Options, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Handler == nil {
		opts.Handler = http.NotFoundHandler()
	}
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	server.Handler(opts).ServeHTTP(w, r)
	return w
}

func TestEveryResponseHasRequestIDAndCORSHeaders(t *testing.T) {
	for _, path := range []string{"/anything", "/healthz", "/readyz"} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			h := serve(t, server.Options{}, method, path).Header()
			if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Expose-Headers") != "X-Request-Id, Service-Content-Hash, Retry-After" || len(h.Get("X-Request-Id")) < 16 {
				t.Errorf("%s %s: got headers %v, want a request id and CORS headers", method, path, h)
			}
		}
	}
}

func TestValidRequestIDOfClientIsKept(t *testing.T) {
	long := strings.Repeat("x", 128)
	for id, kept := range map[string]bool{"abc.DEF_1-2": true, long: true, long + "x": false, "a b": false, "a\"b": false, "é": false} {
		seen := ""
		handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Get("X-Request-Id") })
		got := serve(t, server.Options{Handler: handler}, "GET", "/", "X-Request-Id", id).Header().Get("X-Request-Id")
		if (got == id) != kept || got == "" || seen != got {
			t.Errorf("request id %q: got %q in the response and %q in the handler; want kept: %t", id, got, seen, kept)
		}
	}
}

func TestPreflightRequestsDoNotReachTheHandler(t *testing.T) {
	reached := false
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true })
	w := serve(t, server.Options{Handler: handler}, "OPTIONS", "/api/v2/schemas/x/validate")
	h := w.Header()
	if w.Code != http.StatusNoContent || reached || h.Get("Access-Control-Max-Age") != "86400" {
		t.Errorf("got status %d, handler reached: %t, headers %v; want 204, false, Access-Control-Max-Age: 86400", w.Code, reached, h)
	}
	for _, name := range []string{"Content-Type", "Service-Client", "X-Request-Id", "If-None-Match", "Mcp-Session-Id", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"} {
		if !strings.Contains(h.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("got allowed headers %s, want %s among them", h.Get("Access-Control-Allow-Headers"), name)
		}
	}
}

func TestHealthAndReadiness(t *testing.T) {
	notReady := errors.New("not ready")
	opts := server.Options{Ready: func() error { return notReady }}
	if w := serve(t, opts, "GET", "/healthz"); w.Code != 200 {
		t.Errorf("healthz: got status %d, want 200", w.Code)
	}
	if w := serve(t, opts, "GET", "/readyz"); w.Code != 503 || !strings.Contains(w.Body.String(), `"not_ready"`) {
		t.Errorf("readyz before ready: got %d %s, want 503 with code not_ready", w.Code, w.Body)
	}
	notReady = nil
	if w := serve(t, opts, "GET", "/readyz"); w.Code != 200 {
		t.Errorf("readyz: got status %d, want 200", w.Code)
	}
	if w := serve(t, opts, "POST", "/healthz"); w.Code != 405 || w.Header().Get("Allow") == "" {
		t.Errorf("POST healthz: got status %d and Allow %q, want 405 with Allow", w.Code, w.Header().Get("Allow"))
	}
}

func TestPanicIsReportedAndLoggedWithStack(t *testing.T) {
	logs := new(logBuffer)
	opts := server.Options{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }),
		Log:     slog.New(slog.NewTextHandler(logs, nil)),
	}
	w := serve(t, opts, "GET", "/", "X-Request-Id", "id-1")
	if w.Code != 500 || !strings.Contains(w.Body.String(), `"internal_error"`) || strings.Contains(w.Body.String(), "boom") {
		t.Errorf("got %d %s, want 500 with code internal_error", w.Code, w.Body)
	}
	for _, want := range []string{"boom", "id-1", "server_test.go"} {
		if !strings.Contains(logs.String(), want) {
			t.Errorf("got log %s, want it to contain %q", logs, want)
		}
	}
}

func TestEachRequestIsLoggedOnceWithoutItsQuery(t *testing.T) {
	logs := new(logBuffer)
	opts := server.Options{Log: slog.New(slog.NewTextHandler(logs, nil))}
	serve(t, opts, "GET", "/api/x?query=secret")
	if n := strings.Count(logs.String(), "\n"); n != 1 || strings.Contains(logs.String(), "secret") || !strings.Contains(logs.String(), "status=404") {
		t.Errorf("got log %q, want one line with status 404 and no query", logs)
	}
}
