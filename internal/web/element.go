package web

import (
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// categoryOf returns the category of an element of r, or nil.
func categoryOf(r *release.Release, e *taxonomy.Element) *taxonomy.Category {
	for i := range r.Taxonomy.Categories {
		if c := &r.Taxonomy.Categories[i]; c.ID == e.CategoryID {
			return c
		}
	}
	return nil
}

// contextValues returns the context values of the n-th element of r.
func contextValues(r *release.Release, n int) []taxonomy.ContextValue {
	e := &r.Taxonomy.Elements[n]
	context := e.EffectiveContext(categoryOf(r, e))
	if context == nil {
		return nil
	}
	return context.Values
}
