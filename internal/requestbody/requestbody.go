// Package requestbody reads the bodies of HTTP requests for REST and MCP. It knows
// nothing about their content.
package requestbody

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"placard/internal/problem"
)

// DefaultLimit is the default maximum size of a body in bytes.
const DefaultLimit = 1 << 20

// maxReserve bounds the memory reserved for a body before it arrives. A client
// may announce a large body and never send it.
const maxReserve = 32 << 10

// Read reads the body of r into the memory of buf and returns it, even if reading
// fails, so that the caller can reuse the memory. The error is a
// [problem.Problem]: payload_too_large if the body is larger than limit bytes,
// unsupported_media_type if it is compressed, and bad_request if it is
// incomplete. A Problem returned by the body itself is returned unchanged.
func Read(r *http.Request, buf []byte, limit int64) ([]byte, error) {
	buf = buf[:0]
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return buf, problem.New(problem.UnsupportedMediaType, "Content-Encoding %q is not supported for request bodies.", problem.Clip(coding)).
			Hint("Send the JSON uncompressed.")
	}
	if r.ContentLength > limit {
		return buf, tooLarge(limit)
	}
	buf = slices.Grow(buf, int(min(max(r.ContentLength, 0), maxReserve))+bytes.MinRead)
	for {
		buf = slices.Grow(buf, 1)
		// Reading one byte more than the limit shows that the body exceeds it.
		n, err := r.Body.Read(buf[len(buf):min(int64(cap(buf)), limit+1)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return buf, tooLarge(limit)
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, incomplete(err)
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
