package view_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/datachain"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/show/view"
	"placard/internal/storage/builtin"
	"placard/scripts/envtest"
)

var update = flag.Bool("update", false, "update the golden files")

// exampleFolder holds the example disclosures of a stable release of the built-in
// taxonomy. Stable releases never change.
const exampleFolder = "place/2026-06-01-stable/examples"

var exampleNames = []string{"river_watch", "smart_crossing", "station_gates"}

var builtinRelease = sync.OnceValues(func() (*release.Release, error) {
	store := builtin.Store()
	index, err := store.Index(context.Background())
	if err != nil {
		return nil, err
	}
	for _, e := range index.Releases {
		if e.ID.Status == taxonomy.Stable {
			return store.Load(context.Background(), e)
		}
	}
	return nil, errors.New("no stable release")
})

// example returns the model of a built-in example.
func example(tb testing.TB, name, locale string) *view.Model {
	tb.Helper()
	r, err := builtinRelease()
	if err != nil {
		tb.Fatal(err)
	}
	m, err := view.Thin(thin(tb, exampleFile(tb, name)), r).Model(locale, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// examples returns the models of a built-in example in all languages.
func examples(tb testing.TB, name, locale string) []*view.Model {
	tb.Helper()
	r, err := builtinRelease()
	if err != nil {
		tb.Fatal(err)
	}
	models, err := view.Thin(thin(tb, exampleFile(tb, name)), r).Models(locale, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return models
}

func exampleFile(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := fs.ReadFile(envtest.BuiltinTree(), path.Join(exampleFolder, name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func thin(tb testing.TB, data []byte) *datachain.Document {
	tb.Helper()
	d, report, err := datachain.Parse(data, nil)
	if err != nil || d == nil {
		tb.Fatal(err, report.Errors)
	}
	return d
}

func resolved(tb testing.TB, data []byte) *datachain.Resolved {
	tb.Helper()
	d, report, err := datachain.ParseResolved(data, nil)
	if err != nil || d == nil {
		tb.Fatal(err, report.Errors)
	}
	return d
}

func file(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// demo returns a release with the symbols of testdata/everything.json.
func demo(tb testing.TB) *release.Release { return releasetest.Release(tb, "demo@2026-01-02-stable") }

// everything returns the model of testdata/everything.json, which uses every
// feature of a page.
func everything(tb testing.TB, locale string) *view.Model {
	tb.Helper()
	m, err := view.Resolved(resolved(tb, file(tb, "everything.json")), demo(tb)).Model(locale, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// arabic returns the model of an Arabic document whose taxonomy is in English.
func arabic(tb testing.TB) *view.Model {
	tb.Helper()
	text := strings.NewReplacer(
		`{"locale": "en", "value": "Everything at once"}`, `{"locale": "ar", "value": "كل شيء معًا"}`,
		`{"locale": "en", "value": "nobody is hurt"}`, `{"locale": "ar", "value": "ألا يُصاب أحد"}`,
		`{"locale": "en", "value": "Purpose"}`, `{"locale": "ar", "value": "الغرض"}`,
	).Replace(string(file(tb, "everything.json")))
	m, err := view.Resolved(resolved(tb, []byte(text)), demo(tb)).Model("", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// titleOf returns the title of the element of p.
func titleOf(p *view.Placement) string {
	if !p.Caption.IsZero() {
		return p.Caption.String()
	}
	return p.Heading.String()
}

func html(tb testing.TB, m *view.Model) []byte {
	tb.Helper()
	page, err := (&view.Page{Models: []*view.Model{m}}).HTML(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return page
}

// golden compares got with a golden file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s differs; run go test -update to accept (-want +got):\n%s", name, diff)
	}
}

// readable returns the contents of a page with one tag per line and without
// icons.
func readable(page []byte) []byte {
	_, body, _ := bytes.Cut(page, []byte(`<main `))
	body, _, _ = bytes.Cut(body, []byte(`</main>`))
	return append(bytes.ReplaceAll(body, []byte("><"), []byte(">\n<")), '\n')
}

func TestGoldenPage(t *testing.T) {
	golden(t, "everything.html.golden", readable(html(t, everything(t, ""))))
}

func TestHTMLIsDeterministic(t *testing.T) {
	for range 20 {
		if !bytes.Equal(html(t, everything(t, "fr")), html(t, everything(t, "fr"))) {
			t.Fatal("two pages of the same document differ")
		}
	}
}

func TestThinAndResolvedDocumentsHaveSameModel(t *testing.T) {
	r, err := builtinRelease()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range exampleNames {
		data, err := fs.ReadFile(envtest.BuiltinTree(), path.Join(exampleFolder, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		resolution, err := datachain.Resolve(thin(t, data), datachain.NewSchema(r.Taxonomy), nil)
		if err != nil || !resolution.OK() {
			t.Fatal(err, resolution.Errors)
		}
		m, err := view.Resolved(resolved(t, resolution.Document()), r).Model("fr", nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(example(t, name, "fr"), m); diff != "" {
			t.Errorf("%s (-thin +resolved):\n%s", name, diff)
		}
	}
}

func TestIconWithoutSymbolIsBareShape(t *testing.T) {
	with := everything(t, "")
	without, err := view.Resolved(resolved(t, file(t, "everything.json")), nil).Model("", nil)
	if err != nil {
		t.Fatal(err)
	}
	inspect := func(m *view.Model, title string) (outline, symbol bool) {
		for _, p := range placements(m) {
			if titleOf(p) == title {
				return strings.Contains(p.Icon.SVG, `stroke-width="1.5"`), strings.Count(p.Icon.SVG, "<") > 3
			}
		}
		t.Fatalf("no placement has the title %q", title)
		return false, false
	}
	for _, tc := range []struct {
		model  *view.Model
		title  string
		symbol bool
	}{
		{with, "Safety", true},
		{without, "Safety", false},
		{with, "Scent", false}, // symbols of suggested elements are ignored
		{with, "Stray", false},
	} {
		outline, symbol := inspect(tc.model, tc.title)
		if !outline || symbol != tc.symbol {
			t.Errorf("%s: outline %t, symbol %t, want true, %t", tc.title, outline, symbol, tc.symbol)
		}
	}
}

// placements returns all placements of m in the order of the page.
func placements(m *view.Model) []*view.Placement {
	var all []*view.Placement
	for _, part := range m.Parts {
		for _, strand := range part.Strands {
			for i := range strand.Sections {
				for k := range strand.Sections[i].Placements {
					all = append(all, &strand.Sections[i].Placements[k])
				}
			}
		}
	}
	return all
}

func TestContextSetsIconColour(t *testing.T) {
	byTitle := make(map[string]*view.Placement)
	for _, p := range placements(everything(t, "")) {
		byTitle[titleOf(p)] = p
	}
	for _, tc := range []struct{ title, context, color, fill string }{
		{"Pictures Here\u00a0· There", "Coarse", "#1B4F9F", "#1B4F9F"}, // tinted is omitted; a colour other than black implies it
		{"Pictures Where", "Fine", "", "none"},
		{"Sound of a bell", "Loud", "#A85A00", "#A85A00"}, // context of the element
	} {
		p := byTitle[tc.title]
		if p == nil || p.Context == nil {
			t.Errorf("%s: got %+v, want a placement with a context", tc.title, p)
			continue
		}
		if p.Context.Value.String() != tc.context || p.Context.Color != tc.color || !strings.Contains(p.Icon.SVG, `fill="`+tc.fill+`"`) {
			t.Errorf("%s: got context %+v and icon %s, want %+v", tc.title, p.Context, p.Icon.SVG, tc)
		}
		if p.Icon.Tinted == (tc.color == "") {
			t.Errorf("%s: tinted: got %t, want %t", tc.title, p.Icon.Tinted, !p.Icon.Tinted)
		}
	}
	if p := byTitle["Safety"]; p.Context != nil {
		t.Errorf("Safety has context %+v, want none", p.Context)
	}
}

func TestOrderOfCategoriesAndSubchains(t *testing.T) {
	var got []string
	for _, part := range everything(t, "").Parts {
		for _, strand := range part.Strands {
			got = append(got, fmt.Sprintf("%s/%s", part.Name, strand.Title))
			for _, s := range strand.Sections {
				got = append(got, "  "+s.Name.String())
				for _, p := range s.Placements {
					got = append(got, "    "+titleOf(&p))
				}
			}
		}
	}
	want := []string{
		"/",
		"  Purpose",
		"    Safety",
		"Flow/The first pictures\u00a0· Safety",
		"  Data",
		"    Pictures Here\u00a0· There",
		"Flow/Chain 2",
		"  Data",
		"    Pictures Where",
		"    Sound of a bell",
		"/",
		"  Data",
		"    Scent",
		"  Other",
		"    Stray",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStrandsAreNamedAfterTheirLabels(t *testing.T) {
	const heads, second = `"head_refs": ["first_pictures", "safety"]`, `"order": 2}`
	for _, tc := range []struct{ label, locale, want string }{
		{`"The gate"`, "", "The gate"},
		{`[{"locale": "en", "value": "The gate"}, {"locale": "fr", "value": "La porte"}]`, "fr", "La porte"},
		{`[{"locale": "de", "value": "Das Tor"}]`, "de", "Das Tor"},
		{`""`, "", "The first pictures\u00a0· Safety"},
		{`[]`, "", "The first pictures\u00a0· Safety"},
	} {
		text := strings.NewReplacer(heads, heads+`, "label": `+tc.label, second, `"order": 2, "label": "The lift"}`).Replace(string(file(t, "everything.json")))
		m, err := view.Resolved(resolved(t, []byte(text)), demo(t)).Model(tc.locale, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{tc.want, "The lift"} {
			if got := m.Parts[1].Strands[i].Title.String(); got != want {
				t.Errorf("label %s: got %q, want %q", tc.label, got, want)
			}
		}
		if plain := m.PlainText(); !strings.Contains(plain, strings.ReplaceAll(tc.want, "\u00a0", " ")) || !strings.Contains(plain, "The lift") {
			t.Errorf("label %s: got a text without the titles:\n%s", tc.label, plain)
		}
	}
}

func TestStrandsAreNamedAfterTheirHeads(t *testing.T) {
	text := strings.NewReplacer(
		`"label": [{"locale": "en", "value": "The first pictures"}],`, "",
		`"id": "note"`, `"id": "name"`,
	).Replace(string(file(t, "everything.json")))
	m, err := view.Resolved(resolved(t, []byte(text)), demo(t)).Model("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Parts[1].Strands[0].Title.String(), "seulement la nuit\u00a0· Safety"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlacementsAreSortedByPriority(t *testing.T) {
	var titles []string
	m := example(t, "station_gates", "en")
	for _, part := range m.Parts {
		for _, strand := range part.Strands {
			for _, s := range strand.Sections {
				for _, p := range s.Placements {
					if s.Category == "choices" {
						titles = append(titles, titleOf(&p))
					}
				}
			}
		}
	}
	// The document lists them in a different order and gives opt_out priority 1.
	if diff := cmp.Diff([]string{"Opt out", "Ask a question", "Erase your data", "Review by a person"}, titles); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCounts(t *testing.T) {
	categories, placements := everything(t, "").Counts()
	if categories != 3 || placements != 6 {
		t.Errorf("Counts() = %d, %d, want 3, 6", categories, placements)
	}
}

func TestProvenanceByInstanceAndByElement(t *testing.T) {
	notes := make(map[string]string)
	for _, p := range placements(everything(t, "")) {
		if p.Notes == nil {
			continue
		}
		lines := []string{p.Notes.Summary.String()}
		for _, f := range p.Notes.Facts {
			lines = append(lines, f.Label.String()+": "+f.Value.String())
		}
		for _, q := range p.Notes.Quotes {
			lines = append(lines, q.Text.String()+" ("+q.Context.String()+")")
		}
		for _, s := range p.Notes.Sources {
			lines = append(lines, s.Title.String())
		}
		notes[titleOf(p)] = strings.Join(lines, "; ")
	}
	want := map[string]string{
		"Safety": "Notes; Reason: It is the only purpose.; Confidence: High",
		"Pictures Here\u00a0· There": "Notes and sources; Reason: They are mentioned first.; Confidence: unsure; Where: Both are mentioned.; " +
			"first the pictures (A letter); no more (); About pictures; About photographs",
		"Pictures Where": "Sources; About photographs",
		"Scent":          "Notes; Confidence: Low",
	}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUntitledDocumentIsNamedAfterItsType(t *testing.T) {
	const document = `{"id": "x-1", "schema_version": "demo@2026-01-02-stable", "created_at": "2026-01-02T03:04Z",
		"elements": [{"element_id": "safety"}]}`
	m, err := view.Thin(thin(t, []byte(document)), demo(t)).Model("fr", nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Title.Text != "Petit" || !m.Kind.IsZero() || !m.Description.IsZero() {
		t.Errorf("got title %+v, kind %+v, description %+v, want only the title Petit", m.Title, m.Kind, m.Description)
	}
}

func TestPlaceholderHasStyleAndScriptOfPage(t *testing.T) {
	page := string(view.Placeholder())
	if !strings.Contains(page, "<title>datachain (awaiting tool call)</title>") {
		t.Error("placeholder has the wrong title")
	}
	drawn := string(html(t, everything(t, "")))
	for _, tag := range []string{"style", "script"} {
		part := func(page string) string {
			_, rest, _ := strings.Cut(page, "<"+tag)
			content, _, found := strings.Cut(rest, "</"+tag+">")
			if !found {
				t.Fatalf("page has no %s", tag)
			}
			return content
		}
		if part(page) != part(drawn) {
			t.Errorf("placeholder and page differ in %s", tag)
		}
	}
}

// parseAndBuild returns the model of a document that may be invalid.
func parseAndBuild(document []byte) (*view.Model, error) {
	d, report, err := datachain.ParseResolved(document, nil)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, report.Errors
	}
	return view.Resolved(d, nil).Model("en", nil)
}

func TestListHasDirectionOfItsItems(t *testing.T) {
	for name, m := range map[string]*view.Model{"English": everything(t, ""), "Arabic": arabic(t)} {
		i := slices.IndexFunc(placements(m), func(p *view.Placement) bool { return titleOf(p) == "Pictures Here\u00a0· There" })
		if i < 0 {
			t.Fatalf("%s: no placement has a list in its title", name)
		}
		if options := placements(m)[i].Caption.Parts[1]; options.Dir != "ltr" || options.Kind != "value" || len(options.Parts) != 3 {
			t.Errorf("%s: got options %+v, want an ltr value with 3 parts", name, options)
		}
	}
}
