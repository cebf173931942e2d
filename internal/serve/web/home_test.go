package web_test

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/web"
	"placard/internal/storage/builtin"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/scripts/envtest"
)

// exampleService serves the built-in taxonomy with its examples.
func exampleService(tb testing.TB) *service {
	tb.Helper()
	return newService(tb, builtin.Store(), web.Options{Examples: envtest.BuiltinTree()})
}

// retitled returns a release with another title.
func retitled(tb testing.TB, id, locale, title string) *release.Release {
	tb.Helper()
	t := releasetest.Taxonomy(tb, id)
	t.Title = taxonomy.Localized{{Locale: locale, Value: title}}
	r, err := release.Compile(t)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// contains reports an error for each text that a page lacks.
func (r response) contains(tb testing.TB, texts ...string) {
	tb.Helper()
	for _, text := range texts {
		if !strings.Contains(r.body, text) {
			tb.Errorf("the page has no %q\n%s", text, r.body)
		}
	}
}

// lacks reports an error for each text that a page contains.
func (r response) lacks(tb testing.TB, texts ...string) {
	tb.Helper()
	for _, text := range texts {
		if strings.Contains(r.body, text) {
			tb.Errorf("the page has %q\n%s", text, r.body)
		}
	}
}

func TestHomeShowsASingleTaxonomy(t *testing.T) {
	page := exampleService(t).get("/")
	page.contains(t,
		"<h1>Signs that say what a system does</h1>", "Look up a sign", `<h2 id="collections">Sensing in public places</h2>`, `href="/explore/`+stable+`"`,
		"84 signs · 11 questions", "stable</span>", "1 June 2026", `<span lang="ja" dir="ltr">日本語</span>`, beta,
		`href="/example/`+stable+`/smart_crossing"`, "Smart crossing on Linden Avenue", `action="/"`)
	french := exampleService(t).get("/?lang=fr")
	french.contains(t, ">Capteurs dans l’espace public</h2>", "Caméra vidéo", "1er juin 2026", "Je gère un lieu", "/explore/"+stable+"?lang=fr")
}

func TestHomeShowsTwelveIconsOfAllCategories(t *testing.T) {
	body := builtinService(t).get("/").body
	matches := regexp.MustCompile(`href="/explore/`+stable+`/([a-z0-9_]+)"><(?:svg|img)`).FindAllStringSubmatch(body, -1)
	r, err := builtin.Store().Load(t.Context(), builtinEntry(t))
	if err != nil {
		t.Fatal(err)
	}
	categories, shown := make(map[string]bool), make(map[string]bool)
	for _, match := range matches {
		n, ok := r.Element(match[1])
		if !ok {
			t.Fatalf("%s is not an element", match[1])
		}
		shown[match[1]] = true
		categories[r.Taxonomy.Elements[n].CategoryID] = true
	}
	if len(shown) != 12 || len(categories) != len(r.Taxonomy.Categories) {
		t.Errorf("got %d elements of %d categories, want 12 of all %d", len(shown), len(categories), len(r.Taxonomy.Categories))
	}
}

// builtinEntry returns the entry of the stable built-in release.
func builtinEntry(tb testing.TB) store.Entry {
	tb.Helper()
	index, err := builtin.Store().Index(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range index.Releases {
		if e.ID.String() == stable {
			return e
		}
	}
	tb.Fatalf("%s is not built in", stable)
	return store.Entry{}
}

func TestHomeOfAnEmptyServerSaysHowToPublish(t *testing.T) {
	page := publishedService(t).get("/")
	page.contains(t, "<h1>Nothing is published here yet</h1>", "placard publish taxonomy --store store", `href="/docs/authoring"`, "/mcp")
	page.lacks(t, `role="search"`, `id="software"`)
	publishedService(t).get("/?q=camera").lacks(t, "/explore/")
}

func TestHomeListsManyTaxonomies(t *testing.T) {
	var releases []*release.Release
	for i := range 8 {
		releases = append(releases, releasetest.Release(t, fmt.Sprintf("type%d@2026-01-02-stable", i)))
	}
	page := publishedService(t, releases...).get("/")
	page.contains(t, "<h1>Signs that say what a system does</h1>", "8 collections", "/explore/type7@2026-01-02-stable")
	if got := strings.Count(page.body, `class="icon-row"`); got != 6 {
		t.Errorf("got icons of %d taxonomies, want 6", got)
	}
}

func TestHomeShowsTitlesInTheirLanguage(t *testing.T) {
	long := strings.Repeat("Donaudampfschifffahrtsgesellschaft", 8)
	s := publishedService(t, retitled(t, "arab@2026-01-02-stable", "ar", "الاستشعار"), retitled(t, "aaa@2026-01-02-beta", "de", long),
		retitled(t, "bad@2026-01-02-stable", "en", `"><script>alert(1)</script>`))
	page := s.get("/")
	page.contains(t, "/api/v2/schemas/arab@latest/validate", `<span lang="ar" dir="rtl">الاستشعار</span>`, `<span lang="de" dir="ltr">`+long, `&lt;script&gt;alert(1)`)
	page.lacks(t, "<script>alert")
}

// TestHomeIsInTheLanguageThatItIsCachedFor checks that a preference for a language
// that only a taxonomy has does not affect other readers.
func TestHomeIsInTheLanguageThatItIsCachedFor(t *testing.T) {
	r := releasetest.Taxonomy(t, "small@2026-01-02-stable")
	r.Locales = append(r.Locales, "de")
	r.Title = append(r.Title, taxonomy.Text{Locale: "de", Value: "Klein"})
	compiled, err := release.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	s := publishedService(t, compiled)
	s.get("/", "Accept-Language", "de, en;q=0.5").contains(t, ">Small</h2>")
	s.get("/", "Accept-Language", "en").contains(t, ">Small</h2>")
}

func TestHomeLinksTaxonomiesThatAreNotInMemory(t *testing.T) {
	folder := publishedFolder(t, "one@2026-01-02-stable", "two@2026-01-02-stable")
	c := catalog.New(folder, catalog.Options{MaxResident: 1})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages := web.New(web.Options{Catalog: c})
	get := func(path string) response {
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return response{w.Code, w.Header(), w.Body.String()}
	}
	for range 2 { // rendered and cached
		page := get("/")
		page.contains(t, `href="/explore/one@2026-01-02-stable"`, `href="/explore/two@2026-01-02-stable"`, "See all signs", "See all 3 signs")
	}
	get("/?q=sound").contains(t, "1 sign for", "Search in “", "?q=sound")
	snapshot, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range snapshot.Versions() {
		if snapshot.Lookup(v.ID.String()) == nil {
			if got := get("/explore/" + v.ID.String()); got.status != http.StatusOK {
				t.Fatalf("%s: got status %d, want 200", v.ID, got.status)
			}
			get("/").contains(t, "See all 3 signs", v.ID.String()+"/sound")
			break
		}
	}
}

// damagedStore fails to load some releases.
type damagedStore struct {
	catalog.Store
	damaged []string
}

func (s *damagedStore) Load(ctx context.Context, e store.Entry) (*release.Release, error) {
	if slices.Contains(s.damaged, e.ID.String()) {
		return nil, os.ErrInvalid
	}
	return s.Store.Load(ctx, e)
}

func TestHomeSaysThatATaxonomyIsUnavailable(t *testing.T) {
	folder := publishedFolder(t, "one@2026-01-02-stable", "two@2026-01-02-stable")
	damaged := &damagedStore{folder, []string{"two@2026-01-02-stable"}}
	c := catalog.New(damaged, catalog.Options{Retry: 1, Log: slog.New(slog.DiscardHandler)})
	pages := web.New(web.Options{Catalog: c})
	home := func() response {
		t.Helper()
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		return response{w.Code, w.Header(), w.Body.String()}
	}
	home().contains(t, "It cannot be read at the moment.", "one@2026-01-02-stable")
	damaged.damaged = nil
	home().lacks(t, "It cannot be read at the moment.")
}

func TestHomeSearchesAllTaxonomies(t *testing.T) {
	s := publishedService(t, releasetest.Release(t, "one@2026-01-02-stable"), releasetest.Release(t, "two@2026-01-02-stable"),
		releasetest.Release(t, "two@2026-03-01-beta"))
	page := s.get("/?q=sound")
	page.contains(t, "2 signs for “sound”", `href="/explore/one@2026-01-02-stable/sound"`, `href="/explore/two@2026-01-02-stable/sound"`,
		"<mark>Sound</mark>", `<span class="of">Data</span>`, `value="sound"`, "noindex")
	page.lacks(t, `href="/explore/two@2026-03-01-beta/sound"`, "All 1 sign") // which all are shown
	part := s.get("/?q=sound&part=results")
	part.contains(t, `data-status="2 signs for “sound”"`, "<mark>")
	part.lacks(t, "<html", "curl")
	s.get("/?q=sond").contains(t, `href="/explore/one@2026-01-02-stable/sound"`)
	s.get("/?q=s%C3%A9curit%C3%A9&lang=en").contains(t, `&amp;lang=fr`, "Français")
	s.get("/?q=%7Bn%7D").contains(t, "signs for “{n}”")
	s.get("/?q=%3Cscript%3E").lacks(t, "<script>“")
	builtinService(t).get("/?q=cmaeraz").contains(t, `data-status="No sign for “cmaeraz”"`, "Try a shorter")
	builtinService(t).get("/?q=camera").contains(t, `href="/explore/`+stable+`?q=camera"><bdi>All `)
}

func TestExamplesAreShownAsTheirReadersSeeThem(t *testing.T) {
	s := exampleService(t)
	page := s.get("/example/place@latest/smart_crossing?lang=fr")
	page.contains(t, `<html lang="fr"`, "Passage piéton intelligent, avenue des Tilleuls")
	if got := page.header.Get("Content-Security-Policy"); !strings.Contains(got, "style-src 'sha256-") {
		t.Errorf("got policy %q, want that of disclosures", got)
	}
	cached := s.get("/example/place@latest/smart_crossing?lang=fr")
	if cached.header.Get("Content-Security-Policy") != page.header.Get("Content-Security-Policy") || cached.body != page.body {
		t.Error("the cached page differs")
	}
	for _, path := range []string{"/example/place@latest/none", "/example/place@latest/example.x", "/example/place@latest/..%2f..%2fmeta", "/example/none@latest/x"} {
		if got := s.do("GET", path); got.status != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, got.status)
		}
	}
	// Releases without example documents have one that is written for them.
	written := publishedService(t, releasetest.Release(t, "small@2026-01-02-stable"))
	written.get("/").contains(t, `href="/example/small@2026-01-02-stable/example"`)
	written.get("/example/small@2026-01-02-stable/example").contains(t, "Safety")
}

// Searches are not cached.
func TestSearchesRenderNoExamples(t *testing.T) {
	s := exampleService(t)
	s.get("/").contains(t, `href="/example/`)
	s.get("/?q=camera").lacks(t, `href="/example/`)
}

var snippets = regexp.MustCompile(`(?s)<code id="snippet-([a-z-]+)">(.*?)</code>`)

func TestTheRequestToAnAssistantAsksForToolsAndForThePage(t *testing.T) {
	s := exampleService(t)
	for _, lang := range []string{"en", "fr", "es", "ja"} {
		home := s.get("/?lang=" + lang)
		home.contains(t, s.URL+"/mcp", s.URL+"/api/v2/schemas/place@latest/render", "HTML", "render_datachain")
		home.lacks(t, "describe_system")
	}
}

func TestHomeLinksToTheChangesBetweenVersions(t *testing.T) {
	s := builtinService(t)
	s.get("/").contains(t, `<a href="/compare/`+stable+"/"+beta+`">What changed</a>`, "Use a stable version for new disclosures.")
	s.get("/?lang=fr").contains(t, `<a href="/compare/`+stable+"/"+beta+`?lang=fr">Ce qui a changé</a>`, "Langue : <")
}

// TestSnippetsOfTheHomePageRun runs the snippets as a reader who copies them does.
func TestSnippetsOfTheHomePageRun(t *testing.T) {
	s := exampleService(t)
	for _, lang := range []string{"en", "ja"} {
		code := make(map[string]string)
		for _, match := range snippets.FindAllStringSubmatch(s.get("/?lang="+lang).body, -1) {
			code[match[1]] = html.UnescapeString(match[2])
		}
		dir := t.TempDir()
		found := `video_camera`
		for _, tc := range []struct {
			name    string
			program []string
			want    []string
		}{
			{"all", []string{"sh", "-c", code["all"]}, []string{`"total":84`, found, "never_stored", `"description":`}},
			{"icon", []string{"sh", "-c", code["icon"] + "cat icon.svg"}, []string{"<svg"}},
			{"search", []string{"sh", "-c", code["search"]}, []string{`"ok":true`, found}},
			// It writes the document that the following ones read.
			{"validate", []string{"sh", "-c", code["validate"]}, []string{`"ok":true`}},
			{"sign", []string{"sh", "-c", code["sign"] + "cat sign.svg"}, []string{"<svg", "example.org/disclosure"}},
			{"python", []string{"python3", "-c", code["python"]}, []string{"'ok': True", found}},
			{"javascript", []string{envtest.Node(t), "--input-type=module", "--eval", code["javascript"]}, []string{"ok: true", found}},
		} {
			if tc.name == "python" && !envtest.Long {
				continue
			}
			envtest.Program(t, "curl")
			cmd := exec.CommandContext(t.Context(), envtest.Program(t, tc.program[0]), tc.program[1:]...)
			cmd.Dir = dir
			output, err := cmd.CombinedOutput()
			for _, want := range tc.want {
				if err != nil || !strings.Contains(string(output), want) {
					t.Errorf("%s, %s: got error %v and %s, want %s\n%s", lang, tc.name, err, output, want, tc.program[len(tc.program)-1])
				}
			}
		}
		for _, key := range []string{"mcp", "claude-code", "claude", "cursor", "vscode", "chatgpt"} {
			if !strings.Contains(code[key], s.URL+"/mcp") {
				t.Errorf("%s: got %q, want the address of this server", key, code[key])
			}
		}
	}
}
