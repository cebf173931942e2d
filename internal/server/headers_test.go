package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"placard/internal/httpapi"
	"placard/internal/problem"
	"placard/internal/server"
)

func TestAnswersCarryTheHeadersThatProtectTheirReaders(t *testing.T) {
	s := run(t, api(t, server.GuardOptions{}, httpapi.Options{}))
	for _, path := range []string{"/api/v2/schemas", "/api/v2/shapes/circle.svg", "/api/v2/nothing", "/healthz", "/elsewhere"} {
		h := s.get(path).header
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", path, h)
		}
		for _, name := range []string{"Server", "X-Powered-By", "X-Robots-Tag"} {
			if h.Get(name) != "" {
				t.Errorf("%s: %s: %s", path, name, h.Get(name))
			}
		}
		svg := strings.HasSuffix(path, ".svg")
		if policy := h.Get("Content-Security-Policy"); svg && !strings.Contains(policy, "default-src 'none'") || !svg && policy != "" {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
}

func TestPagesAreStrictUnlessTheySayOtherwise(t *testing.T) {
	page := func(policy string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if policy != "" {
				w.Header().Set("Content-Security-Policy", policy)
			}
			_, _ = io.WriteString(w, "<p>")
		}
	}
	if got := do(t, server.Options{Handler: page("")}, "GET", "/").Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || !strings.Contains(got, "frame-ancestors 'none'") {
		t.Errorf("a page that says nothing: %q", got)
	}
	if got := do(t, server.Options{Handler: page("default-src 'self'")}, "GET", "/").Header().Get("Content-Security-Policy"); got != "default-src 'self'" {
		t.Errorf("a page with its own policy: %q", got)
	}
}

func TestRobotsAreToldWhatTheOperatorWants(t *testing.T) {
	opts := server.Options{RobotsTag: "noindex, nofollow"}
	if got := do(t, opts, "GET", "/healthz").Header().Get("X-Robots-Tag"); got != "noindex, nofollow" {
		t.Errorf("%q", got)
	}
}

func TestOnlyAllowedHostsAreAnswered(t *testing.T) {
	opts := api(t, server.GuardOptions{}, httpapi.Options{})
	opts.AllowedHosts = []string{"placard.example", "::1"}
	s := run(t, opts)
	for host, want := range map[string]int{
		"placard.example": 200, "PLACARD.example:8443": 200, "placard.example.": 200, "[::1]:80": 200,
		"evil.example": 400, "placard.example.evil.example": 400, "127.0.0.1": 400, "": 400,
	} {
		for _, path := range []string{"/api/v2/schemas", "/healthz", "/readyz"} {
			if host == "" {
				host = "127.0.0.1:1"
			}
			a := s.get(path, "Host", host)
			if a.status != want {
				t.Errorf("%s%s: %d, want %d", host, path, a.status, want)
			}
			if want == 400 && (a.failure(t).Code != problem.BadRequest || a.header.Get("X-Request-Id") == "") {
				t.Errorf("%s: %s", host, a.body)
			}
		}
	}
}

func TestAnyFaceCanRefuseInItsOwnWay(t *testing.T) {
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
	w := do(t, opts, "POST", "/mcp")
	if w.Code != 500 || w.Body.String() != "/mcp internal_error" || w.Header().Get("Content-Encoding") != "" || w.Header().Get("ETag") != "" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
}

func TestAPanicInTheMiddleOfAnAnswerBreaksTheConnection(t *testing.T) {
	s := run(t, server.Options{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fine" {
			return
		}
		_, _ = io.WriteString(w, strings.Repeat("x", 10_000))
		panic("boom")
	})})
	if a, err := s.try("GET", "/", nil); err == nil {
		t.Errorf("half an answer passes for one: %d", a.status)
	}
	if !strings.Contains(s.logs.String(), "boom") || strings.Count(s.logs.String(), "msg=request") != 1 {
		t.Errorf("log: %s", s.logs)
	}
	if a := s.get("/fine"); a.status != 200 {
		t.Errorf("afterwards: %d", a.status)
	}
}

func TestTheLogTellsWhoAskedForWhat(t *testing.T) {
	opts := api(t, server.GuardOptions{}, httpapi.Options{})
	logs := new(logBuffer)
	opts.Log = logs.logger()
	s := run(t, opts)
	s.get("/api/v2/schemas/"+stable+"/elements?query=secret", "X-Request-Id", "id-1")
	s.get("/api/v2/" + strings.Repeat("x", 2000))
	s.get("/healthz")
	eventually(t, "two log lines", func() bool { return strings.Count(logs.String(), "\n") == 2 })
	first, second, _ := strings.Cut(logs.String(), "\n")
	for _, part := range []string{
		"level=INFO", "method=GET", "path=/api/v2/schemas/" + stable + "/elements ", "route=/api/v2/schemas/{version}/elements",
		"status=200", "client=127.0.0.1", "request_id=id-1",
	} {
		if !strings.Contains(first, part) {
			t.Errorf("no %s in %s", part, first)
		}
	}
	if strings.Contains(logs.String(), "secret") || !strings.Contains(second, "level=WARN") || len(second) > 1000 {
		t.Errorf("log: %s", logs)
	}
}
