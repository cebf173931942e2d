package mcpapi

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/serve/budget"
)

// peer describes the client of an exchange, as known from the transport.
type peer struct {
	http    *http.Request // nil on a stream
	header  http.Header   // nil on a stream
	version string        // protocol version in the header, or negotiated earlier on the stream
	session string        // empty if the client sends no id
	addr    netip.Addr    // identifies the client for limits; zero on a stream
}

// response is the response to one HTTP request or one line of a stream: a body,
// an error, or nothing if the input contained no requests.
type response struct {
	body       []byte
	negotiated string // protocol version negotiated by a handshake in the request
	err        *rpcError
	id         jsontext.Value // id of the request that failed with err
}

// scratch holds the buffers of one exchange. They are pooled, because without them the
// garbage collector uses as much CPU time as a call of get_element. They are returned
// to the pool when the response has been sent.
type scratch struct {
	out  []byte // response body
	data []byte // data of the current tool result
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// maxPooledBytes is the total size of the largest buffers that are pooled.
const maxPooledBytes = 1 << 20

// free returns s to the pool. Its contents must not be used afterwards.
func (s *scratch) free() {
	if cap(s.out)+cap(s.data) <= maxPooledBytes {
		scratchPool.Put(s)
	}
}

// exchange handles the body of one HTTP request or one line of a stream. The
// response refers to memory in buf; if buf is nil, exchange allocates its own.
func (s *Server) exchange(ctx context.Context, buf *scratch, body []byte, client peer) response {
	if buf == nil {
		buf = new(scratch)
	}
	if jsontext.Value(body).Kind() == '[' {
		return s.exchangeBatch(ctx, buf, body, &client)
	}
	req := &request{peer: &client, scratch: buf}
	buf.out = buf.out[:0]
	err := req.read(body)
	if err == nil && req.isRequest() {
		buf.out, err = s.respond(ctx, buf.out, req)
	}
	return response{buf.out, req.negotiated, err, req.id}
}

// read parses a message into req and determines its protocol version.
func (req *request) read(body jsontext.Value) (err *rpcError) {
	if err = req.message.read(body); err != nil || req.method == "" {
		return err
	}
	req.modern, err = isModern(&req.message, req.header)
	return err
}

// exchangeBatch handles the messages of a batch in order, within one budget. All
// messages must name either no version or [batchVersion].
func (s *Server) exchangeBatch(ctx context.Context, buf *scratch, body jsontext.Value, client *peer) response {
	if !body.IsValid() {
		return response{err: parseError(body)}
	}
	messages, batchErr := readBatch(body)
	if batchErr != nil {
		return response{err: batchErr}
	}
	if version := client.version; version != "" && version != batchVersion {
		return response{err: batchesUnsupported()}
	}
	requests := make([]request, len(messages))
	errs := make([]*rpcError, len(messages))
	for i, m := range messages {
		requests[i].peer, requests[i].scratch = client, buf
		if errs[i] = requests[i].read(m); requests[i].modern {
			return response{err: batchesUnsupported()}
		}
	}
	meter, err := s.Documents.Start(ctx, client.addr, budget.Resolve)
	if err != nil {
		return response{err: fatalError(s.report(&requests[0], err))}
	}
	defer meter.Stop()

	negotiated := ""
	b := append(buf.out[:0], '[')
	for i := range requests {
		req, err, start := &requests[i], errs[i], len(b)
		if err == nil {
			if !req.isRequest() {
				continue
			}
			req.batchMeter = &meter
			b, err = s.respond(ctx, b, req)
			negotiated = cmp.Or(req.negotiated, negotiated)
		}
		if err != nil {
			if err.fatal {
				return response{err: err}
			}
			b = err.append(b[:start], req.id)
		}
		b = append(b, ',')
	}
	if len(b) == 1 {
		return response{}
	}
	b[len(b)-1] = ']'
	buf.out = b
	return response{body: b, negotiated: negotiated}
}

func batchesUnsupported() *rpcError {
	return newError(codeInvalidRequest, problem.New(problem.BadRequest, "This protocol version does not support batches.").
		Hint("Send each message in its own request. Only version %s supports batches; requests that name no version can be batched too.", batchVersion))
}
