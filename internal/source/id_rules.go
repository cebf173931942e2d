package source

import (
	"fmt"
	"strconv"
	"strings"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

var idRules = []Rule{idInvalid, idDuplicate, idFileMismatch}

// named is a number of ids that must differ from one another.
type named struct {
	what  string // what one of them is called
	ids   []string
	where func(i int) problem.Pos
	files bool // they are names of files too, which not every disk tells apart by case
}

// names yields the ids of everything that has one.
func (t *tree) names(yield func(named) bool) {
	categories, elements := t.categoryIDs(), t.elementIDs()
	for i, c := range t.categories {
		if c.guessed() {
			categories[i] = ""
		}
	}
	for i, e := range t.elements {
		if e.guessed() {
			elements[i] = ""
		}
	}
	lists := []named{
		{"category", categories, func(i int) problem.Pos { return t.categories[i].at("id") }, true},
		{"element", elements, func(i int) problem.Pos { return t.elements[i].at("id") }, true},
		{"symbol", t.symbolIDs(), func(i int) problem.Pos { return problem.Pos{File: t.symbols[i].file} }, true},
		{"datachain type", []string{t.datachain.ID}, func(int) problem.Pos { return t.datachain.at("id") }, false},
		list("subchain", t.datachain.Subchains, t.datachain.in("subchains"), func(s taxonomy.Subchain) string { return s.ID }),
	}
	for c, where := range t.contexts {
		values := list("context value", c.Values, within(where, "values"), func(v taxonomy.ContextValue) string { return v.ID })
		values.files = true // of icons
		lists = append(lists, named{"context", []string{c.ID}, func(int) problem.Pos { return where("id") }, false}, values)
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

// maxID is how many characters an id may have.
const maxID = 128

var idInvalid = Rule{
	Rule: problem.Rule{
		Code:     "ID_INVALID",
		Severity: problem.Error,
		Title:    "An id must consist of at most 128 of the characters a-z, A-Z, 0-9, _ and -.",
		Why:      "Ids are used in web addresses, where a period ends the id, and in file names, whose length is limited.",
		Example:  goodCategory + "variables: [{id: street.name, label: {en: Name, fr: Nom}}]\n",
	},
	check: func(t *tree, found finder) {
		for n := range t.names {
			for i, id := range n.ids {
				switch {
				case id == "":
				case !taxonomy.IsWord(id):
					p := found(n.where(i), "The %s id %q contains characters other than a-z, A-Z, 0-9, _ and -.", n.what, problem.Clip(id))
					p.FixHint = "Use only these characters."
					if fixed := strings.ReplaceAll(id, ".", "_"); taxonomy.IsWord(fixed) && len(fixed) <= maxID {
						p.FixHint = "Periods are not allowed; write " + strconv.Quote(fixed) + "."
					}
				case len(id) > maxID:
					found(n.where(i), "The %s id %q is %d characters long.", n.what, problem.Clip(id), len(id)).
						FixHint = fmt.Sprintf("Shorten it to at most %d characters.", maxID)
				}
			}
		}
	},
}

var idDuplicate = Rule{
	Rule: problem.Rule{
		Code:     "ID_DUPLICATE",
		Severity: problem.Error,
		Title:    "An id must be unique among items of its kind, and ids used as file names must differ in more than case.",
		Why:      "Only one of two items with the same id could be found, and many disks cannot store two files whose names differ only in case.",
		Example:  goodCategory + "variables: [{id: name, label: {en: Name, fr: Nom}}, {id: name, label: {en: Sign, fr: Panneau}}]\n",
	},
	check: func(t *tree, found finder) {
		for n := range t.names {
			first := map[string]int{}
			for i, id := range n.ids {
				if id == "" {
					continue
				}
				key := id
				if n.files {
					key = strings.ToLower(id)
				}
				j, twice := first[key]
				if !twice {
					first[key] = i
					continue
				}
				how := "is already used"
				if n.ids[j] != id {
					how = fmt.Sprintf("differs only in case from %q", problem.Clip(n.ids[j]))
				}
				found(n.where(i), "The %s id %q %s at %q.", n.what, problem.Clip(id), how, t.inside(n.where(j))).
					FixHint = "Give one of the two a different id."
			}
		}
	},
}

var idFileMismatch = Rule{
	Rule: problem.Rule{
		Code:     "ID_FILE_MISMATCH",
		Severity: problem.Warning,
		Title:    "The file of a category or element should be named after its id.",
		Why:      "People look for a category or element by its file name.",
		Example:  "-- elements/street.yaml --\n" + change(goodElement, "street.yaml", "road.yaml"),
	},
	check: func(t *tree, found finder) {
		check := func(d document, id string) {
			if id != d.id() {
				found(d.at("id"), "The id %q does not match the file name.", problem.Clip(id)).
					FixHint = "Rename the file to " + strconv.Quote(problem.Clip(id)+".yaml") + ", or change the id."
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
