package datachain

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// reader fills a document from a tree and checks the types of its values. Its
// methods take the node of a value and return the value, or the zero value if it
// has the wrong type.
type reader struct {
	*tree
	meter
	scratch        *scratch
	found          findings
	requiredNulls  []ref // null values of required members that may be listed
	unknownMembers []unknownMember
	unexpected     []unexpected
}

// keep appends an item to list, unless there are errors: no document is returned
// then, and invalid items may need far more memory than their JSON.
func keep[T any](r *reader, list []T, item T) []T {
	if r.found.errors.total > 0 {
		return list
	}
	return append(list, item)
}

// fill is like [keep] for large items: read fills the new item in place from the
// node n.
func fill[T any](r *reader, list []T, n ref, read func(*reader, ref, *T)) []T {
	var none T
	list = append(list, none)
	last := len(list) - 1
	if read(r, n, &list[last]); r.found.errors.total > 0 {
		list[last] = none
		return list[:last]
	}
	return list
}

// items returns an iterator over the items of the array n. It ends when the meter
// stops.
func (r *reader) items(n ref) iter.Seq2[int, ref] { return r.tree.items(n, &r.meter) }

// members returns an iterator over the members of the object n. It ends when the
// meter stops.
func (r *reader) members(n ref) iter.Seq2[string, ref] { return r.tree.members(n, &r.meter) }

// reportWrong reports that n is not the expected value.
func (r *reader) reportWrong(n ref, w *want) {
	loc := location{node: n}
	if !r.found.admits(problem.Error, loc) {
		return
	}
	r.found.keep(parseError.Code, problem.Error, loc, func() problem.Problem {
		found := parseError.Found("%s must be %s, not %s.", r.subject(n), w.description, r.describe(n))
		if r.kind(n) == 'n' && w != wantVersion {
			return found.Hint("Write a value, for example %s%s.", w.example, r.orRemove(n))
		}
		return w.hint(found, r.tree, n)
	})
}

// orRemove returns the end of a hint about the null value n, which may be removed
// unless it is the document or the value of a required member.
func (r *reader) orRemove(n ref) string {
	switch {
	case n == 0 || slices.Contains(r.requiredNulls, n):
		return ""
	case r.kind(r.nodes[n].parent) == '[':
		return ", or remove the item"
	}
	return ", or omit the member"
}

// require reports that the object n lacks the member called name, if the node of its
// value is 0.
func (r *reader) require(value, n ref, name string, w *want) {
	switch {
	case value == 0:
		r.reportMissing(n, name, w)
	case r.kind(value) == 'n' && r.found.errors.reaches(r.nodes[value].start):
		r.requiredNulls = append(r.requiredNulls, value)
	}
}

func (r *reader) reportMissing(n ref, name string, w *want) {
	loc := location{n, name}
	if !r.found.admits(problem.Error, loc) {
		return
	}
	r.found.keep(parseError.Code, problem.Error, loc, func() problem.Problem {
		found := parseError.Found("%q is missing; it must be %s.", name, w.description)
		names := unknownNames(r.tree, r.unknownMembers, n)
		near := problem.Nearest(name, names, 1)
		if strings.HasSuffix(name, "_id") && slices.Contains(names, "id") {
			near = []string{"id"}
		}
		if len(near) > 0 {
			return found.Hint("Rename %q to %q if that is the intended name.", near[0], name)
		}
		if w == wantVersion {
			return found.Hint(hintVersion).See(problem.ListVersions())
		}
		return found.Hint("For example, add %q: %s.", name, w.example)
	})
}

// unknownNames returns the first names of the object n that are in members, which
// are in document order.
func unknownNames(t *tree, members []unknownMember, n ref) []string {
	from, _ := slices.BinarySearchFunc(members, n, func(u unknownMember, n ref) int { return cmp.Compare(u.node, n) })
	var names []string
	for _, u := range members[from:min(from+32, len(members))] {
		if t.nodes[u.node].parent == n {
			names = append(names, problem.Clip(t.str(u.node-1)))
		}
	}
	return names
}

// unknownMember records that the name of the member v is not in known.
func (r *reader) unknownMember(v ref, known []string) {
	r.unknownMembers = append(r.unknownMembers, unknownMember{v, known})
}

func (r *reader) isObject(n ref, w *want) bool { return r.is('{', n, w) }
func (r *reader) isArray(n ref, w *want) bool  { return r.is('[', n, w) }

func (r *reader) is(kind jsontext.Kind, n ref, w *want) bool {
	if r.kind(n) != kind {
		r.reportWrong(n, w)
		return false
	}
	return true
}

func (r *reader) string(n ref) string { return r.stringOf(n, wantString) }

func (r *reader) stringOf(n ref, w *want) string {
	if !r.is('"', n, w) {
		return ""
	}
	return r.str(n)
}

func (r *reader) boolean(n ref) bool {
	if r.kind(n) != 't' && r.kind(n) != 'f' {
		r.reportWrong(n, wantBoolean)
	}
	return r.kind(n) == 't'
}

func (r *reader) stringList(n ref) []string {
	if !r.isArray(n, wantStrings) {
		return nil
	}
	list := r.scratch.strings.alloc(r.size(n))
	for _, item := range r.items(n) {
		list = keep(r, list, r.string(item))
	}
	return list
}

// each calls read for each item of the array n and returns the results.
func each[T any](r *reader, n ref, read func(ref) T) []T {
	if !r.isArray(n, wantArray) {
		return nil
	}
	list := make([]T, 0, min(r.size(n), maxPrealloc))
	for _, item := range r.items(n) {
		list = keep(r, list, read(item))
	}
	return list
}

func (r *reader) timestamp(n ref) string {
	s := r.stringOf(n, wantTimestamp)
	if r.kind(n) == '"' && !isTimestamp(s) {
		r.reportWrong(n, wantTimestamp)
	}
	return s
}

// whole parses an integer of any size and sign.
func (r *reader) whole(n ref) float64 {
	if r.kind(n) != '0' || !isWhole(r.raw(n)) {
		r.reportWrong(n, wantWhole)
		return 0
	}
	return number(r.raw(n))
}

// count parses a non-negative integer.
func (r *reader) count(n ref) float64 {
	if r.kind(n) != '0' || !isWhole(r.raw(n)) || number(r.raw(n)) < 0 {
		r.reportWrong(n, wantCount)
		return 0
	}
	return number(r.raw(n))
}

var textFields = []string{"locale", "value"}

func (r *reader) localized(n ref) taxonomy.Localized {
	if !r.isArray(n, wantLocalized) {
		return nil
	}
	texts := r.scratch.texts.alloc(r.size(n))
	for _, item := range r.items(n) {
		texts = keep(r, texts, r.text(item))
	}
	return texts
}

func (r *reader) text(n ref) (text taxonomy.Text) {
	if !r.isObject(n, wantText) {
		return text
	}
	var locale, value ref
	for name, v := range r.members(n) {
		switch name {
		case "locale":
			text.Locale, locale = r.stringOf(v, wantLocale), v
		case "value":
			text.Value, value = r.string(v), v
		default:
			r.unknownMember(v, textFields)
		}
	}
	r.require(locale, n, "locale", wantLocale)
	r.require(value, n, "value", wantString)
	r.scratch.locales = append(r.scratch.locales, locale)
	return text
}

func (r *reader) sources(n ref) (list []taxonomy.Source) {
	r.records(n, &list, true)
	return list
}
