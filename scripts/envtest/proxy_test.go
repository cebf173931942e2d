package envtest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

// echoServer returns the address of a server that sends back everything.
func echoServer(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn) // fails when the proxy resets the connection
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		group.Wait()
	})
	return l.Addr().String()
}

// echo sends a line and returns the response and its duration.
func echo(t *testing.T, conn net.Conn, line string) (time.Duration, error) {
	t.Helper()
	start := time.Now()
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		return 0, err
	}
	got, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && got != line+"\n" {
		t.Errorf("got %q, want %q", got, line+"\n")
	}
	return time.Since(start), err
}

func dialProxy(t *testing.T, p *TCPProxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestProxyForwardsBytesAndTheEndOfAStream(t *testing.T) {
	conn := dialProxy(t, Proxy(t, echoServer(t))).(*net.TCPConn)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := conn.Write(sent); err != nil {
			t.Error(err)
		}
		if err := conn.CloseWrite(); err != nil {
			t.Error(err)
		}
	})
	got, err := io.ReadAll(conn)
	group.Wait()
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("got %d bytes (%v), want the %d bytes that were sent", len(got), err, len(sent))
	}
}

func TestProxyCutResetsAndRefusesConnections(t *testing.T) {
	p := Proxy(t, echoServer(t))
	conn := dialProxy(t, p)
	if _, err := echo(t, conn, "before"); err != nil {
		t.Fatal(err)
	}
	p.Cut()
	p.Cut() // has no further effect
	if _, err := echo(t, conn, "cut"); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("existing connection: got %v, want a reset", err)
	}
	if _, err := net.Dial("tcp", p.Addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("new connection: got %v, want a refusal", err)
	}
	p.Restore()
	if _, err := echo(t, dialProxy(t, p), "after"); err != nil {
		t.Errorf("after Restore: %v", err)
	}
}

func TestProxyDelaysResponsesWithoutLimitingThroughput(t *testing.T) {
	p := Proxy(t, echoServer(t))
	const delay = 100 * time.Millisecond
	p.Delay(delay)
	conn := dialProxy(t, p)
	if took, err := echo(t, conn, "delayed"); err != nil || took < delay {
		t.Errorf("got a response after %v (%v), want at least %v", took, err, delay)
	}
	// In sequence, these chunks would take many times the delay.
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := conn.Write(sent); err != nil {
			t.Error(err)
		}
	})
	start := time.Now()
	got := make([]byte, len(sent))
	_, err := io.ReadFull(conn, got)
	group.Wait()
	if took := time.Since(start); err != nil || !bytes.Equal(got, sent) || took > 20*delay {
		t.Errorf("1 MiB took %v (%v), want about %v", took, err, delay)
	}
	p.Delay(time.Hour)
	p.Restore()
	_ = conn.SetDeadline(time.Now().Add(serverTimeout))
	if _, err := echo(t, conn, "restored"); err != nil {
		t.Errorf("after Restore: %v", err)
	}
}

func TestProxyStallHoldsBytesBack(t *testing.T) {
	p := Proxy(t, echoServer(t))
	established := dialProxy(t, p)
	if _, err := echo(t, established, "before"); err != nil {
		t.Fatal(err)
	}
	p.Stall()
	accepted := dialProxy(t, p)
	for _, conn := range []net.Conn{established, accepted} {
		_ = conn.SetDeadline(time.Now().Add(20 * time.Millisecond))
		if _, err := echo(t, conn, "held back"); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("stalled: got %v, want a timeout", err)
		}
		_ = conn.SetDeadline(time.Time{})
	}
	p.Restore()
	for _, conn := range []net.Conn{established, accepted} {
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "held back\n" {
			t.Errorf("after Restore: got %q (%v), want the bytes held back", line, err)
		}
	}
	p.Stall()
	p.Cut()
	if _, err := echo(t, established, "cut"); err == nil {
		t.Error("a stalled connection survives Cut")
	}
}

func TestProxyResetsConnectionsWithoutAServer(t *testing.T) {
	// The reset may arrive before Dial returns.
	conn, err := net.Dial("tcp", Proxy(t, FreeAddr(t)).Addr)
	if err == nil {
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a reset", err)
	}
}
