package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/go-json-experiment/json"

	"placard/internal/taxonomy"
)

// document and what it holds are a datachain as callers send it.
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

// author writes datachains in the terms of one taxonomy.
type author struct {
	rand     *rand.Rand
	taxonomy *taxonomy.Taxonomy
	words    *language
	of       map[string][]*taxonomy.Element // by category
}

func newAuthor(r *rand.Rand, t *taxonomy.Taxonomy) *author {
	a := &author{rand: r, taxonomy: t, words: newLanguage(r, 5_000), of: make(map[string][]*taxonomy.Element)}
	for i := range t.Elements {
		e := &t.Elements[i]
		a.of[e.CategoryID] = append(a.of[e.CategoryID], e)
	}
	return a
}

// document returns the JSON of a valid datachain of so many placements, a
// different one each time.
func (a *author) document(placements int) ([]byte, error) {
	var placed []*taxonomy.Element
	room := func(e *taxonomy.Element) bool {
		of, category := 0, a.category(e.CategoryID)
		for _, p := range placed {
			if p == e {
				return false
			}
			if p.CategoryID == e.CategoryID {
				of++
			}
		}
		return category.MaxElements == 0 || of < category.MaxElements
	}
	for i := range a.taxonomy.Elements {
		if e := &a.taxonomy.Elements[i]; e.Required {
			placed = append(placed, e)
		}
	}
	for _, c := range a.taxonomy.Categories {
		for n := range a.atLeast(c) {
			candidates := a.of[c.ID]
			if n < countOf(placed, c.ID) {
				continue
			}
			for {
				if e := candidates[a.rand.IntN(len(candidates))]; room(e) {
					placed = append(placed, e)
					break
				}
			}
		}
	}
	for len(placed) < placements {
		if e := &a.taxonomy.Elements[a.rand.IntN(len(a.taxonomy.Elements))]; room(e) {
			placed = append(placed, e)
		}
	}
	a.rand.Shuffle(len(placed), func(i, j int) { placed[i], placed[j] = placed[j], placed[i] })

	d := document{
		ID:            fmt.Sprintf("document-%d", a.rand.Uint32()),
		Title:         a.text(2, 6),
		SchemaVersion: a.taxonomy.ID.String(),
		CreatedAt:     "2026-07-01T10:00:00Z",
	}
	for i, e := range placed {
		d.Elements = append(d.Elements, a.place(i, e))
	}
	return json.Marshal(d)
}

func (a *author) category(id string) *taxonomy.Category {
	n := slices.IndexFunc(a.taxonomy.Categories, func(c taxonomy.Category) bool { return c.ID == id })
	return &a.taxonomy.Categories[n]
}

// atLeast is how many elements of a category every document of ours has.
func (a *author) atLeast(c taxonomy.Category) int {
	if c.Required || c.MinElements > 0 {
		return max(1, c.MinElements)
	}
	return 0
}

func countOf(placed []*taxonomy.Element, category string) int {
	count := 0
	for _, p := range placed {
		if p.CategoryID == category {
			count++
		}
	}
	return count
}

func (a *author) place(n int, e *taxonomy.Element) placement {
	p := placement{ElementID: e.ID, ElementInstanceID: fmt.Sprintf("placed-%d", n)}
	if context := e.EffectiveContext(a.category(e.CategoryID)); context != nil {
		p.ContextTypeID = context.Values[a.rand.IntN(len(context.Values))].ID
	}
	for _, v := range e.Variables {
		switch v.Kind {
		case taxonomy.LocalizedText:
			p.Variables = append(p.Variables, value{v.ID, a.text(3, 9)})
		case taxonomy.MultiSelectEnum:
			if chosen := a.options(&v, e); len(chosen) > 0 {
				p.Variables = append(p.Variables, value{v.ID, chosen})
			}
		default:
			panic("bench: unhandled kind of variable: " + string(v.Kind))
		}
	}
	return p
}

// options returns some of the options of v that apply to e.
func (a *author) options(v *taxonomy.Variable, e *taxonomy.Element) []string {
	var ids []string
	for _, o := range v.Options {
		if len(o.AppliesTo) == 0 || slices.Contains(o.AppliesTo, e.ID) {
			ids = append(ids, o.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return ids[:1+a.rand.IntN(len(ids))]
}

// text is in the first two of the taxonomy's locales.
func (a *author) text(from, to int) taxonomy.Localized {
	var l taxonomy.Localized
	for _, locale := range a.taxonomy.Locales[:min(2, len(a.taxonomy.Locales))] {
		l = append(l, taxonomy.Text{Locale: locale, Value: a.words.text(from, to)})
	}
	return l
}
