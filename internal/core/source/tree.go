package source

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// locator returns the position of a part of a document. The path is relative to
// the locator's own position.
type locator func(path ...any) problem.Pos

// locator returns a locator for the part of d at prefix.
func (d document) locator(prefix ...any) locator { return within(d.pos, prefix...) }

func within(pos locator, prefix ...any) locator {
	return func(path ...any) problem.Pos { return pos(slices.Concat(prefix, path)...) }
}

// hasValue reports whether a field of the document is present and not empty.
func (d document) hasValue(field string) bool {
	n := member(d.root, field)
	return n != nil && (n.Kind == yaml.ScalarNode && !isNull(n) || len(n.Content) > 0)
}

// misspells reports whether a field of the document is present under a misspelt
// name, which is reported elsewhere.
func (t *tree) misspells(d document, field string) bool { return t.misspelt[d.file+" "+field] }

func (t *tree) categoryIDs() []string {
	return idsOf(t.categories, func(c category) string { return c.ID })
}

func (t *tree) elementIDs() []string {
	return idsOf(t.elements, func(e element) string { return e.ID })
}

func (t *tree) symbolIDs() []string { return idsOf(t.symbols, func(s symbol) string { return s.id }) }

func idsOf[T any](items []T, id func(T) string) []string {
	var ids []string
	for _, item := range items {
		ids = append(ids, id(item))
	}
	return ids
}

// validIDs returns the ids that hints can suggest.
func validIDs(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !isValidID(id) })
}

// addFileHint returns the start of a hint to add the file of an id that is unknown.
// A file with an invalid id would not help.
func addFileHint(folder, id, ext string) string {
	if !isValidID(id) {
		return "Use only a-z, A-Z, 0-9, _ and - in the id"
	}
	return "Add the file " + strconv.Quote(path.Join(folder, id+ext))
}

// missingCategories returns the listed categories that are reported as unknown and
// whose ids are not similar to that of any category. The file is probably missing.
func (t *tree) missingCategories() map[string]bool {
	missing := map[string]bool{}
	ids := t.categoryIDs()
	known, exists := validIDs(ids), newSet(ids)
	for _, id := range t.datachain.Categories {
		if !exists[id] && len(t.hints.nearest(id, known)) == 0 {
			missing[id] = true
		}
	}
	return missing
}

// newSet returns a set of ids. Ids with periods, which are reported elsewhere, are
// included as written and as corrected.
func newSet(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
		set[withoutPeriods(id)] = true
	}
	return set
}

// contexts yields every context with its locator.
func (t *tree) contexts(yield func(*taxonomy.Context, locator) bool) {
	for _, c := range t.categories {
		if c.Context != nil && !yield(c.Context, c.locator("context")) {
			return
		}
	}
	for _, e := range t.elements {
		if e.Context != nil && !yield(e.Context, e.locator("context")) {
			return
		}
	}
}

// variables yields every variable with its locator.
func (t *tree) variables(yield func(taxonomy.Variable, locator) bool) {
	for _, c := range t.categories {
		for i, v := range c.Variables {
			if !yield(v, c.locator("variables", i)) {
				return
			}
		}
	}
}

// sources yields every source with its locator.
func (t *tree) sources(yield func(taxonomy.Source, locator) bool) {
	visit := func(sources []taxonomy.Source, pos locator) bool {
		for i, s := range sources {
			if !yield(s, within(pos, "sources", i)) {
				return false
			}
		}
		return true
	}
	if !visit(t.datachain.Sources, t.datachain.pos) {
		return
	}
	for _, c := range t.categories {
		if !visit(c.Sources, c.pos) {
			return
		}
	}
	for v, pos := range t.variables {
		if !visit(v.Sources, pos) {
			return
		}
		for i, o := range v.Options {
			if !visit(o.Sources, within(pos, "options", i)) {
				return
			}
		}
	}
	for _, e := range t.elements {
		if !visit(e.Sources, e.pos) {
			return
		}
	}
}

// hasCategoryWithoutID reports whether some category specifies no id and its file
// name is not a listed one. Any category that seems to be missing may be that one.
func (t *tree) hasCategoryWithoutID() bool {
	listed := newSet(t.datachain.Categories)
	return slices.ContainsFunc(t.categories, func(c category) bool {
		return c.idFromFileName && !listed[c.ID]
	})
}

// hasElementWithoutID reports whether some element specifies no id.
func (t *tree) hasElementWithoutID() bool {
	return slices.ContainsFunc(t.elements, func(e element) bool { return e.idFromFileName })
}

// relativePos returns pos as text, with the file relative to the release folder.
func (t *tree) relativePos(pos problem.Pos) string {
	pos.File = strings.TrimPrefix(pos.File, t.id.Folder()+"/")
	return pos.String()
}

// quotedList quotes words and joins them with commas. It shortens long lists.
func quotedList(words []string) string {
	const limit = 20
	var quoted []string
	for _, w := range words[:min(len(words), limit)] {
		quoted = append(quoted, strconv.Quote(problem.Clip(w)))
	}
	list := strings.Join(quoted, ", ")
	if len(words) > limit {
		list += " and " + strconv.Itoa(len(words)-limit) + " more"
	}
	return list
}

// maxComparisons limits the estimated number of byte comparisons for the hints of
// one release, which keeps them well under a second.
const maxComparisons = 1 << 26

// hints suggests corrections for misspelt words. It stops comparing at
// [maxComparisons].
type hints struct{ comparisons int }

// suggest returns a hint that suggests known words similar to word, or fallback
// if there are none.
func (h *hints) suggest(word string, known []string, fallback string) string {
	if !h.count(word, known) {
		return fallback
	}
	hint := problem.DidYouMean(word, known)
	if len(hint) > 4*MaxIDLength {
		return fallback
	}
	return cmp.Or(hint, fallback)
}

// nearest returns the known word most similar to word, or none.
func (h *hints) nearest(word string, known []string) []string {
	if !h.count(word, known) {
		return nil
	}
	return problem.Nearest(word, known, 1)
}

// count counts the comparisons of a word with known words. It returns false if
// there are too many.
func (h *hints) count(word string, known []string) bool {
	const maxLength = 64 // longer words are truncated for comparison
	length := min(len(word), maxLength)
	h.comparisons += len(known) * length * length
	return h.comparisons <= maxComparisons
}
