package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"placard/internal/core/problem"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/server"
)

func TestResponsesHaveSecurityHeaders(t *testing.T) {
	s := startServer(t, apiOptions(t, server.GuardOptions{}, httpapi.Options{}))
	for _, path := range []string{"/api/v2/schemas", "/api/v2/shapes/circle.svg", "/api/v2/nothing", "/healthz", "/elsewhere"} {
		h := s.get(path).header
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: got headers %v, want nosniff and no-referrer", path, h)
		}
		for _, name := range []string{"Server", "X-Powered-By", "X-Robots-Tag"} {
			if h.Get(name) != "" {
				t.Errorf("%s: got header %s: %s, want none", path, name, h.Get(name))
			}
		}
		svg := strings.HasSuffix(path, ".svg")
		if policy := h.Get("Content-Security-Policy"); svg && !strings.Contains(policy, "default-src 'none'") || !svg && policy != "" {
			t.Errorf("%s: got Content-Security-Policy %q, want a strict policy for SVG only", path, policy)
		}
	}
}

func TestHTMLHasAStrictContentSecurityPolicyByDefault(t *testing.T) {
	page := func(policy string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if policy != "" {
				w.Header().Set("Content-Security-Policy", policy)
			}
			_, _ = io.WriteString(w, "<p>")
		}
	}
	if got := serve(t, server.Options{Handler: page("")}, "GET", "/").Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || !strings.Contains(got, "frame-ancestors 'none'") {
		t.Errorf("page without a policy: got %q, want the strict default", got)
	}
	if got := serve(t, server.Options{Handler: page("default-src 'self'")}, "GET", "/").Header().Get("Content-Security-Policy"); got != "default-src 'self'" {
		t.Errorf("page with its own policy: got %q, want %q", got, "default-src 'self'")
	}
}

func TestRobotsTagIsSetOnResponses(t *testing.T) {
	opts := server.Options{RobotsTag: "noindex, nofollow"}
	if got := serve(t, opts, "GET", "/healthz").Header().Get("X-Robots-Tag"); got != "noindex, nofollow" {
		t.Errorf("got X-Robots-Tag %q, want %q", got, opts.RobotsTag)
	}
}

func TestRequestsForOtherHostsAreRejected(t *testing.T) {
	opts := apiOptions(t, server.GuardOptions{}, httpapi.Options{})
	opts.AllowedHosts = []string{"placard.example", "::1"}
	s := startServer(t, opts)
	for host, want := range map[string]int{
		"placard.example": 200, "PLACARD.example:8443": 200, "placard.example.": 200, "[::1]:80": 200,
		"evil.example": 400, "placard.example.evil.example": 400, "127.0.0.1": 400, "127.0.0.1:1": 400,
	} {
		for _, path := range []string{"/api/v2/schemas", "/healthz", "/readyz"} {
			resp := s.get(path, "Host", host)
			if resp.status != want {
				t.Errorf("%s%s: got status %d, want %d", host, path, resp.status, want)
			}
			if want == 400 && (resp.problem(t).Code != problem.BadRequest || resp.header.Get("X-Request-Id") == "") {
				t.Errorf("%s%s: got %s with headers %v, want code bad_request and a request id", host, path, resp.body, resp.header)
			}
		}
	}
}

func TestRefuseOptionWritesErrors(t *testing.T) {
	opts := server.Options{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			w.Header().Set("ETag", `"x"`)
			panic("boom")
		}),
		Refuse: func(w http.ResponseWriter, r *http.Request, p problem.Problem) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, r.URL.Path+" "+string(p.Code))
		},
	}
	w := serve(t, opts, "POST", "/mcp")
	if w.Code != 500 || w.Body.String() != "/mcp internal_error" || w.Header().Get("Content-Encoding") != "" || w.Header().Get("ETag") != "" {
		t.Errorf("got %d %s with headers %v, want 500 from Refuse without the handler's headers", w.Code, w.Body, w.Header())
	}
}

func TestPanicDuringResponseAbortsTheConnection(t *testing.T) {
	s := startServer(t, server.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ok" {
			return
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 10_000))
		panic("boom")
	})})
	if resp, err := s.try("GET", "/", nil); err == nil {
		t.Errorf("truncated response: got status %d and no error, want an error", resp.status)
	}
	if !strings.Contains(s.logs.String(), "boom") || strings.Count(s.logs.String(), "msg=request") != 1 {
		t.Errorf("got log %s, want the panic and one request", s.logs)
	}
	if resp := s.get("/ok"); resp.status != 200 {
		t.Errorf("next request: got status %d, want 200", resp.status)
	}
}

func TestRequestsAreLogged(t *testing.T) {
	opts := apiOptions(t, server.GuardOptions{}, httpapi.Options{})
	logs := new(logBuffer)
	opts.Log = logs.logger()
	s := startServer(t, opts)
	s.get("/api/v2/schemas/"+stableVersion+"/elements?query=secret", "X-Request-Id", "id-1")
	s.get("/api/v2/" + strings.Repeat("x", 2000))
	s.get("/healthz")
	waitFor(t, "two log lines", func() bool { return strings.Count(logs.String(), "\n") == 2 })
	first, second, _ := strings.Cut(logs.String(), "\n")
	for _, part := range []string{
		"level=INFO", "method=GET", "path=/api/v2/schemas/" + stableVersion + "/elements ", "route=/api/v2/schemas/{version}/elements",
		"status=200", "client=127.0.0.1", "request_id=id-1",
	} {
		if !strings.Contains(first, part) {
			t.Errorf("got log line %s, want it to contain %q", first, part)
		}
	}
	if strings.Contains(logs.String(), "secret") || !strings.Contains(second, "level=WARN") || len(second) > 1000 {
		t.Errorf("got log %s, want a short second line of level WARN and no query", logs)
	}
}
