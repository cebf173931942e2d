package server_test

import (
	"bufio"
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

	"placard/internal/httpapi"
	"placard/internal/problem"
	"placard/internal/ratelimit"
	"placard/internal/server"
)

// dial opens a connection that fails all reads and writes after waitTimeout.
func (s *running) dial() net.Conn {
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

func TestManySlowConnectionsLeaveNormalRequestsServed(t *testing.T) {
	opts := api(t, server.GuardOptions{
		Limiter: ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{}), MaxInFlight: server.DefaultMaxInFlight,
	}, httpapi.Options{})
	opts.Timeouts = server.Timeouts{Header: time.Second, Read: 2 * time.Second}
	s := run(t, opts)

	// Half of them never end their headers, half never end their body.
	var trickling sync.WaitGroup
	conns := make([]net.Conn, 500)
	stop := make(chan struct{})
	for i := range conns {
		conn := s.dial()
		conns[i] = conn
		begin, more := "GET /api/v2/schemas HTTP/1.1\r\nHost: x\r\n", "X-A: b\r\n"
		if i%2 == 1 {
			begin = fmt.Sprintf("POST /api/v2/schemas/%s/validate HTTP/1.1\r\nHost: x\r\nService-Client: c%d\r\nContent-Length: 100000\r\n\r\n", stable, i)
			more = " "
		}
		trickling.Go(func() {
			_, err := io.WriteString(conn, begin)
			for err == nil {
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond):
					_, err = io.WriteString(conn, more)
				}
			}
		})
	}
	for range 50 {
		begun := time.Now()
		if a := s.get("/api/v2/shapes/circle.svg"); a.status != 200 {
			t.Errorf("%d among slow connections", a.status)
		}
		if took := time.Since(begun); took > 3*time.Second {
			t.Errorf("a request among slow connections took %v", took)
		}
	}
	// The default timeouts would not close all of them in this time.
	var reading sync.WaitGroup
	errs := make([]error, len(conns))
	for i, conn := range conns {
		reading.Go(func() { errs[i] = waitClosed(conn, 10*time.Second) })
	}
	reading.Wait()
	close(stop)
	trickling.Wait()
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
			t.Errorf("slow %s: %d of %d connections were not closed by the server: %v", name, open, len(conns)/2, last)
		}
	}
}

func TestAnEndlessBodyIsCutOffAtTheLimit(t *testing.T) {
	s := run(t, api(t, server.GuardOptions{}, httpapi.Options{MaxBody: 1 << 16}))
	conn := s.dial()
	fmt.Fprintf(conn, "POST /api/v2/schemas/%s/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", stable)
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
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := readAnswer(resp)
	if err != nil {
		t.Fatal(err)
	}
	p := a.failure(t)
	if a.status != http.StatusRequestEntityTooLarge || p.Code != problem.PayloadTooLarge || p.FixHint == "" || !a.connClose {
		t.Errorf("%d %+v, closes: %t", a.status, p, a.connClose)
	}
	// What the two kernels have buffered is lost; nobody reads it.
	if total := <-sent; total > 32<<20 {
		t.Errorf("the client could send %d bytes", total)
	}
}

func TestARefusedBodyIsNotReadOn(t *testing.T) {
	policy := ratelimit.DefaultPolicy
	policy.Validate = ratelimit.Limit{Requests: 1, Window: time.Hour}
	s := run(t, api(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{})}, httpapi.Options{}))
	s.do("POST", "/api/v2/schemas/"+stable+"/validate", strings.NewReader("{}"))
	for name, tc := range map[string]struct {
		target string
		status int
	}{
		"rate limited":    {"POST /api/v2/schemas/" + stable + "/validate", 429},
		"unknown version": {"POST /api/v2/schemas/place@1999-01-01/resolve", 404},
		"unknown route":   {"POST /api/v2/nothing", 404},
		"wrong method":    {"DELETE /api/v2/schemas", 405},
	} {
		conn := s.dial()
		// The body is never sent. The response must arrive before the read
		// timeout.
		conn.SetDeadline(time.Now().Add(server.DefaultTimeouts.Read / 2))
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", tc.target)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if resp.StatusCode != tc.status || !resp.Close {
			t.Errorf("%s: %d, closes: %t", name, resp.StatusCode, resp.Close)
		}
	}
	// A body that was read leaves the connection open.
	if a := s.do("POST", "/api/v2/schemas/"+stable+"/resolve", strings.NewReader("{}")); a.connClose {
		t.Error("the connection is closed after a body that was read")
	}
}

func TestCompressedBodiesAreRefused(t *testing.T) {
	s := run(t, api(t, server.GuardOptions{}, httpapi.Options{}))
	a := s.do("POST", "/api/v2/schemas/"+stable+"/validate", strings.NewReader("x"), "Content-Encoding", "gzip")
	if a.status != http.StatusUnsupportedMediaType || a.failure(t).Code != problem.UnsupportedMediaType {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestBodiesBeingHeldAreBounded(t *testing.T) {
	metrics := server.NewMetrics("")
	s := run(t, api(t, server.GuardOptions{MaxBodyMemory: 100_000, Metrics: metrics}, httpapi.Options{}))
	target := "/api/v2/schemas/" + stable + "/validate"
	var slow []net.Conn
	for range 3 {
		conn := s.dial()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 30001\r\n\r\n%s", target, strings.Repeat(" ", 30_000))
		slow = append(slow, conn)
	}
	held := func(bytes int) func() bool {
		return func() bool {
			w := httptest.NewRecorder()
			metrics.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
			return strings.Contains(w.Body.String(), fmt.Sprintf("\nplacard_http_request_body_bytes %d\n", bytes))
		}
	}
	eventually(t, "holding what has arrived", held(90_000))
	large := strings.Repeat(" ", 20_000)
	a := s.do("POST", target, strings.NewReader(large))
	if p := a.failure(t); a.status != 503 || p.Code != problem.Overloaded || a.header.Get("Retry-After") != "1" {
		t.Errorf("with no room left: %d %v %v", a.status, p, a.header)
	}
	if a := s.get("/api/v2/schemas"); a.status != 200 {
		t.Errorf("a read: %d", a.status)
	}
	for _, conn := range slow {
		conn.Close()
	}
	eventually(t, "giving back what was held", held(0))
	if a := s.do("POST", target, strings.NewReader(large)); a.status != 400 { // blanks are no document
		t.Errorf("with room again: %d", a.status)
	}
}

func TestHugeHeadersAreRefused(t *testing.T) {
	s := run(t, server.Options{Handler: http.NotFoundHandler(), MaxHeader: 8 << 10})
	if a := s.get("/", "X-Large", strings.Repeat("x", 20<<10)); a.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%d", a.status)
	}
}

func TestAClientThatDoesNotReadIsLetGo(t *testing.T) {
	failed := make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		var err error
		for err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
		close(failed)
	})
	s := run(t, server.Options{Handler: handler, Timeouts: server.Timeouts{Write: 300 * time.Millisecond}})
	conn := s.dial()
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case <-failed:
	case <-time.After(waitTimeout):
		t.Errorf("the response was not aborted within %v", waitTimeout)
	}
}
