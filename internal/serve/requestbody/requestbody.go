// Package requestbody reads the bodies of HTTP requests for REST and MCP. It knows
// nothing about their content.
package requestbody

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"placard/internal/core/problem"
)

// DefaultLimit is the default maximum size of a body in bytes.
const DefaultLimit = 1 << 20

// Body is a request body in a pooled buffer.
type Body struct {
	bytes []byte
	class int // index of the pool; len(pools) for none
}

// Bytes returns the body. It is valid until [Body.Free].
func (b *Body) Bytes() []byte { return b.bytes }

// Free returns the buffer to its pool. Freeing nil has no effect.
func (b *Body) Free() {
	if b != nil && b.class < len(pools) {
		b.bytes = b.bytes[:0]
		pools[b.class].Put(b)
	}
}

// sizes are the capacities of pooled buffers. A body starts in the smallest and
// moves to larger ones as it arrives: a client may announce a large body and
// never send it.
var sizes = [...]int{4 << 10, 32 << 10, 256 << 10}

var pools [len(sizes)]sync.Pool

func newBody(class int) *Body {
	if b, ok := pools[class].Get().(*Body); ok {
		return b
	}
	return &Body{make([]byte, 0, sizes[class]), class}
}

// grow returns a body with the content of b and a larger capacity, and frees b. A
// buffer that is not pooled has at most the capacity for expected bytes.
func (b *Body) grow(expected int64) *Body {
	var larger *Body
	if b.class+1 < len(sizes) {
		larger = newBody(b.class + 1)
	} else {
		capacity := int64(cap(b.bytes))
		larger = &Body{make([]byte, 0, max(capacity+1, min(2*capacity, expected))), len(pools)}
	}
	larger.bytes = append(larger.bytes, b.bytes...)
	b.Free()
	return larger
}

// Read reads the body of r. The caller must free it. The error is a
// [problem.Problem]: payload_too_large if the body is larger than limit bytes,
// unsupported_media_type if it is compressed, and bad_request if it is
// incomplete. A Problem returned by r.Body is returned unchanged.
func Read(r *http.Request, limit int64) (*Body, error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, problem.New(problem.UnsupportedMediaType, "Content-Encoding %q is not supported for request bodies.", problem.Clip(coding)).
			Hint("Send the JSON uncompressed.")
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	// Reading one byte more than the limit shows that a body exceeds it.
	expected := limit + 1
	if r.ContentLength >= 0 {
		expected = r.ContentLength
	}
	b := newBody(0)
	for {
		if free := cap(b.bytes) - len(b.bytes); free == 0 || free < cap(b.bytes)/2 && int64(cap(b.bytes)) < expected {
			b = b.grow(expected)
		}
		n, err := r.Body.Read(b.bytes[len(b.bytes):min(int64(cap(b.bytes)), limit+1)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case int64(len(b.bytes)) > limit:
			err = tooLarge(limit)
		case err == nil:
			continue
		case err == io.EOF:
			return b, nil
		default:
			err = incomplete(err)
		}
		b.Free()
		return nil, err
	}
}

func tooLarge(limit int64) error {
	return problem.New(problem.PayloadTooLarge, "The request body is larger than %d bytes.", limit).
		Hint("Send a smaller document, or split it into several that refer to each other in linked_instance_ids.")
}

// incomplete returns the problem for a body whose Read returned err.
func incomplete(err error) error {
	if _, ok := errors.AsType[problem.Problem](err); ok {
		return err
	}
	p := problem.New(problem.BadRequest, "The request body is incomplete.")
	if timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && timeout.Timeout() {
		p = problem.New(problem.BadRequest, "The request body did not arrive in time.")
	}
	return p.Hint("Send it again.")
}
