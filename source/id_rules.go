package source

import (
	"strconv"
	"strings"

	"placard.dev/problem"
	"placard.dev/taxonomy"
)

var idRules = []Rule{idInvalid, idDuplicate, idFileMismatch}

// named is a number of ids that must differ from one another.
type named struct {
	what  string // what one of them is called
	ids   []string
	where func(i int) problem.Pos
}

// names yields the ids of everything that has one.
func (t *tree) names(yield func(named) bool) {
	lists := []named{
		{"category", t.categoryIDs(), func(i int) problem.Pos { return t.categories[i].at("id") }},
		{"element", t.elementIDs(), func(i int) problem.Pos { return t.elements[i].at("id") }},
		{"symbol", t.symbolIDs(), func(i int) problem.Pos { return problem.Pos{File: t.symbols[i].file} }},
		{"datachain type", []string{t.datachain.ID}, func(int) problem.Pos { return t.datachain.at("id") }},
		list("subchain", t.datachain.Subchains, t.datachain.in("subchains"), func(s taxonomy.Subchain) string { return s.ID }),
	}
	for c, where := range t.contexts {
		lists = append(lists,
			named{"context", []string{c.ID}, func(int) problem.Pos { return where("id") }},
			list("context value", c.Values, within(where, "values"), func(v taxonomy.ContextValue) string { return v.ID }))
	}
	for _, c := range t.categories {
		lists = append(lists, list("variable", c.Variables, c.in("variables"), func(v taxonomy.Variable) string { return v.ID }))
	}
	for v, where := range t.variables {
		lists = append(lists, list("option", v.Options, within(where, "options"), func(o taxonomy.Option) string { return o.ID }))
	}
	for _, l := range lists {
		if !yield(l) {
			return
		}
	}
}

// list is the named of a list whose items have an id each.
func list[T any](what string, items []T, where place, id func(T) string) named {
	n := named{what: what, where: func(i int) problem.Pos { return where(i, "id") }}
	for _, item := range items {
		n.ids = append(n.ids, id(item))
	}
	return n
}

var idInvalid = Rule{
	Rule: problem.Rule{
		Code:     "ID_INVALID",
		Severity: problem.Error,
		Title:    "An id is made of a-z, A-Z, 0-9, _ and -.",
		Why:      "Ids stand in addresses, where a period separates them from what follows.",
		Example:  goodCategory + "variables: [{id: street.name, label: {en: Name, fr: Nom}}]\n",
	},
	check: func(t *tree, found finder) {
		for n := range t.names {
			for i, id := range n.ids {
				if id == "" || taxonomy.IsWord(id) {
					continue
				}
				p := found(n.where(i), "The %s id %q has characters outside a-z, A-Z, 0-9, _ and -.", n.what, clip(id))
				p.FixHint = "Use only those characters."
				if fixed := strings.ReplaceAll(id, ".", "_"); taxonomy.IsWord(fixed) {
					p.FixHint = "An id may not have a period; write " + strconv.Quote(fixed) + "."
				}
			}
		}
	},
}

var idDuplicate = Rule{
	Rule: problem.Rule{
		Code:     "ID_DUPLICATE",
		Severity: problem.Error,
		Title:    "An id names one thing of its kind.",
		Why:      "Of two things with one id, only one could ever be found.",
		Example:  goodCategory + "variables: [{id: name, label: {en: Name, fr: Nom}}, {id: name, label: {en: Sign, fr: Panneau}}]\n",
	},
	check: func(t *tree, found finder) {
		for n := range t.names {
			first := map[string]int{}
			for i, id := range n.ids {
				if id == "" {
					continue
				}
				if j, twice := first[id]; twice {
					found(n.where(i), "The %s id %q is taken already, at %s.", n.what, clip(id), n.where(j)).
						FixHint = "Give one of the two another id."
					continue
				}
				first[id] = i
			}
		}
	},
}

var idFileMismatch = Rule{
	Rule: problem.Rule{
		Code:     "ID_FILE_MISMATCH",
		Severity: problem.Warning,
		Title:    "The file of a category or element is named after its id.",
		Why:      "People look for a part by the name of its file.",
		Example:  "-- elements/street.yaml --\n" + change(goodElement, "street.yaml", "road.yaml"),
	},
	check: func(t *tree, found finder) {
		check := func(d document, id string) {
			if id != d.id() {
				found(d.at("id"), "The id %q is not the name of the file.", clip(id)).FixHint = "Rename the file to " + clip(id) + ".yaml, or change the id."
			}
		}
		for _, c := range t.categories {
			check(c.document, c.ID)
		}
		for _, e := range t.elements {
			check(e.document, e.ID)
		}
	},
}
