package server

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// listener accepts connections of type conn.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

// conn reduces the number of system and runtime calls that net/http makes: it
// sets deadlines lazily, and it writes the headers and the body of a response in
// one system call. The measurements are in docs/adr/0012-around-net-http.md.
type conn struct {
	net.Conn
	read, write deadline

	expected int // bytes of body that are certain to follow the headers
	buffer   *writeBuffer
	parts    [2][]byte
	joined   net.Buffers // the parts not yet written
}

func newConn(c net.Conn) *conn {
	now := time.Now()
	return &conn{
		Conn:  c,
		read:  deadline{created: now, apply: c.SetReadDeadline},
		write: deadline{created: now, apply: c.SetWriteDeadline},
	}
}

type connKey struct{}

// withConn makes a connection available to the handlers of its requests.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

func (c *conn) Read(p []byte) (int, error) {
	for {
		if err := c.read.begin(); err != nil {
			return 0, err
		}
		n, err := c.Conn.Read(p)
		if c.read.end(err) {
			return n, err
		}
	}
}

// writeBuffer has the size of net/http's own buffer.
type writeBuffer [4 << 10]byte

var writeBuffers = sync.Pool{New: func() any { return new(writeBuffer) }}

// expect announces that headers and n bytes of body are about to be written.
// One write that does not reach the end of the body may be buffered. The buffer is
// always written: net/http writes before the end of a body only when its own
// buffer is full and more bytes follow, and it flushes when the response ends.
func (c *conn) expect(n int) { c.expected = n }

func (c *conn) Write(p []byte) (int, error) {
	switch {
	case c.buffer != nil:
		return c.writeJoined(p)
	case c.expected > 0 && len(p) <= len(writeBuffer{}) && bodyLen(p) < c.expected:
		c.buffer = writeBuffers.Get().(*writeBuffer)
		c.parts[0] = c.buffer[:copy(c.buffer[:], p)]
		return len(p), nil
	}
	for written := 0; ; {
		if err := c.write.begin(); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(p[written:])
		written += n
		if c.write.end(err) {
			return written, err
		}
	}
}

// bodyLen returns the number of body bytes in p, which starts with headers.
func bodyLen(p []byte) int {
	_, body, found := bytes.Cut(p, []byte("\r\n\r\n"))
	if !found {
		return len(p)
	}
	return len(body)
}

// writeJoined writes the buffered bytes and p.
func (c *conn) writeJoined(p []byte) (int, error) {
	written := -len(c.parts[0]) // bytes of p; negative while buffered bytes remain
	c.parts[1] = p
	c.joined = c.parts[:]
	defer func() {
		writeBuffers.Put(c.buffer)
		c.buffer, c.parts = nil, [2][]byte{}
	}()
	for {
		if err := c.write.begin(); err != nil {
			return max(0, written), err
		}
		n, err := c.joined.WriteTo(c.Conn)
		written += int(n)
		if c.write.end(err) {
			return max(0, written), err
		}
	}
}

// Limits on reading the rest of a refused body.
const (
	maxLinger     = 16 << 20 // bytes
	lingerTimeout = 5 * time.Second
)

// CloseWrite shuts down the writing side of the connection, then reads and
// discards data until the client closes its side or a limit is reached. net/http
// calls it after a response to a request that was not read to its end, before
// it closes the connection. Closing a connection with unread data resets it, and
// a client that is still sending would lose the response.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	err := half.CloseWrite()
	_ = c.SetReadDeadline(c.read.before(time.Now().Add(lingerTimeout)))
	_, _ = io.CopyN(io.Discard, c, maxLinger)
	return err
}
