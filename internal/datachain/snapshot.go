package datachain

import (
	"strconv"
	"strings"

	"placard/internal/problem"
)

// checkDrift compares the snapshot of a document with the release it pins.
func checkDrift(c *run, r *Rule) {
	if c.schema == nil {
		return
	}
	d := drift{run: c, rule: r}
	snapshot := &c.resolved.Snapshot
	if where, same := d.compare(c.schema.typeForm, snapshot.typ); !same {
		d.differs("The datachain type", where, snapshot.typ)
	}
	for i, at := range snapshot.categories {
		id := snapshot.Categories[i].ID
		known := c.schema.category[id]
		if !d.single("category", id, at, &d.categories, known != nil) {
			continue
		}
		if where, same := d.compare(c.schema.categoryForms[known.position], at); !same {
			d.differs("Category "+strconv.Quote(problem.Clip(id)), where, at)
		}
	}
	for i, at := range snapshot.elements {
		id := snapshot.Elements[i].ID
		known := c.schema.element[id]
		if !d.single("element", id, at, &d.elements, known != nil) {
			continue
		}
		if where, same := d.compare(c.schema.elementForms[known.position], at); !same {
			d.differs("Element "+strconv.Quote(problem.Clip(id)), where, at)
		}
	}
	d.missing()
}

// drift is one comparison of a snapshot with a release.
type drift struct {
	*run
	rule       *Rule
	categories set // ids in the snapshot
	elements   set
}

func (d *drift) found(at ref, message string, args ...any) {
	d.find(d.rule, place{at: at}, func() problem.Problem {
		return d.rule.Found(message, args...).
			Hint("Resolve the thin document against %s again to have its snapshot renewed.", d.schema.id)
	})
}

// single reports whether an item of the snapshot is in the release, and in the
// snapshot not before.
func (d *drift) single(what, id string, at ref, ids *set, known bool) bool {
	fresh := ids.add(id)
	switch {
	case !d.spend(8):
		return false
	case !known:
		d.found(at, "Release %s has no %s %q.", d.schema.id, what, problem.Clip(id))
	case !fresh:
		d.found(at, "The snapshot has the %s %q twice.", what, problem.Clip(id))
	}
	return known && fresh
}

// compare is [drift.same] for a part of the release, which often is spelt as
// resolve has written it.
func (d *drift) compare(live form, at ref) (where string, same bool) {
	if d.tree.raw(at) == string(live.canonical) {
		d.spend(1 + len(live.canonical)/1024)
		return "", true
	}
	return d.same(live.tree, 0, at)
}

func (d *drift) differs(item, where string, at ref) {
	d.found(at, "%s differs from that of release %s, first in %q.", item, d.schema.id, where)
}

// missing reports what the document refers to and the release has, but the
// snapshot has not. What categories the suggested elements are of is for those
// who suggest them to say.
func (d *drift) missing() {
	at := d.resolved.Snapshot.at
	var categories, elements set
	refer := func(id string) {
		if !elements.add(id) {
			return
		}
		if !d.elements.has(id) {
			if d.schema.element[id] != nil {
				d.found(at, "The snapshot lacks element %q, which the document refers to.", problem.Clip(id))
			}
			return
		}
		if e := d.pool.element[id]; e.category == nil && d.schema.category[e.categoryID] != nil && categories.add(e.categoryID) {
			d.found(at, "The snapshot lacks category %q, which element %q is of.", problem.Clip(e.categoryID), problem.Clip(id))
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

// same reports whether the value at there, in the document, is the one at here
// in the release. Where it is not, it says where inside that first shows. The
// order of members, and of the locales of a localized string, does not count.
func (d *drift) same(live *tree, here, there ref) (where string, same bool) {
	if !d.spend(1) {
		return "", true
	}
	kind := live.kind(here)
	if kind != d.tree.kind(there) {
		return "", false
	}
	switch kind {
	case '{':
		return d.sameObject(live, here, there)
	case '[':
		if live.isLocalized(here) {
			return "", d.sameLocalized(live, here, there)
		}
		return d.sameArray(live, here, there)
	case '"':
		return "", live.str(here) == d.tree.str(there)
	case '0':
		return "", number(live.raw(here)) == number(d.tree.raw(there))
	}
	return "", true
}

func (d *drift) sameObject(live *tree, here, there ref) (where string, same bool) {
	size := d.tree.size(there)
	if !d.spend(size) {
		return "", true
	}
	for name, v := range live.members(here) {
		sent := d.tree.member(there, name)
		if sent == 0 {
			return name, false
		}
		if where, same := d.same(live, v, sent); !same {
			return join(name, where), false
		}
	}
	if size == live.size(here) {
		return "", true
	}
	for name := range d.tree.members(there) {
		if live.member(here, name) == 0 {
			where = problem.Clip(name)
			break
		}
	}
	return where, false
}

func (d *drift) sameArray(live *tree, here, there ref) (where string, same bool) {
	if live.size(here) != d.tree.size(there) {
		return "", false
	}
	sent := there + 1
	for i, v := range live.items(here) {
		if where, same := d.same(live, v, sent); !same {
			return join("["+strconv.Itoa(i)+"]", where), false
		}
		sent = d.tree.nodes[sent].next
	}
	return "", true
}

// sameLocalized compares localized strings, of which the one in the release has
// each locale once.
func (d *drift) sameLocalized(live *tree, here, there ref) bool {
	if live.size(here) != d.tree.size(there) {
		return false
	}
	for _, text := range live.items(here) {
		found := false
		for _, sent := range d.tree.items(there) {
			if _, found = d.same(live, text, sent); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// isLocalized reports whether the array n is a localized string that has texts.
func (t *tree) isLocalized(n ref) bool {
	return t.size(n) > 0 && t.kind(n+1) == '{' && t.size(n+1) == 2 &&
		t.member(n+1, "locale") != 0 && t.member(n+1, "value") != 0
}

// join puts what is inside a value behind the name of the value.
func join(name, inside string) string {
	if inside == "" || strings.HasPrefix(inside, "[") {
		return name + inside
	}
	return name + "." + inside
}
