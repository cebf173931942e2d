package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestExtendedDeadlineDoesNotExpireEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer client.Close()
		c := newConn(server)
		if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = client.Write([]byte("a")) }()
		var b [1]byte
		// The first read passes the deadline to the runtime.
		if _, err := c.Read(b[:]); err != nil {
			t.Fatal(err)
		}
		if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(30*time.Second, func() { _, _ = client.Write([]byte("b")) })
		if _, err := c.Read(b[:]); err != nil || b[0] != 'b' {
			t.Errorf("Read after 30s = %q, %v; want \"b\"", b, err)
		}
		started := time.Now()
		_, err := c.Read(b[:])
		if took := time.Since(started); !errors.Is(err, os.ErrDeadlineExceeded) || took != 30*time.Second {
			t.Errorf("Read returned %v after %v, want a timeout after 30s", err, took)
		}
		if err := c.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Hour, func() { _, _ = client.Write([]byte("c")) })
		if _, err := c.Read(b[:]); err != nil || b[0] != 'c' {
			t.Errorf("Read without a deadline = %q, %v; want \"c\"", b, err)
		}
	})
}

func TestDeadlineCanBeShortenedDuringUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, server := net.Pipe()
		c := newConn(server)
		if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		for name, operate := range map[string]func([]byte) (int, error){"read": c.Read, "write": c.Write} {
			started := time.Now()
			time.AfterFunc(time.Second, func() {
				if err := c.SetDeadline(started.Add(2 * time.Second)); err != nil {
					t.Error(err)
				}
			})
			_, err := operate([]byte("x"))
			if took := time.Since(started); !errors.Is(err, os.ErrDeadlineExceeded) || took != 2*time.Second {
				t.Errorf("%s returned %v after %v, want a timeout after 2s", name, err, took)
			}
			// A deadline in the past, set before and during an operation.
			past := time.Unix(1, 0)
			if err := c.SetDeadline(past); err != nil {
				t.Fatal(err)
			}
			if _, err := operate([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s with a deadline in the past returned %v, want a timeout", name, err)
			}
			if err := c.SetDeadline(time.Time{}); err != nil {
				t.Fatal(err)
			}
			started = time.Now()
			time.AfterFunc(time.Second, func() {
				if err := c.SetDeadline(past); err != nil {
					t.Error(err)
				}
			})
			_, err = operate([]byte("x"))
			synctest.Wait() // until the deadlines of both directions are set
			if took := time.Since(started); !errors.Is(err, os.ErrDeadlineExceeded) || took != time.Second {
				t.Errorf("%s returned %v after %v, want a timeout after 1s", name, err, took)
			}
			if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// countingListener counts the calls to Write on its connections. Vectored writes
// are not counted.
type countingListener struct {
	net.Listener
	writes *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return countingConn{c.(*net.TCPConn), l.writes}, nil
}

type countingConn struct {
	*net.TCPConn
	writes *atomic.Int64
}

func (c countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.TCPConn.Write(p)
}

// TestHeadersAndBodyAreSentInOneWrite requests responses of many sizes, written
// whole, in two halves, and with flushes in between.
func TestHeadersAndBodyAreSentInOneWrite(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var writes atomic.Int64
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	opts := Options{Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.FormValue("size"))
		switch r.URL.Path {
		case "/whole":
			w.Header().Set("Content-Length", r.FormValue("size"))
			_, _ = w.Write(body[:size])
		case "/halves":
			_, _ = w.Write(body[:size/2])
			_, _ = w.Write(body[size/2 : size])
		case "/flushed":
			control := http.NewResponseController(w)
			_ = control.Flush()
			_, _ = w.Write(body[:size/2])
			_ = control.Flush()
			_, _ = w.Write(body[size/2 : size])
		}
	})}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, countingListener{l, &writes}, opts) }()

	client := &http.Client{Timeout: 10 * time.Second}
	for _, path := range []string{"/whole", "/halves", "/flushed"} {
		sizes := []int{0, 1, 1000, 6000, 10_000, 100_000, len(body)}
		for size := 1900; size < 4500; size += 7 {
			sizes = append(sizes, size)
		}
		for size := 8000; size < 8400; size += 3 {
			sizes = append(sizes, size)
		}
		for _, size := range sizes {
			before := writes.Load()
			resp, err := client.Get("http://" + l.Addr().String() + path + "?size=" + strconv.Itoa(size))
			if err != nil {
				t.Fatalf("%s with %d bytes: %v", path, size, err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || !bytes.Equal(got, body[:size]) {
				t.Fatalf("%s with %d bytes: got %d bytes (%v), want the body", path, size, len(got), err)
			}
			if n := writes.Load() - before; path == "/whole" && n > 1 {
				t.Errorf("body of %d bytes: got %d calls to Write, want at most 1", size, n)
			}
		}
	}
	client.CloseIdleConnections()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestResponsesAreTheSameAsWithNetConn compares responses sent through a conn
// with responses sent through a net.Conn, byte by byte: with headers larger than
// the buffer, without a body, flushed, aborted, and several on one connection.
func TestResponsesAreTheSameAsWithNetConn(t *testing.T) {
	opts := Options{Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(scriptedHandler)}
	opts.fill()
	start := func(wrap func(net.Listener) net.Listener) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := opts.newServer(newHandler(opts))
		s.ConnContext = withConn
		done := make(chan error, 1)
		go func() { done <- serve(s, wrap(l)) }()
		t.Cleanup(func() {
			s.Close()
			<-done
		})
		return l.Addr().String()
	}
	wrapped := start(func(l net.Listener) net.Listener { return listener{l} })
	plain := start(func(l net.Listener) net.Listener { return l })

	random := rand.New(rand.NewPCG(1, 2))
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	for range 1000 {
		var requests strings.Builder
		for last := random.IntN(3); last >= 0; last-- {
			query := url.Values{
				"size":   {pick("0", "1", "2048", "2049", "4095", "4096", "4097", "8192", "8193", strconv.Itoa(random.IntN(10_000)))},
				"header": {pick("0", "0", strconv.Itoa(3000+random.IntN(1200)), strconv.Itoa(random.IntN(14_000)))},
				"status": {pick("200", "200", "200", "204", "304", "404")},
				"length": {pick("", "-1", "0", "1")},
				"then":   {pick("", "", "flush", "panic", "abort")},
				"flush":  {pick("", "", "before")},
			}
			connection := "keep-alive"
			if last == 0 {
				connection = "close"
			}
			fmt.Fprintf(&requests, "%s /?%s HTTP/%s\r\nHost: x\r\nX-Request-Id: id\r\nConnection: %s\r\n\r\n",
				pick("GET", "GET", "HEAD"), query.Encode(), pick("1.1", "1.1", "1.0"), connection)
		}
		if got, want := roundTrip(t, wrapped, requests.String()), roundTrip(t, plain, requests.String()); got != want {
			t.Fatalf("%s\ngot %d bytes:\n%q\nwant %d bytes:\n%q", &requests, len(got), got, len(want), want)
		}
	}
}

// scriptedHandler writes the response described by the query of the request.
func scriptedHandler(w http.ResponseWriter, r *http.Request) {
	number := func(name string) int {
		n, _ := strconv.Atoi(r.FormValue(name))
		return n
	}
	h, control := w.Header(), http.NewResponseController(w)
	h["Date"] = nil
	h.Set("X-Large", strings.Repeat("x", number("header")))
	size := number("size")
	if r.FormValue("length") != "" {
		h.Set("Content-Length", strconv.Itoa(max(0, size+number("length"))))
	}
	w.WriteHeader(number("status"))
	if r.FormValue("flush") == "before" {
		_ = control.Flush()
	}
	_, _ = w.Write(bytes.Repeat([]byte("a body\r\n\r\n"), 1000)[:size])
	switch r.FormValue("then") {
	case "flush":
		_ = control.Flush()
	case "panic":
		panic("part of the response is sent")
	case "abort":
		panic(http.ErrAbortHandler)
	}
}

// roundTrip sends requests to a server and returns the bytes that it sends
// until it closes the connection.
func roundTrip(t *testing.T, addr, requests string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, requests); err != nil {
		t.Fatal(err)
	}
	// Other errors are expected: a connection aborted with unread requests is reset.
	responses, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s\nThe server did not close the connection.", requests)
	}
	return string(responses)
}

// TestEndOfBodyIsNeverBuffered does not depend on the size of the buffer in
// net/http.
func TestEndOfBodyIsNeverBuffered(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	c := newConn(server)
	received := make(chan string)
	go func() {
		defer close(received)
		for b := make([]byte, 100); ; {
			n, err := client.Read(b)
			if err != nil {
				return
			}
			received <- string(b[:n])
		}
	}()
	send := func(s string) {
		if n, err := c.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("Write(%q) = %d, %v; want %d", s, n, err, len(s))
		}
	}
	next := func() string {
		select {
		case s := <-received:
			return s
		case <-time.After(10 * time.Second):
			return "(timeout)"
		}
	}
	const first = "header\r\n\r\nbody"
	c.expect(len("body"))
	go send(first)
	if got := next(); got != first {
		t.Fatalf("complete response: got %q, want %q", got, first)
	}
	c.expect(len("body and more"))
	send(first)
	c.expect(0)
	go send(" and more")
	// A pipe does not support vectored writes.
	if got, want := next()+next(), first+" and more"; got != want {
		t.Errorf("response in two parts: got %q, want %q", got, want)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	<-received
}
