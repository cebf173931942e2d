package server_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"placard/internal/core/problem"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/server"
)

// dial connects to the server. Reads and writes fail after waitTimeout.
func (s *testServer) dial() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(waitTimeout)); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

// waitClosed reads from conn until the server closes the connection. It returns
// an error if the connection is still open when the timeout expires.
func waitClosed(conn net.Conn, timeout time.Duration) error {
	if err := conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, conn)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("connection is still open after %v", timeout)
	case errors.Is(err, syscall.ECONNRESET): // closed with unread data
		return nil
	}
	return err
}

func TestSlowConnectionsDoNotBlockOtherRequests(t *testing.T) {
	opts := apiOptions(t, server.GuardOptions{
		Limiter: ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{}), MaxInFlight: server.DefaultMaxInFlight,
	}, httpapi.Options{})
	opts.Timeouts = server.Timeouts{Header: 500 * time.Millisecond, Read: time.Second}
	s := startServer(t, opts)

	// Half of the connections never finish their headers, half their body.
	var writers sync.WaitGroup
	conns := make([]net.Conn, 100)
	stop := make(chan struct{})
	for i := range conns {
		conn := s.dial()
		conns[i] = conn
		first, next := "GET /api/v2/schemas HTTP/1.1\r\nHost: x\r\n", "X-A: b\r\n"
		if i%2 == 1 {
			first = fmt.Sprintf("POST /api/v2/schemas/%s/validate HTTP/1.1\r\nHost: x\r\nService-Client: c%d\r\nContent-Length: 100000\r\n\r\n", stableVersion, i)
			next = " "
		}
		writers.Go(func() {
			_, err := io.WriteString(conn, first)
			for err == nil {
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond):
					_, err = io.WriteString(conn, next)
				}
			}
		})
	}
	for range 50 {
		if resp := s.get("/api/v2/shapes/circle.svg"); resp.status != 200 {
			t.Errorf("normal request: got status %d, want 200", resp.status)
		}
	}
	// The wait is shorter than the default read timeout.
	var readers sync.WaitGroup
	errs := make([]error, len(conns))
	for i, conn := range conns {
		readers.Go(func() { errs[i] = waitClosed(conn, 10*time.Second) })
	}
	readers.Wait()
	close(stop)
	writers.Wait()
	for i, name := range []string{"headers", "body"} {
		var open int
		var last error
		for j := i; j < len(errs); j += 2 {
			if errs[j] != nil {
				open++
				last = errs[j]
			}
		}
		if open > 0 {
			t.Errorf("slow %s: the server closed %d of %d connections, want all: %v", name, len(conns)/2-open, len(conns)/2, last)
		}
	}
}

func TestEndlessBodyIsRejectedAtTheLimit(t *testing.T) {
	s := startServer(t, apiOptions(t, server.GuardOptions{}, httpapi.Options{MaxBody: 1 << 16}))
	conn := s.dial()
	fmt.Fprintf(conn, "POST /api/v2/schemas/%s/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", stableVersion)
	sent := make(chan int64, 1)
	go func() {
		chunk := "1000\r\n" + strings.Repeat(" ", 0x1000) + "\r\n"
		total := int64(0)
		for {
			n, err := io.WriteString(conn, chunk)
			total += int64(n)
			if err != nil {
				sent <- total
				return
			}
		}
	}()
	resp, err := readResponse(conn)
	if err != nil {
		t.Fatal(err)
	}
	p := resp.problem(t)
	if resp.status != http.StatusRequestEntityTooLarge || p.Code != problem.PayloadTooLarge || p.FixHint == "" || !resp.connClose {
		t.Errorf("got %d %+v, Connection: close: %t; want 413 with a hint, true", resp.status, p, resp.connClose)
	}
	// The server discards 16 MiB. The client can also fill the socket buffers of
	// both sides, which can hold more than 32 MiB.
	const limit = 64 << 20
	if total := <-sent; total > limit {
		t.Errorf("the client sent %d bytes, want at most %d", total, limit)
	}
}

func TestRejectedRequestsDoNotWaitForTheBody(t *testing.T) {
	policy := ratelimit.DefaultPolicy
	policy.Validate = ratelimit.Limit{Requests: 1, Window: time.Hour}
	s := startServer(t, apiOptions(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{})}, httpapi.Options{}))
	s.do("POST", "/api/v2/schemas/"+stableVersion+"/validate", strings.NewReader("{}"))
	for name, tc := range map[string]struct {
		target string
		status int
	}{
		"rate limited":    {"POST /api/v2/schemas/" + stableVersion + "/validate", 429},
		"unknown version": {"POST /api/v2/schemas/place@1999-01-01/resolve", 404},
		"unknown route":   {"POST /api/v2/nothing", 404},
		"wrong method":    {"DELETE /api/v2/schemas", 405},
	} {
		conn := s.dial()
		// The body is never sent. The response must arrive before the read
		// timeout.
		conn.SetDeadline(time.Now().Add(server.DefaultTimeouts.Read / 2))
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", tc.target)
		resp, err := readResponse(conn)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if resp.status != tc.status || !resp.connClose {
			t.Errorf("%s: got status %d, Connection: close: %t; want %d, true", name, resp.status, resp.connClose, tc.status)
		}
	}
	// The connection is kept open if the body was read.
	if resp := s.do("POST", "/api/v2/schemas/"+stableVersion+"/resolve", strings.NewReader("{}")); resp.connClose {
		t.Error("request whose body was read: got Connection: close, want a reusable connection")
	}
}

func TestCompressedBodiesAreRejected(t *testing.T) {
	s := startServer(t, apiOptions(t, server.GuardOptions{}, httpapi.Options{}))
	resp := s.do("POST", "/api/v2/schemas/"+stableVersion+"/validate", strings.NewReader("x"), "Content-Encoding", "gzip")
	if resp.status != http.StatusUnsupportedMediaType || resp.problem(t).Code != problem.UnsupportedMediaType {
		t.Errorf("got %d %s, want 415", resp.status, resp.body)
	}
}

func TestMemoryForRequestBodiesIsLimited(t *testing.T) {
	metrics := server.NewMetrics("")
	s := startServer(t, apiOptions(t, server.GuardOptions{MaxBodyMemory: 100_000, Metrics: metrics}, httpapi.Options{}))
	target := "/api/v2/schemas/" + stableVersion + "/validate"
	var slow []net.Conn
	for range 3 {
		conn := s.dial()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 30001\r\n\r\n%s", target, strings.Repeat(" ", 30_000))
		slow = append(slow, conn)
	}
	buffered := func(bytes int) func() bool {
		return func() bool {
			w := httptest.NewRecorder()
			metrics.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			return strings.Contains(w.Body.String(), fmt.Sprintf("\nplacard_http_request_body_bytes %d\n", bytes))
		}
	}
	waitFor(t, "bodies to be buffered", buffered(3*30_001))
	large := strings.Repeat(" ", 20_000)
	resp := s.do("POST", target, strings.NewReader(large))
	if p := resp.problem(t); resp.status != 503 || p.Code != problem.Overloaded || resp.header.Get("Retry-After") != "1" {
		t.Errorf("above the limit: got %d %v with headers %v, want 503 overloaded with Retry-After: 1", resp.status, p, resp.header)
	}
	if resp := s.get("/api/v2/schemas"); resp.status != 200 {
		t.Errorf("request without a body: got status %d, want 200", resp.status)
	}
	for _, conn := range slow {
		conn.Close()
	}
	waitFor(t, "bodies to be released", buffered(0))
	if resp := s.do("POST", target, strings.NewReader(large)); resp.status != 400 { // spaces are not a valid document
		t.Errorf("below the limit: got status %d, want 400", resp.status)
	}
}

func TestLargeHeadersAreRejected(t *testing.T) {
	s := startServer(t, server.Options{Handler: http.NotFoundHandler(), MaxHeader: 8 << 10})
	if resp := s.get("/", "X-Large", strings.Repeat("x", 20<<10)); resp.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("got status %d, want 431", resp.status)
	}
}

func TestResponseToClientThatDoesNotReadIsAborted(t *testing.T) {
	failed := make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var err error
		for err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
		close(failed)
	})
	s := startServer(t, server.Options{Handler: handler, Timeouts: server.Timeouts{Write: 300 * time.Millisecond}})
	conn := s.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case <-failed:
	case <-time.After(waitTimeout):
		t.Errorf("the response was not aborted within %v", waitTimeout)
	}
}
