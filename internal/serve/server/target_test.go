package server_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"placard/internal/serve/httpapi"
	"placard/internal/serve/server"
)

// send sends a request verbatim and returns the response.
func (s *testServer) send(request string) response {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(waitTimeout)); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		s.t.Fatal(err)
	}
	resp, err := readResponse(conn)
	if err != nil {
		s.t.Fatalf("%.80q: %v", request, err)
	}
	return resp
}

func TestEveryLogLineHasARoute(t *testing.T) {
	for name, test := range map[string]struct{ request, want string }{
		"a clean path":       {"GET /api/v2/shapes/circle.svg", "/api/v2/shapes/{file}"},
		"an unknown path":    {"GET /elsewhere", "/"},
		"two slashes":        {"GET //api/v2/schemas", "/"},
		"two slashes inside": {"GET /api/v2//schemas", "/"},
		"a dot segment":      {"GET /api/v2/./schemas", "/"},
		"a parent segment":   {"GET /api/v2/../v2/schemas", "/"},
		"an escaped parent":  {"GET /api/v2/%2e%2e/schemas", "/"},
		"escaped slashes":    {"GET /api/v2%2F%2Fschemas", "/"},
		"another method":     {"DELETE /api/v2//schemas", "/"},
		"an asterisk":        {"GET *", "/"},
		"a full URL":         {"GET http://example.org", "/"},
		"a tunnel":           {"CONNECT example.org:443", "/"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := apiOptions(t, server.GuardOptions{}, httpapi.Options{})
			logs := new(logBuffer)
			opts.Log = logs.logger()
			s := startServer(t, opts)
			s.send(test.request + " HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n")
			waitFor(t, "a log line", func() bool { return strings.Contains(logs.String(), "msg=request") })
			_, rest, _ := strings.Cut(logs.String(), " route=")
			if got, _, _ := strings.Cut(rest, " "); got != test.want {
				t.Errorf("got route %s, want %s: %s", got, test.want, logs)
			}
		})
	}
}

// TestInvalidHTTPIsRefusedInPlainText shows the exception in docs/api.md: net/http
// refuses these requests before they reach the handler.
func TestInvalidHTTPIsRefusedInPlainText(t *testing.T) {
	opts := apiOptions(t, server.GuardOptions{}, httpapi.Options{})
	logs := new(logBuffer)
	opts.Log = logs.logger()
	s := startServer(t, opts)
	for name, test := range map[string]struct {
		request string
		want    int
	}{
		"an invalid escape":   {"GET /api/v2/%zz HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusBadRequest},
		"a relative target":   {"GET api/v2/schemas HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusBadRequest},
		"a control character": {"GET /api/v2/\x01 HTTP/1.1\r\nHost: a\r\n\r\n", http.StatusBadRequest},
		"no host":             {"GET /api/v2/schemas HTTP/1.1\r\n\r\n", http.StatusBadRequest},
		"a malformed header":  {"GET /api/v2/schemas HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", http.StatusBadRequest},
		"another protocol":    {"\x16\x03\x01\r\n\r\n", http.StatusBadRequest},
		"large headers": {
			"GET /api/v2/schemas HTTP/1.1\r\nHost: a\r\nX-A: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", http.StatusRequestHeaderFieldsTooLarge,
		},
		"an unknown transfer coding": {
			"POST /api/v2/schemas HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", http.StatusNotImplemented,
		},
		"another version of HTTP": {"GET /api/v2/schemas HTTP/3.0\r\nHost: a\r\n\r\n", http.StatusHTTPVersionNotSupported},
	} {
		resp := s.send(test.request)
		if resp.status != test.want || resp.header.Get("Content-Type") != "text/plain; charset=utf-8" || resp.header.Get("X-Request-Id") != "" {
			t.Errorf("%s: got status %d with headers %v, want %d as text/plain without a request id", name, resp.status, resp.header, test.want)
		}
	}
	resp := s.send("GET /api/v2/schemas HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n")
	if resp.status != http.StatusExpectationFailed || resp.body != "" || resp.header.Get("X-Request-Id") != "" {
		t.Errorf("an unknown expectation: got status %d with headers %v and body %q, want 417 without a body", resp.status, resp.header, resp.body)
	}
	if resp := s.send("GET /api/v2/%7A HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"); resp.status != 404 || resp.header.Get("Content-Type") != "application/json" {
		t.Errorf("a valid escape: got status %d with headers %v, want 404 as JSON", resp.status, resp.header)
	}
	waitFor(t, "a log line", func() bool { return logs.String() != "" })
	if strings.Count(logs.String(), "msg=request") != 1 {
		t.Errorf("got log %s, want only the last request", logs)
	}
}
