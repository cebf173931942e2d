package httpapi_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/budget"
	"placard/internal/httpapi"
	"placard/internal/problem"
	"placard/internal/ratelimit"
)

// with starts the API of s again with other options.
func (s *service) with(opts httpapi.Options) *service {
	opts.Catalog = s.catalog
	opts.Log = slog.New(slog.NewTextHandler(s.logs, nil))
	s.Server = httptest.NewServer(httpapi.New(opts))
	s.t.Cleanup(s.Close)
	return s
}

func TestEveryRequestIsChargedToOneBucket(t *testing.T) {
	var charged []ratelimit.Bucket
	s := published(t).with(httpapi.Options{Admit: func(_ http.ResponseWriter, _ *http.Request, b ratelimit.Bucket) error {
		charged = append(charged, b)
		return nil
	}})
	for _, tc := range []struct {
		method, path string
		want         ratelimit.Bucket
	}{
		{"GET", "/api/v2/schemas", ratelimit.Read},
		{"HEAD", "/api/v2/schemas", ratelimit.Read},
		{"GET", "/api/v2/codes", ratelimit.Read},
		{"GET", "/api/v2/schemas/" + stable + "/manifest", ratelimit.Read},
		{"GET", "/api/v2/schemas/" + stable + "/categories", ratelimit.Read},
		{"GET", "/api/v2/schemas/" + stable + "/elements?query=x", ratelimit.Read},
		{"GET", "/api/v2/schemas/" + stable + "/elements/sound", ratelimit.Read},
		{"GET", "/api/v2/schemas/" + stable + "/elements/sound/icon.svg", ratelimit.Icons},
		{"GET", "/api/v2/schemas/" + stable + "/elements/sound/icon.dark.svg", ratelimit.Icons},
		{"GET", "/api/v2/schemas/" + stable + "/symbols/box.svg", ratelimit.Icons},
		{"GET", "/api/v2/shapes/circle.svg", ratelimit.Icons},
		{"POST", "/api/v2/schemas/" + stable + "/validate", ratelimit.Validate},
		{"POST", "/api/v2/schemas/" + stable + "/resolve", ratelimit.Resolve},
		{"POST", "/api/v2/schemas/" + stable + "/validate_resolved", ratelimit.Resolve},
		// What is refused after routing counts as well.
		{"GET", "/api/v2/schemas/nonsense/manifest", ratelimit.Read},
		{"GET", "/api/v2/shapes/cube.svg", ratelimit.Icons},
		{"POST", "/api/v2/schemas/x@latest/resolve", ratelimit.Resolve},
		{"GET", "/api/v2/schemas/" + stable + "/validate", ratelimit.Read},
		{"DELETE", "/api/v2/shapes/circle.svg", ratelimit.Read},
		{"GET", "/api/v2/nothing", ratelimit.Read},
		{"GET", "/api/v2//schemas", ratelimit.Read},
		{"GET", "/elsewhere", ratelimit.Free},
	} {
		charged = nil
		s.do(tc.method, tc.path)
		if diff := cmp.Diff([]ratelimit.Bucket{tc.want}, charged); diff != "" {
			t.Errorf("%s %s: %s", tc.method, tc.path, diff)
		}
	}
}

func TestARefusedRequestDoesNoWork(t *testing.T) {
	s := published(t).with(httpapi.Options{Admit: func(w http.ResponseWriter, _ *http.Request, _ ratelimit.Bucket) error {
		w.Header().Set("Retry-After", "7")
		return problem.New(problem.RateLimited, "Enough.").Hint("Wait.")
	}})
	for _, path := range []string{"/api/v2/schemas", "/api/v2/shapes/circle.svg", "/api/v2/nothing"} {
		a := s.get(path)
		if p := a.failure(t); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "7" || p.Code != problem.RateLimited {
			t.Errorf("%s: %d %v %v", path, a.status, a.header, p)
		}
	}
	body := &countingReader{Reader: strings.NewReader(thin)}
	a := httptest.NewRecorder()
	s.Config.Handler.ServeHTTP(a, httptest.NewRequest("POST", "/api/v2/schemas/"+stable+"/resolve", body))
	if a.Code != http.StatusTooManyRequests || body.n != 0 {
		t.Errorf("%d, after reading %d bytes", a.Code, body.n)
	}
}

type countingReader struct {
	io.Reader
	n int
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestTheBodyLimitIsCountedWhileReading(t *testing.T) {
	s := published(t).with(httpapi.Options{MaxBody: 1000})
	for _, tc := range []struct {
		size int
		want int
	}{{1000, http.StatusBadRequest}, {1001, http.StatusRequestEntityTooLarge}, {1 << 20, http.StatusRequestEntityTooLarge}} {
		for _, chunked := range []bool{false, true} {
			text := strings.Repeat("x", tc.size)
			body := &countingReader{Reader: strings.NewReader(text)}
			r := httptest.NewRequest("POST", "/api/v2/schemas/"+stable+"/validate", body)
			r.ContentLength = int64(tc.size)
			if chunked {
				r.ContentLength = -1
			}
			w := httptest.NewRecorder()
			s.Config.Handler.ServeHTTP(w, r)
			if w.Code != tc.want || body.n > 1001 {
				t.Errorf("%d bytes, chunked %t: %d after reading %d", tc.size, chunked, w.Code, body.n)
			}
		}
	}
}

// failingBody ends with an error.
type failingBody struct{ err error }

func (f failingBody) Read([]byte) (int, error) { return 0, f.err }

type timeoutError struct{}

func (timeoutError) Error() string { return "i/o timeout" }
func (timeoutError) Timeout() bool { return true }

func TestABodyThatCannotBeReadIsAnsweredFor(t *testing.T) {
	s := published(t)
	for name, tc := range map[string]struct {
		err    error
		status int
		says   string
	}{
		"cut off":  {io.ErrUnexpectedEOF, http.StatusBadRequest, "incomplete"},
		"too slow": {timeoutError{}, http.StatusBadRequest, "in time"},
		"no room":  {problem.New(problem.Overloaded, "No room."), http.StatusServiceUnavailable, "No room."},
	} {
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, httptest.NewRequest("POST", "/api/v2/schemas/"+stable+"/validate", failingBody{tc.err}))
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.says) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestDocumentsWaitForTheirTurn(t *testing.T) {
	pool := budget.NewPool(1)
	s := published(t).with(httpapi.Options{Documents: pool})
	held, err := pool.Start(t.Context(), budget.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan answer)
	go func() { done <- s.post(stable+"/validate", thin) }()
	// Reads do not wait behind documents.
	if a := s.get("/api/v2/schemas"); a.status != 200 {
		t.Errorf("a read behind a document: %d", a.status)
	}
	select {
	case a := <-done:
		t.Errorf("answered %d while another is worked on", a.status)
	default:
	}
	held.Stop()
	if a := <-done; a.status != 200 {
		t.Errorf("after its turn came: %d %s", a.status, a.body)
	}
}
