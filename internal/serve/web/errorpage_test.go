package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"placard/internal/serve/query"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
)

const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

func TestUnknownPathsHaveAPage(t *testing.T) {
	s := builtinService(t)
	const v = "/api/v2/schemas/place@latest"
	for _, tc := range []struct{ path, want string }{
		{"/wp-login.php", `<code>/wp-login.php</code>`},
		{"/schemas", `Perhaps you are looking for <a href="/api/v2/schemas"><code>/api/v2/schemas</code></a></p>`},
		{strings.Replace(v, "v2", "v1", 1) + "/manifest", `<a href="` + v + `/manifest">`},
		// Browsers cannot open this one.
		{strings.Replace(v, "v2", "v1", 1) + "/validate", `Perhaps you are looking for <code>POST ` + v + `/validate</code></p>`},
		{"/%3Cscript%3Ealert(1)%3C/script%3E", `<code>/%3Cscript%3Ealert(1)%3C/script%3E</code>`},
		{"/a'&<b>", `<code>/a%27&amp;%3Cb%3E</code>`},
		{"/" + strings.Repeat("x", 20000), `xxx…</code>`},
		{"/docs/none", "There is no page at this address."},
	} {
		r := httptest.NewRequest("GET", tc.path, nil)
		r.Header.Set("Accept", browserAccept)
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r)
		body := w.Body.String()
		if w.Code != http.StatusNotFound || !strings.Contains(body, tc.want) || strings.Contains(body, "<script>") || len(body) > 10000 {
			t.Errorf("%.80s: got status %d and %d bytes, want 404 and %s\n%.8000s", tc.path, w.Code, len(body), tc.want, body)
		}
		if got := w.Header(); got.Get("Cache-Control") != "no-store" || got.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%.80s: got headers %v, want an HTML page that is not stored", tc.path, got)
		}
		isNear := strings.Contains(tc.want, "/api/v2/")
		if strings.Contains(body, "Perhaps you are looking for") != isNear {
			t.Errorf("%.80s: got %s, want a suggestion only if a route is near", tc.path, body)
		}
	}
}

func TestPagesOfUnknownPathsDoNotLinkToOtherHosts(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.Path = "//evil.example/x"
	w := httptest.NewRecorder()
	web.New(web.Options{Catalog: builtinService(t).catalog}).NotFound(w, r, "", "")
	if body := w.Body.String(); !strings.Contains(body, `href="/evil.example/x?lang=fr"`) || strings.Contains(body, `href="//`) {
		t.Errorf("got %s, want a link to another language on this server", body)
	}
}

func TestUnknownPathsHaveAPageInTheReadersLanguage(t *testing.T) {
	s := builtinService(t)
	resp := s.do("GET", "/nothing", "Accept", browserAccept, "Accept-Language", "fr")
	if resp.status != http.StatusNotFound || !strings.Contains(resp.body, "Il n’y a rien à cette adresse") {
		t.Errorf("got status %d, want 404 in French\n%s", resp.status, resp.body)
	}
	if got := strings.Join(resp.header.Values("Vary"), ", "); got != "Accept, Accept-Language, Accept-Encoding" {
		t.Errorf("got Vary %q, want all three headers", got)
	}
	// The messages of problems are English.
	resp = s.do("GET", "/docs/none", "Accept-Language", "fr")
	if !strings.Contains(resp.body, `<div class="note" lang="en">`) {
		t.Errorf("got no English message in the French page\n%s", resp.body)
	}
}

func TestLongSearchesAreCut(t *testing.T) {
	s := builtinService(t)
	kept, cut := strings.Repeat("é", query.MaxSearch), strings.Repeat("é", query.MaxSearch+50)
	for _, path := range []string{"/", "/explore/" + stable, "/docs", "/docs/codes"} {
		body := s.get(path + "?q=" + url.QueryEscape(cut)).body
		if !strings.Contains(body, `value="`+kept+`"`) {
			t.Errorf("%s: the box does not contain the first %d characters of the search", path, query.MaxSearch)
		}
	}
}

func TestPagesRedirectFromPathsWithASlash(t *testing.T) {
	s := builtinService(t)
	for path, want := range map[string]string{
		"/explore/?lang=fr":                        "/explore?lang=fr",
		"/explore/" + stable + "/":                 "/explore/" + stable,
		"/explore/" + stable + "/face_template/?a": "/explore/" + stable + "/face_template?a",
		"/docs/":                "/docs",
		"/docs/api/?lang=fr":    "/docs/api?lang=fr",
		"/docs/codes/":          "/docs/codes",
		"/explore/%3Cb%3E%2F/":  "/explore/%3Cb%3E%2F",
		"/compare/a/b/":         "/compare/a/b",
		"/docs/api-reference/":  "/docs/api-reference",
		"/docs/none/none/none/": "",
		"/explore/a/b/c/d/":     "",
	} {
		got := s.do("GET", path)
		status := http.StatusFound
		if want == "" {
			status = http.StatusNotFound
		}
		if got.status != status || got.header.Get("Location") != want {
			t.Errorf("%s: got status %d, Location %q; want %d, %q", path, got.status, got.header.Get("Location"), status, want)
		}
	}
}

func TestUnknownVersionsLinkToKnownOnes(t *testing.T) {
	s := builtinService(t)
	for path, want := range map[string][]string{
		"/explore/place@2025-01-01-stable":                   {"Version “place@2025-01-01-stable” is not published here.", `<a href="/explore/` + stable + `">` + stable + "</a>"},
		"/explore/place@2026-06-02-stable/radar?lang=fr":     {"La version « place@2026-06-02-stable » n’est pas publiée ici.", `<a href="/explore/` + stable + `/radar?lang=fr">`},
		"/compare/" + stable + "/place@2026-10-18-beta":      {`<a href="/compare/` + stable + "/" + beta + `">`},
		"/explore/other@2020-01-01-beta?lang=ja":             {"公開されていません", `<a href="/explore/` + stable + `?lang=ja">`},
		"/explore/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E": {"&gt;&lt;script&gt;", `<a href="/explore/` + stable + `">`},
		"/explore/" + strings.Repeat("x", 5000) + "?lang=es": {"x…» no está publicada", `<a href="/explore/` + stable + `?lang=es">`},
	} {
		got := s.do("GET", path)
		if got.status != http.StatusNotFound || strings.Contains(got.body, "<script>alert") || strings.Contains(got.body, "Did you mean") {
			t.Errorf("%.80s: got status %d, want 404 in the language of the page\n%s", path, got.status, got.body)
		}
		contains(t, path, got.body, want...)
	}
}

// Neither the links to other languages nor those to versions that are not in memory
// repeat a long path.
func TestPagesOfLongUnknownPathsAreSmall(t *testing.T) {
	const first, second, third = "small@2026-01-02-stable", "small@2026-02-02-stable", "small@2026-03-02-stable"
	s := newService(t, nil, web.Options{Catalog: catalog.New(publishedFolder(t, first, second, third), catalog.Options{MaxResident: 1})})
	long := strings.Repeat("x", 20_000)
	for _, path := range []string{"/explore/" + third + "/" + long, "/docs/codes/" + long, "/docs/" + long} {
		if got := s.do("GET", path); got.status != http.StatusNotFound || len(got.body) > len(long) {
			t.Errorf("%.40s: got status %d and %d bytes, want 404 and a small page", path, got.status, len(got.body))
		}
	}
}
