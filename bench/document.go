package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/go-json-experiment/json"

	"placard/internal/core/taxonomy"
)

// document is a thin datachain.
type document struct {
	ID            string             `json:"id"`
	Title         taxonomy.Localized `json:"title"`
	SchemaVersion string             `json:"schema_version"`
	CreatedAt     string             `json:"created_at"`
	Elements      []placement        `json:"elements"`
}

type placement struct {
	ElementID         string  `json:"element_id"`
	ElementInstanceID string  `json:"element_instance_id"`
	ContextTypeID     string  `json:"context_type_id,omitzero"`
	Variables         []value `json:"variables,omitzero"`
}

type value struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}

// documentGenerator generates valid datachains for a taxonomy.
type documentGenerator struct {
	rand       *rand.Rand
	taxonomy   *taxonomy.Taxonomy
	texts      *textGenerator
	byCategory map[string][]*taxonomy.Element
}

func newDocumentGenerator(r *rand.Rand, t *taxonomy.Taxonomy) *documentGenerator {
	g := &documentGenerator{rand: r, taxonomy: t, texts: newTextGenerator(r, 5_000), byCategory: make(map[string][]*taxonomy.Element)}
	for i := range t.Elements {
		e := &t.Elements[i]
		g.byCategory[e.CategoryID] = append(g.byCategory[e.CategoryID], e)
	}
	return g
}

// document returns the JSON of a new datachain with the given number of
// placements.
func (g *documentGenerator) document(placements int) ([]byte, error) {
	var placed []*taxonomy.Element
	fits := func(e *taxonomy.Element) bool {
		count, category := 0, g.category(e.CategoryID)
		for _, p := range placed {
			if p == e || slices.Contains(p.Excludes, e.ID) || slices.Contains(e.Excludes, p.ID) {
				return false
			}
			if p.CategoryID == e.CategoryID {
				count++
			}
		}
		return category.MaxElements == 0 || count < category.MaxElements
	}
	for i := range g.taxonomy.Elements {
		if e := &g.taxonomy.Elements[i]; e.Required {
			placed = append(placed, e)
		}
	}
	for _, c := range g.taxonomy.Categories {
		for n := range minPlacements(c) {
			candidates := g.byCategory[c.ID]
			if n < countCategory(placed, c.ID) {
				continue
			}
			for {
				if e := candidates[g.rand.IntN(len(candidates))]; fits(e) {
					placed = append(placed, e)
					break
				}
			}
		}
	}
	for len(placed) < placements {
		if e := &g.taxonomy.Elements[g.rand.IntN(len(g.taxonomy.Elements))]; fits(e) {
			placed = append(placed, e)
		}
	}
	g.rand.Shuffle(len(placed), func(i, j int) { placed[i], placed[j] = placed[j], placed[i] })

	d := document{
		ID:            fmt.Sprintf("document-%d", g.rand.Uint32()),
		Title:         g.text(2, 6),
		SchemaVersion: g.taxonomy.ID.String(),
		CreatedAt:     "2026-07-01T10:00:00Z",
	}
	for i, e := range placed {
		d.Elements = append(d.Elements, g.place(i, e))
	}
	return json.Marshal(d)
}

func (g *documentGenerator) category(id string) *taxonomy.Category {
	n := slices.IndexFunc(g.taxonomy.Categories, func(c taxonomy.Category) bool { return c.ID == id })
	return &g.taxonomy.Categories[n]
}

// minPlacements returns the minimum number of placements in a category.
func minPlacements(c taxonomy.Category) int {
	if c.Required || c.MinElements > 0 {
		return max(1, c.MinElements)
	}
	return 0
}

func countCategory(placed []*taxonomy.Element, category string) int {
	count := 0
	for _, p := range placed {
		if p.CategoryID == category {
			count++
		}
	}
	return count
}

func (g *documentGenerator) place(n int, e *taxonomy.Element) placement {
	p := placement{ElementID: e.ID, ElementInstanceID: fmt.Sprintf("placed-%d", n)}
	if context := e.EffectiveContext(g.category(e.CategoryID)); context != nil {
		values := slices.DeleteFunc(slices.Clone(context.Values), func(v taxonomy.ContextValue) bool { return v.MaxPlacements > 0 })
		p.ContextTypeID = values[g.rand.IntN(len(values))].ID
	}
	for _, v := range e.Variables {
		switch v.Kind {
		case taxonomy.LocalizedText:
			p.Variables = append(p.Variables, value{v.ID, g.text(3, 9)})
		case taxonomy.MultiSelectEnum:
			if chosen := g.options(&v, e); len(chosen) > 0 {
				p.Variables = append(p.Variables, value{v.ID, chosen})
			}
		default:
			panic("bench: unknown kind of variable: " + string(v.Kind))
		}
	}
	return p
}

// options returns a random number of the options of v that apply to e.
func (g *documentGenerator) options(v *taxonomy.Variable, e *taxonomy.Element) []string {
	var ids []string
	for _, o := range v.Options {
		if len(o.AppliesTo) == 0 || slices.Contains(o.AppliesTo, e.ID) {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return ids[:1+g.rand.IntN(len(ids))]
}

// text returns a text in the first two locales of the taxonomy.
func (g *documentGenerator) text(minWords, maxWords int) taxonomy.Localized {
	var l taxonomy.Localized
	for _, locale := range g.taxonomy.Locales[:min(2, len(g.taxonomy.Locales))] {
		l = append(l, taxonomy.Text{Locale: locale, Value: g.texts.text(minWords, maxWords)})
	}
	return l
}
