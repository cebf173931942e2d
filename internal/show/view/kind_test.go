package view_test

import (
	"strings"
	"testing"

	"placard/internal/core/datachain"
	"placard/internal/core/taxonomy"
	"placard/internal/show/view"
)

func TestEveryKindOfValueIsShown(t *testing.T) {
	for _, kind := range taxonomy.Kinds {
		x := datachain.ExampleTaxonomy()
		v := taxonomy.Variable{ID: "detail", Label: x.Title, Kind: kind}
		var value string
		switch kind {
		case taxonomy.LocalizedText:
			value = `[{"locale": "en", "value": "At night"}]`
		case taxonomy.MultiSelectEnum:
			v.Options = []taxonomy.Option{{ID: "night", Name: taxonomy.Localized{{Locale: "en", Value: "At night"}}}}
			value = `["night"]`
		default:
			t.Fatalf("unhandled kind of variable: %s", kind)
		}
		x.Categories[0].Variables = []taxonomy.Variable{v}
		x.Elements[0].Title = taxonomy.Localized{{Locale: "en", Value: "Safety: {{detail}}"}}
		x.Derive()
		document := thin(t, []byte(`{"id": "hall", "schema_version": "demo@2026-01-15-stable", "created_at": "2026-02-03T09:30:00Z", "elements": [
			{"element_id": "safety", "variables": [{"id": "detail", "value": `+value+`}]},
			{"element_id": "camera", "context_type_id": "continuous", "variables": [{"id": "position", "value": [{"locale": "en", "value": "Gate"}]}]},
			{"element_id": "contact"}]}`))
		resolution, err := datachain.Resolve(document, datachain.NewSchema(x), nil)
		if err != nil || !resolution.OK() {
			t.Fatal(err, resolution.Errors)
		}
		resolved, _, err := datachain.ParseResolved(resolution.Document(), nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := view.Resolved(resolved, nil).Model("en", nil)
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, p := range placements(m) {
			titles = append(titles, p.Heading.String())
		}
		if !strings.Contains(strings.Join(titles, "\n"), "Safety: At night") {
			t.Errorf("%s: got titles %q, want one with the value", kind, titles)
		}
	}
}
