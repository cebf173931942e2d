package compat

import (
	"slices"

	"placard/internal/core/taxonomy"
)

// Succession finds the elements of an old version in a newer one.
type Succession struct {
	last    map[string]bool // the elements of the newest version
	renames []renames       // from the oldest version to the newest
}

// renames are the renames that one version declares.
type renames struct {
	elements map[string]bool   // of the version
	to       map[string]string // by old id, which is not in elements
}

// NewSuccession returns the succession through the given versions, at least one,
// which are ordered from the oldest to the newest.
func NewSuccession(versions ...*taxonomy.Taxonomy) *Succession {
	s := &Succession{last: idsOf(versions[len(versions)-1].Elements)}
	for _, v := range versions {
		if r := renamesOf(v); len(r.to) > 0 {
			s.renames = append(s.renames, r)
		}
	}
	return s
}

// Find returns the id in the newest version of an element with the given id in an
// older one. Renames are followed from version to version. It returns false if the
// newest version does not have the element.
func (s *Succession) Find(id string) (string, bool) {
	names := []string{id} // that the element has had, the newest last
	for _, r := range s.renames {
		// A version may replace an id that is older than the last one, because a version
		// in between was a draft or was overlooked.
		for i := len(names) - 1; i >= 0 && !r.elements[names[i]]; i-- {
			if to, ok := r.to[names[i]]; ok {
				names = append(names, to)
				break
			}
		}
	}
	// The newest version may have the element under an older id.
	for _, name := range slices.Backward(names) {
		if s.last[name] {
			return name, true
		}
	}
	return id, false
}

// renamesOf returns the ids that t no longer has and the elements that replace them.
func renamesOf(t *taxonomy.Taxonomy) renames {
	var r renames
	for i := range t.Elements {
		e := &t.Elements[i]
		for _, old := range e.Replaces {
			if r.to == nil {
				r = renames{idsOf(t.Elements), make(map[string]string)}
			}
			if _, taken := r.to[old]; !taken && !r.elements[old] {
				r.to[old] = e.ID
			}
		}
	}
	return r
}

func idsOf(elements []taxonomy.Element) map[string]bool {
	ids := make(map[string]bool, len(elements))
	for i := range elements {
		ids[elements[i].ID] = true
	}
	return ids
}
