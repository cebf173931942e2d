package release_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/datachain"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/builtin"
)

// guidePage is a decoded page of a guide.
type guidePage struct {
	Locale     string
	Title      string
	Rules      []string
	Example    jsontext.Value
	Shortened  bool
	Subchains  []struct{ ID string }
	Categories []struct {
		ID, Name, Question, Guidance string
		Required                     bool
		Max                          int
		Continued                    bool
		Shortened                    bool
		Context                      jsontext.Value
		Variables                    []struct{ ID, Label, Kind string }
		Elements                     []struct {
			ID, Title, Description, Guidance string
			Shortened                        bool
			Excludes, Shows                  []string
		}
	}
}

func readGuidePage(t *testing.T, g *release.Guide, category string, start int) (page guidePage, size, next int) {
	t.Helper()
	b, next := g.AppendPage([]byte{'{'}, category, start)
	b = append(b, '}')
	if err := json.Unmarshal(b, &page, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatalf("%v: %.300s", err, b)
	}
	return page, len(b), next
}

func compileGuide(t *testing.T, tax *taxonomy.Taxonomy, locale string) (*release.Release, *release.Guide) {
	t.Helper()
	tax.Derive()
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	g, err := r.Guide(locale, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, g
}

// exampleFindings returns all findings for an example, except one about each
// placeholder.
func exampleFindings(t *testing.T, r *release.Release, document []byte) []string {
	t.Helper()
	doc, report, err := datachain.Parse(document, nil)
	if err == nil && report.OK() {
		report, err = datachain.Validate(doc, r.Schema(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	placeholders := 0
	for _, p := range slices.Concat(report.Errors, report.Warnings) {
		if p.Code == datachain.CodePlaceholder {
			placeholders++
			continue
		}
		all = append(all, p.Error())
	}
	if n := strings.Count(string(document), `"value":"[`); placeholders != n {
		t.Errorf("got %d warnings about placeholders, want %d:\n%s", placeholders, n, document)
	}
	return all
}

func TestGuideOfABuiltInReleaseFitsOnOnePageAndItsExampleIsValid(t *testing.T) {
	index, err := builtin.Store().Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range index.Releases {
		r, err := builtin.Store().Load(t.Context(), entry)
		if err != nil {
			t.Fatal(err)
		}
		for _, locale := range r.Manifest.Locales {
			g, err := r.Guide(locale, nil)
			if err != nil {
				t.Fatal(err)
			}
			page, size, next := readGuidePage(t, g, "", 0)
			if size > 29_600 || next != 0 {
				t.Errorf("%s %s: got %d bytes and the next page at %d, want at most 29600 bytes and one page", r.Name(), locale, size, next)
			}
			if findings := exampleFindings(t, r, page.Example); findings != nil {
				t.Errorf("%s %s: the example has findings %v:\n%s", r.Name(), locale, findings, page.Example)
			}
			for _, c := range page.Categories {
				for _, e := range c.Elements {
					if e.Description == "" || utf8.RuneCountInString(e.Description) > 202 {
						t.Errorf("%s %s: element %s has the description %q", r.Name(), locale, e.ID, e.Description)
					}
				}
			}
		}
	}
}

func TestGuideHasEverythingAnAuthorNeeds(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-beta")
	tax.Elements[1].Excludes = []string{"sound"}
	tax.Elements[1].Guidance = taxonomy.Localized{{Locale: "fr", Value: "Seulement si elles sont gardées. Sinon, ne la placez pas."}}
	tax.Categories[0].Guidance = taxonomy.Localized{{Locale: "fr", Value: "Commencez par le but principal."}}
	tax.Elements[1].Title = append(taxonomy.Localized(nil), taxonomy.Text{Locale: "en", Value: "Pictures: {{note}}"})
	_, g := compileGuide(t, tax, "fr")
	page, _, _ := readGuidePage(t, g, "", 0)
	if page.Locale != "fr" || page.Title != "Petit" || len(page.Rules) == 0 || len(page.Categories) != 2 {
		t.Errorf("got %+v", page)
	}
	purpose, data := page.Categories[0], page.Categories[1]
	if purpose.Question != "Pourquoi est-ce ici ?" || !purpose.Required || purpose.Max != 2 || purpose.Context != nil || purpose.Guidance != "Commencez par le but principal." {
		t.Errorf("got category %+v", purpose)
	}
	if want := `{"name":"Détail","values":[{"id":"coarse","label":"Grossier"},{"id":"fine","label":"Fin"}]}`; string(data.Context) != want {
		t.Errorf("got context %s, want %s", data.Context, want)
	}
	if len(data.Variables) != 2 || data.Variables[0].Kind != "" || data.Variables[1].Kind != "multi_select_enum" {
		t.Errorf("got variables %+v", data.Variables)
	}
	if e := data.Elements[0]; e.Guidance != "Seulement si elles sont gardées. …" {
		t.Errorf("got guidance %q, want its first sentence and an ellipsis", e.Guidance)
	}
	// A text without a translation is in another locale.
	if e := data.Elements[0]; e.Title != "Pictures: {{note}}" || !slices.Equal(e.Shows, []string{"note"}) || !slices.Equal(e.Excludes, []string{"sound"}) {
		t.Errorf("got element %+v", e)
	}
}

func TestTextsInGuidesAreAsLongAsTheSizeAllows(t *testing.T) {
	description := strings.TrimSpace(strings.Repeat("word ", 50))
	for _, tc := range []struct{ elements, want int }{
		{10, 200},
		{105, 200},
		{120, 170},
		{140, 140},
		{160, 110},
		{500, 110}, // several pages
	} {
		tax := releasetest.Taxonomy(t, "small@2026-01-01-beta")
		for i := range tc.elements {
			tax.Elements = append(tax.Elements, taxonomy.Element{
				ID: fmt.Sprint("e", i), CategoryID: "data", SymbolID: "box",
				Description: taxonomy.Localized{{Locale: "en", Value: description}},
			})
		}
		_, g := compileGuide(t, tax, "en")
		page, size, next := readGuidePage(t, g, "", 0)
		elements := page.Categories[1].Elements
		got := utf8.RuneCountInString(elements[len(elements)-1].Description)
		if got > tc.want || got < tc.want-len("word ") || next == 0 && size > 29_600 {
			t.Errorf("%d elements: got descriptions of %d characters on a page of %d bytes, want about %d characters", tc.elements, got, size, tc.want)
		}
	}
}

func TestExampleAvoidsExcludedElementsAndSpentContextValues(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-beta", "heat")
	tax.Elements[0].Excludes = []string{"pictures"}
	data := &tax.Categories[1]
	data.Required, data.MinElements = true, 3
	data.Context.Values[0].MaxPlacements = 1
	tax.Elements = append(tax.Elements, taxonomy.Element{
		ID: "smell", CategoryID: "data", SymbolID: "box", Title: tax.Elements[0].Title, Description: tax.Elements[0].Description,
	})
	r, g := compileGuide(t, tax, "en")
	page, _, _ := readGuidePage(t, g, "", 0)
	var example struct {
		Elements []struct {
			ID      string `json:"element_id"`
			Context string `json:"context_type_id"`
		} `json:"elements"`
	}
	if err := json.Unmarshal(page.Example, &example); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range example.Elements {
		got = append(got, p.ID+" "+p.Context)
	}
	if want := []string{"safety ", "sound loud", "heat coarse", "smell fine"}; !slices.Equal(got, want) {
		t.Errorf("got placements %q, want %q", got, want)
	}
	if findings := exampleFindings(t, r, page.Example); findings != nil {
		t.Errorf("got findings %v", findings)
	}
}

func TestGuideWithoutAValidExampleHasNone(t *testing.T) {
	for name, change := range map[string]func(*taxonomy.Taxonomy){
		"a required variable has no options": func(tax *taxonomy.Taxonomy) {
			tax.Categories[1].Required = true
			tax.Categories[1].Variables[1].Required, tax.Categories[1].Variables[1].Options = true, nil
		},
		"a required category has no elements": func(tax *taxonomy.Taxonomy) { tax.Elements = tax.Elements[1:] },
		"there are no elements":               func(tax *taxonomy.Taxonomy) { tax.Elements = nil },
		"very many elements are required": func(tax *taxonomy.Taxonomy) {
			for i := range 300 {
				tax.Elements = append(tax.Elements, taxonomy.Element{ID: fmt.Sprint("e", i), CategoryID: "data", SymbolID: "box", Required: true})
			}
		},
	} {
		tax := releasetest.Taxonomy(t, "small@2026-01-01-beta")
		change(tax)
		_, g := compileGuide(t, tax, "en")
		if page, _, _ := readGuidePage(t, g, "", 0); page.Example != nil || len(page.Categories) == 0 || strings.Contains(strings.Join(page.Rules, " "), "example") {
			t.Errorf("%s: got example %s and %d categories", name, page.Example, len(page.Categories))
		}
	}
}

func TestLongGuidesArePaged(t *testing.T) {
	long := strings.Repeat("x", 5000)
	tax := releasetest.Taxonomy(t, "small@2026-01-01-beta")
	var want []string
	for _, e := range tax.Elements {
		want = append(want, e.ID)
	}
	for i := range 300 {
		id := fmt.Sprint("e", i)
		want = append(want, id)
		tax.Elements = append(tax.Elements, taxonomy.Element{
			ID: id, CategoryID: "data", SymbolID: "box",
			Title: taxonomy.Localized{{Locale: "en", Value: long}}, Description: taxonomy.Localized{{Locale: "en", Value: long}},
		})
	}
	excludes := slices.Repeat([]string{"safety"}, 2000)
	tax.Elements[3].Excludes = excludes
	for i := range 100 {
		v := &tax.Categories[1].Variables[1]
		v.Options = append(v.Options, taxonomy.Option{ID: fmt.Sprint("o", i), Name: taxonomy.Localized{{Locale: "en", Value: long[:100]}}})
	}
	_, g := compileGuide(t, tax, "en")
	for _, category := range []string{"", "data"} {
		var ids []string
		pages := 0
		for start := 0; ; {
			page, size, next := readGuidePage(t, g, category, start)
			pages++
			if size > release.MaxGuidePage+100 {
				t.Errorf("page at %d: got %d bytes, want at most %d", start, size, release.MaxGuidePage)
			}
			if (page.Rules != nil) != (category == "" && start == 0) {
				t.Errorf("page at %d of category %q: got rules %v", start, category, page.Rules)
			}
			for i, c := range page.Categories {
				if c.Continued != (pages > 1 && i == 0) || c.ID == "data" && !c.Shortened {
					t.Errorf("page at %d: category %s: got continued %v and shortened %v", start, c.ID, c.Continued, c.Shortened)
				}
				for _, e := range c.Elements {
					if e.Shortened != (e.ID == "e0") {
						t.Errorf("element %s: got shortened %v", e.ID, e.Shortened)
					}
					ids = append(ids, e.ID)
				}
			}
			if next == 0 {
				break
			}
			if next <= start {
				t.Fatalf("the page after %d starts at %d", start, next)
			}
			start = next
		}
		all := want
		if category != "" {
			all = want[1:]
		}
		if !slices.Equal(ids, all) || pages < 3 {
			t.Errorf("category %q: got %d elements on %d pages, want %d", category, len(ids), pages, len(all))
		}
	}
	if page, _, next := readGuidePage(t, g, "nothing", 0); len(page.Categories) != 0 || next != 0 || g.Units("nothing") != 0 {
		t.Errorf("unknown category: got %+v", page)
	}
}

func TestPagesThatEndBetweenCategoriesAreLimited(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-beta")
	for i := range 12 {
		c := tax.Categories[0]
		c.ID, c.Required = fmt.Sprint("c", i), false
		tax.Categories = append(tax.Categories, c)
		tax.Type.Categories = append(tax.Type.Categories, c.ID)
		tax.Elements = append(tax.Elements, taxonomy.Element{
			ID: fmt.Sprint("e", i), CategoryID: c.ID, SymbolID: "box", Excludes: slices.Repeat([]string{"safety"}, 800),
		})
	}
	_, g := compileGuide(t, tax, "en")
	elements := 0
	for start := 0; ; {
		page, size, next := readGuidePage(t, g, "", start)
		if size > release.MaxGuidePage+100 {
			t.Errorf("page at %d: got %d bytes, want at most %d", start, size, release.MaxGuidePage)
		}
		for _, c := range page.Categories {
			if elements += len(c.Elements); c.Continued || len(c.Elements) == 0 {
				t.Errorf("page at %d: got category %s with %d elements, continued: %t", start, c.ID, len(c.Elements), c.Continued)
			}
		}
		if next == 0 {
			break
		}
		start = next
	}
	if elements != len(tax.Elements) {
		t.Errorf("got %d elements, want %d", elements, len(tax.Elements))
	}
}

func TestGuideWithoutItsLongListOfSubchainsIsMarked(t *testing.T) {
	for _, tc := range []struct {
		subchains int
		shortened bool
	}{{10, false}, {500, true}} {
		tax := releasetest.Taxonomy(t, "small@2026-01-01-beta")
		tax.Type.Subchains = nil
		for i := range tc.subchains {
			tax.Type.Subchains = append(tax.Type.Subchains, taxonomy.Subchain{ID: fmt.Sprint("s", i), Categories: []string{"purpose", "data"}})
		}
		_, g := compileGuide(t, tax, "en")
		page, _, _ := readGuidePage(t, g, "", 0)
		if page.Shortened != tc.shortened || (len(page.Subchains) == tc.subchains) == tc.shortened {
			t.Errorf("%d subchains: got %d, shortened: %t", tc.subchains, len(page.Subchains), page.Shortened)
		}
	}
}

func TestGuideExplainsSubchainsOnlyWhereThereAreSome(t *testing.T) {
	for _, subchains := range [][]taxonomy.Subchain{nil, {{ID: "flow", Categories: []string{"data"}}}} {
		tax := releasetest.Taxonomy(t, "small@2026-01-01-beta")
		tax.Type.Subchains = subchains
		_, g := compileGuide(t, tax, "en")
		page, _, _ := readGuidePage(t, g, "", 0)
		rules := strings.Join(page.Rules, " ")
		for _, member := range []string{"subchain_instances", "subchain_instance_id", `"subchain_id":"...","label":text`} {
			if strings.Contains(rules, member) != (len(subchains) > 0) {
				t.Errorf("%d subchains: got the rules %s", len(subchains), rules)
			}
		}
	}
}

func TestGuideStopsWhenTheBudgetIsSpent(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-beta")
	tax.Derive()
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if _, err := r.Guide("en", func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got error %v, want %v", err, stop)
	}
	first, err := r.Guide("en", nil)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.Guide("en", func() error { return stop }); again != first || err != nil {
		t.Errorf("the second call wrote the guide again: error %v", err)
	}
}

func TestGuideLeavesOutDeprecatedElements(t *testing.T) {
	tax := releasetest.Taxonomy(t, "small@2026-01-01-beta", "heat")
	tax.Elements[1].Deprecated = &taxonomy.Deprecation{Use: taxonomy.IDs{"heat"}}
	tax.Categories[1].Required = true
	r, g := compileGuide(t, tax, "en")
	b, _ := g.AppendPage(nil, "", 0)
	if strings.Contains(string(b), `"pictures"`) || !strings.Contains(string(b), `"heat"`) {
		t.Errorf("got a guide with the deprecated element:\n%s", b)
	}
	if findings := exampleFindings(t, r, g.Example); findings != nil {
		t.Errorf("got findings %v", findings)
	}
}
