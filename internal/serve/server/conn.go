package server

import (
	"io"
	"net"
	"time"
)

// listener accepts connections of type conn.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return conn{c}, nil
}

// conn is a connection that is not closed while a client still sends a body that
// was refused.
type conn struct{ net.Conn }

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
func (c conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return nil
	}
	err := half.CloseWrite()
	_ = c.SetReadDeadline(time.Now().Add(lingerTimeout))
	_, _ = io.CopyN(io.Discard, c.Conn, maxLinger)
	return err
}
