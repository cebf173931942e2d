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

// reads returns the API and read requests.
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
	requests = []read{
		{name: "categories", target: base + "/categories"},
		{name: "element", target: base + "/elements/" + v.Taxonomy.Elements[0].ID},
		{name: "elements", target: base + "/elements"},
		{name: "elements, 304", target: base + "/elements", etag: etag},
		{name: "all fields", target: base + "/elements?fields=all"},
		{name: "some fields", target: base + "/elements?fields=description,title,shape"},
		{name: "locales", target: base + "/elements?locales=fr,en"},
		{name: "category", target: base + "/elements?category_id=" + v.Taxonomy.Elements[0].CategoryID},
		{name: "next page", target: base + "/elements?cursor=" + url.QueryEscape(page.Next)},
	}
	return httpapi.New(httpapi.Options{Catalog: c}), requests
}

type read struct{ name, target, etag string }

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

// maxReadAllocations is the maximum number of allocations of a read. It does not
// depend on the number of records.
const maxReadAllocations = 20

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
		if got > maxReadAllocations {
			t.Errorf("%s: got %v allocations, want at most %v", r.name, got, maxReadAllocations)
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
