package envtest

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// TCPProxy is a proxy on a loopback address, with which tests disturb the
// connections to a server. At first it forwards all bytes without delay.
type TCPProxy struct {
	Addr   string // host:port
	tb     testing.TB
	target string

	mu       sync.Mutex
	listener net.Listener // nil while the proxy is cut
	conns    map[*net.TCPConn]struct{}
	delay    time.Duration
	resumed  chan struct{} // closed unless the proxy is stalled

	running sync.WaitGroup
}

// Proxy starts a TCP proxy for the server with the address target, which need not be
// running.
func Proxy(tb testing.TB, target string) *TCPProxy {
	tb.Helper()
	p := &TCPProxy{Addr: FreeAddr(tb), tb: tb, target: target, conns: make(map[*net.TCPConn]struct{}), resumed: make(chan struct{})}
	close(p.resumed)
	p.listen()
	tb.Cleanup(func() {
		p.Cut()
		p.running.Wait()
	})
	return p
}

// Cut resets all connections and refuses new ones.
func (p *TCPProxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		_ = p.listener.Close() // always possible
		p.listener = nil
	}
	for conn := range p.conns {
		reset(conn)
	}
	// Now the bytes held back have nowhere to go.
	p.resume()
}

// Delay adds a delay to everything that the server sends.
func (p *TCPProxy) Delay(d time.Duration) {
	p.Restore()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// Stall accepts connections and holds back all bytes, in both directions, until
// [TCPProxy.Restore] is called.
func (p *TCPProxy) Stall() {
	p.Restore()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resumed = make(chan struct{})
}

// Restore ends the effect of the other methods.
func (p *TCPProxy) Restore() {
	p.tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resume()
	p.delay = 0
	if p.listener == nil {
		p.listen()
	}
}

// resume lets the bytes pass that were held back. The caller holds p.mu.
func (p *TCPProxy) resume() {
	select {
	case <-p.resumed:
	default:
		close(p.resumed)
	}
}

// listen starts to accept connections.
func (p *TCPProxy) listen() {
	p.tb.Helper()
	l, err := net.Listen("tcp", p.Addr)
	// Another process may be using the port for a moment.
	for deadline := time.Now().Add(serverTimeout); err != nil; l, err = net.Listen("tcp", p.Addr) {
		if time.Now().After(deadline) {
			p.tb.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.listener = l
	p.running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.running.Go(func() { p.connect(l, conn.(*net.TCPConn)) })
		}
	})
}

// connect forwards the bytes of one connection that was accepted by l.
func (p *TCPProxy) connect(l net.Listener, client *net.TCPConn) {
	if !p.add(l, client) {
		return
	}
	defer p.remove(client)
	conn, err := net.Dial("tcp", p.target)
	if err != nil {
		reset(client)
		return
	}
	server := conn.(*net.TCPConn)
	if !p.add(l, server) {
		return
	}
	defer p.remove(server)
	var group sync.WaitGroup
	group.Go(func() { p.forward(server, client, false) })
	group.Go(func() { p.forward(client, server, true) })
	group.Wait()
}

// add registers a connection, or resets it if the proxy was cut after l accepted
// the client's connection.
func (p *TCPProxy) add(l net.Listener, conn *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != l {
		reset(conn)
		return false
	}
	p.conns[conn] = struct{}{}
	return true
}

func (p *TCPProxy) remove(conn *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
	_ = conn.Close() // may have been closed by Cut
}

// reset closes a connection with RST instead of FIN.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}

// forward copies src to dst until either fails.
func (p *TCPProxy) forward(dst, src *net.TCPConn, delayed bool) {
	// Large, because each read is delayed.
	buffer := make([]byte, 1<<20)
	for {
		n, err := src.Read(buffer)
		if delayed && n > 0 {
			time.Sleep(p.currentDelay())
		}
		<-p.gate()
		if _, writeErr := dst.Write(buffer[:n]); writeErr != nil {
			reset(src)
			reset(dst)
			return
		}
		if errors.Is(err, io.EOF) {
			_ = dst.CloseWrite() // fails if the connection was closed
			return
		}
		if err != nil {
			reset(dst)
			return
		}
	}
}

func (p *TCPProxy) currentDelay() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.delay
}

// gate returns a channel that is closed when bytes may pass.
func (p *TCPProxy) gate() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.resumed
}
