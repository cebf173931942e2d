package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
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

func TestLocalesAreLookedUp(t *testing.T) {
	s := published(t)
	const v = "/api/v2/schemas/small@latest"
	for _, path := range []string{v + "/categories?", v + "/elements?", v + "/elements/sound?"} {
		want, got := s.do("GET", path+"locales=fr").body, s.do("GET", path+"locales=fr-CH").body
		if got != want || !strings.Contains(got, `"locale":"fr"`) {
			t.Errorf("%slocales=fr-CH: got %.200s, want %.200s", path, got, want)
		}
		if none := s.do("GET", path+"locales=fr,xx").body; !strings.Contains(none, `"notice":"This version has no texts in locale \"xx\"; it has en`) {
			t.Errorf("%slocales=fr,xx: got %s, want a notice", path, none)
		}
	}
}

func TestCursorsAreBoundOnlyToWhatChangesTheResult(t *testing.T) {
	s := published(t)
	const list = "/api/v2/schemas/small@latest/elements?limit=1"
	next := func(query string) string {
		_, rest, _ := strings.Cut(s.do("GET", list+query).body, `"next_cursor":"`)
		cursor, _, _ := strings.Cut(rest, `"`)
		return cursor
	}
	for _, tc := range []struct {
		query, other string
		want         int
	}{
		{"", "&locale=fr", 200},
		{"&locale=fr", "", 200},
		{"&locale=fr", "&locale=de", 200},
		{"&query=s", "&query=s&locale=en", 200},
		{"&query=s", "&query=s&locale=fr", 400},
		{"", "&category_id=data", 400},
	} {
		cursor := next(tc.query)
		if resp := s.do("GET", list+tc.other+"&cursor="+cursor); resp.status != tc.want || cursor == "" {
			t.Errorf("cursor %q of %q with %q: got status %d, want %d", cursor, tc.query, tc.other, resp.status, tc.want)
		}
	}
}
