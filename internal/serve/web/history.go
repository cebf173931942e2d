package web

import (
	"slices"
	"strings"

	"placard/internal/core/compat"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// maxHistory is the maximum number of versions in the history of an element, in menus
// and on cards.
const maxHistory = 50

// versionState is an element in one version of its taxonomy.
type versionState struct {
	ID      taxonomy.ID
	Current bool   // the version of the page
	Path    string // of the element's page in this version; empty if there is none
	State   string // a sentence
	Other   string // the id of the element, if it differs
	Compare string // path of the comparison with the version before; may be empty
}

// history returns the states of the n-th element of r in the versions of its type,
// newest first. It is incomplete if one of them is not in memory.
func (q *request) history(r *release.Release, n int) (states []versionState, complete bool) {
	versions := q.versionsOf(r.ID())
	releases := make([]*release.Release, len(versions))
	for i, id := range versions {
		releases[i] = q.snapshot.Lookup(id.String())
		if id == r.ID() {
			releases[i] = r // may have been loaded for this request
		}
	}
	names := namesIn(releases, slices.Index(versions, r.ID()), r.Taxonomy.Elements[n].ID)
	complete = !slices.Contains(releases, nil)
	before := -1 // the last version that has the element
	for i, id := range versions {
		state := versionState{ID: id, Current: id == r.ID()}
		switch {
		case releases[i] == nil:
			state.State = q.ui.get("history.unknown")
		case names[i] == "" && before < 0:
			state.State = q.ui.get("history.absent")
		case names[i] == "":
			state.State = q.ui.get("history.removed")
		default:
			state.Path = elementPath(id.String(), names[i])
			switch {
			case before >= 0:
				state.State = q.changes(releases[before], names[before], releases[i], names[i])
				state.Compare = comparePath(versions[before], id)
			case slices.Contains(releases[:i], nil):
				state.State = q.ui.get("history.present")
			default:
				state.State = q.ui.get("history.first")
			}
			before = i
		}
		if names[i] != "" && names[i] != r.Taxonomy.Elements[n].ID {
			state.Other = names[i]
		}
		states = append(states, state)
	}
	slices.Reverse(states)
	return states, complete
}

// versionsOf returns the versions of the type of id, oldest first: id itself and the
// newest others.
func (q *request) versionsOf(id taxonomy.ID) []taxonomy.ID {
	var ids []taxonomy.ID
	for _, v := range q.snapshot.Served() {
		if v.ID.Type == id.Type {
			ids = append(ids, v.ID)
		}
	}
	slices.SortFunc(ids, taxonomy.ID.Compare)
	newest := ids[max(0, len(ids)-maxHistory):]
	if slices.Contains(ids, id) && !slices.Contains(newest, id) {
		newest[0] = id
	}
	return newest
}

// namesIn returns the ids of an element in the given releases, which are ordered from
// the oldest to the newest and may be nil. It is called id in one of them.
func namesIn(releases []*release.Release, current int, id string) []string {
	names := make([]string, len(releases))
	name := id
	for i, r := range slices.Backward(releases[:current+1]) {
		if r == nil {
			continue
		}
		if n, ok := r.Element(name); ok {
			names[i] = name
			if replaced := r.Taxonomy.Elements[n].Replaces; len(replaced) > 0 && !hasElement(releases[:i], name) {
				first := slices.IndexFunc(replaced, func(id string) bool { return hasElement(releases[:i], id) })
				name = replaced[max(first, 0)]
			}
		}
	}
	name = id
	for i := current + 1; i < len(releases); i++ {
		r := releases[i]
		if r == nil {
			continue
		}
		if _, ok := r.Element(name); !ok {
			successor, ok := r.Successor(name)
			if !ok {
				continue
			}
			name = successor
		}
		names[i] = name
	}
	return names
}

// hasElement reports whether the newest of some releases that is in memory has an
// element.
func hasElement(releases []*release.Release, id string) bool {
	for _, r := range slices.Backward(releases) {
		if r != nil {
			_, ok := r.Element(id)
			return ok
		}
	}
	return false
}

// changes says what changed in an element between two releases. Only the element is
// compared, so that the time does not depend on the size of the taxonomy.
func (q *request) changes(before *release.Release, oldID string, after *release.Release, newID string) string {
	m, _ := before.Element(oldID)
	n, _ := after.Element(newID)
	c, err := compat.Compare(onlyElement(before, m), onlyElement(after, n))
	if err != nil {
		return q.ui.get("history.present") // both have the same type, so there is no error
	}
	isChanged := make(map[string]bool)
	for i := range c.Changes {
		isChanged[changedPart(&c.Changes[i])] = true
	}
	var changed []string
	for _, part := range elementParts {
		if isChanged[part] {
			changed = append(changed, q.ui.get("changed."+part))
		}
	}
	if len(changed) == 0 {
		return q.ui.get("history.same")
	}
	return q.ui.get("history.changed", "parts", strings.Join(changed, q.ui.get("list.separator")))
}

// elementParts are the parts of an element that changes are attributed to.
var elementParts = []string{
	"title", "description", "icon", "category", "context", "variables", "rules", "examples", "sources", "guidance", "keywords", "id",
}

// onlyElement returns a taxonomy with the n-th element of r, its category and its
// symbol.
func onlyElement(r *release.Release, n int) *taxonomy.Taxonomy {
	e := r.Taxonomy.Elements[n]
	t := &taxonomy.Taxonomy{
		ID: r.Taxonomy.ID, Locales: r.Taxonomy.Locales, Type: taxonomy.DatachainType{ID: r.Taxonomy.Type.ID},
		Elements: []taxonomy.Element{e},
		Symbols:  map[string][]byte{e.SymbolID: r.Taxonomy.Symbols[e.SymbolID]},
	}
	if c := categoryOf(r, &e); c != nil {
		category := *c
		category.Variables = slices.Clone(e.Variables)
		for i := range category.Variables {
			options := optionsFor(&category.Variables[i], e.ID)
			for j := range options {
				options[j].AppliesTo = nil // other elements do not matter
			}
			category.Variables[i].Options = options
		}
		if e.Context != nil {
			category.Context = nil // replaced by that of the element
		}
		t.Categories = []taxonomy.Category{category}
	}
	return t
}

// changedPart returns the one of [elementParts] that a change concerns, or an empty
// string.
func changedPart(c *compat.Change) string {
	switch c.Subject.Kind {
	case compat.Context, compat.ContextValue:
		return "context"
	case compat.Variable, compat.Option:
		return "variables"
	case compat.Category:
		switch c.Field {
		case "shape":
			return "icon"
		case "required", "min_elements", "max_elements":
			return "rules"
		}
	case compat.Element:
		switch field, _, _ := strings.Cut(c.Field, "["); {
		case c.Kind == compat.Renamed:
			return "id"
		case c.Kind == compat.Redrawn, field == "shape":
			return "icon"
		case field == "category_id":
			return "category"
		case field == "", field == "position", field == "replaces", field == "symbol_id":
		case field == "title", field == "description", field == "guidance", field == "sources", field == "examples", field == "keywords":
			return field
		default:
			return "rules"
		}
	case compat.Version, compat.Type, compat.Locale, compat.Subchain, compat.Symbol:
	}
	return ""
}
