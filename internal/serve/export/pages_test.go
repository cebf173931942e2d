package export_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"placard/internal/serve/export"
)

// site is a site with two languages, a parameter, a redirect, a form and a dead link.
func site(w http.ResponseWriter, r *http.Request) {
	language := r.URL.Query().Get("lang")
	if language == "" {
		language = r.Header.Get("Accept-Language")
	}
	switch r.URL.Path {
	case "/":
		fmt.Fprintf(w, `<link rel="canonical" href="http://%s/?lang=fr"><a href="/list?b=2&amp;a=1&amp;lang=fr#part">`+
			`<a href="/old"><a href="/dead?lang=fr"><a href="/api/x?y=z"><a href="https://example.org/"><form action="/list"><input name="q"></form>%s`, r.Host, language)
	case "/list":
		fmt.Fprintf(w, `<script src="/style.js"></script><p>%s %s%s &lt;http://%s/list&gt;`, language, r.URL.Query().Get("a"), r.URL.Query().Get("b"), r.Host)
	case "/old":
		http.Redirect(w, r, "/list?a=3", http.StatusFound)
	case "/style.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `"/old"`)
	default:
		http.NotFound(w, r)
	}
}

func TestPagesAreWrittenAsFiles(t *testing.T) {
	for _, tc := range []struct {
		publicURL string
		want      map[string]string
	}{
		{"", map[string]string{
			"index.html": `<link rel="canonical" href="/fr"><a href="/fr/list/a/1/b/2#part"><a href="/old"><a href="/dead?lang=fr">` +
				`<a href="/api/x?y=z"><a href="https://example.org/">en`,
			"fr/index.html": `<link rel="canonical" href="/fr"><a href="/fr/list/a/1/b/2#part"><a href="/old"><a href="/dead?lang=fr">` +
				`<a href="/api/x?y=z"><a href="https://example.org/">fr`,
			"fr/list/a/1/b/2/index.html": `<script src="/style.js"></script><p>fr 12 &lt;http://localhost:8080/list&gt;`,
			"old/index.html":             `<script src="/style.js"></script><p>en 3 &lt;http://localhost:8080/list&gt;`,
			"style.js":                   `"/old"`,
		}},
		{"https://host.example", map[string]string{
			"old/index.html": `<script src="/style.js"></script><p>en 3 &lt;https://host.example/list&gt;`,
			"index.html": `<link rel="canonical" href="https://host.example/fr"><a href="/fr/list/a/1/b/2#part"><a href="/old"><a href="/dead?lang=fr">` +
				`<a href="/api/x?y=z"><a href="https://example.org/">en`,
		}},
	} {
		dir := t.TempDir()
		opts := options(t, api(t, 1))
		rest := len(opts.Resources)
		err := opts.WithPages(t.Context(), export.Site{
			Handler:   http.HandlerFunc(site),
			Serves:    func(r *http.Request) bool { return !strings.HasPrefix(r.URL.Path, "/api/") },
			Param:     "lang",
			Language:  "en",
			PublicURL: tc.publicURL,
		}, "/")
		if err != nil {
			t.Fatal(err)
		}
		if report := mustExport(t, export.Folder(dir), opts); report.Files != rest+5 {
			t.Errorf("got %d files, want %d of the API and 5 of the pages", report.Files, rest)
		}
		for name, want := range tc.want {
			got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil || string(got) != want {
				t.Errorf("%s: got %s (%v)\nwant %s", name, got, err, want)
			}
		}
		if headers := strings.Join(lines(t, dir, "_headers"), "\n"); !strings.HasPrefix(headers, "/api/v2/*\n") {
			t.Errorf("got the rules %s\nwant only those of the API", headers)
		}
	}
}

func TestPagesThatFailStopTheExport(t *testing.T) {
	opts := export.Options{Handler: http.NotFoundHandler()}
	err := opts.WithPages(t.Context(), export.Site{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	})}, "/")
	if err == nil || err.Error() != "GET /: Bad Gateway" {
		t.Errorf("got error %v, want the request and its status", err)
	}
}
