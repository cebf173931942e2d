package source

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/taxonomy"
)

func TestNumbersAndBooleansAreReadAsText(t *testing.T) {
	got := mustLoad(t, overlay(demo, Minimal, minimalMeta+"notes: 2026\ntitle: {en: yes, fr: 3.0}\ncreated_at: 2026-01-31T09:00:00Z\ncontent_hash: sha256-00\n"), demo)
	want := taxonomy.Localized{{Locale: "en", Value: "yes"}, {Locale: "fr", Value: "3.0"}}
	if diff := cmp.Diff(want, got.Title); diff != "" || got.Notes != "2026" || got.CreatedAt != "2026-01-31T09:00:00Z" {
		t.Errorf("got notes %q, created at %q, title (-want +got):\n%s", got.Notes, got.CreatedAt, diff)
	}
}

func TestSynonymsAreEquivalent(t *testing.T) {
	names := overlay(demo, Minimal, minimalCategory+`guidance: {en: Say where, fr: Dites où}
context:
  id: time
  name: {en: Time, fr: Moment}
  values: [{id: day, label: {en: Day, fr: Jour}, color: "#b35900"}, {id: night, label: {en: Night, fr: Nuit}}]
variables: [{id: name, label: {en: Name, fr: Nom}, kind: localized_text, required: true}]
`)
	synonyms := overlay(demo, Minimal, minimalCategory+`authoring_guidance: [{locale: FR, value: Dites où}, {value: Say where, locale: en}]
element_context:
  id: time
  name: {fr: Moment, en: Time}
  values:
    - {id: day, name: [{locale: en, value: Day}, {locale: fr, value: Jour}], color: '#B35900'}
    - {id: night, name: {En: "Night ", fr: Nuit}, color: null}
element_variables:
  - id: name
    label: {fr: Nom, en: Name}
    required: true
`, "-- meta.yaml --\n", minimalType+"locales: [en, fr]\n", "-- meta.yaml --\nstatus: beta\n")
	got := mustLoad(t, names, demo)
	if diff := cmp.Diff(got, mustLoad(t, synonyms, demo)); diff != "" {
		t.Errorf("field names and synonyms give different results:\n%s", diff)
	}
	values := got.Categories[0].Context.Values
	if !values[0].Tinted || values[0].Color != "#B35900" || values[1].Tinted || values[1].Color != "#000000" {
		t.Errorf("got context values %+v", values)
	}
	if variants := got.Elements[0].IconVariants; !slices.Equal(variants, []string{"default", "dark", "day", "night"}) {
		t.Errorf("got variants %v", variants)
	}
}

func TestLimitsOfContextValuesAndExcludedElementsAreRead(t *testing.T) {
	got := mustLoad(t, overlay(demo, Minimal,
		replace(exampleContext, `"#B35900"`, `"#B35900", max_placements: 2`),
		minimalElement+"excludes: [road]\n",
		replace(replace(minimalElement, "street.yaml", "road.yaml"), "id: street", "id: road")+"excludes: []\n",
	), demo)
	if values := got.Categories[0].Context.Values; values[0].MaxPlacements != 2 || values[1].MaxPlacements != 0 {
		t.Errorf("got context values %+v, want limits 2 and 0", values)
	}
	for i, want := range map[int][]string{0: nil, 1: {"road"}} {
		if e := got.Elements[i]; !slices.Equal(e.Excludes, want) || (e.Excludes == nil) != (want == nil) {
			t.Errorf("%s: got excludes %#v, want %#v", e.ID, e.Excludes, want)
		}
	}
}

func TestReplacedElementIsRead(t *testing.T) {
	got := mustLoad(t, overlay(demo, Minimal, minimalElement+"replaces: avenue\n"), demo)
	if id := got.Elements[0].Replaces; !slices.Equal(id, taxonomy.IDs{"avenue"}) {
		t.Errorf("got replaces %q, want %q", id, "avenue")
	}
}

func TestVariablesAndOptionsKeepTheirDocumentation(t *testing.T) {
	got := mustLoad(t, overlay(demo, Minimal, minimalCategory+`variables:
  - id: days
    label: {en: Days, fr: Jours}
    kind: multi_select_enum
    sources: [{type: standard, title: Names of days, citation: Part 3}]
    options:
      - id: monday
        name: {en: Monday, fr: Lundi}
        guidance: {en: Not on holidays, fr: Pas les jours fériés}
        sources: [{type: law, title: Act on holidays, url: 'https://example.org/act'}]
        examples: [{scenario: {en: A market, fr: Un marché}, narrative: {en: It opens on Mondays, fr: Il ouvre le lundi}}]
      - {id: sunday, name: {en: Sunday, fr: Dimanche}, authoring_guidance: {en: Rarely, fr: Rarement}, sources: [], examples: null}
`), demo)
	text := func(en, fr string) taxonomy.Localized {
		return taxonomy.Localized{{Locale: "en", Value: en}, {Locale: "fr", Value: fr}}
	}
	want := []taxonomy.Variable{{
		ID: "days", Label: text("Days", "Jours"), Kind: taxonomy.MultiSelectEnum,
		Sources: []taxonomy.Source{{Type: "standard", Title: "Names of days", Citation: "Part 3"}},
		Options: []taxonomy.Option{
			{
				ID: "monday", Name: text("Monday", "Lundi"), Guidance: text("Not on holidays", "Pas les jours fériés"),
				Sources:  []taxonomy.Source{{Type: "law", Title: "Act on holidays", URL: "https://example.org/act"}},
				Examples: []taxonomy.Example{{Scenario: text("A market", "Un marché"), Narrative: text("It opens on Mondays", "Il ouvre le lundi")}},
			},
			{ID: "sunday", Name: text("Sunday", "Dimanche"), Guidance: text("Rarely", "Rarement")},
		},
	}}
	for part, variables := range map[string][]taxonomy.Variable{"category": got.Categories[0].Variables, "element": got.Elements[0].Variables} {
		if diff := cmp.Diff(want, variables); diff != "" {
			t.Errorf("variables of the %s (-want +got):\n%s", part, diff)
		}
	}
}

func TestTextNotationsAreEquivalent(t *testing.T) {
	locales := []string{"en", "fr", "pt-BR", "zh-Hant"}
	head := "-- meta.yaml --\nlocales: [" + strings.Join(locales, ", ") + "]\n"
	meta := func(lines []string) string { return head + "notes: x\ntitle:\n" + strings.Join(lines, "") }
	var asMap []string
	for _, l := range locales {
		asMap = append(asMap, "  "+l+": in "+l+"\n")
	}
	want := mustLoad(t, overlay(demo, Minimal, meta(asMap)), demo).Title
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.Permutation(locales).Draw(t, "order")
		list := rapid.Bool().Draw(t, "as a list")
		var lines []string
		for _, l := range order {
			spelt := rapid.SampledFrom([]string{l, strings.ToUpper(l), strings.ToLower(l)}).Draw(t, "spelling")
			if list {
				lines = append(lines, "  - locale: "+spelt+"\n    value: in "+l+"\n")
			} else {
				lines = append(lines, "  "+spelt+": '  in "+l+" '\n")
			}
		}
		result, found := Load(overlay(demo, Minimal, meta(lines)), demo)
		if result == nil {
			t.Fatal(found)
		}
		if diff := cmp.Diff(want, result.Title); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestElementsAreSorted(t *testing.T) {
	tree := Minimal + replace(minimalType, "[place]", "[zone, place]") +
		replace(replace(minimalCategory, "place.yaml", "zone.yaml"), "id: place", "id: zone") + "order: 7\n"
	for _, e := range []struct{ id, category, order string }{
		{"street", "place", ""},
		{"alley", "place", ""},
		{"bridge", "place", "order: 20\n"},
		{"tunnel", "place", "order: 5\n"},
		{"quay", "place", "order: 5\n"},
		{"airport", "zone", ""},
		{"port", "zone", "order: 0\n"},
	} {
		tree += replace(replace(replace(minimalElement, "street.yaml", e.id+".yaml"), "id: street", "id: "+e.id), "id: place", "id: "+e.category) + e.order
	}
	got := mustLoad(t, overlay(demo, tree), demo)
	var ids []string
	for _, e := range got.Elements {
		ids = append(ids, e.ID)
	}
	if diff := cmp.Diff([]string{"port", "airport", "quay", "tunnel", "bridge", "alley", "street"}, ids); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	if c := got.Categories; c[0].ID != "zone" || c[0].Order != 7 || c[1].ID != "place" || c[1].Order != 2 {
		t.Errorf("got categories %v", c)
	}
}

// reversedFS lists every folder in reverse order.
type reversedFS struct{ fstest.MapFS }

func (r reversedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := r.MapFS.ReadDir(name)
	slices.Reverse(entries)
	return entries, err
}

func TestDirectoryOrderDoesNotMatter(t *testing.T) {
	tree := overlay(demo, Minimal, minimalElement, replace(replace(minimalElement, "street.yaml", "road.yaml"), "id: street", "id: road"))
	if diff := cmp.Diff(mustLoad(t, tree, demo), mustLoad(t, reversedFS{tree}, demo)); diff != "" {
		t.Error(diff)
	}
	for _, rule := range rules {
		tree := overlay(demo, Minimal, rule.Example)
		_, forward := Load(tree, demo)
		_, reversed := Load(reversedFS{tree}, demo)
		if diff := cmp.Diff(summary(forward), summary(reversed)); diff != "" {
			t.Errorf("%s: %s", rule.Code, diff)
		}
	}
}
