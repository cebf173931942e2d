package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
)

// generatedID is the id of all generated releases.
var generatedID = taxonomy.ID{Type: "generated", Date: "2026-06-01", Status: taxonomy.Stable}

const generatedCategories = 12

// generatedLocales are the locales of generated taxonomies, which have the first
// two or more of them.
var generatedLocales = []string{"en", "fr", "de", "es", "it"}

// generate returns a taxonomy with the given numbers of elements and locales,
// with realistic texts, contexts, variables and symbols. The number of categories
// is constant.
func generate(elements, localeCount int) *taxonomy.Taxonomy {
	random := rand.New(rand.NewPCG(11, uint64(elements)))
	locales := generatedLocales[:localeCount]
	var generators []*textGenerator
	for range locales {
		generators = append(generators, newTextGenerator(random, 50_000))
	}
	text := func(minWords, maxWords int) taxonomy.Localized {
		var text taxonomy.Localized
		for i, locale := range locales {
			text = append(text, taxonomy.Text{Locale: locale, Value: sentence(generators[i].text(minWords, maxWords))})
		}
		return text
	}
	t := &taxonomy.Taxonomy{
		ID:          generatedID,
		CreatedAt:   "2026-06-01T00:00:00Z",
		Locales:     locales,
		Title:       text(2, 4),
		Description: text(20, 40),
		Type: taxonomy.DatachainType{
			ID: generatedID.Type, Name: text(1, 3), Description: text(20, 40), Locales: locales,
		},
		Symbols: make(map[string][]byte, elements),
	}
	for c := range generatedCategories {
		category := taxonomy.Category{
			ID: fmt.Sprintf("category_%02d", c), Name: text(1, 3), Description: text(20, 40), Prompt: text(4, 8),
			Shape: taxonomy.Shapes[c%len(taxonomy.Shapes)], Required: c%3 == 0, Order: c + 1,
			Variables: []taxonomy.Variable{
				{ID: "detail", Label: text(1, 3), Kind: taxonomy.LocalizedText, Required: c%4 == 0},
				{ID: "kept_where", Label: text(1, 3), Kind: taxonomy.MultiSelectEnum, Options: []taxonomy.Option{
					{ID: "here", Name: text(1, 2), Description: text(5, 10)}, {ID: "there", Name: text(1, 2), Description: text(5, 10)},
				}},
			},
		}
		if c%2 == 0 {
			category.Context = &taxonomy.Context{
				ID: "degree", Name: text(1, 2), Description: text(5, 10),
				Values: []taxonomy.ContextValue{
					{ID: "low", Label: text(1, 2), Description: text(5, 10), Color: "#1E9E84"},
					{ID: "high", Label: text(1, 2), Description: text(5, 10), Color: "#7A0F2B"},
				},
			}
		}
		t.Categories = append(t.Categories, category)
		t.Type.Categories = append(t.Type.Categories, category.ID)
		for n := c; n < elements; n += generatedCategories {
			e := taxonomy.Element{
				ID: fmt.Sprintf("element_%05d", n), CategoryID: category.ID, SymbolID: fmt.Sprintf("symbol_%05d", n),
				Title: text(1, 5), Description: text(20, 60),
			}
			t.Elements = append(t.Elements, e)
			t.Symbols[e.SymbolID] = symbol(random)
		}
	}
	t.Derive()
	return t
}

func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

func symbol(random *rand.Rand) []byte {
	coordinate := func() int { return 12 + random.IntN(12) }
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36" fill="none" stroke="currentColor" stroke-width="1.75">
<path d="M9 9L%d %dL%d %dA8 8 0 0 0 %d %d"/>
<circle cx="%d" cy="%d" r="%d"/>
</svg>
`, coordinate(), coordinate(), coordinate(), coordinate(), coordinate(), coordinate(), coordinate(), coordinate(), 2+random.IntN(4))
}

// writeTree writes a taxonomy as an authoring tree.
func writeTree(dir string, t *taxonomy.Taxonomy) error {
	files, err := source.Write(t)
	if err != nil {
		return err
	}
	root := filepath.Join(dir, filepath.FromSlash(t.ID.Folder()))
	for name, data := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
