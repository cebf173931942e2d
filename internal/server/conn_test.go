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

func TestADeadlineThatWasPutOffIsNotMet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, end := net.Pipe()
		defer client.Close()
		c := newConn(end)
		if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = client.Write([]byte("a")) }()
		var b [1]byte
		if _, err := c.Read(b[:]); err != nil {
			t.Fatal(err) // from here on the runtime knows the deadline
		}
		if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(30*time.Second, func() { _, _ = client.Write([]byte("b")) })
		if _, err := c.Read(b[:]); err != nil || b[0] != 'b' {
			t.Errorf("after half the time: %q, %v", b, err)
		}
		began := time.Now()
		_, err := c.Read(b[:])
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != 30*time.Second {
			t.Errorf("reading on ended after %v: %v", took, err)
		}
		if err := c.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Hour, func() { _, _ = client.Write([]byte("c")) })
		if _, err := c.Read(b[:]); err != nil || b[0] != 'c' {
			t.Errorf("without a deadline: %q, %v", b, err)
		}
	})
}

func TestADeadlineCanBeBroughtForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, end := net.Pipe()
		c := newConn(end)
		if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		for name, use := range map[string]func([]byte) (int, error){"read": c.Read, "write": c.Write} {
			began := time.Now()
			time.AfterFunc(time.Second, func() {
				if err := c.SetDeadline(began.Add(2 * time.Second)); err != nil {
					t.Error(err)
				}
			})
			_, err := use([]byte("x"))
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != 2*time.Second {
				t.Errorf("%s ended after %v: %v", name, took, err)
			}
			// One that has passed already, before and during use.
			longAgo := time.Unix(1, 0)
			if err := c.SetDeadline(longAgo); err != nil {
				t.Fatal(err)
			}
			if _, err := use([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s after a deadline of long ago: %v", name, err)
			}
			if err := c.SetDeadline(time.Time{}); err != nil {
				t.Fatal(err)
			}
			began = time.Now()
			time.AfterFunc(time.Second, func() {
				if err := c.SetDeadline(longAgo); err != nil {
					t.Error(err)
				}
			})
			_, err = use([]byte("x"))
			synctest.Wait() // for the other direction to be told as well
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != time.Second {
				t.Errorf("%s ended after %v: %v", name, took, err)
			}
			if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// countingListener counts the calls with which answers are written, but for
// those that write in several parts at once.
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

// TestHeadersAndBodyAreWrittenAtOnce asks for answers of many sizes, written
// whole, in two halves, and flushed in between.
func TestHeadersAndBodyAreWrittenAtOnce(t *testing.T) {
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
			answer, err := client.Get("http://" + l.Addr().String() + path + "?size=" + strconv.Itoa(size))
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", path, size, err)
			}
			got, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || !bytes.Equal(got, body[:size]) {
				t.Fatalf("%s of %d bytes: got %d, %v", path, size, len(got), err)
			}
			if n := writes.Load() - before; path == "/whole" && n > 1 {
				t.Errorf("%d bytes were written in %d parts", size, n)
			}
		}
	}
	client.CloseIdleConnections()
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestAnswersAreThoseOfAPlainConnection compares, byte for byte, what clients
// get from our connections with what they get from those of package net: with
// headers that are larger than a buffer, without a body, flushed, cut off, and
// several on one connection.
func TestAnswersAreThoseOfAPlainConnection(t *testing.T) {
	opts := Options{Log: slog.New(slog.DiscardHandler), Handler: http.HandlerFunc(answerAsAsked)}
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
	ours := start(func(l net.Listener) net.Listener { return listener{l} })
	plain := start(func(l net.Listener) net.Listener { return l })

	random := rand.New(rand.NewPCG(1, 2))
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	for range 1000 {
		var requests strings.Builder
		for last := random.IntN(3); last >= 0; last-- {
			ask := url.Values{
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
				pick("GET", "GET", "HEAD"), ask.Encode(), pick("1.1", "1.1", "1.0"), connection)
		}
		if got, want := talk(t, ours, requests.String()), talk(t, plain, requests.String()); got != want {
			t.Fatalf("%s\n%d bytes, want %d:\n%q\nwant\n%q", &requests, len(got), len(want), got, want)
		}
	}
}

// answerAsAsked answers as the parameters of a request say.
func answerAsAsked(w http.ResponseWriter, r *http.Request) {
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
		panic("half an answer is out")
	case "abort":
		panic(http.ErrAbortHandler)
	}
}

// talk returns what a server says to requests.
func talk(t *testing.T, addr, requests string) string {
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
	// Requests behind one that was cut off are reset with the connection.
	answers, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s\nis never answered to the end", requests)
	}
	return string(answers)
}

// TestOnlyWhatIsFollowedWaits holds for any size of the buffer that net/http
// has: what ends the body is never kept back.
func TestOnlyWhatIsFollowedWaits(t *testing.T) {
	client, end := net.Pipe()
	defer client.Close()
	c := newConn(end)
	arrived := make(chan string)
	go func() {
		defer close(arrived)
		for b := make([]byte, 100); ; {
			n, err := client.Read(b)
			if err != nil {
				return
			}
			arrived <- string(b[:n])
		}
	}()
	send := func(s string) {
		if n, err := c.Write([]byte(s)); n != len(s) || err != nil {
			t.Errorf("%q: %d bytes, %v", s, n, err)
		}
	}
	next := func() string {
		select {
		case s := <-arrived:
			return s
		case <-time.After(10 * time.Second):
			return "nothing"
		}
	}
	const first = "header\r\n\r\nbody"
	c.expect(len("body"))
	go send(first)
	if got := next(); got != first {
		t.Fatalf("the whole answer arrives as %q", got)
	}
	c.expect(len("body and more"))
	send(first)
	c.expect(0)
	go send(" and more")
	// A pipe cannot take two parts at once.
	if got := next() + next(); got != first+" and more" {
		t.Errorf("the parts arrive as %q", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	<-arrived
}
