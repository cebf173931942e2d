package web_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"

	"placard/internal/core/compat"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// The versions that the tests compare.
const (
	firstVersion  = "small@2026-01-01-beta"
	secondVersion = "small@2026-02-01-beta"
	comparison    = "/compare/" + firstVersion + "/" + secondVersion
)

// comparedReleases returns two versions that differ in many ways.
func comparedReleases(tb testing.TB) []*release.Release {
	tb.Helper()
	drawing := []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><linearGradient id="a"><stop offset="0" stop-color="#000000"/></linearGradient><rect x="9" y="9" width="18" height="18" fill="url(#a)"/></svg>`)
	return []*release.Release{
		compile(tb, firstVersion, func(x *taxonomy.Taxonomy) {
			x.Elements = append(x.Elements, element("obsolete", "Old thing", "Vieille chose"), element("old_name", "Thing", "Chose"))
		}),
		compile(tb, secondVersion, func(x *taxonomy.Taxonomy) {
			x.Symbols["box"] = drawing
			x.Title = taxonomy.Localized{{Locale: "en", Value: "Small and new"}, {Locale: "fr", Value: "Petit et neuf"}}
			x.Elements[0].Title = taxonomy.Localized{{Locale: "en", Value: "Public safety"}, x.Elements[0].Title[1]}
			x.Elements[1].Title = taxonomy.Localized{x.Elements[1].Title[0], {Locale: "fr", Value: "Photos prises"}}
			x.Elements[2].Context = nil
			x.Categories[0].Required = !x.Categories[0].Required
			x.Categories[1].Shape = taxonomy.Octagon
			x.Categories[1].Context.Values = x.Categories[1].Context.Values[:1]
			x.Categories[1].Variables[1].Options = x.Categories[1].Variables[1].Options[1:]
			renamed := element("new_name", "Thing", "Chose")
			renamed.Replaces = taxonomy.IDs{"old_name"}
			x.Elements = append(x.Elements, renamed, element("brand_new", "New thing", "Nouvelle chose"))
		}),
	}
}

func element(id, en, fr string) taxonomy.Element {
	text := taxonomy.Localized{{Locale: "en", Value: en}, {Locale: "fr", Value: fr}}
	return taxonomy.Element{ID: id, CategoryID: "data", SymbolID: "box", Title: text, Description: text}
}

func TestComparison(t *testing.T) {
	s := publishedService(t, comparedReleases(t)...)
	page := s.get(comparison).body
	text := visibleText(t, page)
	contains(t, "English", text,
		"Small and new What changed", "1 January 2026 · beta", "1 February 2026 · beta", "Swap them",
		"Breaking", "This sign is gone. Disclosures that show it become invalid.", "Keep the element, or write replaces: obsolete",
		"placard upgrade FILE --to "+secondVersion,
		"Some disclosures made for 1 January 2026 become invalid.",
		"New thing New thing", "Old thing This sign is gone", "Thing sign old_name → new_name",
		"Title Safety Public safety Unchanged in: Français.", "Outline circle → octagon",
		"Translations", "Title Français Images Photos prises")
	contains(t, "English", page,
		`<del>Safety</del><ins>Public safety</ins>`,
		`href="/explore/`+firstVersion+`/obsolete"`, `href="/explore/`+secondVersion+`/brand_new"`, `href="/explore/`+secondVersion+`#question-data"`,
		`href="/docs/codes/ELEMENT_REMOVED"`, `href="#breaking"`, `id="breaking"`,
		`<option value="`+firstVersion+`" selected>`, `href="/compare/`+secondVersion+"/"+firstVersion+`"`)
	if strings.Index(text, "This sign is gone") > strings.Index(text, "New thing") {
		t.Error("the breaking changes are not the first")
	}

	// In French, changes of the French texts are the reworded ones.
	page = s.get(comparison + "?lang=fr").body
	text = visibleText(t, page)
	contains(t, "French", text,
		"Petit et neuf Ce qui a changé", "Ce signe a été supprimé.", "Reformulations", "Titre Images Photos prises", "Traductions", "Titre English Safety Public safety")
	contains(t, "French", page, `<p lang="en">Element &#34;obsolete&#34; was removed.`, `href="/explore/`+secondVersion+`/brand_new?lang=fr"`, `href="/docs/codes/ELEMENT_REMOVED?lang=fr"`)

	for _, lang := range []string{"es", "ja"} {
		s.get(comparison + "?lang=" + lang)
	}
}

func TestComparisonAnswersWhetherDisclosuresStayValid(t *testing.T) {
	page := builtinService(t).get("/compare/" + stable + "/" + beta + "?lang=fr").body
	contains(t, "compatible", visibleText(t, page), "les déclarations rédigées pour la version du 1er juin 2026 restent valides.")
	contains(t, "other languages", page, `<summary><span>Également modifié en : <bdi>English</bdi>, <bdi>Español</bdi>`)
}

// The page explains every kind of change and finding in the reader's language.
func TestWordsOfComparisonsAreComplete(t *testing.T) {
	data, err := os.ReadFile("texts/compare.json")
	if err != nil {
		t.Fatal(err)
	}
	var words map[string]any
	if err := json.Unmarshal(data, &words); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, rule := range compat.Rules {
		want = append(want, "meaning."+string(rule.Code))
	}
	for _, kind := range compat.Kinds {
		want = append(want, string(kind), string(kind)+".note")
	}
	for _, kind := range compat.SubjectKinds {
		want = append(want, "noun."+string(kind))
	}
	for _, kind := range taxonomy.Kinds {
		want = append(want, "value."+string(kind))
	}
	for _, shape := range taxonomy.Shapes {
		want = append(want, "value."+string(shape))
	}
	for _, key := range want {
		if words["compare."+key] == nil {
			t.Errorf("there is no text compare.%s", key)
		}
	}
}

// Icons that occur more than once must not share ids.
func TestComparisonHasUniqueIDs(t *testing.T) {
	s := publishedService(t, comparedReleases(t)...)
	root, err := html.Parse(strings.NewReader(s.get(comparison).body))
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]bool)
	gradients := 0
	for n := range root.Descendants() {
		if n.Data == "linearGradient" {
			gradients++
		}
		for _, a := range n.Attr {
			if a.Key != "id" {
				continue
			}
			if ids[a.Val] {
				t.Errorf("id %q is not unique", a.Val)
			}
			ids[a.Val] = true
		}
	}
	if gradients < 3 {
		t.Errorf("got %d gradients, want several of the same symbol", gradients)
	}
}

func TestComparisonStates(t *testing.T) {
	releases := comparedReleases(t)
	s := publishedService(t, append(releases,
		compile(t, "small@2026-03-01-beta", func(x *taxonomy.Taxonomy) {
			*x = *releases[1].Taxonomy.Authored()
			x.ID, _ = taxonomy.ParseID("small@2026-03-01-beta")
		}),
		compile(t, "other@2026-03-01-beta", func(*taxonomy.Taxonomy) {}),
	)...)
	for _, tt := range []struct {
		name, path string
		want       []string
	}{
		{"backward", "/compare/" + secondVersion + "/" + firstVersion, []string{"The first version is newer", "Swap them", "New thing"}},
		{"same", "/compare/" + firstVersion + "/" + firstVersion, []string{"This is the same version twice."}},
		{"aliases", "/compare/" + firstVersion + "/small@beta", []string{"Public safety"}},
		{"types", "/compare/" + firstVersion + "/other@2026-03-01-beta", []string{"belong to different sets of signs"}},
		{"equal", "/compare/" + secondVersion + "/small@2026-03-01-beta", []string{"Nothing differs between these two versions."}},
		{"form", "/compare", []string{"Compare two versions", "1 January 2026 · beta"}},
	} {
		page := s.get(tt.path).body
		contains(t, tt.name, visibleText(t, page), tt.want...)
		contains(t, tt.name, page, `<optgroup label="small">`, `<optgroup label="other">`, `<form class="compare-form" action="/compare">`)
	}
	for _, path := range []string{
		"/compare/" + firstVersion, "/compare/" + firstVersion + "/small@2020-01-01-beta", "/compare/x/y", "/compare/%3Cscript%3E/" + firstVersion,
	} {
		if got := s.do("GET", path); got.status != http.StatusNotFound || strings.Contains(got.body, "<script>") {
			t.Errorf("%s: got status %d, want 404", path, got.status)
		}
	}
}

func TestFormOfComparisonsRedirects(t *testing.T) {
	s := publishedService(t, comparedReleases(t)...)
	for _, tt := range []struct{ query, want string }{
		{"old=" + firstVersion + "&new=" + secondVersion, comparison},
		{"old=" + firstVersion + "&new=" + secondVersion + "&lang=fr", comparison + "?lang=fr"},
		{"old=" + firstVersion + "&new=small@beta&lang=ar", "/compare/" + firstVersion + "/small@beta?lang=ar"},
		{"new=" + secondVersion, comparison},
		{"new=" + firstVersion, "/compare/" + firstVersion + "/" + firstVersion},
		{"old=" + firstVersion, comparison},
		{"old=//example.org/&new=%2F..%3F", "/compare/%2F%2Fexample.org%2F/%2F..%3F"},
		{"old=unknown", "/compare/unknown/unknown"},
		{"old=a&new=b&lang=%22%3E", "/compare/a/b"},
	} {
		got := s.do("GET", "/compare?"+tt.query)
		if got.status != http.StatusFound || got.header.Get("Location") != tt.want {
			t.Errorf("%s: got status %d, location %q; want %q", tt.query, got.status, got.header.Get("Location"), tt.want)
		}
	}
}

func TestMenuOfVersionsLeadsToComparisons(t *testing.T) {
	s := publishedService(t, comparedReleases(t)...)
	for _, version := range []string{firstVersion, secondVersion} {
		contains(t, version, s.get("/explore/"+version).body, `href="`+comparison+`"`)
	}
	contains(t, "French", s.get("/explore/"+secondVersion+"?lang=fr").body, `href="`+comparison+`?lang=fr"`)
	one := publishedService(t, comparedReleases(t)[0])
	if strings.Contains(one.get("/explore/"+firstVersion).body, `href="/compare`) {
		t.Error("one version: the menu has a link to a comparison")
	}
}

func TestFormOfComparisonsWithoutVersions(t *testing.T) {
	for name, s := range map[string]*service{
		"no version":  publishedService(t),
		"one version": publishedService(t, comparedReleases(t)[0]),
	} {
		contains(t, name, visibleText(t, s.get("/compare").body), "There are not yet two versions to compare.")
	}
}

func TestComparisonIsRevalidated(t *testing.T) {
	s := publishedService(t, comparedReleases(t)...)
	first := s.get(comparison)
	if got := s.do("GET", comparison, "If-None-Match", first.header.Get("Etag")); got.status != http.StatusNotModified {
		t.Errorf("with the ETag: got status %d, want 304", got.status)
	}
	if got := s.do("HEAD", comparison); got.status != http.StatusOK || got.body != "" || got.header.Get("Content-Length") != first.header.Get("Content-Length") {
		t.Errorf("HEAD: got status %d, %d bytes, length %s", got.status, len(got.body), got.header.Get("Content-Length"))
	}
	if got := s.get("/compare/" + firstVersion + "/small@beta").body; got != first.body {
		t.Error("the page of an alias differs from that of its version")
	}
}

// A rename is followed through the versions in between, which are loaded for it.
func TestComparisonOfReleasesThatAreNotInMemory(t *testing.T) {
	folder := store.OpenFolder(t.TempDir())
	name := func(id, replaces string) func(*taxonomy.Taxonomy) {
		return func(x *taxonomy.Taxonomy) {
			e := element(id, "Thing", "Chose")
			e.Replaces = taxonomy.IDs{replaces}
			x.Elements = append(x.Elements, e)
		}
	}
	for _, r := range []*release.Release{
		compile(t, firstVersion, name("first_name", "")),
		compile(t, secondVersion, name("second_name", "first_name")),
		compile(t, "small@2026-03-01-beta", name("third_name", "second_name")),
	} {
		if _, err := storetest.Publish(t.Context(), folder, r); err != nil {
			t.Fatal(err)
		}
	}
	const path = "/compare/" + firstVersion + "/small@2026-03-01-beta"
	s := newService(t, nil, web.Options{Catalog: catalog.New(folder, catalog.Options{MaxResident: 1})})
	contains(t, "one release in memory", visibleText(t, s.get(path).body), "Thing sign first_name → third_name")
}

func TestHostileTextsOfComparisons(t *testing.T) {
	const hostile = `</script><script>alert(1)</script><!-- "'\ {{x}} ]]> </title> ` + "\u2028\u202e"
	long := strings.Repeat("unbreakable", 2000)
	s := publishedService(t,
		compile(t, firstVersion, func(x *taxonomy.Taxonomy) { x.Elements[0].Title = english(long) }),
		compile(t, secondVersion, func(x *taxonomy.Taxonomy) {
			x.Title = english(hostile)
			x.Categories[1].Name = english(hostile)
			x.Elements[0].Title, x.Elements[1].Description = english(hostile), english(hostile)
			x.Elements[0].Sources = []taxonomy.Source{{Type: "law", Title: hostile, URL: "javascript:alert(1)"}}
		}))
	page := s.get(comparison).body
	for _, bad := range []string{"<script>alert", `href="javascript:`, "{{x}} ]]> </title>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

// hugeRelease returns a release with n elements whose texts contain a word.
func hugeRelease(tb testing.TB, id, word string, n int) *release.Release {
	tb.Helper()
	return compile(tb, id, func(x *taxonomy.Taxonomy) {
		for i := range n {
			e := element(fmt.Sprintf("%s_%d", word, i/2), fmt.Sprint(word, " thing ", i), fmt.Sprint(word, " chose ", i))
			if i%2 == 0 {
				e.ID = fmt.Sprintf("both_%d", i)
			}
			e.Description = english(strings.Repeat("What the "+word+" does. ", 10))
			x.Elements = append(x.Elements, e)
		}
		slices.SortStableFunc(x.Elements, func(a, b taxonomy.Element) int { return strings.Compare(b.CategoryID, a.CategoryID) })
	})
}

func TestHugeComparison(t *testing.T) {
	const n = 400
	s := publishedService(t, hugeRelease(t, firstVersion, "camera", n), hugeRelease(t, secondVersion, "sensor", n))
	start := time.Now()
	page := s.get(comparison, "Accept-Encoding", "gzip")
	elapsed := time.Since(start)
	body := unzip(t, page)
	t.Logf("%v, %d bytes, %d compressed", elapsed, len(body), len(page.body))
	text := visibleText(t, body)
	contains(t, "huge", text, "Added 200", "Removed 200", "The first 50 of 200 are shown.", "placard diff "+firstVersion+" "+secondVersion+" --json")
	if len(body) > 400_000 || len(page.body) > 30_000 {
		t.Errorf("got %d bytes, %d compressed", len(body), len(page.body))
	}
}
