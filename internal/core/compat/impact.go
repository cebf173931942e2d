package compat

import (
	"slices"

	"placard/internal/core/taxonomy"
)

// impact determines which changes can make documents invalid that are valid in the
// old version. Documents refer to elements, variables, options, context values and
// subchains, but not to categories: an element that moves to another category
// breaks documents only if its variables, its context or the limits of the
// categories differ. Each limit is compared by itself: that two limits together may
// rule out all affected documents is not considered.
type impact struct {
	succession               *Succession
	oldCategory, newCategory map[string]*taxonomy.Category
	oldVariables             map[string]*variables // by category
	newVariables             map[string]*variables

	size         map[string]int                      // by category of the old version: the number of its elements
	origins      map[string]map[string]bool          // by category of the new version: the old categories of its elements
	destinations map[string]map[string]bool          // by category of the old version: the new categories of its elements
	staying      map[string][]pair[taxonomy.Element] // by category: elements that it has in both versions
	byOldID      map[string]pair[taxonomy.Element]   // those in staying
	byNewID      map[string]pair[taxonomy.Element]   // those in staying
	removed      map[string][]string                 // by category: the elements that the new version lacks
}

func newImpact(before, after *taxonomy.Taxonomy, pairs []elementPair, succession *Succession) *impact {
	m := &impact{
		succession:  succession,
		oldCategory: categoriesByID(before), newCategory: categoriesByID(after),
		oldVariables: variablesByCategory(before), newVariables: variablesByCategory(after),
		size:         make(map[string]int),
		origins:      make(map[string]map[string]bool),
		destinations: make(map[string]map[string]bool),
		staying:      make(map[string][]pair[taxonomy.Element]),
		byOldID:      make(map[string]pair[taxonomy.Element]),
		byNewID:      make(map[string]pair[taxonomy.Element]),
		removed:      make(map[string][]string),
	}
	add := func(to map[string]map[string]bool, key, value string) {
		if to[key] == nil {
			to[key] = make(map[string]bool)
		}
		to[key][value] = true
	}
	for i := range before.Elements {
		m.size[before.Elements[i].CategoryID]++
	}
	for _, p := range pairs {
		switch {
		case p.old == nil:
			continue
		case p.new == nil:
			m.removed[p.old.CategoryID] = append(m.removed[p.old.CategoryID], p.old.ID)
			continue
		case !p.merged && p.old.CategoryID == p.new.CategoryID:
			m.staying[p.new.CategoryID] = append(m.staying[p.new.CategoryID], p.pair)
			m.byOldID[p.old.ID], m.byNewID[p.new.ID] = p.pair, p.pair
		}
		add(m.origins, p.new.CategoryID, p.old.CategoryID)
		add(m.destinations, p.old.CategoryID, p.new.CategoryID)
	}
	return m
}

func categoriesByID(t *taxonomy.Taxonomy) map[string]*taxonomy.Category {
	byID := make(map[string]*taxonomy.Category, len(t.Categories))
	for i := range t.Categories {
		if c := &t.Categories[i]; byID[c.ID] == nil {
			byID[c.ID] = c
		}
	}
	return byID
}

// predecessor returns the old category of a new one: the one with the same id or, if
// there is none, the one whose elements the new one has, and no others. It is nil if
// there is no such category.
func (m *impact) predecessor(c *taxonomy.Category) *taxonomy.Category {
	if before := m.oldCategory[c.ID]; before != nil {
		return before
	}
	for id := range m.origins[c.ID] {
		if len(m.origins[c.ID]) == 1 && len(m.destinations[id]) == 1 {
			return m.oldCategory[id]
		}
	}
	return nil
}

// hasRequired reports whether an element that is in category c in both versions was
// required, so that every document has a placement in it.
func (m *impact) hasRequired(c *taxonomy.Category) bool {
	return slices.ContainsFunc(m.staying[c.ID], func(p pair[taxonomy.Element]) bool { return p.old.Required })
}

// isLower reports whether the limit after is stricter than before. A limit of 0 is
// none.
func isLower(after, before int) bool { return after > 0 && (before == 0 || after < before) }

// lostValues returns the values of a context that another one lacks, under the ids that
// they have now.
func lostValues(before, after *taxonomy.Context, now func(string) string) []string {
	if before == nil {
		return nil
	}
	var lost []string
	for _, v := range before.Values {
		if _, ok := after.Value(now(v.ID)); !ok {
			lost = append(lost, v.ID)
		}
	}
	return lost
}
