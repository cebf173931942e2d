package compat

import "placard/internal/core/taxonomy"

// impact determines which of the documents that are valid in the old version a
// change can make invalid. A change breaks documents exactly if a document
// that is valid in the old version can get an error in the new one. Documents refer
// to elements, variables, options, context values and subchains, but not to
// categories: an element that moves to another category breaks documents only if
// its variables, its context or the limits of the categories differ.
type impact struct {
	oldCategory, newCategory map[string]*taxonomy.Category
	oldVariables             map[string]*variables // by category
	newVariables             map[string]*variables
	hasSubchains             bool // documents can refer to elements without placing them

	capacity  map[string]int64 // how often a document may place an element of the old version
	documents quotas
	// upgradable are the quotas of documents that place only elements of both
	// versions. Others are broken by the removal of elements in any case.
	upgradable quotas
	members    map[string]spread                   // by category of the new version: its elements of the old version
	staying    map[string][]pair[taxonomy.Element] // by category: placeable elements that it has in both versions
	byOldID    map[string]pair[taxonomy.Element]   // those in staying
	byNewID    map[string]pair[taxonomy.Element]   // those in staying
	removed    map[string][]string                 // by category: the elements that the new version lacks
	verdicts   map[string]*verdict                 // by category of the new version
}

// verdict says which limits of a category documents may violate because elements
// moved, although the limits did not change.
type verdict struct{ lacking, tooFew, tooMany bool }

func newImpact(before, after *taxonomy.Taxonomy, pairs []elementPair) *impact {
	m := &impact{
		oldCategory: categoriesByID(before), newCategory: categoriesByID(after),
		oldVariables: variablesByCategory(before), newVariables: variablesByCategory(after),
		hasSubchains: len(before.Type.Subchains) > 0,
		capacity:     make(map[string]int64, len(before.Elements)),
		members:      make(map[string]spread),
		staying:      make(map[string][]pair[taxonomy.Element]),
		byOldID:      make(map[string]pair[taxonomy.Element]),
		byNewID:      make(map[string]pair[taxonomy.Element]),
		removed:      make(map[string][]string),
		verdicts:     make(map[string]*verdict),
	}
	all, upgradable := make(map[string]subset), make(map[string]subset)
	contradictory, requiredRemoved := false, false
	add := func(to map[string]subset, e *taxonomy.Element) {
		s := to[e.CategoryID]
		s.add(m.capacity[e.ID], e.Required)
		to[e.CategoryID] = s
	}
	for _, p := range pairs {
		if p.old == nil {
			continue
		}
		if m.oldCategory[p.old.CategoryID] == nil {
			continue // A checked taxonomy has no such elements.
		}
		m.capacity[p.old.ID] = m.capacityOf(p.old)
		contradictory = contradictory || p.old.Required && m.capacity[p.old.ID] == 0
		add(all, p.old)
		if p.new == nil {
			requiredRemoved = requiredRemoved || p.old.Required
			continue
		}
		add(upgradable, p.old)
		if m.members[p.new.CategoryID] == nil {
			m.members[p.new.CategoryID] = make(spread)
		}
		s := m.members[p.new.CategoryID][p.old.CategoryID]
		if s == nil {
			s = new(subset)
			m.members[p.new.CategoryID][p.old.CategoryID] = s
		}
		s.add(m.capacity[p.old.ID], p.old.Required)
	}
	m.documents, m.upgradable = newQuotas(m.oldCategory, all), newQuotas(m.oldCategory, upgradable)
	if contradictory {
		m.documents.possible = false
	}
	if contradictory || requiredRemoved {
		m.upgradable.possible = false
	}
	for _, p := range pairs {
		switch {
		case p.old == nil:
		case p.new == nil:
			if m.mentionable(p.old) {
				m.removed[p.old.CategoryID] = append(m.removed[p.old.CategoryID], p.old.ID)
			}
		case !p.merged && p.old.CategoryID == p.new.CategoryID && m.placeable(p.old):
			m.staying[p.new.CategoryID] = append(m.staying[p.new.CategoryID], p.pair)
			m.byOldID[p.old.ID], m.byNewID[p.new.ID] = p.pair, p.pair
		}
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

// capacityOf returns how often a document may place e, if its category has no limit.
// It is 0 if a required variable has no value for it.
func (m *impact) capacityOf(e *taxonomy.Element) int64 {
	if vs := m.oldVariables[e.CategoryID]; vs != nil {
		for _, v := range vs.list {
			if v.isRequiredFor(e.ID) && !v.canHaveValue(e.ID) {
				return 0
			}
		}
	}
	if e.MaxPlacements > 0 {
		return int64(e.MaxPlacements)
	}
	return unlimited
}

// mostPlacements returns how often a valid document can place an element of the old
// version.
func (m *impact) mostPlacements(e *taxonomy.Element) int64 {
	q := m.documents.byCategory[e.CategoryID]
	if !m.documents.possible || q == nil {
		return 0
	}
	return q.most(m.single(e))
}

func (m *impact) placeable(e *taxonomy.Element) bool { return m.mostPlacements(e) > 0 }

// single returns the subset that consists of e.
func (m *impact) single(e *taxonomy.Element) subset {
	var s subset
	s.add(m.capacity[e.ID], e.Required)
	return s
}

// mentionable reports whether a valid document can contain the id of e. The
// head_refs of a subchain may refer to elements that are not placed.
func (m *impact) mentionable(e *taxonomy.Element) bool {
	return m.placeable(e) || m.hasSubchains && m.documents.possible
}

// violations returns the limits of the category c, which both versions have, that
// documents may violate because of elements that moved.
func (m *impact) violations(c *taxonomy.Category) verdict {
	if v := m.verdicts[c.ID]; v != nil {
		return *v
	}
	before, elements := m.oldCategory[c.ID], m.members[c.ID]
	v := &verdict{
		lacking: c.Required && before.Required && m.upgradable.canLack(elements),
		tooFew:  c.MinElements <= before.MinElements && isTooFew(m.upgradable.fewest(elements), c),
		tooMany: (before.MaxElements > 0 && before.MaxElements <= c.MaxElements) && isTooMany(m.upgradable.most(elements), c),
	}
	m.verdicts[c.ID] = v
	return *v
}

func isTooFew(n int64, c *taxonomy.Category) bool { return 0 < n && n < int64(c.MinElements) }

func isTooMany(n int64, c *taxonomy.Category) bool {
	return c.MaxElements > 0 && n > int64(c.MaxElements)
}

func lostValues(before, after *taxonomy.Context) []string {
	if before == nil {
		return nil
	}
	var lost []string
	for _, v := range before.Values {
		if _, ok := after.Value(v.ID); !ok {
			lost = append(lost, v.ID)
		}
	}
	return lost
}
