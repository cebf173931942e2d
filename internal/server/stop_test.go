package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"placard/internal/httpapi"
	"placard/internal/server"
)

func TestStoppingEndsReadinessFirst(t *testing.T) {
	h := newHeld(server.GuardOptions{})
	s := run(t, server.Options{Handler: h, Guard: h.guard, DrainDelay: 400 * time.Millisecond})
	if a := s.get("/readyz"); a.status != 200 || a.connClose {
		t.Fatalf("readyz: %d %v", a.status, a.header)
	}
	s.cancel()
	eventually(t, "the end of readiness", func() bool { return s.get("/readyz").status == 503 })
	// New connections are still served, and asked not to be used again.
	if a := s.get("/healthz", "Connection", "close"); a.status != 200 {
		t.Errorf("healthz while draining: %d", a.status)
	}
	close(h.release)
	conn := s.dial()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != 200 || !resp.Close {
		t.Errorf("a request while draining: %+v (%v)", resp, err)
	}
	if err := s.stop(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if conn, err := net.Dial("tcp", s.addr); err == nil {
		conn.Close()
		t.Error("connections are accepted after the end")
	}
}

// waitRefusing waits until the server accepts no more connections.
func (s *running) waitRefusing() {
	s.t.Helper()
	eventually(s.t, "the end of accepting", func() bool {
		conn, err := net.Dial("tcp", s.addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
}

func TestStoppingWaitsForHandlers(t *testing.T) {
	h := newHeld(server.GuardOptions{})
	s := run(t, server.Options{Handler: h, Guard: h.guard})
	done := make(chan answer, 1)
	go func() { a, _ := s.try("GET", "/", nil); done <- a }()
	<-h.begun
	s.cancel()
	s.waitRefusing()
	close(h.release)
	if a := <-done; a.body != "done" {
		t.Errorf("the request in flight: %+v", a)
	}
	if err := s.stop(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestStoppingLosesNoRequestInFlight(t *testing.T) {
	s := run(t, api(t, server.GuardOptions{MaxInFlight: 100}, httpapi.Options{}))
	const flights = 50
	body := `{"id":"x"}`
	conns := make([]net.Conn, flights)
	for i := range conns {
		conns[i] = s.dial()
		fmt.Fprintf(conns[i], "POST /api/v2/schemas/%s/validate HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", stable, len(body))
		// The server asks for the body: it has accepted the request.
		line := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
		if _, err := io.ReadFull(conns[i], line); err != nil || !strings.Contains(string(line), "100") {
			t.Fatalf("%q (%v)", line, err)
		}
	}
	s.cancel()
	s.waitRefusing()
	var group sync.WaitGroup
	for i, conn := range conns {
		group.Go(func() {
			io.WriteString(conn, body)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("request %d: %v", i, err)
				return
			}
			defer resp.Body.Close()
			answer, err := io.ReadAll(resp.Body)
			if resp.StatusCode != 200 || err != nil || !strings.Contains(string(answer), "parse_error") {
				t.Errorf("request %d: %d %s (%v)", i, resp.StatusCode, answer, err)
			}
		})
	}
	group.Wait()
	if err := s.stop(); err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestStoppingDoesNotWaitForEver(t *testing.T) {
	h := newHeld(server.GuardOptions{})
	s := run(t, server.Options{Handler: h, Guard: h.guard, Drain: 50 * time.Millisecond})
	go func() { _, _ = s.try("GET", "/", nil) }()
	<-h.begun
	if err := s.stop(); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("ended with %v", err)
	}
	close(h.release)
}

func TestAServerThatCannotListenEndsWithItsError(t *testing.T) {
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
