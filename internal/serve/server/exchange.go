package server

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// exchange is a request and the state of its response. It is the
// http.ResponseWriter that handlers write to.
type exchange struct {
	http.ResponseWriter
	handler *handler
	request *http.Request
	start   time.Time
	id      []string // the request id, as a header value
	origin  origin
	route   string // the route to log; default: the request's pattern

	status int
	bytes  int64

	// Resources acquired from the guard.
	admitted   bool // the request counts for its client
	inFlight   bool // the request counts as in flight
	client     netip.Addr
	bodyMemory int64 // bytes

	body         io.ReadCloser // the original body of the request
	bodyRead     bool          // the body was read to the end
	bodyBytes    int64         // bytes read from the body
	readDeadline time.Time     // for the whole body

	// Reused by later requests.
	ids  requestIDs
	line []byte // the log line
}

// exchanges are pooled. Each is returned when its response is complete.
var exchanges = sync.Pool{New: func() any { return new(exchange) }}

func (s *handler) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	x := exchanges.Get().(*exchange)
	x.ResponseWriter, x.handler, x.request = w, s, r
	x.start = time.Now()
	x.id = x.ids.forRequest(r)
	x.origin = s.Proxies.origin(r)
	r.Header[requestID] = x.id
	return x
}

// free returns the exchange to the pool. It must not be used afterwards, and
// nothing that outlives a request may refer to it.
func (x *exchange) free() {
	*x = exchange{ids: x.ids, line: x.line}
	exchanges.Put(x)
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
	x.Header()["Connection"] = connectionClose
	if c := x.conn(); c != nil {
		_ = c.SetReadDeadline(time.Now().Add(lingerTimeout))
	}
}

// conn returns the connection of the request, or nil if it has another type.
func (x *exchange) conn() *conn {
	c, _ := x.request.Context().Value(connKey{}).(*conn)
	return c
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
	b.setReadDeadline()
	n, err := b.body.Read(p)
	b.bodyBytes += int64(n)
	if !errors.Is(err, io.EOF) || b.bodyRead {
		return n, err
	}
	b.bodyRead = true
	if c := b.conn(); c != nil && !b.readDeadline.IsZero() {
		_ = c.SetReadDeadline(b.readDeadline)
	}
	if guard != nil && b.admitted && !b.inFlight {
		if err := guard.start(b.exchange); err != nil {
			return n, err
		}
	}
	return n, err
}

// setReadDeadline limits the time to wait for the next bytes of the body, so that
// it arrives at the minimum rate.
func (b requestBody) setReadDeadline() {
	c, rate := b.conn(), b.handler.MinBodyRate
	if c == nil || rate <= 0 || b.bodyRead {
		return
	}
	if b.readDeadline.IsZero() {
		b.readDeadline = c.read.before(b.start.Add(b.handler.Timeouts.Read))
	}
	earned := time.Duration(float64(b.bodyBytes) / float64(rate) * float64(time.Second))
	if t := b.start.Add(b.handler.Timeouts.BodyGrace + earned); t.Before(b.readDeadline) {
		_ = c.SetReadDeadline(t)
	} else {
		_ = c.SetReadDeadline(b.readDeadline)
	}
}

func (b requestBody) Close() error { return b.body.Close() }

const retryAfter = "Retry-After"

// Header values shared by all responses. Their capacity is their length, so that
// appending to one copies it.
var (
	anyOrigin       = []string{"*"}
	exposedHeaders  = []string{"X-Request-Id, Service-Content-Hash, Retry-After"}
	nosniff         = []string{"nosniff"}
	noReferrer      = []string{"no-referrer"}
	connectionClose = []string{"close"}
	oneSecond       = []string{"1"}
	imagePolicy     = []string{"default-src 'none'; sandbox"}
	pagePolicy      = []string{"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
)

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
		h["Connection"] = connectionClose
	}
	if x.body != nil && !x.bodyRead {
		x.refuseBody()
	}
	if x.status == http.StatusServiceUnavailable && h[retryAfter] == nil {
		h[retryAfter] = oneSecond
	}
	const policy = "Content-Security-Policy"
	if h[policy] != nil {
		return // set by the handler
	}
	switch contentType := h.Get("Content-Type"); {
	case strings.HasPrefix(contentType, "image/svg+xml"):
		h[policy] = imagePolicy
	case strings.HasPrefix(contentType, "text/html"):
		h[policy] = pagePolicy
	}
}

func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	// net/http alone would send the headers and a body of this size in two writes.
	if x.bytes == 0 && len(b) > len(writeBuffer{})/2 {
		if c := x.conn(); c != nil {
			c.expect(len(b))
			defer c.expect(0)
		}
	}
	n, err := x.ResponseWriter.Write(b)
	x.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController access to the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }
