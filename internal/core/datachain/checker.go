package datachain

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// maxComparisons is the maximum number of comparisons with misspelt ids in one
// document. It bounds the cost of hints for large taxonomies and hostile documents.
const maxComparisons = 1 << 15

// checker checks one document.
type checker struct {
	*Document
	meter
	definitions     *definitions
	op              Operation
	schema          *Schema   // the release; nil for a resolved document whose release is not published
	resolved        *Resolved // nil for a thin document
	found           findings
	comparisonsLeft int

	placed      []*element          // the element of each placement; nil if unknown
	instances   []int               // the subchain instance of each placement, or one of the constants below
	instanceIDs index               // the ids of the subchain instances
	repeated    []int               // placements with the element_instance_id of an earlier one
	declared    []*variable         // the declaration of each variable of each placement; nil if unknown
	unknown     []int               // placements of unknown elements
	byCategory  []int               // number of placements by category
	byValue     []int               // number of placements by counter of a context value
	byElement   map[string]tally    // placements by element_id
	byInstance  map[string]int      // the first placement by element_instance_id
	keys        []string            // cached by provenanceKeys
	intended    []*element          // cached by intendedElements; nil if not computed
	similar     map[string][]string // cached by nearestElements
	seen        set                 // scratch for one rule at a time
	selection   selection           // scratch for snapshot
	writer      writer              // scratch for Resolve
}

// Values of checker.instances for placements that are in no subchain instance.
const (
	unknownInstance = -1 // no instance has the subchain_instance_id
	noInstance      = -2 // the placement has no subchain_instance_id
)

// tally is the number of placements of an element, and the first of them.
type tally struct{ count, first int }

// checkers pools checkers, to reuse the memory of their slices and maps.
var checkers = sync.Pool{New: func() any {
	return &checker{byElement: make(map[string]tally), byInstance: make(map[string]int), seen: make(set)}
}}

// newChecker returns a checker from the pool. The caller must release it.
func newChecker(d *Document, defs *definitions, op Operation, m meter) *checker {
	c := checkers.Get().(*checker)
	c.Document, c.meter, c.definitions, c.op, c.found, c.comparisonsLeft = d, m, defs, op, findings{tree: d.tree}, maxComparisons
	c.placed = append(c.placed, make([]*element, len(d.Elements))...)
	c.instances = append(c.instances, make([]int, len(d.Elements))...)
	c.instanceIDs = newIndex(idsOf(d.SubchainInstances, func(s *SubchainInstance) string { return s.ID }), &c.meter)
	c.byCategory = append(c.byCategory, make([]int, len(defs.categories))...)
	for i, placement := range c.placements() {
		e := defs.element[placement.ElementID]
		c.placed[i] = e
		c.instances[i] = noInstance
		if placement.refs.subchain != 0 {
			c.instances[i] = c.instanceIDs.find(placement.SubchainInstanceID)
		}
		switch {
		case e == nil:
			c.unknown = append(c.unknown, i)
		case e.category != nil:
			c.byCategory[e.category.position]++
		}
		for k := range placement.Variables {
			if !c.spend(1) {
				return c
			}
			c.declared = append(c.declared, e.variable(placement.Variables[k].ID))
		}
		t, ok := c.byElement[placement.ElementID]
		if !ok {
			t.first = i
		}
		t.count++
		c.byElement[placement.ElementID] = t
		if placement.refs.instance == 0 {
			continue
		}
		if _, ok := c.byInstance[placement.ElementInstanceID]; ok {
			c.repeated = append(c.repeated, i)
		} else {
			c.byInstance[placement.ElementInstanceID] = i
		}
	}
	return c
}

// release returns c to the pool. Its report may still be used.
func (c *checker) release() {
	if len(c.placed) > maxPooledPlacements || len(c.byCategory) > maxPooledPlacements || len(c.declared) > maxPooledNodes ||
		cap(c.writer.members) > maxPooledPlacements {
		return
	}
	clear(c.placed)
	clear(c.declared)
	clear(c.byElement)
	clear(c.byInstance)
	clear(c.seen)
	clear(c.writer.members[:cap(c.writer.members)])
	*c = checker{
		placed: c.placed[:0], instances: c.instances[:0], repeated: c.repeated[:0], declared: c.declared[:0], unknown: c.unknown[:0],
		byCategory: c.byCategory[:0], byValue: c.byValue[:0],
		byElement: c.byElement, byInstance: c.byInstance, seen: c.seen,
		selection: selection{categories: c.selection.categories[:0], elements: c.selection.elements[:0]},
		writer:    writer{members: c.writer.members[:0]},
	}
	checkers.Put(c)
}

// report checks every rule of the operation and returns the findings.
func (c *checker) report() (Report, error) {
	for _, r := range checks[c.op] {
		if r.check(c, r); c.err != nil {
			return Report{}, c.err
		}
	}
	again := problem.Validate("")
	if c.resolved != nil {
		again = problem.ValidateResolved("")
	}
	return c.found.report(&c.meter, again)
}

// find reports that r is violated at loc. build is called only if the finding is
// listed.
func (c *checker) find(r *Rule, loc location, build func() problem.Problem) {
	c.found.add(r.Code, r.Severity, loc, build)
}

// releaseID returns the id of the release that the document is checked against. A
// resolved document pins it.
func (c *checker) releaseID() taxonomy.ID {
	if c.schema == nil {
		return c.SchemaVersion
	}
	return c.schema.id
}

// placements returns an iterator over the placements. It ends when the meter stops.
func (c *checker) placements() iter.Seq2[int, *Placement] {
	return func(yield func(int, *Placement) bool) {
		for i := range c.Elements {
			if !c.spend(1) || !yield(i, &c.Elements[i]) {
				return
			}
		}
	}
}

// labels is an iterator over the labels of subchain instances and placements. It ends
// when the meter stops.
func (c *checker) labels(yield func(*Label) bool) {
	for s := range c.subchainInstances {
		if !yield(&s.Label) {
			return
		}
	}
	for _, p := range c.placements() {
		if !yield(&p.Label) {
			return
		}
	}
}

// items returns an iterator over the items of the array n. It ends when the meter
// stops.
func (c *checker) items(n ref) iter.Seq2[int, ref] { return c.tree.items(n, &c.meter) }

// entry is one variable of one placement.
type entry struct {
	*Variable
	element  *element  // nil if unknown
	declared *variable // nil if unknown
}

// fits reports whether the value matches the kind of its variable. The empty array
// matches every kind, and an unknown variable accepts every value.
func (e entry) fits() bool {
	return e.declared == nil || e.Value.kind == "" || e.Value.kind == e.declared.kind
}

// entries returns an iterator over the variables of all placements. It ends when
// the meter stops.
func (c *checker) entries() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		next := 0
		for i, p := range c.placements() {
			for k := range p.Variables {
				if !c.spend(1) || !yield(entry{&p.Variables[k], c.placed[i], c.declared[next]}) {
					return
				}
				next++
			}
		}
	}
}

// nearest returns the ids in known that are similar to word, the most similar
// first.
func (c *checker) nearest(word string, known []string) []string {
	if c.comparisonsLeft < len(known) {
		return nil
	}
	c.comparisonsLeft -= len(known)
	var near []string
	for chunk := range slices.Chunk(known, 64) {
		if !c.spend(32 * len(chunk)) {
			return nil
		}
		near = append(near, problem.Nearest(word, chunk, 3)...)
	}
	return problem.Nearest(word, slices.DeleteFunc(near, func(id string) bool { return len(id) > problem.MaxName }), 3)
}

// near returns a sentence that suggests the ids in known that are similar to word,
// or the empty string.
func (c *checker) near(word string, known []string) string {
	return problem.DidYouMean(word, c.nearest(word, known))
}

// suggest adds a hint to a problem about a word that is not in known.
func (c *checker) suggest(p problem.Problem, word string, known []string) problem.Problem {
	if len(known) == 0 {
		return p.Hint("None is defined; remove it.")
	}
	return p.Hint("%s", strings.TrimSpace(c.near(word, known)+" Known ids: "+listing(known)+"."))
}

// see adds a call to a problem whose hint does not list all of ids. The definitions of
// a resolved document are in the document itself.
func (c *checker) see(p problem.Problem, ids []string, call func(version string) problem.Call) problem.Problem {
	if len(ids) <= maxListed || c.resolved != nil {
		return p
	}
	return p.See(call(c.schema.id.String()))
}

// seeElement is like see with the call that shows e.
func (c *checker) seeElement(p problem.Problem, e *element, ids []string) problem.Problem {
	return c.see(p, ids, func(version string) problem.Call { return problem.ShowElement(version, e.id) })
}

// maxListed is the maximum number of ids that a hint lists.
const maxListed = 12

// listing joins the first ids with commas.
func listing(ids []string) string {
	short := make([]string, 0, maxListed)
	for _, id := range ids[:min(len(ids), maxListed)] {
		short = append(short, problem.Clip(id))
	}
	if len(ids) > len(short) {
		return fmt.Sprintf("%s and %d more", strings.Join(short, ", "), len(ids)-len(short))
	}
	return strings.Join(short, ", ")
}

// set is a set of strings.
type set map[string]struct{}

// add adds word and reports whether it is new.
func (s set) add(word string) bool {
	before := len(s)
	s[word] = struct{}{}
	return len(s) > before
}
