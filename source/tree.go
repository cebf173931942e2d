package source

import (
	"cmp"
	"slices"

	yaml "go.yaml.in/yaml/v4"

	"placard.dev/problem"
	"placard.dev/taxonomy"
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

func (t *tree) category(id string) (category, bool) {
	i := slices.IndexFunc(t.categories, func(c category) bool { return c.ID == id })
	if i < 0 {
		return category{}, false
	}
	return t.categories[i], true
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

// offer is a hint that names what is near word, or else says something else.
func offer(word string, known []string, otherwise string) string {
	return cmp.Or(problem.DidYouMean(word, known), otherwise)
}
