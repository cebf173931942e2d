package datachain

import (
	"strconv"
	"strings"

	"placard/internal/core/problem"
)

// checkDrift compares the snapshot of a document with the release it pins.
func checkDrift(c *checker, r *Rule) {
	if c.schema == nil {
		return
	}
	d := drift{checker: c, rule: r}
	snapshot := &c.resolved.Snapshot
	if path, same := d.compare(c.schema.typeFragment, snapshot.typ); !same {
		d.reportDifference("The datachain type", path, snapshot.typ)
	}
	for i, item := range snapshot.categories {
		id := snapshot.Categories[i].ID
		known := c.schema.category[id]
		if !d.isKnownAndNew("category", id, item, &d.categories, known != nil) {
			continue
		}
		if path, same := d.compare(c.schema.categoryFragments.at(known.position), item); !same {
			d.reportDifference("Category "+strconv.Quote(problem.Clip(id)), path, item)
		}
	}
	for i, item := range snapshot.elements {
		id := snapshot.Elements[i].ID
		known := c.schema.element[id]
		if !d.isKnownAndNew("element", id, item, &d.elements, known != nil) {
			continue
		}
		if path, same := d.compare(c.schema.elementFragments.at(known.position), item); !same {
			d.reportDifference("Element "+strconv.Quote(problem.Clip(id)), path, item)
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
func (d *drift) isKnownAndNew(kind, id string, n ref, ids *set, known bool) bool {
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

// compare is like [drift.same] with a fast path for snapshots that are unchanged
// since resolve wrote them.
func (d *drift) compare(published *fragment, n ref) (path string, same bool) {
	if d.tree.raw(n) == string(published.canonical) {
		d.spend(1 + len(published.canonical)/1024)
		return "", true
	}
	return d.same(published.tree, 0, n)
}

func (d *drift) reportDifference(item, path string, n ref) {
	d.reportDrift(n, "%s differs from the one in release %s; the first difference is in %q.", item, d.schema.id, path)
}

// reportMissing reports the elements and categories of the release that the document
// refers to but the snapshot does not contain. Categories of suggested elements may
// be missing.
func (d *drift) reportMissing() {
	n := d.resolved.Snapshot.node
	var categories, elements set
	refer := func(id string) {
		if !elements.add(id) {
			return
		}
		if !d.elements.has(id) {
			if d.schema.element[id] != nil {
				d.reportDrift(n, "The snapshot does not contain element %q, which the document refers to.", problem.Clip(id))
			}
			return
		}
		if e := d.definitions.element[id]; e.category == nil && d.schema.category[e.categoryID] != nil && categories.add(e.categoryID) {
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

// same reports whether sent, a node of the document, equals n, a node of the release.
// If not, it also returns the path of the first difference. The order of members, and
// of locales in a localized string, does not matter.
func (d *drift) same(published *tree, n, sent ref) (path string, same bool) {
	if !d.spend(1) {
		return "", true
	}
	kind := published.kind(n)
	if kind != d.tree.kind(sent) {
		return "", false
	}
	switch kind {
	case '{':
		return d.sameObject(published, n, sent)
	case '[':
		if published.isLocalized(n) {
			return "", d.sameLocalized(published, n, sent)
		}
		return d.sameArray(published, n, sent)
	case '"':
		return "", published.str(n) == d.tree.str(sent)
	case '0':
		return "", number(published.raw(n)) == number(d.tree.raw(sent))
	}
	return "", true
}

func (d *drift) sameObject(published *tree, n, sent ref) (path string, same bool) {
	size := d.tree.size(sent)
	if !d.spend(size) {
		return "", true
	}
	for name, v := range published.members(n) {
		other := d.tree.member(sent, name)
		if other == 0 {
			return name, false
		}
		if path, same := d.same(published, v, other); !same {
			return join(name, path), false
		}
	}
	if size == published.size(n) {
		return "", true
	}
	for name := range d.tree.members(sent) {
		if published.member(n, name) == 0 {
			path = problem.Clip(name)
			break
		}
	}
	return path, false
}

func (d *drift) sameArray(published *tree, n, sent ref) (path string, same bool) {
	if published.size(n) != d.tree.size(sent) {
		return "", false
	}
	other := sent + 1
	for i, v := range published.items(n) {
		if path, same := d.same(published, v, other); !same {
			return join("["+strconv.Itoa(i)+"]", path), false
		}
		other = d.tree.nodes[other].next
	}
	return "", true
}

// sameLocalized compares localized strings. The one in the release has no duplicate
// locales.
func (d *drift) sameLocalized(published *tree, n, sent ref) bool {
	if published.size(n) != d.tree.size(sent) {
		return false
	}
	for _, text := range published.items(n) {
		found := false
		for _, other := range d.tree.items(sent) {
			if _, found = d.same(published, text, other); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// isLocalized reports whether the array n is a non-empty localized string.
func (t *tree) isLocalized(n ref) bool {
	return t.size(n) > 0 && t.kind(n+1) == '{' && t.size(n+1) == 2 &&
		t.member(n+1, "locale") != 0 && t.member(n+1, "value") != 0
}

// join joins a name and a path inside the value of that name.
func join(name, path string) string {
	if path == "" || strings.HasPrefix(path, "[") {
		return name + path
	}
	return name + "." + path
}
