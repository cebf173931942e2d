package datachain

import (
	"slices"
	"sync"

	"placard/internal/problem"
)

// MaxResolved is how many bytes a resolved document may have, in the form it is
// answered in.
const MaxResolved = 524288

// Resolution is the outcome of [Resolve].
type Resolution struct {
	Report

	answer []byte
	okAt   int
	buffer *[]byte // what the answer is in
}

const okMember = `"ok":true,`

// Answer returns the resolved document, with ok: true among its members, in
// canonical form: members in the order of RFC 8785, no white space, strings
// escaped as little as can be, numbers as the sender spelt them. It is nil
// where the report has errors.
func (r Resolution) Answer() []byte { return r.answer }

// Document returns the resolved document as [Resolution.Answer] does, without ok.
func (r Resolution) Document() []byte {
	if r.answer == nil {
		return nil
	}
	return slices.Concat(r.answer[:r.okAt], r.answer[r.okAt+len(okMember):])
}

// Release gives the memory of the answer to those that are made later.
// Afterwards r has no answer, and what [Resolution.Answer] returned must not be
// used. An answer that is not released is left to the garbage collector.
func (r *Resolution) Release() {
	if r.buffer != nil {
		lend(r.buffer, r.answer)
	}
	r.answer, r.buffer = nil, nil
}

// buffers are lent to answers.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// lend makes a buffer, which has grown to what is in it now, ready for the next
// answer. That of an answer too large to be given is not worth keeping.
func lend(buffer *[]byte, grown []byte) {
	if cap(grown) <= 2*MaxResolved {
		*buffer = grown[:0]
		buffers.Put(buffer)
	}
}

// Resolve checks d as [Validate] does, and where it finds no errors makes it
// self-contained: it fills in the defaults of the document's own members, adds
// the part of the schema that the document refers to and an empty list of
// suggested elements, and keeps everything else as it was sent. The error is
// a payload_too_large [problem.Problem], or what step returned.
func Resolve(d *Document, s *Schema, step Step) (Resolution, error) {
	c := newRun(d, s.pool, OpResolve, newMeter(step))
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
	for name, v := range d.tree.members(0) {
		if !c.spend(1) {
			break
		}
		if name != "ok" && name != "schema_snapshot" && name != "suggested_elements" {
			w.members = append(w.members, member{name: name, at: v})
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
	case len(w.out) > MaxResolved:
		err = tooLarge(len(w.out))
	default:
		result.answer, result.buffer = w.out, buffer
		return result, nil
	}
	lend(buffer, w.out)
	return Resolution{}, err
}

func tooLarge(size int) problem.Problem {
	return problem.New(problem.PayloadTooLarge,
		"The resolved document would have at least %d bytes; at most %d are answered.", size, MaxResolved).
		Hint("Divide the placements among several documents that name each other in linked_instance_ids.")
}

// part is what of a release a document refers to.
type part struct {
	schema     *Schema
	categories []bool // by position
	elements   []bool
	size       int // in canonical form, but for a few bytes
}

// snapshot returns the part of the release that the document refers to, unless
// that alone is too large.
func (c *run) snapshot() (*part, error) {
	p := &c.part
	p.schema, p.size = c.schema, len(c.schema.typeForm.canonical)
	p.categories = append(p.categories, make([]bool, len(c.schema.categoryForms))...)
	p.elements = append(p.elements, make([]bool, len(c.schema.elementForms))...)
	refer := func(e *element) {
		if p.elements[e.position] {
			return
		}
		p.elements[e.position] = true
		p.size += len(p.schema.elementForms[e.position].canonical) + 1
		if e.category != nil && !p.categories[e.category.position] {
			p.categories[e.category.position] = true
			p.size += len(p.schema.categoryForms[e.category.position].canonical) + 1
		}
	}
	for i := range c.placements() {
		refer(c.placed[i])
	}
	for s := range c.subchainInstances {
		for _, id := range s.HeadRefs {
			if e := c.pool.element[id]; e != nil && c.spend(1) {
				refer(e)
			}
		}
	}
	if p.size > MaxResolved {
		return nil, tooLarge(p.size)
	}
	return p, c.err
}

func (p *part) write(w *writer) {
	list := func(opening string, forms []form, some []bool) {
		w.out = append(w.out, opening...)
		comma := ""
		for position, is := range some {
			if is {
				w.out = append(w.out, comma...)
				w.out = append(w.out, forms[position].canonical...)
				comma = ","
			}
		}
	}
	list(`{"categories":[`, p.schema.categoryForms, p.categories)
	w.out = append(w.out, `],"datachain_type":`...)
	w.out = append(w.out, p.schema.typeForm.canonical...)
	list(`,"elements":[`, p.schema.elementForms, p.elements)
	w.out = append(w.out, "]}"...)
}
