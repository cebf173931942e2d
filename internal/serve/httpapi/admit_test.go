package httpapi_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/serve/budget"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/ratelimit"
)

// with replaces the server of s with one that has other options.
func (s *service) with(opts httpapi.Options) *service {
	opts.Catalog = s.catalog
	opts.Log = slog.New(slog.NewTextHandler(s.logs, nil))
	s.Server = httptest.NewServer(httpapi.New(opts))
	s.t.Cleanup(s.Close)
	return s
}

func TestRequestsAreChargedToTheirBucket(t *testing.T) {
	var charged []ratelimit.Bucket
	s := published(t).with(httpapi.Options{Admit: func(_ http.ResponseWriter, _ *http.Request, b ratelimit.Bucket) (netip.Addr, error) {
		charged = append(charged, b)
		return netip.Addr{}, nil
	}})
	for _, tc := range []struct {
		method, path string
		want         ratelimit.Bucket
	}{
		{"GET", "/api/v2/schemas", ratelimit.Read},
		{"HEAD", "/api/v2/schemas", ratelimit.Read},
		{"GET", "/api/v2/codes", ratelimit.Read},
		{"GET", "/api/v2/authoring/element.schema.json", ratelimit.Read},
		{"GET", "/api/v2/schemas/" + stable + "/datachain.schema.json", ratelimit.Read},
		{"GET", "/api/v2/schemas/" + stable + "/skos.ttl", ratelimit.Read},
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
		{"POST", "/api/v2/schemas/" + stable + "/render", ratelimit.Resolve},
		{"POST", "/api/v2/schemas/" + stable + "/sign", ratelimit.Resolve},
		// Requests that fail after routing are charged too.
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
			t.Errorf("%s %s: buckets (-want +got):\n%s", tc.method, tc.path, diff)
		}
	}
}

func TestRequestsAreAdmittedBeforeAnyWork(t *testing.T) {
	s := published(t).with(httpapi.Options{Admit: func(w http.ResponseWriter, _ *http.Request, _ ratelimit.Bucket) (netip.Addr, error) {
		w.Header().Set("Retry-After", "7")
		return netip.Addr{}, problem.New(problem.RateLimited, "Enough.").Hint("Wait.")
	}})
	for _, path := range []string{"/api/v2/schemas", "/api/v2/shapes/circle.svg", "/api/v2/nothing"} {
		resp := s.get(path)
		if p := resp.failure(t); resp.status != http.StatusTooManyRequests || resp.header.Get("Retry-After") != "7" || p.Code != problem.RateLimited {
			t.Errorf("%s: got status %d, headers %v, %v, want 429, Retry-After 7 and rate_limited", path, resp.status, resp.header, p)
		}
	}
	body := &countingReader{Reader: strings.NewReader(thin)}
	resp := httptest.NewRecorder()
	s.Config.Handler.ServeHTTP(resp, httptest.NewRequest("POST", "/api/v2/schemas/"+stable+"/resolve", body))
	if resp.Code != http.StatusTooManyRequests || body.n != 0 {
		t.Errorf("got status %d after reading %d bytes, want 429 after 0", resp.Code, body.n)
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

func TestBodyLimit(t *testing.T) {
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
				t.Errorf("%d bytes, chunked %t: got status %d after reading %d bytes, want %d after at most 1001", tc.size, chunked, w.Code, body.n, tc.want)
			}
		}
	}
}

// failingBody is a body whose Read fails.
type failingBody struct{ err error }

func (f failingBody) Read([]byte) (int, error) { return 0, f.err }

type timeoutError struct{}

func (timeoutError) Error() string { return "i/o timeout" }
func (timeoutError) Timeout() bool { return true }

func TestBodyReadErrors(t *testing.T) {
	s := published(t)
	for name, tc := range map[string]struct {
		err     error
		status  int
		message string
	}{
		"incomplete": {io.ErrUnexpectedEOF, http.StatusBadRequest, "incomplete"},
		"too slow":   {timeoutError{}, http.StatusBadRequest, "in time"},
		"no memory":  {problem.New(problem.Overloaded, "No memory."), http.StatusServiceUnavailable, "No memory."},
	} {
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, httptest.NewRequest("POST", "/api/v2/schemas/"+stable+"/validate", failingBody{tc.err}))
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.message) {
			t.Errorf("%s: got status %d, body %s, want %d, %q", name, w.Code, w.Body, tc.status, tc.message)
		}
	}
}

func TestDocumentsWaitForASlotInThePool(t *testing.T) {
	pool := budget.NewPool(1, 0)
	s := published(t).with(httpapi.Options{Documents: pool})
	slot, err := pool.Start(t.Context(), netip.Addr{}, budget.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan response)
	go func() { done <- s.post(stable+"/validate", thin) }()
	// Reads do not wait for the pool.
	if resp := s.get("/api/v2/schemas"); resp.status != 200 {
		t.Errorf("a read: got status %d, want 200", resp.status)
	}
	select {
	case resp := <-done:
		t.Errorf("got status %d while the pool is full, want no response yet", resp.status)
	default:
	}
	slot.Stop()
	if resp := <-done; resp.status != 200 {
		t.Errorf("after a slot became free: got status %d, body %s, want 200", resp.status, resp.body)
	}
}
