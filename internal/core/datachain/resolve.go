package datachain

import (
	"slices"
	"sync"

	"placard/internal/core/problem"
)

// maxResolved is the maximum size in bytes of a resolved document in canonical
// form.
const maxResolved = 524288

// Resolution is the outcome of [Resolve].
type Resolution struct {
	Report

	response []byte
	okAt     int
	buffer   *[]byte // pooled; backs the response
}

const okMember = `"ok":true,`

// Response returns the resolved document with the member ok: true, in canonical
// form: members in the order of RFC 8785, no white space, strings with minimal
// escaping, numbers in their original spelling. It is nil if the report has
// errors.
func (r Resolution) Response() []byte { return r.response }

// Document returns the resolved document like [Resolution.Response], without ok.
func (r Resolution) Document() []byte {
	if r.response == nil {
		return nil
	}
	return slices.Concat(r.response[:r.okAt], r.response[r.okAt+len(okMember):])
}

// Release returns the memory of the response to a pool. Afterwards the slice
// returned by [Resolution.Response] must not be used. Calling Release is optional.
func (r *Resolution) Release() {
	if r.buffer != nil {
		returnBuffer(r.buffer, r.response)
	}
	r.response, r.buffer = nil, nil
}

// buffers pools the buffers of responses.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// returnBuffer sets buffer to grown, its memory after appends, and returns it to the
// pool. Buffers much larger than the largest response are dropped.
func returnBuffer(buffer *[]byte, grown []byte) {
	if cap(grown) <= 2*maxResolved {
		*buffer = grown[:0]
		buffers.Put(buffer)
	}
}

// Resolve validates d like [Validate]. If there are no errors, it makes the document
// self-contained: it adds the default values of absent members, the part of the
// schema that the document refers to, and an empty list of suggested elements. All
// other members are unchanged. The error is a payload_too_large
// [problem.Problem], or the error returned by step.
func Resolve(d *Document, s *Schema, step Step) (Resolution, error) {
	c := newChecker(d, s.definitions, OpResolve, newMeter(step))
	defer c.release()
	c.schema = s
	report, err := c.report()
	if err != nil || !report.OK() {
		return Resolution{Report: report}, err
	}
	snapshot, err := c.snapshot()
	if err != nil {
		return Resolution{}, err
	}
	buffer := buffers.Get().(*[]byte)
	w := &c.writer
	w.tree, w.meter, w.out = d.tree, &c.meter, slices.Grow(*buffer, len(d.tree.text)+snapshot.size+256)
	for name, v := range d.tree.members(0, &c.meter) {
		if name != "ok" && name != "schema_snapshot" && name != "suggested_elements" {
			w.members = append(w.members, member{name: name, node: v})
		}
	}
	for _, name := range []string{"description", "linked_instance_ids", "sources", "subchain_instances", "title"} {
		if d.tree.member(0, name) == 0 {
			w.members = append(w.members, member{name: name, json: "[]"})
		}
	}
	w.members = append(w.members,
		member{name: "ok", json: "true"},
		member{name: "schema_snapshot"},
		member{name: "suggested_elements", json: "[]"},
	)
	result := Resolution{Report: report}
	w.out = append(w.out, '{')
	for i, m := range w.sorted(0) {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if m.name == "ok" {
			result.okAt = len(w.out)
		}
		w.member(m)
		if m.name == "schema_snapshot" {
			snapshot.write(w)
		}
	}
	w.out = append(w.out, '}')
	switch {
	case c.err != nil:
		err = c.err
	case len(w.out) > maxResolved:
		err = tooLarge(len(w.out))
	default:
		result.response, result.buffer = w.out, buffer
		return result, nil
	}
	returnBuffer(buffer, w.out)
	return Resolution{}, err
}

func tooLarge(size int) problem.Problem {
	return problem.New(problem.PayloadTooLarge,
		"The resolved document would have at least %d bytes; the limit is %d.", size, maxResolved).
		Hint("Split the document into several that refer to each other in linked_instance_ids.")
}

// selection is the part of a release that a document refers to.
type selection struct {
	schema     *Schema
	categories []bool // by position in the definitions
	elements   []bool
	size       int // approximate size in canonical form
}

// snapshot selects the part of the release that the document refers to. It fails if
// that part alone is too large.
func (c *checker) snapshot() (*selection, error) {
	sel := &c.selection
	sel.schema, sel.size = c.schema, len(c.schema.typeFragment)
	sel.categories = append(sel.categories, make([]bool, c.schema.categoryFragments.len())...)
	sel.elements = append(sel.elements, make([]bool, c.schema.elementFragments.len())...)
	refer := func(e *element) {
		if sel.elements[e.position] || sel.size > maxResolved {
			return
		}
		sel.elements[e.position] = true
		sel.size += len(sel.schema.elementFragments.at(e.position)) + 1
		if e.category != nil && !sel.categories[e.category.position] {
			sel.categories[e.category.position] = true
			sel.size += len(sel.schema.categoryFragments.at(e.category.position)) + 1
		}
	}
	for i := range c.placements() {
		refer(c.placed[i])
	}
	for s := range c.subchainInstances {
		for _, id := range s.HeadRefs {
			if e := c.definitions.element[id]; e != nil && c.spend(1) {
				refer(e)
			}
		}
	}
	if sel.size > maxResolved {
		return nil, tooLarge(sel.size)
	}
	return sel, c.err
}

func (sel *selection) write(w *writer) {
	w.out = append(w.out, `{"categories":[`...)
	w.out = sel.schema.categoryFragments.appendSelected(w.out, sel.categories)
	w.out = append(w.out, `],"datachain_type":`...)
	w.out = append(w.out, sel.schema.typeFragment...)
	w.out = append(w.out, `,"elements":[`...)
	w.out = sel.schema.elementFragments.appendSelected(w.out, sel.elements)
	w.out = append(w.out, "]}"...)
}

// appendSelected appends the selected fragments in canonical form, separated by
// commas.
func (f *fragments[T]) appendSelected(b []byte, selected []bool) []byte {
	comma := ""
	for i, ok := range selected {
		if ok {
			b = append(append(b, comma...), f.at(i)...)
			comma = ","
		}
	}
	return b
}
