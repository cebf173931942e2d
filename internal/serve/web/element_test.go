package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"golang.org/x/net/html"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/web"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// compile compiles a changed [releasetest.Taxonomy].
func compile(tb testing.TB, id string, change func(*taxonomy.Taxonomy)) *release.Release {
	tb.Helper()
	t := releasetest.Taxonomy(tb, id).Authored()
	change(t)
	t.Derive()
	r, err := release.Compile(t)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func english(text string) taxonomy.Localized { return taxonomy.Localized{{Locale: "en", Value: text}} }

// visibleText returns the text of a page without scripts, on one line.
func visibleText(tb testing.TB, page string) string {
	tb.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		tb.Fatal(err)
	}
	var words []string
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" {
			words = append(words, strings.Fields(n.Data)...)
		}
	}
	return strings.Join(words, " ")
}

// contains reports the texts that are missing in a page.
func contains(tb testing.TB, name, text string, want ...string) {
	tb.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			tb.Errorf("%s: %q is missing in\n%s", name, w, text)
		}
	}
}

func TestElementPageShowsEverything(t *testing.T) {
	s := publishedService(t, compile(t, "small@2026-01-02-stable", func(x *taxonomy.Taxonomy) {
		e := &x.Elements[2] // sound
		e.Required, e.MaxPlacements, e.Excludes = true, 3, []string{"pictures"}
		e.Guidance = english("Say who listens.")
		e.Title = english("Sound for {{note}}, {{ unknown }}")
		e.Keywords = taxonomy.Keywords{{Locale: "en", Value: taxonomy.NewWords("noise", "microphone")}}
		e.Examples = []taxonomy.Example{{Scenario: english("A stage"), Narrative: english("Music is heard.")}}
		x.Categories[1].MaxElements = 1
		x.Categories[1].Prompt = english("What is collected?")
	}))
	page := s.get("/explore/small@latest/sound").body
	contains(t, "sound", visibleText(t, page),
		"Sound for [Note], [unknown]", "Sounds heard nearby.", "What is collected?",
		"Loudness", "Loud", "#A85A00",
		"Note In the author’s own words · Always given", "Where One or more of 2 choices · Optional", "Here", "There",
		"Every disclosure shows this sign.", "at most 3 times", "never shown together with: Pictures", "may be answered with only one sign.",
		"On light ground", "On dark ground", "A law", "A stage", "Music is heard.",
		"First seen here", "Français", "Sons entendus", "Say who listens.", "noise, microphone", `"id": "sound"`,
		"“Sound for [Note], [unknown]”. In Small, version small@2026-01-02-stable, 2 January 2026. http://", "@misc{small-2026-01-02-stable-sound,",
		"Previous Pictures")
	contains(t, "sound", page,
		`href="/explore/small@2026-01-02-stable#question-data"`, `href="https://example.org/law"`,
		`<link rel="canonical" href="`+s.URL+`/explore/small@2026-01-02-stable/sound">`,
		`content="`+s.URL+`/explore/small@2026-01-02-stable/sound/preview.png"`)
	if other := visibleText(t, s.get("/explore/small@latest/pictures").body); !strings.Contains(other, "never shown together with: Sound") {
		t.Errorf("pictures: the exclusion that sound lists is missing in\n%s", other)
	}
}

func TestDeprecatedElementsAreMarkedOnTheirPageAndInLists(t *testing.T) {
	s := publishedService(t, compile(t, "small@2026-01-02-stable", func(x *taxonomy.Taxonomy) {
		x.Elements[2].Deprecated = &taxonomy.Deprecation{Message: english("Sound is not a picture."), Use: taxonomy.IDs{"pictures"}}
	}))
	contains(t, "sound", visibleText(t, s.get("/explore/small@latest/sound").body),
		"This sign should no longer be used. Sound is not a picture.", "Use instead: Pictures")
	contains(t, "fr", visibleText(t, s.get("/explore/small@latest/sound?lang=fr").body), "Ce signe ne devrait plus être utilisé.", "À utiliser à la place")
	for _, path := range []string{"/explore/small@latest", "/explore/small@latest/pictures"} {
		contains(t, path, visibleText(t, s.get(path).body), "Sound (no longer to be used)")
	}
}

func TestElementPageInOtherLanguages(t *testing.T) {
	s := builtinService(t)
	path := "/explore/" + stable + "/video_camera"
	contains(t, "fr", s.get(path+"?lang=fr").body, `<html lang="fr"`, "<h1>Caméra vidéo</h1>", "Video camera")
	contains(t, "ja", s.get(path, "Accept-Language", "ja").body, `<html lang="ja"`, "<h1>カメラ</h1>")
	// A release without the language of the reader.
	page := publishedService(t, releasetest.Release(t, "small@2026-01-02-stable")).get("/explore/small@latest/sound?lang=ja").body
	contains(t, "ja", page, `<html lang="ja"`, `<span lang="en" dir="ltr">Sound</span>`, `"inLanguage":"en"`)
}

func TestElementPageFromRightToLeft(t *testing.T) {
	s := publishedService(t, compile(t, "small@2026-01-02-stable", func(x *taxonomy.Taxonomy) {
		x.Locales = append(x.Locales, "ar")
		x.Elements[2].Title = append(x.Elements[2].Title, taxonomy.Text{Locale: "ar", Value: "صوت"})
	}))
	page := s.get("/explore/small@latest/sound?lang=ar").body
	contains(t, "ar", page, `<article class="page element" dir="rtl">`, `<h1><span lang="ar" dir="rtl">صوت</span></h1>`, ">العربية</a>")
	page = s.get("/explore/small@latest/sound").body
	contains(t, "en", page, `<article class="page element" dir="ltr">`, `<dd lang="ar" dir="rtl"><strong>صوت</strong>`)
}

func TestElementPagesAreRevalidated(t *testing.T) {
	s := builtinService(t)
	path := "/explore/" + stable + "/video_camera"
	first := s.get(path)
	if got := s.do("GET", path, "If-None-Match", first.header.Get("Etag")); got.status != http.StatusNotModified {
		t.Errorf("got status %d, want 304", got.status)
	}
	if got := s.do("HEAD", path); got.status != http.StatusOK || got.body != "" {
		t.Errorf("HEAD: got status %d and %d bytes", got.status, len(got.body))
	}
}

func TestUnknownElements(t *testing.T) {
	s := builtinService(t)
	got := s.do("GET", "/explore/"+stable+"/video_camra?lang=fr")
	if got.status != http.StatusNotFound {
		t.Errorf("got status %d, want 404", got.status)
	}
	contains(t, "nearest", got.body, `href="/explore/`+stable+`/video_camera?lang=fr"`, "Caméra vidéo", `href="/explore/`+stable+`?lang=fr"`, "noindex")
	got = s.do("GET", "/explore/"+stable+"/aerial_drone")
	contains(t, "other version", got.body, `href="/explore/`+beta+`/aerial_drone"`)
	if got = s.do("GET", "/explore/"+stable+"/sensing"); got.status != http.StatusFound || got.header.Get("Location") != "/explore/"+stable+"#question-sensing" {
		t.Errorf("category: got status %d, Location %q", got.status, got.header.Get("Location"))
	}
	for _, id := range []string{"%3Cscript%3Ealert(1)%3C%2Fscript%3E", strings.Repeat("x", 5000), "%FF%00", "a%2Fb"} {
		got := s.do("GET", "/explore/"+stable+"/"+id)
		if got.status != http.StatusNotFound || strings.Contains(got.body, "<script>alert") || len(got.body) > 60_000 {
			t.Errorf("%.40s: got status %d and %d bytes", id, got.status, len(got.body))
		}
	}
	if got := s.do("GET", "/explore/place@2001-01-01-stable/video_camera"); got.status != http.StatusNotFound {
		t.Errorf("unknown version: got status %d, want 404", got.status)
	}
}

func TestUnknownElementsAreNotLookedUpInOtherTaxonomies(t *testing.T) {
	s := publishedService(t,
		compile(t, "one@2026-01-02-stable", func(x *taxonomy.Taxonomy) { x.Elements = x.Elements[:1] }),
		releasetest.Release(t, "two@2026-02-03-stable"))
	got := s.do("GET", "/explore/one@2026-01-02-stable/sound")
	if got.status != http.StatusNotFound || strings.Contains(got.body, "two@2026-02-03-stable") {
		t.Errorf("got status %d, want 404 without a link to another taxonomy\n%s", got.status, got.body)
	}
}

func TestIdsOfUnknownElementsAreEscaped(t *testing.T) {
	const first, second = "small@2026-01-02-stable", "small@2026-02-02-stable"
	s := newService(t, nil, web.Options{Catalog: catalog.New(publishedFolder(t, first, second), catalog.Options{MaxResident: 1})})
	for _, version := range []string{first, second} { // one of them is not in memory
		s.do("GET", "/explore/"+version+"/a%3Fb").lacks(t, "/a?b")
	}
}

func TestOldAddressesLeadToWhatReplacesThem(t *testing.T) {
	folder := store.OpenFolder(t.TempDir())
	old := compile(t, "small@2026-01-02-beta", func(*taxonomy.Taxonomy) {})
	now := compile(t, "small@2026-02-02-beta", func(x *taxonomy.Taxonomy) {
		x.Elements[2].ID, x.Elements[2].Replaces = "noise", taxonomy.IDs{"sound"}
	})
	for _, r := range []*release.Release{old, now} {
		if _, err := storetest.Publish(t.Context(), folder, r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := folder.Retire(t.Context(), store.Intent{ReplacedBy: now.ID()}, old.ID()); err != nil {
		t.Fatal(err)
	}
	s := newService(t, folder, web.Options{})
	for _, path := range []string{"/explore/small@2026-01-02-beta", "/explore/small@2026-01-02-beta/sound"} {
		got := s.do("GET", path+"?lang=en")
		successor := strings.Replace(path, "01", "02", 1)
		if got.status != http.StatusGone || !strings.Contains(got.body, `<a href="`+successor+`?lang=en">small@2026-02-02-beta</a>`) {
			t.Errorf("%s: got status %d, want 410 with a link to %s\n%s", path, got.status, successor, got.body)
		}
		contains(t, path, visibleText(t, got.body), "Version “small@2026-01-02-beta” was withdrawn. It is replaced by small@2026-02-02-beta")
	}
	got := s.do("GET", "/explore/small@2026-02-02-beta/sound?lang=fr")
	if want := "/explore/small@2026-02-02-beta/noise?lang=fr"; got.status != http.StatusFound || got.header.Get("Location") != want {
		t.Errorf("a renamed element: got status %d, Location %q, want %q", got.status, got.header.Get("Location"), want)
	}
	api := s.do("GET", "/api/v2/schemas/small@latest/elements/sound")
	if api.status != http.StatusNotFound || !strings.Contains(api.body, `Element \"sound\" is now \"noise\".`) {
		t.Errorf("a renamed element in the API: got %d %s", api.status, api.body)
	}
}

func TestHistoryOfAnElement(t *testing.T) {
	version := func(month int, change func(*taxonomy.Taxonomy)) *release.Release {
		return compile(t, fmt.Sprintf("small@2026-%02d-02-beta", month), change)
	}
	withoutSound := func(x *taxonomy.Taxonomy) { x.Elements = x.Elements[:2] }
	renamed := func(x *taxonomy.Taxonomy) {
		x.Elements[2].ID, x.Elements[2].Replaces = "noise", taxonomy.IDs{"sound"}
		x.Elements[2].Description = english("Noise.")
	}
	s := publishedService(
		t,
		version(1, withoutSound),
		version(2, func(*taxonomy.Taxonomy) {}),
		// A change of the category that does not concern the element.
		version(3, func(x *taxonomy.Taxonomy) {
			x.Categories[1].Variables[1].Options[0].AppliesTo = []string{"pictures", "sound"}
			x.Categories[1].Context.Values[0].Color = "#000080"
		}),
		version(4, func(x *taxonomy.Taxonomy) {
			x.Elements[2].Title = english("Sounds")
			x.Elements[2].SymbolID = "box"
			x.Elements[2].Context.Values[0].Color = "#000080"
			x.Categories[1].Variables[0].Required = false
		}),
		version(5, renamed),
		version(6, withoutSound),
	)
	text := visibleText(t, s.get("/explore/small@2026-04-02-beta/sound").body)
	contains(t, "sound", text,
		"2 June 2026 · beta No longer in this version",
		"2 May 2026 · beta Changed: title, description, icon, answers to choose from, details, name for programs.",
		"There it is called noise.",
		"2 April 2026 · beta · this page Changed: title, icon, answers to choose from, details All changes",
		"2 March 2026 · beta Unchanged All changes",
		"2 February 2026 · beta First seen here",
		"2 January 2026 · beta Not yet in this version")
	// The history is the same from the other side of the renaming.
	text = visibleText(t, s.get("/explore/small@2026-05-02-beta/noise").body)
	contains(t, "noise", text, "2 April 2026 · beta Changed: ", "There it is called sound.", "2 February 2026 · beta First seen here")
}

func TestHistoryWithReleasesThatAreNotInMemory(t *testing.T) {
	folder := store.OpenFolder(t.TempDir())
	for month := range 3 {
		r := compile(t, fmt.Sprintf("small@2026-%02d-02-stable", month+1), func(*taxonomy.Taxonomy) {})
		if _, err := storetest.Publish(t.Context(), folder, r); err != nil {
			t.Fatal(err)
		}
	}
	c := catalog.New(folder, catalog.Options{MaxResident: 1})
	s := newService(t, nil, web.Options{Catalog: c})
	text := visibleText(t, s.get("/explore/small@2026-02-02-stable/sound").body)
	contains(t, "one release in memory", text, "Not compared yet", "this page In this version")
	if strings.Contains(text, "First seen here") {
		t.Error("the first version is unknown, because older ones are not in memory")
	}
	if a, b := s.get("/explore/small@2026-02-02-stable/sound"), s.get("/explore/small@2026-02-02-stable/sound"); a.body != b.body {
		t.Error("the cached page differs")
	}
}

func TestHostileTextsOfElements(t *testing.T) {
	const hostile = `</script><script>alert(1)</script><!-- "'\ {{x}} ]]> </title> ` + "\u2028\u202e"
	s := publishedService(t, compile(t, "small@2026-01-02-stable", func(x *taxonomy.Taxonomy) {
		x.Title = english(hostile)
		x.Categories[0].Prompt = english(hostile)
		e := &x.Elements[0]
		e.Title, e.Description, e.Guidance = english(hostile), english(hostile), english(hostile)
		e.Keywords = taxonomy.Keywords{{Locale: "en", Value: taxonomy.NewWords(hostile)}}
		e.Sources = []taxonomy.Source{
			{Type: "law", Title: hostile, URL: "javascript:alert(1)", Citation: hostile},
			{Type: "law", Title: hostile, URL: "https://user@example.org/"},
		}
	}))
	page := s.get("/explore/small@latest/safety").body
	for _, bad := range []string{"<script>alert", `href="javascript:`, `href="https://user@`} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	data := linkedData(t, page)
	if got := data["name"]; got != strings.Replace(hostile, "{{x}}", "[x]", 1) {
		t.Errorf("linked data: got name %q, want %q", got, hostile)
	}
	_, entry, _ := strings.Cut(page, "@misc")
	entry, _, _ = strings.Cut(entry, "</pre>")
	if depth := strings.Count(entry, "{") - strings.Count(entry, "}"); depth != 0 || strings.Count(entry, "\n") != 6 {
		t.Errorf("the braces of the BibTeX entry do not match:\n%s", entry)
	}
}

func TestHugeElementPagesAreBounded(t *testing.T) {
	long := strings.Repeat("Donaudampfschifffahrtsgesellschaft", 20)
	s := publishedService(t, compile(t, "small@2026-01-02-stable", func(x *taxonomy.Taxonomy) {
		c := &x.Categories[1]
		for i := range 300 {
			c.Variables[1].Options = append(c.Variables[1].Options, taxonomy.Option{ID: fmt.Sprintf("o%d", i), Name: english(long)})
			x.Elements = append(x.Elements, taxonomy.Element{ID: fmt.Sprintf("e%d", i), CategoryID: "data", SymbolID: "box", Title: english(long), Description: english(long)})
		}
	}))
	for _, id := range []string{"pictures", "e150", "e299"} {
		page := s.get("/explore/small@latest/" + id).body
		if len(page) > 600_000 {
			t.Errorf("%s: got %d bytes", id, len(page))
		}
		if got := strings.Count(page, `<ul class="signs">`); got != 1 {
			t.Errorf("%s: got %d lists of neighbours, want 1", id, got)
		}
		contains(t, id, visibleText(t, page), "And 271 more", "And 101 more")
	}
}

func TestElementWithoutTexts(t *testing.T) {
	s := publishedService(t, compile(t, "small@2026-01-02-stable", func(x *taxonomy.Taxonomy) {
		x.Elements = x.Elements[:1]
		x.Elements[0] = taxonomy.Element{ID: "safety", CategoryID: "purpose", SymbolID: "ring"}
		x.Categories[0].Prompt, x.Categories[0].Name = nil, nil
	}))
	page := s.get("/explore/small@latest/safety").body
	contains(t, "safety", page, "<h1>safety</h1>", "purpose")
	for _, path := range []string{"/", "/explore/small@latest", "/explore/small@latest?category=purpose"} {
		contains(t, path, s.get(path).body, "<span>safety</span>")
	}
	if strings.Contains(page, "<aside") || strings.Contains(page, `id="sources"`) || strings.Contains(page, `class="steps"`) {
		t.Error("the page has empty sections")
	}
}

// linkedData returns the JSON-LD of a page.
func linkedData(tb testing.TB, page string) map[string]any {
	tb.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		tb.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Data != "script" || n.FirstChild == nil {
			continue
		}
		var data map[string]any
		if err := json.Unmarshal([]byte(n.FirstChild.Data), &data); err != nil {
			tb.Fatalf("%v\n%s", err, n.FirstChild.Data)
		}
		return data
	}
	tb.Fatal("the page has no linked data")
	return nil
}

func TestLinkedData(t *testing.T) {
	s := builtinService(t)
	element := linkedData(t, s.get("/explore/place@latest/kept_for?lang=fr").body)
	address := s.URL + "/explore/" + stable
	for name, want := range map[string]string{
		"@context": "https://schema.org", "@type": "DefinedTerm", "@id": address + "/kept_for", "url": address + "/kept_for",
		"termCode": "kept_for", "inLanguage": "fr", "version": stable, "name": "Conservation\u00a0: [Durée]",
		"image": s.URL + "/api/v2/schemas/" + stable + "/elements/kept_for/icon.svg",
	} {
		if element[name] != want {
			t.Errorf("element: got %s %v, want %s", name, element[name], want)
		}
	}
	set, _ := element["inDefinedTermSet"].(map[string]any)
	if set["@type"] != "DefinedTermSet" || set["url"] != address || set["name"] != "Capteurs dans l’espace public" {
		t.Errorf("element: got the set %v", set)
	}
	explorer := linkedData(t, s.get("/explore/place@latest").body)
	if explorer["@type"] != "DefinedTermSet" || explorer["url"] != address || explorer["version"] != stable || explorer["inLanguage"] != "en" {
		t.Errorf("explorer: got %v", explorer)
	}
	article := linkedData(t, s.get("/docs/api").body)
	if article["@type"] != "TechArticle" || article["url"] != s.URL+"/docs/api" || article["headline"] == "" {
		t.Errorf("document: got %v", article)
	}
	home := linkedData(t, s.get("/").body)
	action, _ := home["potentialAction"].(map[string]any)
	target, _ := action["target"].(map[string]any)
	if home["@type"] != "WebSite" || action["@type"] != "SearchAction" || target["urlTemplate"] != s.URL+"/?q={search_term_string}" {
		t.Errorf("home: got %v", home)
	}
}
