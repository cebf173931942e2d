package source

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// place tells where something stands, counted from a part of a document.
type place func(path ...any) problem.Pos

// in returns the place of what is inside the part at prefix.
func (d document) in(prefix ...any) place { return within(d.at, prefix...) }

func within(where place, prefix ...any) place {
	return func(path ...any) problem.Pos { return where(slices.Concat(prefix, path)...) }
}

// lists reports whether a field of the document holds anything.
func (d document) lists(field string) bool {
	n := member(d.root, field)
	return n != nil && (n.Kind == yaml.ScalarNode && !isNull(n) || len(n.Content) > 0)
}

func (t *tree) categoryIDs() []string {
	var ids []string
	for _, c := range t.categories {
		ids = append(ids, c.ID)
	}
	return ids
}

func (t *tree) elementIDs() []string {
	var ids []string
	for _, e := range t.elements {
		ids = append(ids, e.ID)
	}
	return ids
}

func (t *tree) symbolIDs() []string {
	var ids []string
	for _, s := range t.symbols {
		ids = append(ids, s.id)
	}
	return ids
}

// setOf is for asking often whether an id is one of many.
func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// contexts yields every context and where its parts stand.
func (t *tree) contexts(yield func(*taxonomy.Context, place) bool) {
	for _, c := range t.categories {
		if c.Context != nil && !yield(c.Context, c.in("context")) {
			return
		}
	}
	for _, e := range t.elements {
		if e.Context != nil && !yield(e.Context, e.in("context")) {
			return
		}
	}
}

// variables yields every variable and where its parts stand.
func (t *tree) variables(yield func(taxonomy.Variable, place) bool) {
	for _, c := range t.categories {
		for i, v := range c.Variables {
			if !yield(v, c.in("variables", i)) {
				return
			}
		}
	}
}

// sources yields every source and where its parts stand.
func (t *tree) sources(yield func(taxonomy.Source, place) bool) {
	visit := func(sources []taxonomy.Source, d document) bool {
		for i, s := range sources {
			if !yield(s, d.in("sources", i)) {
				return false
			}
		}
		return true
	}
	if !visit(t.datachain.Sources, t.datachain.document) {
		return
	}
	for _, c := range t.categories {
		if !visit(c.Sources, c.document) {
			return
		}
	}
	for _, e := range t.elements {
		if !visit(e.Sources, e.document) {
			return
		}
	}
}

// hidesCategory reports whether the id of a category could be neither read nor
// guessed: whichever category seems to be missing may be that one.
func (t *tree) hidesCategory() bool {
	listed := setOf(t.datachain.Categories)
	return slices.ContainsFunc(t.categories, func(c category) bool {
		return c.guessed() && !listed[c.ID]
	})
}

// hidesElement is the same for elements, of which there is no list to guess by.
func (t *tree) hidesElement() bool { return slices.ContainsFunc(t.elements, element.guessed) }

// inside names a place as it is called within the release, whatever the path
// to there.
func (t *tree) inside(at problem.Pos) string {
	at.File = strings.TrimPrefix(at.File, t.id.Folder()+"/")
	return at.String()
}

// listing names words, all of them where they are not too many.
func listing(words []string) string {
	const most = 20
	var quoted []string
	for _, w := range words[:min(len(words), most)] {
		quoted = append(quoted, strconv.Quote(problem.Clip(w)))
	}
	if len(words) > most {
		return strings.Join(quoted, ", ") + " and " + strconv.Itoa(len(words)-most) + " more"
	}
	return strings.Join(quoted, ", ")
}

// maxCompared is how many pairs of characters may be compared for the hints of
// one release, which is well under a second.
const maxCompared = 1 << 26

// hints names what is near misspelt words, until that has cost enough.
type hints struct{ compared int }

// offer is a hint that names what is near word, or else says something else.
func (h *hints) offer(word string, known []string, otherwise string) string {
	const longest = 64 // as much of a word as is compared
	length := min(len(word), longest)
	if h.compared += len(known) * length * length; h.compared > maxCompared {
		return otherwise
	}
	near := problem.DidYouMean(word, known)
	if len(near) > 4*maxID {
		return otherwise
	}
	return cmp.Or(near, otherwise)
}
