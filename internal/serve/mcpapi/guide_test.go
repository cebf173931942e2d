package mcpapi_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/mcpapi"
)

// Maximum sizes of guides, in bytes.
const (
	maxGuidePage  = 36_000 // 12,000 tokens of three bytes each
	maxKnownGuide = 30_000 // the guide of a taxonomy that we know, on one page
)

// guide is the data of get_schema with include authoring.
type guide struct {
	Version, Locale, Title string
	Rules                  []string
	Example                jsontext.Value
	Categories             []struct {
		ID       string
		Elements []struct{ ID, Title string }
	}
}

func (s *service) guide(arguments string) (guide, toolResult) {
	s.t.Helper()
	r := s.call("get_schema", arguments)
	var g guide
	if err := json.Unmarshal(r.Data, &g, json.MatchCaseInsensitiveNames(true)); err != nil {
		s.t.Fatalf("%.300s: %v", r.Structured, err)
	}
	return g, r
}

// elementIDs returns the ids of the elements in g.
func (g guide) elementIDs() (ids []string) {
	for _, c := range g.Categories {
		for _, e := range c.Elements {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func TestOneCallReturnsEverythingNeededToWrite(t *testing.T) {
	for name, releases := range knownReleases(t) {
		s := serveReleases(t, releases, mcpapi.Options{})
		snapshot, err := s.catalog.Current()
		if err != nil || len(snapshot.Releases()) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range snapshot.Releases() {
			for _, locale := range r.Manifest.Locales {
				g, res := s.guide(`{"version":"` + r.Name() + `","include":"authoring","locales":["` + locale + `"]}`)
				if len(res.Structured) > maxKnownGuide || res.EnvelopeMeta.NextCursor != nil || res.EnvelopeMeta.Notice != "" {
					t.Errorf("%s %s: got %d bytes and %+v, want at most %d bytes on one page", r.Name(), locale, len(res.Structured), res.EnvelopeMeta, maxKnownGuide)
				}
				if got, want := len(g.elementIDs()), len(r.Elements); got != want || g.Locale != locale || g.Version != r.Name() || len(g.Rules) == 0 {
					t.Errorf("%s %s: got %d elements in locale %s, want %d", r.Name(), locale, got, g.Locale, want)
				}
				var data struct {
					Warnings problem.List `json:"warnings"`
				}
				valid := s.call("validate_datachain", documentArguments(r.Name(), string(g.Example)))
				valid.into(t, &data)
				isOther := func(p problem.Problem) bool { return p.Code != datachain.CodePlaceholder }
				if !valid.OK || slices.ContainsFunc(data.Warnings, isOther) {
					t.Errorf("%s %s: the example has errors %v and warnings %v", r.Name(), locale, valid.Errors, data.Warnings)
				}
			}
		}
	}
}

// suggestedElementExample is the example in the rule about suggested elements.
var suggestedElementExample = regexp.MustCompile(`Add (\{.*?\}) .* to suggested_elements`)

func TestRulesOfGuidesShowAnAcceptedSuggestedElement(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	g, _ := s.guide(`{"version":"place@latest","include":"authoring"}`)
	found := suggestedElementExample.FindStringSubmatch(strings.Join(g.Rules, "\n"))
	if found == nil {
		t.Fatalf("got rules %q, want an example of a suggested element", g.Rules)
	}
	suggested := strings.NewReplacer(
		`"id":"..."`, `"id":"roof_garden"`,
		`"category_id":"..."`, `"category_id":"purpose"`,
		`:text`, `:[{"locale":"en","value":"Watering a roof garden"}]`,
	).Replace(found[1])
	document := string(s.call("resolve_datachain", documentArguments(stable, shortDocument)).Data)
	document = strings.Replace(document, `"suggested_elements":[]`, `"suggested_elements":[`+suggested+`]`, 1)
	document = strings.Replace(document, `"elements":[`, `"elements":[{"element_id":"roof_garden"},`, 1)
	arguments := documentArguments(stable, document)
	if r := s.call("validate_resolved", arguments); r.OK || len(r.Errors) != 1 || r.Errors[0].Code != "provenance_required" {
		t.Errorf("without provenance: got %.500s, want only an error about the provenance", r.Structured)
	}
	arguments = documentArguments(stable, strings.Replace(document, `{`, `{"authoring_provenance":{"kind":"ai_generated"},`, 1))
	if r := s.call("validate_resolved", arguments); !r.OK {
		t.Errorf("validate_resolved: got %.500s", r.Structured)
	}
	if r := s.call("render_datachain", arguments); !r.OK || !strings.Contains(r.Content[0].Text, "Watering a roof garden") {
		t.Errorf("render_datachain: got %.500s", r.Structured)
	}
}

func TestGuideChoosesItsLocale(t *testing.T) {
	s := newService(t, mcpapi.Options{})
	for _, tc := range []struct{ locales, want, notice string }{
		{``, "en", ""},
		{`,"locales":["fr"]`, "fr", ""},
		{`,"locales":"FR"`, "fr", ""},
		{`,"locale":"es"`, "es", ""},
		{`,"locales":["fr-CA"]`, "fr", `no texts in locale "fr-CA"; the guide is in "fr"`},
		{`,"locales":["de"]`, "en", `no texts in locale "de"; the guide is in "en"`},
		{`,"locales":["ja","en"]`, "ja", `A guide is in one locale; this one is in "ja".`},
		{`,"locales":"*"`, "en", `A guide is in one locale`},
	} {
		g, r := s.guide(`{"version":"place@latest","include":"authoring"` + tc.locales + `}`)
		if g.Locale != tc.want || !strings.Contains(r.EnvelopeMeta.Notice, tc.notice) || (tc.notice == "") != (r.EnvelopeMeta.Notice == "") {
			t.Errorf("%s: got locale %q and notice %q, want %q and %q", tc.locales, g.Locale, r.EnvelopeMeta.Notice, tc.want, tc.notice)
		}
	}
}

func TestGuideReportsOmissions(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-stable")
	variable := &tax.Categories[1].Variables[1]
	for i := range 300 {
		variable.Options = append(variable.Options, taxonomy.Option{ID: fmt.Sprint("one_of_many_options_", i)})
	}
	tax.Elements = tax.Elements[1:]
	_, r := serveTaxonomy(t, tax).guide(`{"version":"small@latest","include":"authoring"}`)
	for _, want := range []string{"marked as shortened", "There is no example"} {
		if !strings.Contains(r.EnvelopeMeta.Notice, want) {
			t.Errorf("got notice %q, want %q in it", r.EnvelopeMeta.Notice, want)
		}
	}
}

func TestLongGuideIsPagedByCategory(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-stable")
	for i := range 800 {
		tax.Elements = append(tax.Elements, taxonomy.Element{
			ID: fmt.Sprint("e", i), CategoryID: "data", SymbolID: "box",
			Title:       taxonomy.Localized{{Locale: "en", Value: "One of very many elements"}},
			Description: taxonomy.Localized{{Locale: "en", Value: "It has a description of about a hundred characters, as most elements of a real taxonomy have."}},
		})
	}
	s := serveTaxonomy(t, tax)
	for _, filter := range []string{"", `,"category_id":"data"`} {
		var ids []string
		cursor, pages := "", 0
		for {
			g, res := s.guide(`{"version":"small@latest","include":"authoring","cursor":"` + cursor + `"` + filter + `}`)
			ids = append(ids, g.elementIDs()...)
			pages++
			if len(res.Structured) > maxGuidePage {
				t.Errorf("page %d: got %d bytes, want at most %d", pages, len(res.Structured), maxGuidePage)
			}
			next := res.EnvelopeMeta.NextCursor
			if (next != nil) != strings.Contains(res.EnvelopeMeta.Notice, "next_cursor") {
				t.Errorf("page %d: got notice %q", pages, res.EnvelopeMeta.Notice)
			}
			if next == nil {
				break
			}
			cursor = *next
		}
		slices.Sort(ids)
		want := len(tax.Elements)
		if filter != "" {
			want--
		}
		if got := len(slices.Compact(ids)); got != want || pages < 4 {
			t.Errorf("filter %q: got %d elements on %d pages, want %d", filter, got, pages, want)
		}
		for _, arguments := range []string{
			`{"version":"small@latest","cursor":"` + cursor + `"}`,
			`{"version":"small@latest","include":"authoring","locales":"fr","cursor":"` + cursor + `"` + filter + `}`,
		} {
			tool := "get_schema"
			if !strings.Contains(arguments, "include") {
				tool = "list_elements"
			}
			if res := s.call(tool, arguments); !res.IsError || res.Errors[0].Path.String() != "cursor" {
				t.Errorf("%s %s: got %.200s, want an invalid cursor", tool, arguments, res.Structured)
			}
		}
	}
}
