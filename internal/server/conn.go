package server

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// listener accepts connections that cost less than those of package net, used
// as net/http uses them.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

// conn is a connection whose deadlines are cheap to set and whose writes can be
// joined.
type conn struct {
	net.Conn
	reads, writes deadline

	coming int    // bytes of a body are certain to be written
	held   *block // what was written before the last of them, and waits
	parts  [2][]byte
	joined net.Buffers // the parts yet to be written
}

func newConn(c net.Conn) *conn {
	now := time.Now()
	return &conn{
		Conn:   c,
		reads:  deadline{made: now, tell: c.SetReadDeadline},
		writes: deadline{made: now, tell: c.SetWriteDeadline},
	}
}

type connKey struct{}

// withConn lets the handlers of a connection's requests find it.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

func (c *conn) Read(p []byte) (int, error) {
	for {
		if err := c.reads.begin(); err != nil {
			return 0, err
		}
		n, err := c.Conn.Read(p)
		if c.reads.end(err) {
			return n, err
		}
	}
}

// expect says that headers and n bytes of a body are about to be written. What
// is written before the last of them may wait for the rest, so that they need
// one call of the system and not two. It never waits in vain: net/http writes
// before the end only when its buffer is full and it has more to put there, and
// it empties that at the latest when the answer ends.
func (c *conn) expect(n int) { c.coming = n }

// block is as much as net/http collects before it writes.
type block [4 << 10]byte

var blocks = sync.Pool{New: func() any { return new(block) }}

func (c *conn) Write(p []byte) (int, error) {
	switch {
	case c.held != nil:
		return c.join(p)
	case c.coming > 0 && len(p) <= len(block{}) && bodyIn(p) < c.coming:
		c.held = blocks.Get().(*block)
		c.parts[0] = c.held[:copy(c.held[:], p)]
		return len(p), nil
	}
	for written := 0; ; {
		if err := c.writes.begin(); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(p[written:])
		written += n
		if c.writes.end(err) {
			return written, err
		}
	}
}

// bodyIn returns how much of the beginning of an answer is its body.
func bodyIn(p []byte) int {
	_, body, found := bytes.Cut(p, []byte("\r\n\r\n"))
	if !found {
		return len(p)
	}
	return len(body)
}

// join writes what was held, and p.
func (c *conn) join(p []byte) (int, error) {
	written := -len(c.parts[0]) // of p
	c.parts[1] = p
	c.joined = c.parts[:]
	defer func() {
		blocks.Put(c.held)
		c.held, c.parts = nil, [2][]byte{}
	}()
	for {
		if err := c.writes.begin(); err != nil {
			return max(0, written), err
		}
		n, err := c.joined.WriteTo(c.Conn)
		written += int(n)
		if c.writes.end(err) {
			return max(0, written), err
		}
	}
}

// CloseWrite ends what is sent, so that a client that is still sending can read
// why it need not go on.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *conn) SetReadDeadline(t time.Time) error  { return c.reads.set(t) }
func (c *conn) SetWriteDeadline(t time.Time) error { return c.writes.set(t) }

func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// deadline is that of one direction of a connection. For each request net/http
// sets seven of them, nearly all later than one that the runtime knows of. To
// tell it takes a good part of a microsecond, so it is told of the earliest
// only, and when that has passed it is seen whether it was still wanted.
type deadline struct {
	made time.Time             // when the connection was
	tell func(time.Time) error // tells the runtime

	mu     sync.Mutex
	wanted time.Time // zero: none
	told   time.Time
	busy   bool // the connection is being read, or written
}

func (d *deadline) set(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.busy {
		return d.update()
	}
	return nil
}

// update tells the runtime of what is wanted, if that is earlier than what it
// knows; the lock is held.
func (d *deadline) update() error {
	if d.wanted.IsZero() || !d.told.IsZero() && !d.wanted.Before(d.told) {
		return nil
	}
	d.told = d.wanted
	return d.tell(d.told)
}

// begin is called before the connection is used.
func (d *deadline) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	// net/http ends reading by a deadline of long ago; to see that this has
	// passed takes neither a clock nor the runtime.
	if !d.wanted.IsZero() && d.wanted.Before(d.made) {
		return os.ErrDeadlineExceeded
	}
	if err := d.update(); err != nil {
		return err
	}
	d.busy = true
	return nil
}

// end is called with what came of using the connection, and reports whether
// that is all. It is not where only a deadline has passed that is no longer
// wanted.
func (d *deadline) end(err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	if !d.wanted.IsZero() && !d.wanted.After(time.Now()) {
		return true
	}
	d.told = d.wanted
	return d.tell(d.told) != nil
}
