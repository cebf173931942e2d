package compat

import (
	"slices"

	"placard/internal/core/taxonomy"
)

// Succession finds the elements of an old version, and the parts of their placements, in
// a newer one.
type Succession struct {
	versions []*taxonomy.Taxonomy // from the oldest to the newest
	elements lineage[taxonomy.Element]
}

// NewSuccession returns the succession through the given versions, at least one,
// which are ordered from the oldest to the newest.
func NewSuccession(versions ...*taxonomy.Taxonomy) *Succession {
	s := &Succession{versions: versions}
	for _, v := range versions {
		s.elements = append(s.elements, newGeneration(v.Elements))
	}
	return s
}

// Find returns the id in the newest version of an element with the given id in an
// older one. Renames are followed from version to version. It returns false if the
// newest version does not have the element.
func (s *Succession) Find(id string) (string, bool) {
	to, e := s.elements.find(id)
	return to, e != nil
}

// Now is like Find for an element, or for a context value, variable or option in a
// placement of the element ElementID. An option is one of the variable VariableID.
func (s *Succession) Now(item Subject) string {
	if item.Kind == Element {
		return s.elements.now(item.ID)
	}
	values, variables := s.parts("", item.ElementID)
	switch item.Kind {
	case ContextValue:
		return values.now(item.ID)
	case Option:
		return optionsOf(variables, item.VariableID).now(item.ID)
	default:
		return variables.now(item.ID)
	}
}

// parts returns the context values and variables of a category or, unless its id is
// empty, of an element.
func (s *Succession) parts(category, element string) (values lineage[taxonomy.ContextValue], variables lineage[taxonomy.Variable]) {
	for k, v := range s.versions {
		e := new(taxonomy.Element)
		if element != "" {
			if _, e = s.elements[:k+1].find(element); e == nil {
				continue
			}
			category = e.CategoryID
		}
		i := slices.IndexFunc(v.Categories, func(c taxonomy.Category) bool { return c.ID == category })
		if i < 0 {
			continue
		}
		if context := e.EffectiveContext(&v.Categories[i]); context != nil {
			values = append(values, newGeneration(context.Values))
		}
		variables = append(variables, newGeneration(v.Categories[i].Variables))
	}
	return values, variables
}

func optionsOf(variables lineage[taxonomy.Variable], id string) (options lineage[taxonomy.Option]) {
	for k := range variables {
		if _, v := variables[:k+1].find(id); v != nil {
			options = append(options, newGeneration(v.Options))
		}
	}
	return options
}

// lineage is a list of items in several versions, from the oldest to the newest.
type lineage[T any] []generation[T]

// generation is a list of items in one version.
type generation[T any] struct {
	items map[string]*T     // by id
	to    map[string]string // by old id, which is not in items
}

func newGeneration[T any, P taxonomy.Named[T]](list []T) generation[T] {
	g := generation[T]{make(map[string]*T, len(list)), make(map[string]string)}
	for i := range list {
		if id, _ := P(&list[i]).Names(); g.items[id] == nil {
			g.items[id] = &list[i]
		}
	}
	for i := range list {
		id, replaced := P(&list[i]).Names()
		for _, old := range replaced {
			if g.items[old] == nil && g.to[old] == "" {
				g.to[old] = id
			}
		}
	}
	return g
}

// find returns an item of the newest version and its id there, given its id in an older
// one. It returns the given id and nil if the newest version does not have the item.
func (l lineage[T]) find(id string) (string, *T) {
	names := []string{id} // that the item has had, the newest last
	for _, g := range l {
		// A version may replace an id that is older than the last one, because a version
		// in between was a draft or was overlooked.
		for i := len(names) - 1; i >= 0 && g.items[names[i]] == nil; i-- {
			if to, ok := g.to[names[i]]; ok {
				names = append(names, to)
				break
			}
		}
	}
	// The newest version may have the item under an older id.
	for _, name := range slices.Backward(names) {
		if len(l) > 0 && l[len(l)-1].items[name] != nil {
			return name, l[len(l)-1].items[name]
		}
	}
	return id, nil
}

// now returns only the id.
func (l lineage[T]) now(id string) string {
	to, _ := l.find(id)
	return to
}
