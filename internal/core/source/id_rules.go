package source

import (
	"fmt"
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var idRules = []rule{idInvalid, idDuplicate, idFileMismatch}

// idList is a list of ids that must be valid and unique.
type idList struct {
	kind      string
	ids       []string
	pos       func(i int) problem.Pos
	fileNames bool       // ids are used as file names and must differ in more than case
	files     []document // of categories or elements
	replaced  []replacedID
}

// replacedID is an id in replaces.
type replacedID struct {
	id, by string
	pos    problem.Pos
}

// replacedIDs returns the ids that an item replaces.
func replacedIDs(by string, ids taxonomy.IDs, pos locator) []replacedID {
	var list []replacedID
	for i, id := range ids {
		list = append(list, replacedID{id, by, pos("replaces", i)})
	}
	return list
}

// idLists yields all lists of ids in the release.
func (t *tree) idLists(yield func(idList) bool) {
	categories, elements := t.categoryIDs(), t.elementIDs()
	var categoryFiles, elementFiles []document
	var replaced []replacedID
	for i, c := range t.categories {
		categoryFiles = append(categoryFiles, c.document)
		if c.idFromFileName {
			categories[i] = ""
		}
	}
	for i, e := range t.elements {
		elementFiles = append(elementFiles, e.document)
		replaced = append(replaced, replacedIDs(e.ID, e.Replaces, e.pos)...)
		if e.idFromFileName {
			elements[i] = ""
		}
	}
	lists := []idList{
		{"category", categories, func(i int) problem.Pos { return t.categories[i].pos("id") }, true, categoryFiles, nil},
		{"element", elements, func(i int) problem.Pos { return t.elements[i].pos("id") }, true, elementFiles, replaced},
		{"symbol", t.symbolIDs(), func(i int) problem.Pos { return problem.Pos{File: t.symbols[i].file} }, true, nil, nil},
		{"datachain type", []string{t.datachain.ID}, func(int) problem.Pos { return t.datachain.pos("id") }, false, nil, nil},
		newIDList("subchain", t.datachain.Subchains, t.datachain.locator("subchains")),
	}
	for c, pos := range t.contexts {
		values := newIDList("context value", c.Values, within(pos, "values"))
		values.fileNames = true // icon files are named after them
		lists = append(lists, idList{"context", []string{c.ID}, func(int) problem.Pos { return pos("id") }, false, nil, nil}, values)
	}
	for _, c := range t.categories {
		lists = append(lists, newIDList("variable", c.Variables, c.locator("variables")))
	}
	for v, pos := range t.variables {
		lists = append(lists, newIDList("option", v.Options, within(pos, "options")))
	}
	for _, l := range lists {
		if !yield(l) {
			return
		}
	}
}

// newIDList returns the ids of items, which are at pos(0), pos(1) and so on.
func newIDList[T any, P taxonomy.Named[T]](kind string, items []T, pos locator) idList {
	l := idList{kind: kind, pos: func(i int) problem.Pos { return pos(i, "id") }}
	for i := range items {
		id, replaced := P(&items[i]).Names()
		l.ids = append(l.ids, id)
		l.replaced = append(l.replaced, replacedIDs(id, replaced, within(pos, i))...)
	}
	return l
}

// MaxIDLength is the maximum number of characters in an id.
const MaxIDLength = 128

func isValidID(id string) bool { return taxonomy.IsWord(id) && len(id) <= MaxIDLength }

// withoutPeriods returns the id that is suggested for an id with periods.
func withoutPeriods(id string) string { return strings.ReplaceAll(id, ".", "_") }

var idInvalid = rule{
	Rule: problem.Rule{
		Code:     "ID_INVALID",
		Severity: problem.Error,
		Title:    "An id must contain only a-z, A-Z, 0-9, _ and -, and have at most 128 characters.",
		Why:      "Ids are used in web addresses, where a period ends the id, and in file names, whose length is limited.",
		Example:  minimalCategory + "variables: [{id: street.name, label: {en: Name, fr: Nom}}]\n",
	},
	check: func(t *tree, report reportFunc) {
		check := func(kind, id string, pos problem.Pos) {
			switch {
			case id == "":
			case !taxonomy.IsWord(id):
				report(pos, "The %s id %q contains characters other than a-z, A-Z, 0-9, _ and -.", kind, problem.Clip(id)).
					FixHint = "Use only a-z, A-Z, 0-9, _ and -."
			case len(id) > MaxIDLength:
				report(pos, "The %s id %q is %d characters long.", kind, problem.Clip(id), len(id)).
					FixHint = fmt.Sprintf("Shorten it to at most %d characters.", MaxIDLength)
			}
		}
		for l := range t.idLists {
			for i, id := range l.ids {
				check(l.kind, id, l.pos(i))
			}
			for _, old := range l.replaced {
				check("replaced "+l.kind, old.id, old.pos)
			}
		}
	},
}

var idDuplicate = rule{
	Rule: problem.Rule{
		Code:     "ID_DUPLICATE",
		Severity: problem.Error,
		Title:    "An id must be unique among items of its kind, and ids used as file names must differ in more than case.",
		Why:      "Only one of two items with the same id could be found, and many file systems cannot store two files whose names differ only in case.",
		Example:  minimalCategory + "variables: [{id: name, label: {en: Name, fr: Nom}}, {id: name, label: {en: Sign, fr: Panneau}}]\n",
	},
	check: func(t *tree, report reportFunc) {
		for l := range t.idLists {
			first, used := map[string]int{}, newSet(l.ids)
			for i, id := range l.ids {
				if id == "" {
					continue
				}
				key := id
				if l.fileNames {
					key = strings.ToLower(id)
				}
				j, duplicate := first[key]
				if !duplicate {
					first[key] = i
					continue
				}
				if l.files != nil && l.files[i].id() == id && l.files[j].id() != l.ids[j] {
					first[key] = i
					i, j = j, i // Report the file that is not named after the id.
					id = l.ids[i]
				}
				conflict := "is already used"
				if l.ids[j] != id {
					conflict = fmt.Sprintf("differs only in case from %q", problem.Clip(l.ids[j]))
				}
				p := report(l.pos(i), "The %s id %q %s at %q.", l.kind, problem.Clip(id), conflict, t.relativePos(l.pos(j)))
				p.FixHint = "Give one of the two a different id."
				if l.files != nil && isValidID(l.files[i].id()) && !used[l.files[i].id()] {
					p.FixHint = "Change the id to " + strconv.Quote(l.files[i].id()) + ", the name of the file."
				}
			}
		}
	},
}

var idFileMismatch = rule{
	Rule: problem.Rule{
		Code:     "ID_FILE_MISMATCH",
		Severity: problem.Warning,
		Title:    "The file of a category or element should be named after its id.",
		Why:      "People look for a category or element by its file name.",
		Example:  "-- elements/street.yaml --\n" + replace(minimalElement, "street.yaml", "road.yaml"),
	},
	check: func(t *tree, report reportFunc) {
		for l := range t.idLists {
			count, exists := map[string]int{}, map[string]bool{}
			for i, d := range l.files {
				count[l.ids[i]]++
				exists[d.id()] = true
			}
			for i, d := range l.files {
				id := l.ids[i]
				if id == d.id() || !isValidID(id) || count[id] > 1 { // Duplicates are reported elsewhere.
					continue
				}
				p := report(d.pos("id"), "The id %q does not match the file name.", problem.Clip(id))
				p.FixHint = "Rename the file to " + strconv.Quote(problem.Clip(id)+".yaml") + ", or change the id."
				if exists[id] {
					p.FixHint = strconv.Quote(problem.Clip(id)+".yaml") + " already exists. Rename both files, or change the id."
				}
			}
		}
	},
}
