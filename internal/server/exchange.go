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

// exchange is one request and what becomes of it. It is the writer that the
// faces answer on.
type exchange struct {
	http.ResponseWriter
	handler *handler
	request *http.Request
	start   time.Time
	id      []string // as headers have it
	origin  origin
	route   string // what the request was for, where no mux has said so

	status int
	bytes  int64

	// What the guard has lent.
	flight netip.Addr
	flying bool
	held   int64

	body io.ReadCloser // as the server made it
	read bool          // the body was read to its end

	// What the next request can use as well.
	ids  requestIDs
	line []byte // of the log
}

// exchanges are lent to requests until they are answered.
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

// giveBack ends the exchange. Nothing of it may be used any more, and nothing
// that outlives a request refers to it.
func (x *exchange) giveBack() {
	*x = exchange{ids: x.ids, line: x.line}
	exchanges.Put(x)
}

// exchangeOf returns the exchange behind the writer that a face was given.
func exchangeOf(w http.ResponseWriter) *exchange {
	for {
		if x, ok := w.(*exchange); ok {
			return x
		}
		wrapped, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			panic("server: a request was admitted that did not come through its handler")
		}
		w = wrapped.Unwrap()
	}
}

// requestBody is the request's body as the faces read it.
type requestBody struct{ *exchange }

func (b requestBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if errors.Is(err, io.EOF) {
		b.exchange.read = true
	}
	if guard := b.handler.Guard; guard != nil && n > 0 {
		b.held += int64(n)
		if full := guard.reserveBody(n); full != nil {
			return n, full
		}
	}
	return n, err
}

func (b requestBody) Close() error { return b.body.Close() }

const retryAfter = "Retry-After"

// Values of headers, made once. A header may share them, because nothing
// appends to a list that is full.
var (
	anyOrigin   = []string{"*"}
	exposed     = []string{"X-Request-Id, Service-Content-Hash, Retry-After"}
	nosniff     = []string{"nosniff"}
	noReferrer  = []string{"no-referrer"}
	closing     = []string{"close"}
	inASecond   = []string{"1"}
	policyImage = []string{"default-src 'none'; sandbox"}
	policyPage  = []string{"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}
)

// WriteHeader adds what depends on the answer and sends the headers.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.status = status
		x.complete(x.Header())
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) complete(h http.Header) {
	// Reading on would let a client that is refused keep the connection busy,
	// and one that goes on using it is not told that the server stops.
	if x.body != nil && !x.read || x.handler.draining.Load() {
		h["Connection"] = closing
	}
	if x.status == http.StatusServiceUnavailable && h[retryAfter] == nil {
		h[retryAfter] = inASecond
	}
	const policy = "Content-Security-Policy"
	if h[policy] != nil {
		return // a page knows best what it needs
	}
	switch contentType := h.Get("Content-Type"); {
	case strings.HasPrefix(contentType, "image/svg+xml"):
		h[policy] = policyImage
	case strings.HasPrefix(contentType, "text/html"):
		h[policy] = policyPage
	}
}

func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	// A larger answer would be written in two parts, the headers in the first.
	if x.bytes == 0 && len(b) > len(block{})/2 {
		if c, ok := x.request.Context().Value(connKey{}).(*conn); ok {
			c.expect(len(b))
			defer c.expect(0)
		}
	}
	n, err := x.ResponseWriter.Write(b)
	x.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }
