package web_test

import (
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/net/html"

	"placard"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/web"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// parsedPage is a page with the ids of its elements and the targets of its links.
type parsedPage struct {
	ids   map[string]bool
	links []string
	text  string
}

func parsePage(tb testing.TB, body string) parsedPage {
	tb.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	p := parsedPage{ids: make(map[string]bool)}
	var text strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id" && p.ids[a.Val]:
				tb.Errorf("two elements have the id %q", a.Val)
			case a.Key == "id":
				p.ids[a.Val] = true
			case a.Key == "href" && n.Data == "a" || a.Key == "src":
				p.links = append(p.links, a.Val)
			}
		}
	}
	p.text = text.String()
	return p
}

// TestLinksOfDocuments follows every link from the overview to pages and files of this
// server, and checks that the page and the anchor exist.
func TestLinksOfDocuments(t *testing.T) {
	s := builtinService(t)
	pages := make(map[string]parsedPage)
	open := func(path string) parsedPage {
		if _, ok := pages[path]; !ok {
			pages[path] = parsePage(t, s.get(path).body)
		}
		return pages[path]
	}
	waiting, seen := []string{"/docs"}, map[string]bool{"/docs": true}
	for len(waiting) > 0 {
		from := waiting[0]
		waiting = waiting[1:]
		for _, link := range open(from).links {
			target, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: %v", from, err)
				continue
			}
			to := target.Path
			if target.Host != "" || target.Query().Has("lang") {
				continue
			}
			if to == "" {
				to = from
			}
			if target.Fragment != "" && !open(to).ids[target.Fragment] {
				t.Errorf("%s links to %s, which has no such anchor", from, link)
			}
			if seen[to] {
				continue
			}
			seen[to] = true
			if got := s.do("GET", to); got.status != http.StatusOK {
				t.Errorf("%s links to %s: got status %d", from, link, got.status)
			} else if strings.HasPrefix(to, "/docs/") && strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
				waiting = append(waiting, to)
			}
		}
	}
	for _, pattern := range []string{"docs/*.md", "docs/adr/*.md", "*.md"} {
		files, err := fs.Glob(placard.Docs, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			page := "/" + strings.TrimSuffix(file, ".md")
			switch {
			case file == "docs/rules.md":
				page = "/docs/codes"
			case path.Base(file) == "README.md":
				page = "/" + path.Dir(file)
			case pattern == "*.md":
				page = "/docs" + strings.ToLower(page)
			}
			if !seen[page] {
				t.Errorf("no page links to %s, the page of %s", page, file)
			}
		}
	}
}

func TestDocumentsAreInEnglish(t *testing.T) {
	s := builtinService(t)
	page := s.get("/docs/api?lang=fr").body
	for _, want := range []string{
		`<html lang="fr"`, `<article lang="en">`, `Sur cette page`, `href="/docs/mcp?lang=fr"`,
		`href="/docs/codes?lang=fr"`, `href="#errors"`, `>Copier</button>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %s", want)
		}
	}
	for _, lang := range []string{"en", "fr", "es", "ja"} {
		overview := s.get("/docs?lang=" + lang).body
		if !strings.Contains(overview, `lang="en">Writing a taxonomy</a>`) {
			t.Errorf("%s: the overview does not mark the titles as English", lang)
		}
	}
}

func TestExamplesShowTheAddressOfTheServer(t *testing.T) {
	s := builtinService(t)
	get := func(path string) string {
		req := httptest.NewRequest("GET", path, nil)
		req.Host = "signs.example.org"
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, req)
		return parsePage(t, w.Body.String()).text
	}
	api := get("/docs/api")
	if !strings.Contains(api, "curl -s http://signs.example.org/api/v2/schemas\n") || strings.Contains(api, "localhost:8080") {
		t.Error("the commands in the guide to the API do not use the address of the server")
	}
	mcp := get("/docs/mcp")
	if !strings.Contains(mcp, "enter the URL http://signs.example.org/mcp") || !strings.Contains(mcp, "Listening on http://127.0.0.1:8080") {
		t.Error("the guide to MCP does not use the address of the server, or changes the output of a command")
	}
	if got := get("/docs/authoring"); !strings.Contains(got, "localhost:8080") || strings.Contains(got, "signs.example.org/api") {
		t.Error("the guide for authors uses the address of the server instead of that of the one that they start")
	}
}

func TestGuidesNameATaxonomyThatIsServed(t *testing.T) {
	folder := store.OpenFolder(t.TempDir())
	if _, err := storetest.Publish(t.Context(), folder, releasetest.Release(t, "small@2026-01-02-stable")); err != nil {
		t.Fatal(err)
	}
	docs := fstest.MapFS{"docs/api.md": {Data: []byte("# API\n\nIntroduction.\n\n## Use\n\nUse `place@latest`.\n\n```console\n$ curl 'localhost:8080/api/v2/schemas/place@2026-06-01-stable/elements/radar'\n```\n\n```json\n{\"v\": \"place@beta\"}\n```\n")}}
	s := newService(t, folder, web.Options{Docs: docs})
	page := s.get("/docs/api")
	page.contains(t, "<code>small@latest</code>", "/api/v2/schemas/small@2026-01-02-stable/elements/safety", `href="/explore/small@2026-01-02-stable"`, `href="/example/small@2026-01-02-stable/example"`)
	page.lacks(t, "place@", "elements/radar")
	s.get("/docs/api?lang=fr").contains(t, "une autre taxonomie")

	docsService(t, docs).get("/docs/api").contains(t, "place@latest", "place@2026-06-01-stable/elements/radar")
	docsService(t, docs).get("/docs/api").lacks(t, "another taxonomy")
}

// docsService serves documents with the built-in taxonomy.
func docsService(tb testing.TB, files fstest.MapFS) *service {
	tb.Helper()
	return newService(tb, builtin.Store(), web.Options{Docs: files})
}

func TestHostileMarkdown(t *testing.T) {
	s := docsService(t, fstest.MapFS{"docs/x.md": {Data: []byte("# A <script>alert(1)</script>\n\n" +
		"<script>alert(2)</script>\n\n<b onclick=\"alert(3)\">b</b> [a](javascript:alert(4)) [b](../../../etc/passwd) ![c](data:text/html,x)\n\n" +
		"```\"><script>alert(5)</script>\n<script>alert(6)</script>\n```\n\n## \"><img src=x onerror=alert(7)>\n\n| | |\n|-|-|\n| <i>x</i> | `<script>` |\n")}})
	body := s.get("/docs/x").body
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		isFrame := n.Data == "script" && slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
			return a.Key == "src" && strings.HasPrefix(a.Val, "/assets/") || a.Key == "type" && a.Val == "application/ld+json"
		})
		if n.Data == "script" && !isFrame || n.Data == "i" {
			t.Errorf("got an element %s of the document", n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.Contains(a.Val, "javascript:") || a.Key == "style" || strings.Contains(a.Val, "etc/passwd") {
				t.Errorf("<%s> has the attribute %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
}

func TestDocumentWithoutHeadings(t *testing.T) {
	s := docsService(t, fstest.MapFS{"docs/plain.md": {Data: []byte("Only a text.\n")}, "docs/empty.md": {}})
	if got := s.get("/docs/plain").body; !strings.Contains(got, "<h1>plain</h1>") || !strings.Contains(got, "Only a text.") {
		t.Errorf("got %s", got)
	}
	if got := s.get("/docs/empty").body; !strings.Contains(got, "<h1>empty</h1>") {
		t.Errorf("got %s", got)
	}
}

func TestImagesOfDocuments(t *testing.T) {
	s := builtinService(t)
	image := s.get("/docs/images/raster.png", "Accept-Encoding", "br")
	if image.header.Get("Content-Type") != "image/png" || !strings.HasPrefix(image.body, "\x89PNG") || image.header.Get("Content-Encoding") != "" {
		t.Errorf("got %v", image.header)
	}
	if got := s.do("GET", "/docs/images/raster.png", "If-None-Match", image.header.Get("Etag")); got.status != http.StatusNotModified {
		t.Errorf("with the ETag: got status %d, want 304", got.status)
	}
	for _, path := range []string{"/docs/images/none.png", "/docs/images/..%2fapi.md", "/docs/images"} {
		if got := s.do("GET", path); got.status != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, got.status)
		}
	}
	if got := s.do("POST", "/docs/images/raster.png"); got.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: got status %d, want 405", got.status)
	}
}

func TestTheOverviewBeginsWithTheGuideForPlaces(t *testing.T) {
	s := builtinService(t)
	for _, lang := range []string{"en", "fr", "es", "ja"} {
		_, readers, _ := strings.Cut(s.get("/docs?lang="+lang).body, `class="readers"`)
		if _, first, _ := strings.Cut(readers, "<li>"); !strings.HasPrefix(first, `<a href="/docs/disclosure?lang=`+lang+`"`) {
			t.Errorf("%s: got %.100s, want a link to the guide", lang, first)
		}
	}
	guide := s.get("/docs/disclosure")
	guide.contains(t, s.URL+"/api/v2/schemas/place@2026-06-01-stable/render", "called a <em>datachain</em>")
	s.get("/?lang=en").contains(t, `href="/docs/disclosure?lang=en"`, `href="/docs/disclosure?lang=en#get-the-program"`)
	s.get("/docs/api-reference").contains(t, "A sign on the other pages is an element here")
}

func TestSearchInDocuments(t *testing.T) {
	s := builtinService(t)
	for _, tt := range []struct{ query, want string }{
		{"caching", `href="/docs/api#caching"`},
		{"cachng", `href="/docs/api#caching"`},
		{"rate_limited", `href="/docs/codes/rate_limited"`},
		{"prune old releases", `href="/docs/cli#placard-prune"`},
		{"publish a disclosure", `href="/docs/disclosure`},
		{"qr code", `href="/docs/disclosure#a-sign-on-the-pole"`},
		{"install the program", `href="/docs/disclosure#get-the-program"`},
		{"redis", `href="/docs/adr/0017-redis"`},
	} {
		if got := s.get("/docs?q=" + url.QueryEscape(tt.query)).body; !strings.Contains(got, tt.want) {
			t.Errorf("%s: the results do not contain %s", tt.query, tt.want)
		}
	}
	if got := s.get("/docs?q=strong+etag").body; !strings.Contains(got, "<mark>ETag</mark>") {
		t.Error("matches are not marked")
	}
	hostile := s.get("/docs?q=" + url.QueryEscape(`"><script>alert(1)</script>`)).body
	if strings.Contains(hostile, "<script>alert") {
		t.Error("the query is not escaped")
	}
	if got := s.get("/docs?q=zzqqxx&lang=es").body; !strings.Contains(got, "No se ha encontrado nada para «zzqqxx».") {
		t.Errorf("without results: got %s", got)
	}
	part := s.get("/docs?q=etag&part=results").body
	if strings.Contains(part, "<html") || !strings.Contains(part, "<ol") {
		t.Errorf("got %s, want only the results", part)
	}
}

// The title of a page is the one that script sets when the reader types the same query.
func TestTitlesOfSearchesSayWhatWasFound(t *testing.T) {
	s := builtinService(t)
	title := regexp.MustCompile(`<title>([^<]*)</title>`)
	shown := regexp.MustCompile(`data-title="([^"]*)"`)
	for _, path := range []string{"/docs", "/docs?q=etag", "/docs?q=zzqqxx", "/docs/codes", "/docs/codes?q=rate", "/docs/codes?q=zzqqxx"} {
		page := s.get(path).body
		got, want := title.FindStringSubmatch(page), shown.FindStringSubmatch(page)
		if got == nil || want == nil || got[1] != want[1] {
			t.Errorf("%s: got the title %q, want %q", path, got, want)
		}
	}
}

func TestDocumentsWhileTheStoreCannotBeRead(t *testing.T) {
	h := web.New(web.Options{
		Catalog: catalog.New(store.OpenFolder(t.TempDir()), catalog.Options{}), Docs: placard.Docs,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	for _, tt := range []struct {
		path string
		want int
	}{
		{"/docs", http.StatusOK},
		{"/docs/operating", http.StatusOK},
		{"/docs/codes/upstream_error", http.StatusOK},
		{"/docs/none", http.StatusNotFound},
		{"/", http.StatusBadGateway},
	} {
		for range 2 {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", tt.path, nil))
			if w.Code != tt.want {
				t.Errorf("%s: got status %d, want %d", tt.path, w.Code, tt.want)
			}
		}
	}
}

func TestOtherAddressesOfDocuments(t *testing.T) {
	s := builtinService(t)
	for path, want := range map[string]string{"/docs/rules?lang=ja": "/docs/codes?lang=ja", "/docs/?lang=fr": "/docs?lang=fr"} {
		if got := s.do("GET", path); got.status != http.StatusFound || got.header.Get("Location") != want {
			t.Errorf("%s: got status %d to %s, want a redirect to %s", path, got.status, got.header.Get("Location"), want)
		}
	}
}

func TestPagesWithoutDocuments(t *testing.T) {
	h := web.New(web.Options{Catalog: catalog.New(builtin.Store(), catalog.Options{})})
	for _, path := range []string{"/docs", "/docs/api", "/docs/images/raster.png", "/docs/api-reference", "/docs/api-reference/validate"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, w.Code)
		}
	}
}
