package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
)

var (
	signLink    = regexp.MustCompile(`<li><a href="/explore/[^/"]+/([^"?]+)[^"]*"[^>]*><(?:svg|img)`)
	nextLink    = regexp.MustCompile(`<a href="([^"]+)"><bdi>Next page`)
	sectionID   = regexp.MustCompile(`<section class="category" id="([^"]+)"`)
	alternative = regexp.MustCompile(`<a href="([^"]+)"[^>]* data-result>`)
)

// signs returns the ids of the elements that a page links to, in order.
func (r response) signs() []string { return submatches(signLink, r.body) }

func submatches(pattern *regexp.Regexp, text string) []string {
	var found []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, html.UnescapeString(m[1]))
	}
	return found
}

// shows requests a page and reports the texts that are missing in it.
func (s *service) shows(path string, want ...string) {
	s.tb.Helper()
	contains(s.tb, path, s.get(path).body, want...)
}

// apiElements returns the ids of a list of the REST API.
func (s *service) apiElements(version, params string) []string {
	s.tb.Helper()
	var list struct {
		Elements []struct {
			ID string `json:"id"`
		} `json:"elements"`
	}
	body := s.get("/api/v2/schemas/" + version + "/elements?fields=id&" + params).body
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		s.tb.Fatal(err)
	}
	var ids []string
	for _, e := range list.Elements {
		ids = append(ids, e.ID)
	}
	return ids
}

func localized(locale, value string) taxonomy.Localized {
	return taxonomy.Localized{{Locale: locale, Value: value}}
}

func TestExplorerShowsAllSignsInOrder(t *testing.T) {
	s := builtinService(t)
	page := s.get("/explore/" + beta)
	if diff := cmp.Diff(s.apiElements(beta, "limit=200"), page.signs()); diff != "" {
		t.Errorf("signs (-want +got):\n%s", diff)
	}
	contains(t, "page", page.body, "<h1>Sensing in public places</h1>", "<h2>Why is it here?</h2>", `href="#question-retention"`, "Kept for [How long]",
		`"@type":"DefinedTermSet"`, `<link rel="canonical" href="`+s.URL+`/explore/`+beta+`">`)
	if got := submatches(sectionID, page.body); len(got) != 11 || got[0] != "question-purpose" {
		t.Errorf("got the categories %v", got)
	}
	if alias := s.get("/explore/place@2026-10-19"); alias.body != page.body {
		t.Error("an alias gets another page than the id")
	}
	s.shows("/explore/"+beta+"?lang=ja", "何のために設置していますか。", "/kept_for?lang=ja", `<html lang="ja"`)
}

func TestExplorerMarksWhatIsRequired(t *testing.T) {
	r := compile(t, "small@2026-01-02-stable", func(x *taxonomy.Taxonomy) {
		x.Categories[0].Required, x.Categories[0].MinElements, x.Categories[0].MaxElements = true, 2, 3
		x.Categories[1].Required, x.Categories[1].MinElements, x.Categories[1].MaxElements = false, 0, 1
		for i := range x.Elements {
			x.Elements[i].Required = i == 0
		}
	})
	page := publishedService(t, r).get("/explore/" + r.Name()).body
	contains(t, "page", visibleText(t, page), "Must be answered · at least 2 signs · at most 3 signs", "at most 1 sign")
	if strings.Count(page, "Must be answered") != 1 || strings.Count(page, "Always shown") != 1 {
		t.Errorf("want one required question and one required sign in\n%s", page)
	}
	builtinService(t).shows("/explore/"+stable+"?lang=fr", "Réponse obligatoire</strong> · 6 signes au maximum", "Toujours présent")
}

func TestElementPageNamesTheQuestionOfItsRules(t *testing.T) {
	s := builtinService(t)
	s.shows("/explore/"+stable+"/people_counter", "“Which devices does it use?” must be answered, with at most 6 signs.")
	s.shows("/explore/"+stable+"/people_counter?lang=ja", "」には、必ず6個以内のサインで答えます。")
}

func TestExplorerRedirects(t *testing.T) {
	s := builtinService(t)
	for path, want := range map[string]string{
		"/explore":                            "/",
		"/explore?lang=fr":                    "/?lang=fr",
		"/explore/place":                      "/explore/" + stable,
		"/explore/place?lang=fr&q=a%20b":      "/explore/" + stable + "?lang=fr&q=a%20b",
		"/explore/place/video_camera?lang=fr": "/explore/" + stable + "/video_camera?lang=fr",
		"/example/place/crossing":             "/example/" + stable + "/crossing",
	} {
		if got := s.do("GET", path); got.status != http.StatusFound || got.header.Get("Location") != want {
			t.Errorf("%s: got status %d, Location %q; want 302, %q", path, got.status, got.header.Get("Location"), want)
		}
	}
}

// TestConceptsHavePages follows the addresses of the concepts and categories in the
// linked data of a version.
func TestConceptsHavePages(t *testing.T) {
	s := builtinService(t)
	document := s.get("/api/v2/schemas/" + stable + "/skos.ttl").body
	addresses := submatches(regexp.MustCompile(`(?m)^<(explore/place[^>]*)> a skos:`), document)
	overview := s.get("/explore/" + stable).body
	for _, address := range addresses {
		page, fragment, _ := strings.Cut("/"+address, "#")
		target := s.do("GET", page).header.Get("Location")
		switch {
		case fragment == "" || strings.HasPrefix(fragment, "context"):
			s.get(target)
		case !strings.Contains(fragment, "/") && !strings.Contains(overview, `id="`+fragment+`"`):
			t.Errorf("%s leads to no part of %s", address, target)
		}
	}
	if len(addresses) < 80 {
		t.Errorf("got %d addresses, want one for each element and category", len(addresses))
	}
}

func TestExplorerRanksAsTheAPI(t *testing.T) {
	s := builtinService(t)
	for _, c := range []struct{ query, category, locale string }{
		{"camera", "", "en"},
		{"who can see the recordings", "", "en"},
		{"camera", "sensing", "en"},
		{"camra", "", "fr"},
		{"顔認証", "", "ja"},
		{"zzzz", "", "es"},
	} {
		params := url.Values{"query": {c.query}, "locale": {c.locale}}
		pageParams := url.Values{"q": {c.query}, "lang": {c.locale}}
		if c.category != "" {
			params.Set("category_id", c.category)
			pageParams.Set("category", c.category)
		}
		page := s.get("/explore/" + beta + "?" + pageParams.Encode())
		if diff := cmp.Diff(s.apiElements(beta, params.Encode()), page.signs()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c, diff)
		}
		if !strings.Contains(page.body, `content="noindex"`) {
			t.Errorf("%+v: search engines may index the results", c)
		}
	}
}

func TestResultsAreMarkedAndCounted(t *testing.T) {
	page := builtinService(t).get("/explore/" + beta + "?q=thermal+camera&category=sensing")
	contains(t, "page", page.body, "<mark>Thermal</mark> <mark>camera</mark>", `<input type="hidden" name="category" value="sensing">`,
		`value="thermal camera"`, "All questions", `signs for “thermal camera”</bdi></h1>`, "Show all 89 signs", `category=purpose&amp;q=thermal&#43;camera`, `aria-current="true"`)
}

func TestPartOfTheExplorer(t *testing.T) {
	s := builtinService(t)
	for _, params := range []string{"", "q=camera", "q=zzzz", "category=sensing"} {
		page, part := s.get("/explore/"+beta+"?"+params), s.get("/explore/"+beta+"?part=results&"+params)
		if strings.Contains(part.body, "<html") || !strings.Contains(page.body, strings.TrimSpace(part.body)) {
			t.Errorf("%q: the part is not in the page\n%s", params, part.body)
		}
	}
	if all := s.get("/explore/" + beta + "?part=other"); !strings.Contains(all.body, "<html") {
		t.Error("an unknown part gets no page")
	}
}

func TestSearchWithoutHitsOffersOthers(t *testing.T) {
	s := builtinService(t)
	for path, wanted := range map[string]int{
		"?q=camera&category=accountable": 0, // a filter that still has hits
		"?q=camera&category=retention":   1, // all categories
		"?q=cmaeraz":                     1, // a similar word
		"?q=riverains&lang=ja":           1, // another language
	} {
		page := s.get("/explore/" + beta + path)
		if len(page.signs()) > 0 {
			if wanted > 0 {
				t.Errorf("%s: got hits", path)
			}
			continue
		}
		others := submatches(alternative, page.body)
		if len(others) < wanted {
			t.Errorf("%s: got %d alternatives, want at least %d\n%s", path, len(others), wanted, page.body)
		}
		for _, other := range others {
			if len(s.get(other).signs()) == 0 {
				t.Errorf("%s: the alternative %s has no hits", path, other)
			}
		}
	}
	for _, params := range []string{"?q=zzzz", "?q=zzzz&category=sensing"} {
		page := s.get("/explore/" + beta + params)
		contains(t, params, page.body, "<h1><bdi>No sign for “zzzz”</bdi></h1>", "Show all 89 signs", "Try a shorter", `<nav class="categories" aria-label="Questions">`,
			`href="/explore/`+beta+`?category=retention"`)
		page.lacks(t, `class="tally"`)
	}
}

func TestInvalidParametersOfTheExplorer(t *testing.T) {
	s := builtinService(t)
	for params, status := range map[string]int{
		"category=sensng": http.StatusNotFound,
		"category=%3Cscript%3Ealert(1)%3C/script%3E":         http.StatusNotFound,
		"q=" + strings.Repeat("x", query.MaxSearch+1):        http.StatusOK,
		"q=camera&cursor=AAAA":                               http.StatusBadRequest,
		"category=sensing&cursor=%22":                        http.StatusBadRequest,
		"q=%3Cscript%3Ealert(1)%3C/script%3E":                http.StatusOK,
		"q=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E%00%ff": http.StatusOK,
	} {
		got := s.do("GET", "/explore/"+beta+"?"+params)
		if got.status != status || strings.Contains(got.body, "<script>alert") || strings.Contains(got.body, "<img src=x") {
			t.Errorf("%s: got status %d, want %d\n%s", params, got.status, status, got.body)
		}
	}
	contains(t, "category", s.do("GET", "/explore/"+beta+"?category=sensng").body, "Did you mean &#34;sensing&#34;?")
}

func TestLargeTaxonomiesAreShownInPages(t *testing.T) {
	var extra []string
	for i := range 1200 {
		extra = append(extra, fmt.Sprintf("e%04d", i))
	}
	const id = "large@2026-01-02-beta"
	r := releasetest.Release(t, id, extra...)
	s := publishedService(t, r)
	page := s.get("/explore/" + id)
	if n := len(page.signs()); n != 1+24 {
		t.Errorf("got %d signs, want 25", n)
	}
	contains(t, "page", page.body, "Show all 1202 signs", `href="/explore/`+id+`?category=data"`)
	var found []string
	pages := 0
	for path := "/explore/" + id + "?category=data"; path != ""; pages++ {
		page := s.get(path)
		if n := len(page.signs()); n > query.MaxLimit {
			t.Errorf("%s: got %d signs", path, n)
		}
		found = append(found, page.signs()...)
		path = strings.Join(submatches(nextLink, page.body), "")
	}
	if want := query.ElementIDs(r)[1:]; !slices.Equal(found, want) || pages != 7 {
		t.Errorf("got %d signs on %d pages, want %d on 7", len(found), pages, len(want))
	}
	results := s.get("/explore/" + id + "?q=extra")
	if n := len(results.signs()); n != query.DefaultLimit {
		t.Errorf("got %d results on the first page", n)
	}
	next := submatches(nextLink, results.body)
	if len(next) != 1 || len(s.get(next[0]).signs()) != query.DefaultLimit {
		t.Errorf("got the next pages %q", next)
	}
}

func TestQuestionsAfterTheLastSignAreNotEmpty(t *testing.T) {
	s := publishedService(t, compile(t, firstVersion, func(x *taxonomy.Taxonomy) {
		for i := range 500 { // as many signs as the page shows
			c := x.Categories[0]
			c.ID = fmt.Sprintf("category_%d", i)
			x.Categories = append(x.Categories, c)
			x.Type.Categories = append(x.Type.Categories, c.ID)
			e := element(fmt.Sprintf("element_%d", i), "Thing", "Chose")
			e.CategoryID = c.ID
			x.Elements = append(x.Elements, e)
		}
	}))
	page := s.get("/explore/" + firstVersion).body
	last := page[strings.LastIndex(page, `<section class="category"`):]
	if strings.Contains(last, "There are no signs here yet.") || !strings.Contains(last, "Show all 1 signs") {
		t.Errorf("the last question has one sign, which is not shown:\n%s", last)
	}
}

func TestLargeIconsAreLoadedSeparately(t *testing.T) {
	const id = "icons@2026-01-02-beta"
	path := strings.Repeat("M18 10L24.75 12.5V17.75C24.75 21.5 22 24.5 18 26Z", 1000)
	r := compile(t, id, func(x *taxonomy.Taxonomy) {
		x.Symbols["box"] = []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><path d="` + path + `"/></svg>`)
		for i := range 40 {
			x.Elements = append(x.Elements, taxonomy.Element{ID: fmt.Sprint("big", i), CategoryID: "data", SymbolID: "box", Title: english("Big")})
		}
	})
	s := publishedService(t, r)
	page := s.get("/explore/" + id)
	if len(page.body) > 1<<20 {
		t.Errorf("got a page of %d bytes", len(page.body))
	}
	images := submatches(regexp.MustCompile(`<img class="icon" src="([^"]+)"`), page.body)
	if len(images) == 0 {
		t.Fatal("got no separate icons")
	}
	s.get(images[0])
}

func TestUnusualTaxonomies(t *testing.T) {
	const hostile = `</script><script>alert("x")</script>`
	empty := compile(t, "empty@2026-01-02-beta", func(x *taxonomy.Taxonomy) {
		x.Elements = nil
		for i := range x.Categories {
			x.Categories[i].Variables = nil
		}
	})
	arabic := compile(t, "arabic@2026-01-02-beta", func(x *taxonomy.Taxonomy) {
		x.Locales = append(x.Locales, "ar")
		x.Type.Locales = x.Locales
		x.Title = localized("ar", "أجهزة الاستشعار")
		for i := range x.Elements {
			x.Elements[i].Title = localized("ar", "كاميرا فيديو")
			x.Elements[i].Description = localized("ar", "تسجل صورًا متحركة")
		}
	})
	malicious := compile(t, "hostile@2026-01-02-beta", func(x *taxonomy.Taxonomy) {
		x.Title = english(hostile)
		x.Description = english(hostile)
		x.Categories[0].Prompt = english(hostile)
		x.Elements[0].Title = english(hostile + " {{note}}")
		x.Elements[0].Description = english(hostile)
	})
	s := publishedService(t, empty, arabic, malicious)
	s.shows("/explore/empty@2026-01-02-beta", "There are no signs here yet.", "0 signs")
	s.shows("/explore/empty@2026-01-02-beta?q=x", "No sign for “x”")
	s.shows("/explore/arabic@2026-01-02-beta?lang=ar", `<div class="explore" dir="rtl"`, `<span lang="ar" dir="rtl">كاميرا فيديو</span>`)
	s.shows("/explore/arabic@2026-01-02-beta?lang=ar&q=كاميرا", `<span lang="ar" dir="rtl"><mark>كاميرا</mark>`)
	for _, params := range []string{"", "?q=alert", "?category=purpose", "?part=results"} {
		page := s.get("/explore/hostile@2026-01-02-beta" + params)
		if strings.Contains(page.body, "<script>alert") {
			t.Errorf("%q: a text is not escaped", params)
		}
	}
}

func TestMenusKeepThePlace(t *testing.T) {
	later := compile(t, "small@2026-02-02-beta", func(x *taxonomy.Taxonomy) {
		x.Elements = slices.DeleteFunc(x.Elements, func(e taxonomy.Element) bool { return e.ID == "pictures" || e.CategoryID == "purpose" })
		x.Categories = x.Categories[1:]
		x.Type.Categories = x.Type.Categories[1:]
	})
	s := publishedService(t, releasetest.Release(t, "small@2026-01-02-beta"), later)
	const first, second = "/explore/small@2026-01-02-beta", "/explore/small@2026-02-02-beta"
	for path, want := range map[string]string{
		first + "?lang=fr":               second + "?lang=fr",
		first + "?q=sound&category=data": second + "?category=data&amp;q=sound",
		first + "?category=purpose":      second,
		first + "/sound":                 second + "/sound",
		first + "/pictures":              second + "#question-data",
		first + "/safety":                second,
	} {
		s.shows(path, `<li><a href="`+want+`"  data-keep-place>2 `)
	}
	s.shows(first+"?q=sound&category=data", `<a href="`+first+`?category=data&amp;q=sound&amp;lang=fr"`)
	s.shows(first+"/sound", `action="`+first+`"`)
}

func TestExplorerIsRevalidated(t *testing.T) {
	s := builtinService(t)
	for _, path := range []string{"/explore/" + beta, "/explore/" + beta + "?q=camera"} {
		tag := s.get(path).header.Get("Etag")
		if got := s.do("GET", path, "If-None-Match", tag); got.status != http.StatusNotModified {
			t.Errorf("%s: got status %d, want 304", path, got.status)
		}
		if got := s.do("HEAD", path); got.status != http.StatusOK || got.body != "" {
			t.Errorf("HEAD %s: got status %d and %d bytes", path, got.status, len(got.body))
		}
	}
}
