package requestbody_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"placard/internal/problem"
	"placard/internal/requestbody"
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
			got, err := requestbody.Read(request(body, size), []byte("previous content"), limit)
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

func TestReadReusesTheBuffer(t *testing.T) {
	buf := make([]byte, 0, 64<<10)
	for _, body := range []io.Reader{strings.NewReader("{}"), iotest.ErrReader(io.ErrUnexpectedEOF)} {
		got, _ := requestbody.Read(request(body, -1), buf, 1000)
		if &got[:1][0] != &buf[:1][0] {
			t.Error("Read does not return the memory of its buffer")
		}
	}
	content := []byte("{}")
	body := bytes.NewReader(nil)
	r := request(body, 2)
	r.Body = io.NopCloser(body)
	if allocs := testing.AllocsPerRun(100, func() {
		body.Reset(content)
		if _, err := requestbody.Read(r, buf, 1000); err != nil {
			t.Fatal(err)
		}
	}); allocs > 0 {
		t.Errorf("got %v allocations, want 0", allocs)
	}
}

func TestReadReservesLittleMemoryInAdvance(t *testing.T) {
	got, err := requestbody.Read(request(strings.NewReader("{}"), 1<<20), nil, 1<<20)
	if err != nil || cap(got) > 64<<10 {
		t.Errorf("got a buffer of %d bytes (%v), want at most %d", cap(got), err, 64<<10)
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
		_, err := requestbody.Read(request(iotest.ErrReader(test.err), -1), nil, 1000)
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
		if _, err := requestbody.Read(r, nil, 1000); code(err) != want {
			t.Errorf("Content-Encoding %q: error %v, want code %q", coding, err, want)
		}
	}
}
