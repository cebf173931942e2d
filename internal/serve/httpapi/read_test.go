package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"placard/internal/serve/httpapi"
	"placard/internal/serve/query"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
)

// reads returns the API and read requests with their maximum number of
// allocations.
func reads(t testing.TB) (api http.Handler, requests []read) {
	t.Helper()
	c := catalog.New(builtin.Store(), catalog.Options{})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	snapshot, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	v := snapshot.Releases()[0]
	page, err := query.List(v, query.Elements{})
	if err != nil {
		t.Fatal(err)
	}
	base := "/api/v2/schemas/" + v.Name()
	etag := `"` + v.Fingerprint() + `"`
	const (
		version = 1 // ServeMux allocates for each path parameter
		element = 1
		long    = 2 // the Content-Length of a long body
	)
	requests = []read{
		{name: "categories", target: base + "/categories", allocs: version + long},
		{name: "element", target: base + "/elements/" + v.Taxonomy.Elements[0].ID, allocs: version + element + long},
		{name: "elements", target: base + "/elements", allocs: version + long},
		{name: "elements, 304", target: base + "/elements", etag: etag, allocs: version},
		{name: "all fields", target: base + "/elements?fields=all", allocs: version + long},
		{name: "some fields", target: base + "/elements?fields=description,title,shape", allocs: version + long + 1},
		{name: "locales", target: base + "/elements?locales=fr,en", allocs: version + long + 1},
		{name: "category", target: base + "/elements?category_id=" + v.Taxonomy.Elements[0].CategoryID, allocs: version + long},
		{name: "next page", target: base + "/elements?cursor=" + url.QueryEscape(page.Next), allocs: version + long},
	}
	return httpapi.New(httpapi.Options{Catalog: c}), requests
}

type read struct {
	name, target, etag string
	allocs             float64
}

func (r read) request() *http.Request {
	request := httptest.NewRequest(http.MethodGet, r.target, nil)
	if r.etag != "" {
		request.Header.Set("If-None-Match", r.etag)
	}
	return request
}

// discardWriter is an [http.ResponseWriter] that records only the status.
type discardWriter struct {
	header http.Header
	status int
}

func (w *discardWriter) Header() http.Header         { return w.header }
func (w *discardWriter) Write(b []byte) (int, error) { return len(b), nil }
func (w *discardWriter) WriteHeader(status int)      { w.status = status }

func TestReadAllocations(t *testing.T) {
	api, requests := reads(t)
	for _, r := range requests {
		request := r.request()
		w := &discardWriter{header: make(http.Header)}
		got := testing.AllocsPerRun(100, func() { api.ServeHTTP(w, request) })
		want := http.StatusOK
		if r.etag != "" {
			want = http.StatusNotModified
		}
		if w.status != want {
			t.Errorf("%s: got status %d, want %d", r.name, w.status, want)
		}
		if got > r.allocs {
			t.Errorf("%s: got %v allocations, want at most %v", r.name, got, r.allocs)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	api, requests := reads(b)
	for _, r := range requests {
		b.Run(r.name, func(b *testing.B) {
			request := r.request()
			w := &discardWriter{header: make(http.Header)}
			b.ReportAllocs()
			for b.Loop() {
				api.ServeHTTP(w, request)
			}
		})
	}
}
