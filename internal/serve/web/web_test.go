package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"placard"
	"placard/internal/core/release"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/web"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

const (
	stable = "place@2026-06-01-stable"
	beta   = "place@2026-10-19-beta"
)

// service is a server of pages and of the REST API.
type service struct {
	*httptest.Server
	tb      testing.TB
	catalog *catalog.Catalog
}

// newService serves the releases of a store, or of the catalog in the options.
func newService(tb testing.TB, releases catalog.Store, opts web.Options) *service {
	tb.Helper()
	log := slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if opts.Catalog == nil {
		opts.Catalog = catalog.New(releases, catalog.Options{Log: log})
	}
	if opts.Docs == nil {
		opts.Docs = placard.Docs
	}
	opts.Log = log
	if err := opts.Catalog.Refresh(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	s := startService(opts)
	s.tb = tb
	tb.Cleanup(s.Close)
	return s
}

func startService(opts web.Options) *service {
	pages := web.New(opts)
	api := httpapi.New(httpapi.Options{Catalog: opts.Catalog, CodePage: web.CodePath, NotFoundPage: pages.NotFound, Log: opts.Log})
	s := &service{catalog: opts.Catalog, Server: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if pages.Serves(r) {
			pages.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}))}
	s.Client().Transport.(*http.Transport).DisableCompression = true
	return s
}

// builtinService serves the built-in taxonomy. All tests share its catalog and its
// pages, which are in the cache once a test has requested them.
func builtinService(tb testing.TB) *service {
	tb.Helper()
	s := *sharedService()
	s.tb = tb
	return &s
}

var sharedService = sync.OnceValue(func() *service {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	c := catalog.New(builtin.Store(), catalog.Options{Log: log})
	if err := c.Refresh(context.Background()); err != nil {
		panic(err)
	}
	return startService(web.Options{Catalog: c, Docs: placard.Docs, Log: log})
})

// publishedService serves the given releases.
func publishedService(tb testing.TB, releases ...*release.Release) *service {
	tb.Helper()
	folder := store.OpenFolder(tb.TempDir())
	for _, r := range releases {
		if _, err := storetest.Publish(tb.Context(), folder, r); err != nil {
			tb.Fatal(err)
		}
	}
	return newService(tb, folder, web.Options{})
}

type response struct {
	status int
	header http.Header
	body   string
}

// do sends a request with pairs of header names and values. It does not follow
// redirects.
func (s *service) do(method, path string, header ...string) response {
	s.tb.Helper()
	req, err := http.NewRequestWithContext(s.tb.Context(), method, s.URL+path, nil)
	if err != nil {
		s.tb.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := http.Client{
		Transport:     s.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.tb.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, string(body)}
}

// get requests a page that must exist.
func (s *service) get(path string, header ...string) response {
	s.tb.Helper()
	resp := s.do("GET", path, header...)
	if resp.status != http.StatusOK {
		s.tb.Fatalf("%s: got status %d, want 200\n%s", path, resp.status, resp.body)
	}
	return resp
}

func TestPagesAreRevalidated(t *testing.T) {
	s := builtinService(t)
	first := s.get("/")
	tag := first.header.Get("Etag")
	if got := s.do("GET", "/", "If-None-Match", tag); got.status != http.StatusNotModified || got.body != "" {
		t.Errorf("with the ETag: got status %d and %d bytes, want 304 without a body", got.status, len(got.body))
	}
	coded := s.get("/", "Accept-Encoding", "br")
	if coded.header.Get("Etag") == tag || coded.header.Get("Content-Encoding") != "br" {
		t.Errorf("br: got ETag %s and coding %q, want another ETag", coded.header.Get("Etag"), coded.header.Get("Content-Encoding"))
	}
	if got := s.do("HEAD", "/"); got.status != http.StatusOK || got.body != "" || got.header.Get("Content-Length") != first.header.Get("Content-Length") {
		t.Errorf("HEAD: got status %d, %d bytes, length %s", got.status, len(got.body), got.header.Get("Content-Length"))
	}
	if got := s.do("POST", "/"); got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") == "" {
		t.Errorf("POST: got status %d, Allow %q; want 405", got.status, got.header.Get("Allow"))
	}
}

// The first response is compressed in another way than those from the cache.
func TestFirstResponseIsRevalidated(t *testing.T) {
	s := newService(t, builtin.Store(), web.Options{})
	for path, accepted := range map[string]string{"/explore/" + stable: "gzip, deflate, br, zstd", "/explore/" + beta: "gzip"} {
		first := s.get(path, "Accept-Encoding", accepted)
		tag := first.header.Get("Etag")
		got := s.do("GET", path, "Accept-Encoding", accepted, "If-None-Match", tag)
		if got.status != http.StatusNotModified || got.header.Get("Etag") != tag {
			t.Errorf("%s: got status %d and ETag %s, want 304 and %s", accepted, got.status, got.header.Get("Etag"), tag)
		}
		second := s.get(path, "Accept-Encoding", accepted)
		if second.body != first.body && second.header.Get("Etag") == tag {
			t.Errorf("%s: two different bodies have the strong ETag %s", accepted, tag)
		}
	}
}

func TestLanguageOfPages(t *testing.T) {
	s := builtinService(t)
	for _, tt := range []struct{ path, accept, want string }{
		{"/", "", "en"},
		{"/", "fr-CA,fr;q=0.9,en;q=0.8", "fr"},
		{"/", "de,es;q=0.5", "es"},
		{"/", "de", "en"},
		{"/", "not a header;;q=x", "en"},
		{"/?lang=ja", "fr", "ja"},
		{"/?lang=fr-CH", "es", "fr"},
		{"/?lang=" + strings.Repeat("x", 500), "es", "es"},
		{"/?lang=%22%3E%3Cscript%3E", "es", "es"},
	} {
		if got := s.get(tt.path, "Accept-Language", tt.accept); !strings.Contains(got.body, `<html lang="`+tt.want+`"`) {
			t.Errorf("%.40s with Accept-Language %q: want a page in %s\n%.200s", tt.path, tt.accept, tt.want, got.body)
		}
	}
}

// Every spelling of a language gets the same page, so that clients cannot fill the
// cache.
func TestSpellingsOfALanguageShareAPage(t *testing.T) {
	s := builtinService(t)
	want := s.get("/?lang=fr").body
	for _, lang := range []string{"FR", "fr-CH", "fr-x-abc"} {
		if got := s.get("/?lang=" + lang).body; got != want {
			t.Errorf("lang=%s: got another page than for fr", lang)
		}
	}
	if strings.Contains(s.get("/?lang=de-DE", "Accept-Language", "es").body, "de-DE") {
		t.Error("a language that the page does not have is kept")
	}
}

func TestAssetsAreImmutable(t *testing.T) {
	s := builtinService(t)
	page := s.get("/").body
	count := 0
	for _, part := range strings.Split(page, `"`) {
		if !strings.HasPrefix(part, "/assets/") {
			continue
		}
		count++
		if got := s.get(part).header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: got Cache-Control %q", part, got)
		}
	}
	if count < 3 {
		t.Errorf("got %d files, want a style sheet and two scripts", count)
	}
	if got := s.do("GET", "/assets/site.0.css"); got.status != http.StatusNotFound {
		t.Errorf("unknown file: got status %d, want 404", got.status)
	}
}

func TestUnknownPages(t *testing.T) {
	s := builtinService(t)
	for _, path := range []string{"/docs/none", "/explore/place@2001-01-01-stable", "/explore/%3Cscript%3E", "/compare/x"} {
		got := s.do("GET", path)
		if got.status != http.StatusNotFound || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || strings.Contains(got.body, "<script>") {
			t.Errorf("%s: got status %d, %s\n%s", path, got.status, got.header.Get("Content-Type"), got.body)
		}
	}
}

func TestHostileHostIsEscaped(t *testing.T) {
	s := builtinService(t)
	req := httptest.NewRequest("GET", "/", nil)
	req.Host = `x"><script>alert(1)</script>`
	w := httptest.NewRecorder()
	s.Config.Handler.ServeHTTP(w, req)
	if strings.Contains(w.Body.String(), "<script>alert") {
		t.Error("the host is not escaped")
	}
}
