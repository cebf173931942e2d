package datachain

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

// comparisons is how many ids one run compares to find those a caller may have
// meant, so that hints stay cheap however large the taxonomy and however wrong
// the document.
const comparisons = 1 << 15

// run is one document being checked.
type run struct {
	*Document
	meter
	pool     *pool
	op       Operation
	schema   *Schema   // the release asked for; of a resolved document, the one it pins, or nil
	resolved *Resolved // nil for a thin document
	found    findings
	hints    int // comparisons left

	placed     []*element       // by placement; nil where the pool lacks it
	repeated   []int            // placements whose element_instance_id another before them has
	declared   []*variable      // by variable of a placement; nil where its element does not have it
	perCat     []int            // placements by category
	byElement  map[string]tally // placements by element_id
	byInstance map[string]int   // the first placement by element_instance_id
	keys       []string         // see provenanceKeys
	seen       set              // for the use of one rule at a time
	part       part             // of the release, see snapshot
	writer     writer           // of the answer
}

// tally is how often, and where first, an element is placed.
type tally struct{ count, first int }

// runs are those that are over. What they kept count in serves the next.
var runs = sync.Pool{New: func() any {
	return &run{byElement: make(map[string]tally), byInstance: make(map[string]int)}
}}

// newRun begins a run, which is to be released.
func newRun(d *Document, p *pool, op Operation, m meter) *run {
	c := runs.Get().(*run)
	c.Document, c.meter, c.pool, c.op, c.found, c.hints = d, m, p, op, findings{tree: d.tree}, comparisons
	c.placed = append(c.placed, make([]*element, len(d.Elements))...)
	c.perCat = append(c.perCat, make([]int, len(p.categories))...)
	for i, placement := range c.placements() {
		e := p.element[placement.ElementID]
		c.placed[i] = e
		if e != nil && e.category != nil {
			c.perCat[e.category.position]++
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
		if placement.at.instance == 0 {
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

// release ends a run. Its report may still be used.
func (c *run) release() {
	if len(c.placed) > mostPlacements || len(c.perCat) > mostPlacements || len(c.declared) > mostNodes ||
		cap(c.writer.members) > mostPlacements {
		return
	}
	clear(c.placed)
	clear(c.declared)
	clear(c.byElement)
	clear(c.byInstance)
	c.seen.clear()
	clear(c.seen.few[:cap(c.seen.few)])
	clear(c.writer.members[:cap(c.writer.members)])
	*c = run{
		placed: c.placed[:0], repeated: c.repeated[:0], declared: c.declared[:0], perCat: c.perCat[:0],
		byElement: c.byElement, byInstance: c.byInstance, seen: c.seen,
		part:   part{categories: c.part.categories[:0], elements: c.part.elements[:0]},
		writer: writer{members: c.writer.members[:0]},
	}
	runs.Put(c)
}

// report checks every rule of the operation.
func (c *run) report() (Report, error) {
	for _, r := range checks[c.op] {
		if r.check(c, r); c.err != nil {
			return Report{}, c.err
		}
	}
	return c.found.report(&c.meter)
}

// find reports that r is broken at p. say gives the words, should they be needed.
func (c *run) find(r *Rule, p place, say func() problem.Problem) {
	c.found.add(r.Code, r.Severity, p, say)
}

// placements are the placements of the document, until the meter says stop.
func (c *run) placements() iter.Seq2[int, *Placement] {
	return func(yield func(int, *Placement) bool) {
		for i := range c.Elements {
			if !c.spend(1) || !yield(i, &c.Elements[i]) {
				return
			}
		}
	}
}

// items are the items of the array n, until the meter says stop.
func (c *run) items(n ref) iter.Seq2[int, ref] {
	return func(yield func(int, ref) bool) {
		nodes := c.tree.nodes
		for i := n + 1; i < nodes[n].next; i = nodes[i].next {
			if !c.spend(1) || !yield(int(nodes[i].index), i) {
				return
			}
		}
	}
}

// entry is one variable of one placement.
type entry struct {
	*Variable
	element  *element  // nil where the pool lacks it
	declared *variable // nil where the element does not have it
}

// fits reports whether the value is not of the other kind than its variable;
// the empty array is of both kinds.
func (e entry) fits() bool {
	if e.declared == nil {
		return true
	}
	switch e.declared.kind {
	case taxonomy.LocalizedText:
		return len(e.Options) == 0
	case taxonomy.MultiSelectEnum:
		return len(e.Text) == 0
	}
	panic(unhandled(e.declared.kind))
}

func unhandled(k taxonomy.Kind) string { return "datachain: unhandled kind of variable: " + string(k) }

// entries are the variables of all placements, until the meter says stop.
func (c *run) entries() iter.Seq[entry] {
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

// near returns a sentence that offers what of known a caller who wrote word
// may have meant, or nothing.
func (c *run) near(word string, known []string) string {
	if c.hints < len(known) {
		return ""
	}
	c.hints -= len(known)
	var near []string
	for some := range slices.Chunk(known, 64) {
		if !c.spend(32 * len(some)) {
			return ""
		}
		near = append(near, problem.Nearest(word, some, 3)...)
	}
	return problem.DidYouMean(word, slices.DeleteFunc(near, func(id string) bool { return len(id) > problem.MaxName }))
}

// choose returns a hint for a word that is none of known, which are usually few.
func (c *run) choose(word string, known []string) string {
	if len(known) == 0 {
		return "There are none; remove it."
	}
	return strings.TrimSpace(c.near(word, known) + " Known here: " + listing(known) + ".")
}

// listing names the first of ids.
func listing(ids []string) string {
	short := make([]string, 0, 12)
	for _, id := range ids[:min(len(ids), cap(short))] {
		short = append(short, problem.Clip(id))
	}
	if len(ids) > len(short) {
		return fmt.Sprintf("%s and %d more", strings.Join(short, ", "), len(ids)-len(short))
	}
	return strings.Join(short, ", ")
}

// set remembers words. It looks at each while they are few.
type set struct {
	few  []string
	many map[string]struct{}
}

func (s *set) has(word string) bool {
	if s.many == nil {
		return slices.Contains(s.few, word)
	}
	_, ok := s.many[word]
	return ok
}

// add reports whether word is new.
func (s *set) add(word string) bool {
	if s.many == nil {
		if slices.Contains(s.few, word) {
			return false
		}
		if s.few == nil {
			s.few = make([]string, 0, few+1)
		}
		if s.few = append(s.few, word); len(s.few) > few {
			s.many = make(map[string]struct{})
			for _, w := range s.few {
				s.many[w] = struct{}{}
			}
		}
		return true
	}
	before := len(s.many)
	s.many[word] = struct{}{}
	return len(s.many) > before
}

func (s *set) clear() { s.few, s.many = s.few[:0], nil }
