package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"placard/internal/core/problem"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/server"
)

const validatePath = "/api/v2/schemas/" + stableVersion + "/validate"

var loopback = server.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

// startBody sends the headers of a request with a body of the given size and waits
// until the server reads the body. The request comes from the given address.
func (s *testServer) startBody(addr string, size int) net.Conn {
	s.t.Helper()
	conn := s.dial()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", validatePath, addr, size)
	line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, line); err != nil || !strings.Contains(string(line), "100") {
		s.t.Fatalf("got %q (%v), want 100 Continue", line, err)
	}
	return conn
}

func TestUnfinishedBodiesDoNotLockOutOtherClients(t *testing.T) {
	opts := apiOptions(t, server.GuardOptions{MaxInFlight: 8, MaxInFlightPerClient: 2}, httpapi.Options{})
	opts.Proxies = loopback
	s := startServer(t, opts)
	for i := range 8 {
		s.startBody(fmt.Sprintf("192.0.2.%d", i/2), 1000)
	}
	const other = "192.0.2.200"
	if resp := s.get("/api/v2/schemas", "X-Forwarded-For", other); resp.status != 200 {
		t.Errorf("read by another client: got status %d, want 200", resp.status)
	}
	if resp := s.do("POST", validatePath, strings.NewReader("{}"), "X-Forwarded-For", other); resp.status != 200 {
		t.Errorf("document of another client: got status %d, want 200", resp.status)
	}
	// Unfinished bodies count for their own client.
	if resp := s.get("/api/v2/schemas", "X-Forwarded-For", "192.0.2.0"); resp.status != 503 {
		t.Errorf("third request of a client: got status %d, want 503", resp.status)
	}
}

func TestRequestsAreInFlightOnceTheirBodyIsComplete(t *testing.T) {
	h := newBlockingHandler(server.GuardOptions{MaxInFlight: 1})
	mux := http.NewServeMux()
	mux.Handle("/", httpapi.New(httpapi.Options{Catalog: builtinCatalog(), Admit: h.guard.Admit, Log: discardLog}))
	mux.Handle("/block", h)
	s := startServer(t, server.Options{Handler: mux, Guard: h.guard})
	done := make(chan response, 1)
	conn := s.startBody("", 2)
	go func() { resp, _ := s.try("GET", "/block", nil); done <- resp }()
	<-h.started
	fmt.Fprint(conn, "{}")
	resp, err := readResponse(conn)
	if err != nil || resp.status != 503 || resp.header.Get("Retry-After") != "1" {
		t.Errorf("body completed without a free place: got status %d (%v), want 503", resp.status, err)
	}
	close(h.unblock)
	<-done
	conn = s.startBody("", 2)
	fmt.Fprint(conn, "{}")
	if resp, err := readResponse(conn); err != nil || resp.status != 200 || resp.connClose {
		t.Errorf("body completed with a free place: got %+v (%v), want 200", resp, err)
	}
}

// bodyMemory returns the memory of request bodies according to the metrics.
func bodyMemory(t *testing.T, m *server.Metrics) int {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	_, after, _ := strings.Cut(w.Body.String(), "\nplacard_http_request_body_bytes ")
	value, _, _ := strings.Cut(after, "\n")
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

func TestOneClientCannotTakeAllBodyMemory(t *testing.T) {
	const (
		memory = 1 << 20
		size   = 30 << 10
	)
	metrics := server.NewMetrics("")
	opts := apiOptions(t, server.GuardOptions{MaxBodyMemory: memory, MaxBodyMemoryPerClient: memory / 8, Metrics: metrics}, httpapi.Options{})
	opts.Proxies = loopback
	s := startServer(t, opts)
	// One client sends incomplete bodies until one is refused.
	refused := make(chan response, 1)
	for open := 0; len(refused) == 0; open++ {
		if open*size > 2*memory {
			t.Fatalf("%d bodies of %d bytes were not refused", open, size)
		}
		before := bodyMemory(t, metrics)
		conn := s.dial()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: %d\r\n\r\n%s", validatePath, size+1, strings.Repeat(" ", size))
		go func() {
			if resp, err := readResponse(conn); err == nil {
				refused <- resp
			}
		}()
		waitFor(t, "a body to be buffered or refused", func() bool {
			return len(refused) > 0 || bodyMemory(t, metrics) >= before+size
		})
	}
	if resp := <-refused; resp.status != 503 || resp.problem(t).Code != problem.Overloaded {
		t.Errorf("body of the first client: got status %d, want 503", resp.status)
	}
	if got := bodyMemory(t, metrics); got < memory/16 || got > memory/8 {
		t.Errorf("bodies of one client use %d bytes, want at most %d", got, memory/8)
	}
	if resp := s.do("POST", validatePath, strings.NewReader(strings.Repeat(" ", size)), "X-Forwarded-For", "192.0.2.2"); resp.status != 400 { // spaces are not a valid document
		t.Errorf("body of another client: got status %d, want 400", resp.status)
	}
}

func TestBodyBuffersCountBeforeTheirBytesArrive(t *testing.T) {
	metrics := server.NewMetrics("")
	s := startServer(t, apiOptions(t, server.GuardOptions{Metrics: metrics}, httpapi.Options{}))
	// Large buffers must not be reused for bodies that have hardly started.
	s.do("POST", validatePath, strings.NewReader(strings.Repeat(" ", 1<<20)))
	s.get("/api/v2/schemas/" + stableVersion + "/elements?limit=200")
	waitFor(t, "the memory to be released", func() bool { return bodyMemory(t, metrics) == 0 })
	for range 10 {
		s.startBody("", 1<<20)
	}
	if got := bodyMemory(t, metrics); got < 10<<10 || got > 10*8<<10 {
		t.Errorf("10 bodies without content use %d bytes, want 1 to 8 KiB each", got)
	}
}

func TestSlowBodiesAreEnded(t *testing.T) {
	opts := apiOptions(t, server.GuardOptions{}, httpapi.Options{})
	opts.Timeouts = server.Timeouts{Read: time.Hour, Write: time.Hour, BodyGrace: 100 * time.Millisecond}
	opts.MinBodyRate = 1 << 10
	s := startServer(t, opts)

	stalled, trickling := s.startBody("", 1000), s.startBody("", 1000)
	go func() {
		for {
			if _, err := io.WriteString(trickling, " "); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	for name, conn := range map[string]net.Conn{"stalled": stalled, "trickling": trickling} {
		resp, err := readResponse(conn)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p := resp.problem(t); resp.status != 400 || p.Code != problem.BadRequest || !strings.Contains(p.Message, "in time") || !resp.connClose {
			t.Errorf("%s: got status %d, %v, Connection: close: %t", name, resp.status, p, resp.connClose)
		}
	}

	// A body above the minimum rate may take longer than the grace period, and
	// the connection can be used again.
	steady := s.startBody("", 30_000)
	started := time.Now()
	for range 30 {
		io.WriteString(steady, strings.Repeat(" ", 1000))
		time.Sleep(10 * time.Millisecond)
	}
	for i := range 2 {
		resp, err := readResponse(steady)
		if err != nil || resp.status != 400 || !strings.Contains(resp.body, "parse") && !strings.Contains(resp.body, "JSON") {
			t.Errorf("response %d of a steady client, after %v: got %d %s (%v)", i, time.Since(started), resp.status, resp.body, err)
		}
		if i == 0 {
			fmt.Fprintf(steady, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n ", validatePath)
		}
	}
}
