// Package releasetest provides small taxonomies and releases for tests.
package releasetest

import (
	"fmt"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// Taxonomy returns a small taxonomy that uses every feature: two categories,
// context values with and without a colour, an element with its own context,
// variables, and two locales. The extra ids are added as elements.
func Taxonomy(tb testing.TB, id string, extra ...string) *taxonomy.Taxonomy {
	tb.Helper()
	parsed, err := taxonomy.ParseID(id)
	if err != nil {
		tb.Fatal(err)
	}
	t := &taxonomy.Taxonomy{
		ID:          parsed,
		CreatedAt:   "2026-01-02T03:04:05Z",
		Notes:       "For tests.",
		Locales:     []string{"en", "fr"},
		Title:       text("Small", "Petit"),
		Description: text("A small taxonomy.", "Une petite taxonomie."),
		Type: taxonomy.DatachainType{
			ID:          parsed.Type,
			Name:        text("Small", "Petit"),
			Description: text("A small type.", "Un petit type."),
			Categories:  []string{"purpose", "data"},
			Subchains:   []taxonomy.Subchain{{ID: "flow", Name: text("Flow", "Flux"), Categories: []string{"data"}}},
			Locales:     []string{"en", "fr"},
		},
		Categories: []taxonomy.Category{
			{
				ID: "purpose", Name: text("Purpose", "But"), Description: text("Why.", "Pourquoi."),
				Prompt: text("Why is it here?", "Pourquoi est-ce ici ?"), Shape: taxonomy.Hexagon, Required: true, Order: 1, MaxElements: 2,
			},
			{
				ID: "data", Name: text("Data", "Données"), Description: text("What.", "Quoi."), Shape: taxonomy.Circle, Order: 2,
				Context: &taxonomy.Context{
					ID: "detail", Name: text("Detail", "Détail"),
					Values: []taxonomy.ContextValue{
						{ID: "coarse", Label: text("Coarse", "Grossier"), Color: "#1B4F9F"},
						{ID: "fine", Label: text("Fine", "Fin")},
					},
				},
				Variables: []taxonomy.Variable{
					{ID: "note", Label: text("Note", "Note"), Required: true, Kind: taxonomy.LocalizedText},
					{ID: "where", Label: text("Where", "Où"), Kind: taxonomy.MultiSelectEnum, Options: []taxonomy.Option{
						{ID: "here", Name: text("Here", "Ici")},
						{
							ID: "there", Name: text("There", "Là"), AppliesTo: []string{"sound"}, Guidance: text("Only if it is far.", "Seulement si c'est loin."),
							Sources:  []taxonomy.Source{{Type: "law", Title: "A law on places"}},
							Examples: []taxonomy.Example{{Scenario: text("A tower", "Une tour"), Narrative: text("It is there.", "Elle est là.")}},
						},
					}, Sources: []taxonomy.Source{{Type: "standard", Title: "A list of places", Citation: "Section 2"}}},
				},
			},
		},
		Elements: []taxonomy.Element{
			{ID: "safety", CategoryID: "purpose", SymbolID: "ring", Title: text("Safety", "Sécurité"), Description: text("Keeps people safe.", "Protège les gens.")},
			{
				ID: "pictures", CategoryID: "data", SymbolID: "box", Title: text("Pictures", "Images"), Description: text("Photos & <video>.", "Photos et vidéo."), MaxPlacements: 1,
				Keywords: taxonomy.Keywords{{Locale: "en", Value: taxonomy.NewWords("CCTV", "moving images")}, {Locale: "fr", Value: taxonomy.NewWords("vidéosurveillance")}},
			},
			{
				ID: "sound", CategoryID: "data", SymbolID: "ring", Title: text("Sound", "Son"), Description: text("Sounds heard nearby.", "Sons entendus à proximité."),
				Context: &taxonomy.Context{ID: "loudness", Name: text("Loudness", "Volume"), Values: []taxonomy.ContextValue{{ID: "loud", Label: text("Loud", "Fort"), Color: "#A85A00"}}},
				Sources: []taxonomy.Source{{Type: "law", Title: "A law", URL: "https://example.org/law"}},
			},
		},
		Symbols: map[string][]byte{
			"ring": []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><circle cx="18" cy="18" r="6" fill="none" stroke="currentColor"/></svg>`),
			"box":  []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect x="12" y="12" width="12" height="12" fill="currentColor"/></svg>`),
		},
	}
	for _, id := range extra {
		t.Elements = append(t.Elements, taxonomy.Element{
			ID: id, CategoryID: "data", SymbolID: "box", Title: text("Extra "+id, "Autre "+id), Description: text("One more.", "Un de plus."),
		})
	}
	t.Derive()
	return t
}

// Release returns the compiled [Taxonomy].
func Release(tb testing.TB, id string, extra ...string) *release.Release {
	tb.Helper()
	r, err := release.Compile(Taxonomy(tb, id, extra...))
	if err != nil {
		tb.Fatal(fmt.Errorf("compile %s: %w", id, err))
	}
	return r
}

func text(en, fr string) taxonomy.Localized {
	return taxonomy.Localized{{Locale: "en", Value: en}, {Locale: "fr", Value: fr}}
}
