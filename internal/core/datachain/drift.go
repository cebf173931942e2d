package datachain

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// checkDrift compares the snapshot of a document with the release it pins.
func checkDrift(c *checker, r *Rule) {
	if c.schema == nil {
		return
	}
	d := drift{checker: c, rule: r, categories: make(set), elements: make(set)}
	snapshot := &c.resolved.Snapshot
	d.compare("The datachain type", snapshot.typ, c.schema.typeFragment, c.schema.typ, &snapshot.Type)
	for i, item := range snapshot.categories {
		id := snapshot.Categories[i].ID
		known := c.schema.category[id]
		if d.isKnownAndNew("category", id, item, d.categories, known != nil) {
			f := &c.schema.categoryFragments
			d.compare("Category "+strconv.Quote(problem.Clip(id)), item, f.at(known.position), f.definitions[known.position], &snapshot.Categories[i])
		}
	}
	for i, item := range snapshot.elements {
		id := snapshot.Elements[i].ID
		known := c.schema.element[id]
		if d.isKnownAndNew("element", id, item, d.elements, known != nil) {
			f := &c.schema.elementFragments
			d.compare("Element "+strconv.Quote(problem.Clip(id)), item, f.at(known.position), f.definitions[known.position], &snapshot.Elements[i])
		}
	}
	d.reportMissing()
}

// drift compares a snapshot with a release.
type drift struct {
	*checker
	rule       *Rule
	categories set // ids in the snapshot
	elements   set
}

func (d *drift) reportDrift(n ref, message string, args ...any) {
	d.find(d.rule, location{node: n}, func() problem.Problem {
		return d.rule.Found(message, args...).
			Hint("Resolve the document again to update the snapshot.").
			See(problem.Resolve(d.schema.id.String()))
	})
}

// isKnownAndNew adds the id of an item of the snapshot to ids and reports whether
// the item is in the release and is not a duplicate. If not, it reports drift.
func (d *drift) isKnownAndNew(kind, id string, n ref, ids set, known bool) bool {
	isNew := ids.add(id)
	switch {
	case !d.spend(8):
		return false
	case !known:
		d.reportDrift(n, "Release %s has no %s %q.", d.schema.id, kind, problem.Clip(id))
	case !isNew:
		d.reportDrift(n, "The snapshot contains the %s %q twice.", kind, problem.Clip(id))
	}
	return known && isNew
}

// compare reports that sent, the item n of the snapshot, differs from the published
// definition. The order of members, and of locales in a localized string, does not
// matter. Unchanged items are in the canonical form in which resolve wrote them.
func (d *drift) compare(item string, n ref, canonical []byte, published, sent any) {
	if !d.spend(int(d.tree.nodes[n].next-n)) || d.tree.raw(n) == string(canonical) {
		return
	}
	field := firstDifference(published, sent)
	i, _ := slices.BinarySearchFunc(d.unknownMembers, n, func(u unknownMember, n ref) int { return cmp.Compare(u.node, n) })
	if field == "" && i < len(d.unknownMembers) && d.unknownMembers[i].node < d.tree.nodes[n].next {
		field = problem.Clip(d.tree.str(d.unknownMembers[i].node - 1))
	}
	if field != "" {
		d.reportDrift(n, "%s differs from the one in release %s; the first difference is in %q.", item, d.schema.id, field)
	}
}

// reportMissing reports the elements and categories of the release that the document
// refers to but the snapshot does not contain. Categories of suggested elements may
// be missing.
func (d *drift) reportMissing() {
	n := d.resolved.Snapshot.node
	categories, elements := make(set), make(set)
	refer := func(id string) {
		if !elements.add(id) {
			return
		}
		if _, ok := d.elements[id]; !ok {
			if d.schema.element[id] != nil {
				d.reportDrift(n, "The snapshot does not contain element %q, which the document refers to.", problem.Clip(id))
			}
			return
		}
		e := d.definitions.element[id]
		if _, ok := d.categories[e.categoryID]; !ok && d.schema.category[e.categoryID] != nil && categories.add(e.categoryID) {
			d.reportDrift(n, "The snapshot does not contain category %q of element %q.", problem.Clip(e.categoryID), problem.Clip(id))
		}
	}
	for _, p := range d.placements() {
		refer(p.ElementID)
	}
	for s := range d.subchainInstances {
		for _, id := range s.HeadRefs {
			if _, ok := d.byInstance[id]; !ok && d.spend(1) {
				refer(id)
			}
		}
	}
}

// firstDifference returns the name of the first field in which two records differ, or
// the empty string. Both are pointers to structs of one type.
func firstDifference(a, b any) string {
	for _, f := range taxonomy.RecordOf(a).Fields {
		if !f.SearchOnly && !isSame(f.In(a), f.In(b)) {
			return f.Name
		}
	}
	return ""
}

// isSame reports whether two fields have the same value, given pointers to them.
func isSame(a, b any) bool {
	if texts, ok := a.(*taxonomy.Localized); ok {
		return slices.Equal(sortedTexts(*texts), sortedTexts(*b.(*taxonomy.Localized)))
	}
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	if x.Kind() == reflect.Pointer {
		if x.IsNil() || y.IsNil() {
			return x.IsNil() && y.IsNil()
		}
		return firstDifference(x.Interface(), y.Interface()) == ""
	}
	if x.Kind() != reflect.Slice {
		return x.Equal(y)
	}
	if x.Len() != y.Len() {
		return false
	}
	for i := range x.Len() {
		item, other := x.Index(i), y.Index(i)
		if item.Kind() != reflect.Struct && !item.Equal(other) ||
			item.Kind() == reflect.Struct && firstDifference(item.Addr().Interface(), other.Addr().Interface()) != "" {
			return false
		}
	}
	return true
}

func sortedTexts(texts taxonomy.Localized) taxonomy.Localized {
	return slices.SortedFunc(slices.Values(texts), func(a, b taxonomy.Text) int { return cmp.Compare(a.Locale, b.Locale) })
}
