package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"placard/internal/serve/budget"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/server"
)

func TestReadyzFailsBeforeShutdown(t *testing.T) {
	h := newBlockingHandler(server.GuardOptions{})
	s := startServer(t, server.Options{Handler: h, Guard: h.guard, DrainDelay: 400 * time.Millisecond})
	if resp := s.get("/readyz"); resp.status != 200 || resp.connClose {
		t.Fatalf("readyz: got status %d, Connection: close: %t; want 200, false", resp.status, resp.connClose)
	}
	s.cancel()
	waitFor(t, "/readyz to fail", func() bool { return s.get("/readyz").status == 503 })
	// New connections are still accepted; responses have Connection: close.
	if resp := s.get("/healthz", "Connection", "close"); resp.status != 200 {
		t.Errorf("healthz while draining: got status %d, want 200", resp.status)
	}
	close(h.unblock)
	conn := s.dial()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	resp, err := readResponse(conn)
	if err != nil || resp.status != 200 || !resp.connClose {
		t.Errorf("request while draining: got %+v (%v), want 200 with Connection: close", resp, err)
	}
	if err := s.stop(); err != nil {
		t.Errorf("Run returned %v, want nil", err)
	}
	if conn, err := net.Dial("tcp", s.addr); err == nil {
		conn.Close()
		t.Error("after shutdown: connection accepted, want it refused")
	}
}

// waitListenerClosed waits until the server accepts no more connections.
func (s *testServer) waitListenerClosed() {
	s.t.Helper()
	waitFor(s.t, "the listener to close", func() bool {
		conn, err := net.Dial("tcp", s.addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
}

func TestShutdownWaitsForHandlers(t *testing.T) {
	h := newBlockingHandler(server.GuardOptions{})
	s := startServer(t, server.Options{Handler: h, Guard: h.guard})
	done := make(chan response, 1)
	go func() { resp, _ := s.try("GET", "/", nil); done <- resp }()
	<-h.started
	s.cancel()
	s.waitListenerClosed()
	close(h.unblock)
	if resp := <-done; resp.body != "done" {
		t.Errorf("request in flight: got %+v, want the body %q", resp, "done")
	}
	if err := s.stop(); err != nil {
		t.Errorf("Run returned %v, want nil", err)
	}
}

func TestShutdownFinishesRequestsInFlight(t *testing.T) {
	s := startServer(t, apiOptions(t, server.GuardOptions{MaxInFlight: 100}, httpapi.Options{Documents: budget.NewPool(0, math.MaxInt)}))
	const requests = 50
	body := `{"id":"x"}`
	conns := make([]net.Conn, requests)
	for i := range conns {
		conns[i] = s.dial()
		fmt.Fprintf(conns[i], "POST /api/v2/schemas/%s/validate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", stableVersion, len(body))
		// 100 Continue shows that the handler is reading the body.
		line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
		if _, err := io.ReadFull(conns[i], line); err != nil || !strings.Contains(string(line), "100") {
			t.Fatalf("got %q (%v), want 100 Continue", line, err)
		}
	}
	s.cancel()
	s.waitListenerClosed()
	var group sync.WaitGroup
	for i, conn := range conns {
		group.Go(func() {
			io.WriteString(conn, body)
			resp, err := readResponse(conn)
			if err != nil || resp.status != 200 || !strings.Contains(resp.body, "parse_error") {
				t.Errorf("request %d: got %d %s (%v), want 200 with parse_error", i, resp.status, resp.body, err)
			}
		})
	}
	group.Wait()
	if err := s.stop(); err != nil {
		t.Errorf("Run returned %v, want nil", err)
	}
}

func TestShutdownTimeIsLimited(t *testing.T) {
	h := newBlockingHandler(server.GuardOptions{})
	s := startServer(t, server.Options{Handler: h, Guard: h.guard, Drain: 50 * time.Millisecond})
	go func() { _, _ = s.try("GET", "/", nil) }()
	<-h.started
	if err := s.stop(); err == nil || !strings.Contains(err.Error(), "did not finish") {
		t.Errorf("Run returned %v, want an error about unfinished requests", err)
	}
	close(h.unblock)
}

func TestRunReturnsListenerErrors(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	admin, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Run(context.Background(), l, server.Options{Handler: http.NotFoundHandler(), Admin: admin}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Run returned %v, want %v", err, net.ErrClosed)
	}
}
