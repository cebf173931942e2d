package requestbody_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"placard/internal/core/problem"
	"placard/internal/serve/requestbody"
)

// countingReader counts the bytes read from a body.
type countingReader struct {
	io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func request(body io.Reader, size int64) *http.Request {
	r := httptest.NewRequest("POST", "/", body)
	r.ContentLength = size
	return r
}

func code(err error) problem.Code {
	p, _ := errors.AsType[problem.Problem](err)
	return p.Code
}

func TestReadReturnsBodiesUpToTheLimit(t *testing.T) {
	const limit = 100_000
	for _, test := range []struct {
		size     int
		code     problem.Code
		maxBytes int // read from a body of unknown size
	}{
		{0, "", 0},
		{1, "", 1},
		{limit, "", limit},
		{limit + 1, problem.PayloadTooLarge, limit + 1},
		{10 * limit, problem.PayloadTooLarge, limit + 1},
	} {
		text := strings.Repeat("x", test.size)
		for name, size := range map[string]int64{"announced": int64(test.size), "chunked": -1} {
			body := &countingReader{Reader: iotest.HalfReader(strings.NewReader(text))}
			got, err := requestbody.Read(request(body, size), limit)
			if code(err) != test.code {
				t.Errorf("%d bytes, %s: error %v, want code %q", test.size, name, err, test.code)
			}
			if err == nil && string(got) != text {
				t.Errorf("%d bytes, %s: got %d bytes, want the body", test.size, name, len(got))
			}
			if body.n > test.maxBytes || err != nil && size > 0 && body.n > 0 {
				t.Errorf("%d bytes, %s: read %d bytes, which is too many", test.size, name, body.n)
			}
		}
	}
}

// capacityReader compares the capacity of the buffers that a body is read into
// with the bytes already read.
type capacityReader struct {
	io.Reader
	n      int // bytes read
	excess int // maximum capacity in excess of 16*n
}

func (c *capacityReader) Read(p []byte) (int, error) {
	c.excess = max(c.excess, cap(p)-16*c.n)
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestBuffersGrowWithTheBody(t *testing.T) {
	for _, size := range []int64{1 << 20, -1} {
		body := &capacityReader{Reader: iotest.OneByteReader(strings.NewReader(strings.Repeat(" ", 1<<20)))}
		b, err := requestbody.Read(request(body, size), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) != 1<<20 || cap(b) > 1<<20+1 {
			t.Errorf("Content-Length %d: got a body of %d bytes in a buffer of %d", size, len(b), cap(b))
		}
		if body.excess > 4<<10 {
			t.Errorf("Content-Length %d: a buffer has %d bytes more than 16 times the bytes received, want at most 4096", size, body.excess)
		}
	}
}

type timeoutError struct{}

func (timeoutError) Error() string { return "i/o timeout" }
func (timeoutError) Timeout() bool { return true }

func TestReadReportsBodiesThatCannotBeRead(t *testing.T) {
	for _, test := range []struct {
		err     error
		code    problem.Code
		message string
	}{
		{io.ErrUnexpectedEOF, problem.BadRequest, "The request body is incomplete."},
		{timeoutError{}, problem.BadRequest, "The request body did not arrive in time."},
		{problem.New(problem.Overloaded, "No memory."), problem.Overloaded, "No memory."},
	} {
		_, err := requestbody.Read(request(iotest.ErrReader(test.err), -1), 1000)
		p, _ := errors.AsType[problem.Problem](err)
		if p.Code != test.code || p.Message != test.message {
			t.Errorf("%v: got %q (%s), want %q (%s)", test.err, p.Message, p.Code, test.message, test.code)
		}
	}
}

func TestReadRefusesCompressedBodies(t *testing.T) {
	for coding, want := range map[string]problem.Code{"": "", "identity": "", "Identity": "", "gzip": problem.UnsupportedMediaType} {
		r := request(strings.NewReader("{}"), 2)
		r.Header.Set("Content-Encoding", coding)
		if _, err := requestbody.Read(r, 1000); code(err) != want {
			t.Errorf("Content-Encoding %q: error %v, want code %q", coding, err, want)
		}
	}
}
