package query_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/serve/query"
)

// releaseWith returns a release with n extra elements.
func releaseWith(t testing.TB, id string, n int) *release.Release {
	extra := make([]string, n)
	for i := range extra {
		extra[i] = fmt.Sprintf("e%03d", i)
	}
	return releasetest.Release(t, id, extra...)
}

const id = "small@2026-01-02-beta"

// element has the members of an element that tests use.
type element struct {
	ID         string `json:"id"`
	CategoryID string `json:"category_id"`
}

func list(t testing.TB, r *release.Release, q query.Elements) (ids []string, page *query.Selection) {
	t.Helper()
	page, err := query.List(r, q)
	if err != nil {
		t.Fatal(err)
	}
	var elements []element
	if err := json.Unmarshal(pageJSON(t, page), &elements); err != nil {
		t.Fatal(err)
	}
	for _, e := range elements {
		ids = append(ids, e.ID)
	}
	if len(ids) != page.Returned() {
		t.Fatalf("Returned() = %d, want %d", page.Returned(), len(ids))
	}
	var selected []string
	for n := range page.Elements() {
		selected = append(selected, r.Taxonomy.Elements[n].ID)
	}
	if diff := cmp.Diff(ids, selected); diff != "" {
		t.Fatalf("Elements() differs from the JSON (-want +got):\n%s", diff)
	}
	return ids, page
}

func pageJSON(t interface{ Fatal(...any) }, page *query.Selection) []byte {
	b, err := page.AppendJSON(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func asProblem(t testing.TB, err error) problem.Problem {
	t.Helper()
	p, ok := errors.AsType[problem.Problem](err)
	if !ok {
		t.Fatalf("got error %v, want a problem", err)
	}
	return p
}

func TestElementsAreInReleaseOrder(t *testing.T) {
	ids, page := list(t, releasetest.Release(t, id), query.Elements{})
	if diff := cmp.Diff([]string{"safety", "pictures", "sound"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	if page.Total != 3 || page.Next != "" {
		t.Errorf("got total %d, next %q, want 3 and no next page", page.Total, page.Next)
	}
}

func TestCategoryFilter(t *testing.T) {
	r := releasetest.Release(t, id)
	for category, want := range map[string][]string{"data": {"pictures", "sound"}, "purpose": {"safety"}, "none": nil} {
		if ids, page := list(t, r, query.Elements{CategoryID: category}); !slices.Equal(ids, want) || page.Total != len(want) {
			t.Errorf("%s: got %v, total %d, want %v", category, ids, page.Total, want)
		}
	}
}

func TestMatchesAreCountedByCategory(t *testing.T) {
	r := releaseWith(t, id, 3)
	for _, c := range []struct {
		q    query.Elements
		want map[string]int
	}{
		{query.Elements{Limit: 1}, map[string]int{"purpose": 1, "data": 5}},
		{query.Elements{CategoryID: "data"}, map[string]int{"data": 5}},
		{query.Elements{Search: "extra", Limit: 1}, map[string]int{"data": 3}},
		{query.Elements{Search: "safe sounds"}, map[string]int{"purpose": 1, "data": 1}},
		{query.Elements{Search: "nothing"}, map[string]int{}},
	} {
		_, page := list(t, r, c.q)
		if diff := cmp.Diff(c.want, page.CountByCategory()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.q, diff)
		}
	}
}

func TestPagesCoverAllElementsOnce(t *testing.T) {
	r := releaseWith(t, id, 57)
	all, _ := list(t, r, query.Elements{Limit: 200})
	search, _ := list(t, r, query.Elements{Search: "extra", Limit: 200})
	rapid.Check(t, func(t *rapid.T) {
		q := query.Elements{}
		want := all
		if rapid.Bool().Draw(t, "search") {
			q.Search, want = "extra", search
		}
		var got []string
		for {
			q.Limit = rapid.IntRange(1, 60).Draw(t, "limit")
			q.Fields = rapid.SampledFrom([]query.Fields{nil, query.DefaultFields}).Draw(t, "fields")
			page, err := query.List(r, q)
			if err != nil {
				t.Fatal(err)
			}
			var elements []element
			if err := json.Unmarshal(pageJSON(t, page), &elements); err != nil {
				t.Fatal(err)
			}
			for _, e := range elements {
				got = append(got, e.ID)
			}
			if page.Total != len(want) {
				t.Fatalf("got total %d, want %d", page.Total, len(want))
			}
			if page.Next == "" {
				break
			}
			q.Cursor = page.Next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("ids (-want +got):\n%s", diff)
		}
	})
}

func TestStepStopsLongReads(t *testing.T) {
	r := releaseWith(t, id, 5000)
	stop := errors.New("stop")
	steps := 0
	fail := func() error { steps++; return stop }
	if _, err := query.List(r, query.Elements{Search: "extra", Step: fail}); err != stop || steps != 1 {
		t.Errorf("a search: got error %v after %d steps, want %v after 1", err, steps, stop)
	}
	for _, q := range []query.Elements{{Limit: 200}, {Limit: 200, Search: "extra"}} {
		page, err := query.List(r, q)
		if err != nil {
			t.Fatal(err)
		}
		all, err := page.AppendJSON(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		steps = 0
		if part, err := page.AppendJSON(nil, fail); err != stop || steps != 1 || len(part) > len(all)/2 {
			t.Errorf("a large page: got %d of %d bytes, error %v after %d steps, want %v after 1", len(part), len(all), err, steps, stop)
		}
		if stepped, err := page.AppendJSON(nil, func() error { return nil }); err != nil || string(stepped) != string(all) {
			t.Errorf("a large page with a step that never fails: got %d bytes, error %v, want %d bytes", len(stepped), err, len(all))
		}
	}
	small, err := query.List(r, query.Elements{Step: fail})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := small.AppendJSON(nil, fail); err != nil {
		t.Errorf("a small page: got error %v, want none", err)
	}
}

func TestCursorIsBoundToReleaseAndFilters(t *testing.T) {
	r := releaseWith(t, id, 20)
	q := query.Elements{Limit: 5, CategoryID: "data", Search: "extra", Locale: "en"}
	_, page := list(t, r, q)
	q.Cursor = page.Next
	list(t, r, q)

	same := q
	same.Locale = "EN"
	list(t, r, same)

	for name, change := range map[string]func(q *query.Elements) *release.Release{
		"category":    func(q *query.Elements) *release.Release { q.CategoryID = ""; return r },
		"query":       func(q *query.Elements) *release.Release { q.Search = "extra e"; return r },
		"no query":    func(q *query.Elements) *release.Release { q.Search = ""; return r },
		"locale":      func(q *query.Elements) *release.Release { q.Locale = "fr"; q.Search = "autre"; return r },
		"release id":  func(*query.Elements) *release.Release { return releaseWith(t, "small@2026-01-03-beta", 20) },
		"content":     func(*query.Elements) *release.Release { return releaseWith(t, id, 21) },
		"truncated":   func(q *query.Elements) *release.Release { q.Cursor = q.Cursor[:len(q.Cursor)-1]; return r },
		"lengthened":  func(q *query.Elements) *release.Release { q.Cursor += "A"; return r },
		"line feed":   func(q *query.Elements) *release.Release { q.Cursor = q.Cursor[:4] + "\n" + q.Cursor[4:]; return r },
		"not base64":  func(q *query.Elements) *release.Release { q.Cursor = "!"; return r },
		"empty token": func(q *query.Elements) *release.Release { q.Cursor = "AA"; return r },
	} {
		changed := q
		_, err := query.List(change(&changed), changed)
		if err == nil {
			t.Errorf("%s: the cursor is accepted, want an error", name)
			continue
		}
		if p := asProblem(t, err); p.Code != problem.BadRequest || p.Message != "Invalid pagination cursor." || p.FixHint == "" {
			t.Errorf("%s: got %+v, want an invalid cursor", name, p)
		}
	}
	for i := range q.Cursor {
		altered := q
		swap := byte('A')
		if q.Cursor[i] == swap {
			swap = 'B'
		}
		altered.Cursor = q.Cursor[:i] + string(swap) + q.Cursor[i+1:]
		if _, err := query.List(r, altered); err == nil {
			t.Errorf("the cursor is accepted with another character at %d, want an error", i)
		}
	}
}

func TestSearchLocale(t *testing.T) {
	r := releasetest.Release(t, id)
	for locale, want := range map[string]string{"": "pictures", "en": "pictures", "en-GB": "pictures"} {
		if ids, _ := list(t, r, query.Elements{Search: "pictures", Locale: locale}); !slices.Equal(ids, []string{want}) {
			t.Errorf("locale %q: got %v, want %s", locale, ids, want)
		}
	}
	_, err := query.List(r, query.Elements{Search: "pictures", Locale: "de"})
	if p := asProblem(t, err); p.Code != problem.BadRequest || !strings.Contains(p.FixHint, "en, fr") {
		t.Errorf("locale de: got %+v, want bad_request with the locales", p)
	}
	if ids, _ := list(t, r, query.Elements{Locale: "de", Search: "  "}); len(ids) != 3 {
		t.Errorf("a blank query: got %v, want all elements", ids)
	}
}

func TestInvalidQueries(t *testing.T) {
	r := releasetest.Release(t, id)
	for name, q := range map[string]query.Elements{
		"limit":   {Limit: 201},
		"query":   {Search: strings.Repeat("é", 257)},
		"locale":  {Locale: "en_US"},
		"locales": {Locales: query.Locales{"en", ""}},
		"cursor":  {Cursor: "x"},
	} {
		_, err := query.List(r, q)
		if p := asProblem(t, err); p.Code != problem.BadRequest || p.FixHint == "" || p.Path.String() != name {
			t.Errorf("%s: got %+v, want bad_request with a hint and this path", name, p)
		}
	}
	if _, err := query.List(r, query.Elements{Search: strings.Repeat("é", 256)}); err != nil {
		t.Errorf("256 characters: got error %v, want none", err)
	}
}

func TestUnknownElementHint(t *testing.T) {
	_, err := query.Element(releasetest.Release(t, id), "picture")
	const want = `Did you mean "pictures"?`
	if p := asProblem(t, err); p.Code != problem.NotFound || p.FixHint != want {
		t.Errorf("got %+v, want not_found with the hint %s", p, want)
	}
}

func TestHintForACategoryInPlaceOfAnElement(t *testing.T) {
	r := releasetest.Release(t, id)
	_, err := query.Element(r, "data")
	if p := asProblem(t, err); p.FixHint != `"data" is a category.` || p.Call != problem.ListElementsIn(r.Name(), "data") {
		t.Errorf("got %+v, want a hint to list the elements of the category", p)
	}
}

func TestParseFieldsAndLocales(t *testing.T) {
	for s, want := range map[string]query.Fields{
		"": query.DefaultFields, "all": nil, "id,all": nil, "id, title": {"id", "title"}, "x": {"x"},
	} {
		if diff := cmp.Diff(want, query.ParseFields(s, query.DefaultFields)); diff != "" {
			t.Errorf("ParseFields(%q) (-want +got):\n%s", s, diff)
		}
	}
	r := releasetest.Release(t, id)
	if l, err := query.ParseLocales(r, "en, pt-BR"); err != nil || !slices.Equal(l, query.Locales{"en", "pt-BR"}) {
		t.Errorf("ParseLocales(en, pt-BR) = %v, %v; want [en pt-BR]", l, err)
	}
	for _, s := range []string{",", "en,", "en,,fr", "e", "en_US"} {
		l, err := query.ParseLocales(r, s)
		if p, ok := errors.AsType[problem.Problem](err); !ok || !strings.Contains(p.FixHint, "This version has en, fr.") {
			t.Errorf("ParseLocales(%q) = %v, %v, want an error whose hint lists the locales", s, l, err)
		}
	}
}

func TestUnknownLocaleSelectsNoTexts(t *testing.T) {
	r := releasetest.Release(t, id)
	got := string(query.AppendElement(nil, r, 0, query.Fields{"title"}, query.Locales{"de"}))
	if want := `{"id":"safety","title":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
