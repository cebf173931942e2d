package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/go-json-experiment/json"

	"placard/internal/core/taxonomy"
)

// documentGenerator generates valid datachains for a taxonomy.
type documentGenerator struct {
	rand       *rand.Rand
	taxonomy   *taxonomy.Taxonomy
	texts      *textGenerator
	elements   []*taxonomy.Element // in random order
	categories map[string]*taxonomy.Category
}

func newDocumentGenerator(r *rand.Rand, t *taxonomy.Taxonomy) *documentGenerator {
	g := &documentGenerator{rand: r, taxonomy: t, texts: newTextGenerator(r, 5_000), categories: make(map[string]*taxonomy.Category)}
	for i := range t.Elements {
		g.elements = append(g.elements, &t.Elements[i])
	}
	for i := range t.Categories {
		g.categories[t.Categories[i].ID] = &t.Categories[i]
	}
	return g
}

// document returns the JSON of a new datachain with the given number of
// placements.
func (g *documentGenerator) document(placements int) ([]byte, error) {
	var elements []map[string]any
	for i, e := range g.choose(placements) {
		elements = append(elements, g.place(i, e))
	}
	return json.Marshal(map[string]any{
		"id":             fmt.Sprintf("document-%d", g.rand.Uint32()),
		"title":          g.text(2, 6),
		"schema_version": g.taxonomy.ID.String(),
		"created_at":     "2026-07-01T10:00:00Z",
		"elements":       elements,
	}, json.Deterministic(true))
}

// choose returns elements that a valid document can contain: those that it must
// contain, and others up to the given number.
func (g *documentGenerator) choose(count int) []*taxonomy.Element {
	g.rand.Shuffle(len(g.elements), func(i, j int) { g.elements[i], g.elements[j] = g.elements[j], g.elements[i] })
	var chosen []*taxonomy.Element
	inCategory := make(map[string]int)
	add := func(wanted func(*taxonomy.Element, *taxonomy.Category) bool) {
		for _, e := range g.elements {
			c := g.categories[e.CategoryID]
			full := c.MaxElements > 0 && inCategory[c.ID] >= c.MaxElements
			if wanted(e, c) && !full && fits(e, chosen) {
				chosen = append(chosen, e)
				inCategory[c.ID]++
			}
		}
	}
	add(func(e *taxonomy.Element, _ *taxonomy.Category) bool { return e.Required })
	add(func(_ *taxonomy.Element, c *taxonomy.Category) bool {
		return inCategory[c.ID] < c.MinElements || c.Required && inCategory[c.ID] == 0
	})
	add(func(*taxonomy.Element, *taxonomy.Category) bool { return len(chosen) < count })
	return chosen
}

// fits reports whether a document with the chosen elements can also contain e.
func fits(e *taxonomy.Element, chosen []*taxonomy.Element) bool {
	return !slices.ContainsFunc(chosen, func(c *taxonomy.Element) bool {
		return c == e || slices.Contains(c.Excludes, e.ID) || slices.Contains(e.Excludes, c.ID)
	})
}

func (g *documentGenerator) place(n int, e *taxonomy.Element) map[string]any {
	p := map[string]any{"element_id": e.ID, "element_instance_id": fmt.Sprintf("placed-%d", n)}
	if context := e.EffectiveContext(g.categories[e.CategoryID]); context != nil {
		values := slices.DeleteFunc(slices.Clone(context.Values), func(v taxonomy.ContextValue) bool { return v.MaxPlacements > 0 })
		p["context_type_id"] = values[g.rand.IntN(len(values))].ID
	}
	var variables []map[string]any
	for _, v := range e.Variables {
		switch v.Kind {
		case taxonomy.LocalizedText:
			variables = append(variables, map[string]any{"id": v.ID, "value": g.text(3, 9)})
		case taxonomy.MultiSelectEnum:
			if chosen := g.options(&v, e); len(chosen) > 0 {
				variables = append(variables, map[string]any{"id": v.ID, "value": chosen})
			}
		default:
			panic("bench: unknown kind of variable: " + string(v.Kind))
		}
	}
	if variables != nil {
		p["variables"] = variables
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
