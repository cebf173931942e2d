package datachain

import (
	"strconv"
	"strings"

	"placard/internal/problem"
)

// checkDrift compares the snapshot of a document with the release it pins.
func checkDrift(c *checker, r *Rule) {
	if c.schema == nil {
		return
	}
	d := drift{checker: c, rule: r}
	snapshot := &c.resolved.Snapshot
	if path, same := d.compare(c.schema.typeFragment, snapshot.typ); !same {
		d.differs("The datachain type", path, snapshot.typ)
	}
	for i, at := range snapshot.categories {
		id := snapshot.Categories[i].ID
		known := c.schema.category[id]
		if !d.single("category", id, at, &d.categories, known != nil) {
			continue
		}
		if path, same := d.compare(c.schema.categoryFragments[known.position], at); !same {
			d.differs("Category "+strconv.Quote(problem.Clip(id)), path, at)
		}
	}
	for i, at := range snapshot.elements {
		id := snapshot.Elements[i].ID
		known := c.schema.element[id]
		if !d.single("element", id, at, &d.elements, known != nil) {
			continue
		}
		if path, same := d.compare(c.schema.elementFragments[known.position], at); !same {
			d.differs("Element "+strconv.Quote(problem.Clip(id)), path, at)
		}
	}
	d.missing()
}

// drift compares a snapshot with a release.
type drift struct {
	*checker
	rule       *Rule
	categories set // ids in the snapshot
	elements   set
}

func (d *drift) found(at ref, message string, args ...any) {
	d.find(d.rule, location{node: at}, func() problem.Problem {
		return d.rule.Found(message, args...).
			Hint("Resolve the thin document against %s again to update the snapshot.", d.schema.id)
	})
}

// single reports whether an item of the snapshot is in the release and is not a
// duplicate.
func (d *drift) single(what, id string, at ref, ids *set, known bool) bool {
	isNew := ids.add(id)
	switch {
	case !d.spend(8):
		return false
	case !known:
		d.found(at, "Release %s has no %s %q.", d.schema.id, what, problem.Clip(id))
	case !isNew:
		d.found(at, "The snapshot contains the %s %q twice.", what, problem.Clip(id))
	}
	return known && isNew
}

// compare is like [drift.same] with a fast path for snapshots that are unchanged
// since resolve wrote them.
func (d *drift) compare(live fragment, at ref) (path string, same bool) {
	if d.tree.raw(at) == string(live.canonical) {
		d.spend(1 + len(live.canonical)/1024)
		return "", true
	}
	return d.same(live.tree, 0, at)
}

func (d *drift) differs(item, path string, at ref) {
	d.found(at, "%s differs from that of release %s; the first difference is in %q.", item, d.schema.id, path)
}

// missing reports the elements and categories of the release that the document
// refers to but the snapshot does not contain. Categories of suggested elements may
// be missing.
func (d *drift) missing() {
	at := d.resolved.Snapshot.at
	var categories, elements set
	refer := func(id string) {
		if !elements.add(id) {
			return
		}
		if !d.elements.has(id) {
			if d.schema.element[id] != nil {
				d.found(at, "The snapshot does not contain element %q, which the document refers to.", problem.Clip(id))
			}
			return
		}
		if e := d.definitions.element[id]; e.category == nil && d.schema.category[e.categoryID] != nil && categories.add(e.categoryID) {
			d.found(at, "The snapshot does not contain category %q of element %q.", problem.Clip(e.categoryID), problem.Clip(id))
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

// same reports whether the node sent in the document equals the node n in the
// release, and if not, the path of the first difference. The order of members, and
// of locales in a localized string, does not matter.
func (d *drift) same(live *tree, n, sent ref) (path string, same bool) {
	if !d.spend(1) {
		return "", true
	}
	kind := live.kind(n)
	if kind != d.tree.kind(sent) {
		return "", false
	}
	switch kind {
	case '{':
		return d.sameObject(live, n, sent)
	case '[':
		if live.isLocalized(n) {
			return "", d.sameLocalized(live, n, sent)
		}
		return d.sameArray(live, n, sent)
	case '"':
		return "", live.str(n) == d.tree.str(sent)
	case '0':
		return "", number(live.raw(n)) == number(d.tree.raw(sent))
	}
	return "", true
}

func (d *drift) sameObject(live *tree, n, sent ref) (path string, same bool) {
	size := d.tree.size(sent)
	if !d.spend(size) {
		return "", true
	}
	for name, v := range live.members(n) {
		other := d.tree.member(sent, name)
		if other == 0 {
			return name, false
		}
		if path, same := d.same(live, v, other); !same {
			return join(name, path), false
		}
	}
	if size == live.size(n) {
		return "", true
	}
	for name := range d.tree.members(sent) {
		if live.member(n, name) == 0 {
			path = problem.Clip(name)
			break
		}
	}
	return path, false
}

func (d *drift) sameArray(live *tree, n, sent ref) (path string, same bool) {
	if live.size(n) != d.tree.size(sent) {
		return "", false
	}
	other := sent + 1
	for i, v := range live.items(n) {
		if path, same := d.same(live, v, other); !same {
			return join("["+strconv.Itoa(i)+"]", path), false
		}
		other = d.tree.nodes[other].next
	}
	return "", true
}

// sameLocalized compares localized strings. The one in the release has no duplicate
// locales.
func (d *drift) sameLocalized(live *tree, n, sent ref) bool {
	if live.size(n) != d.tree.size(sent) {
		return false
	}
	for _, text := range live.items(n) {
		found := false
		for _, other := range d.tree.items(sent) {
			if _, found = d.same(live, text, other); found {
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
