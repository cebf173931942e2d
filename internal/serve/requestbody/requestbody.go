// Package requestbody reads the bodies of HTTP requests for REST and MCP. It knows
// nothing about their content.
package requestbody

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"placard/internal/core/problem"
)

// DefaultLimit is the default maximum size of a body in bytes.
const DefaultLimit = 1 << 20

// firstSize is the capacity of the first buffer. It grows as the body arrives: a client
// may announce a large body and never send it.
const firstSize = 4 << 10

// grow returns the content of b in a buffer that is eight times as large or, if it is
// large already, twice, but has no more than the capacity for expected bytes.
func grow(b []byte, expected int64) []byte {
	factor := int64(8)
	if cap(b) >= 256<<10 {
		factor = 2
	}
	capacity := int64(cap(b))
	return append(make([]byte, 0, max(capacity+1, min(factor*capacity, expected))), b...)
}

// Read reads the body of r. The error is a [problem.Problem]: payload_too_large if the
// body is larger than limit bytes, unsupported_media_type if it is compressed, and
// bad_request if it is incomplete. A Problem returned by r.Body is returned unchanged.
func Read(r *http.Request, limit int64) ([]byte, error) {
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
	b := make([]byte, 0, firstSize)
	for {
		if free := cap(b) - len(b); free == 0 || free < cap(b)/2 && int64(cap(b)) < expected {
			b = grow(b, expected)
		}
		n, err := r.Body.Read(b[len(b):min(int64(cap(b)), limit+1)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return nil, tooLarge(limit)
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, incomplete(err)
		}
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
