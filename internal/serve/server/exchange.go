package server

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// exchange is a request and the state of its response. It is the
// http.ResponseWriter that handlers write to.
type exchange struct {
	http.ResponseWriter
	handler *handler
	request *http.Request
	start   time.Time
	id      string // the request id
	origin  origin
	route   string // the route to log; default: the request's pattern

	status int
	bytes  int64

	// Resources acquired from the guard.
	admitted   bool // the request counts for its client
	inFlight   bool // the request counts as in flight
	client     netip.Addr
	bodyMemory int64 // bytes

	body      io.ReadCloser // the original body of the request
	bodyRead  bool          // the body was read to the end
	bodyBytes int64         // bytes read from the body
}

// exchangeOf returns the exchange behind the writer passed to a handler.
func exchangeOf(w http.ResponseWriter) *exchange {
	for {
		if x, ok := w.(*exchange); ok {
			return x
		}
		wrapped, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			panic("server: Admit called for a request that did not pass through Handler")
		}
		w = wrapped.Unwrap()
	}
}

// refuseBody closes the connection after the response, because the client may
// still be sending the body. The close is delayed: see [conn.CloseWrite].
func (x *exchange) refuseBody() {
	// A reader that exceeds its limit is the public way to tell net/http that a
	// body is not read to the end.
	_, _ = http.MaxBytesReader(x.ResponseWriter, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
	x.Header().Set("Connection", "close")
	x.setReadDeadline(time.Now().Add(lingerTimeout))
}

// setReadDeadline sets the read deadline of the connection, if it has deadlines.
func (x *exchange) setReadDeadline(t time.Time) {
	_ = http.NewResponseController(x.ResponseWriter).SetReadDeadline(t)
}

// requestBody is the body that handlers read. It charges their buffers to the
// guard and fails if the body is too slow.
type requestBody struct{ *exchange }

// Read reads into p, which must be the free part of the buffer for the body: the
// capacity of p is charged, not only the bytes that arrive.
func (b requestBody) Read(p []byte) (int, error) {
	guard := b.handler.Guard
	if guard != nil {
		if more := b.bodyBytes + int64(cap(p)) - b.bodyMemory; more > 0 {
			if err := guard.reserveBody(b.exchange, more); err != nil {
				return 0, err
			}
		}
	}
	b.limitNextRead()
	n, err := b.body.Read(p)
	b.bodyBytes += int64(n)
	if !errors.Is(err, io.EOF) || b.bodyRead {
		return n, err
	}
	b.bodyRead = true
	b.setReadDeadline(b.bodyDeadline())
	if guard != nil && b.admitted && !b.inFlight {
		if err := guard.start(b.exchange); err != nil {
			return n, err
		}
	}
	return n, err
}

// bodyDeadline returns the time by which the whole body must have arrived.
func (b requestBody) bodyDeadline() time.Time { return b.start.Add(b.handler.Timeouts.Read) }

// limitNextRead limits the time to wait for the next bytes of the body, so that it
// arrives at the minimum rate.
func (b requestBody) limitNextRead() {
	rate := b.handler.MinBodyRate
	if rate <= 0 || b.bodyRead {
		return
	}
	earned := time.Duration(float64(b.bodyBytes) / float64(rate) * float64(time.Second))
	next := b.start.Add(b.handler.Timeouts.BodyGrace + earned)
	if last := b.bodyDeadline(); last.Before(next) {
		next = last
	}
	b.setReadDeadline(next)
}

func (b requestBody) Close() error { return b.body.Close() }

// WriteHeader completes the headers and sends them.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.status = status
		x.complete(x.Header())
	}
	x.ResponseWriter.WriteHeader(status)
}

// complete sets the headers that depend on the status and on other headers.
func (x *exchange) complete(h http.Header) {
	// Idle connections must not outlive a server that is stopping.
	if x.handler.draining.Load() {
		h.Set("Connection", "close")
	}
	if x.body != nil && !x.bodyRead {
		x.refuseBody()
	}
	if x.status == http.StatusServiceUnavailable && h.Get("Retry-After") == "" {
		h.Set("Retry-After", "1")
	}
	const policy = "Content-Security-Policy"
	if h.Get(policy) != "" {
		return // set by the handler
	}
	switch contentType := h.Get("Content-Type"); {
	case strings.HasPrefix(contentType, "image/svg+xml"):
		h.Set(policy, "default-src 'none'; sandbox")
	case strings.HasPrefix(contentType, "text/html"):
		h.Set(policy, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	}
}

func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	n, err := x.ResponseWriter.Write(b)
	x.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController access to the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }
