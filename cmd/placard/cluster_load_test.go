package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// request is a request of a [load].
type request struct {
	method, path, body string
}

func (r request) String() string { return r.method + " " + r.path }

// response is the response to a request.
type response struct {
	request
	server string
	client int
	status int
	header http.Header
	body   []byte
	took   time.Duration
	err    error // of the connection; the other fields are then empty
}

func (r response) String() string {
	if r.err != nil {
		return fmt.Sprintf("%v to %s: %v", r.request, r.server, r.err)
	}
	return fmt.Sprintf("%v to %s: %d %.300s", r.request, r.server, r.status, r.body)
}

// load is the traffic of a number of clients.
type load struct {
	stopped atomic.Bool
	clients sync.WaitGroup
}

// startLoad starts clients that send random requests to random servers. Every other
// client keeps its connections open. They do not repeat failed requests. All clients
// call handle with the responses. The load must be stopped before the end of the test,
// because the nodes are killed then.
func startLoad(clients int, servers []string, requests []request, handle func(response)) *load {
	l := new(load)
	for i := range clients {
		l.clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			conns := make(map[string]*clientConn)
			defer func() {
				for _, c := range conns {
					c.close()
				}
			}()
			for !l.stopped.Load() {
				server, x := servers[random.IntN(len(servers))], requests[random.IntN(len(requests))]
				c := conns[server]
				if c == nil {
					c = &clientConn{addr: server}
					conns[server] = c
				}
				r := c.do(x)
				r.client = i
				handle(r)
				if i%2 == 1 {
					c.close()
				}
				// Nodes and clients share the processors: the load must leave time for
				// everything else.
				time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
			}
		})
	}
	return l
}

// stop waits until all clients have received their last response.
func (l *load) stop() {
	l.stopped.Store(true)
	l.clients.Wait()
}

// clientConn is a connection of a client. Unlike [http.Client], it never
// repeats a request.
type clientConn struct {
	addr   string
	conn   net.Conn
	reader *bufio.Reader
}

func (c *clientConn) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

func (c *clientConn) do(x request, header ...string) response {
	r := response{request: x, server: c.addr}
	begin := time.Now()
	resp, err := c.roundTrip(x, header)
	if err != nil {
		c.close()
		r.err = err
		return r
	}
	r.body, r.err = io.ReadAll(resp.Body)
	r.status, r.header, r.took = resp.StatusCode, resp.Header, time.Since(begin)
	if r.err != nil || resp.Close {
		c.close()
	}
	return r
}

// requestTimeout is longer than any request may take, even on a busy machine.
const requestTimeout = 20 * time.Second

func (c *clientConn) roundTrip(x request, header []string) (*http.Response, error) {
	if c.conn == nil {
		conn, err := net.DialTimeout("tcp", c.addr, requestTimeout)
		if err != nil {
			return nil, err
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return nil, err
	}
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: placard.example\r\nContent-Length: %d\r\n", x.method, x.path, len(x.body))
	for h := range slices.Chunk(header, 2) {
		b = fmt.Appendf(b, "%s: %s\r\n", h[0], h[1])
	}
	b = append(append(b, "\r\n"...), x.body...)
	if _, err := c.conn.Write(b); err != nil {
		return nil, err
	}
	return http.ReadResponse(c.reader, nil)
}
