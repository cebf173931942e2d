package source

import (
	"cmp"

	"placard/internal/core/taxonomy"
)

// element is one file in the elements folder.
type element struct {
	document
	taxonomy.Element
	order *int
}

func (r *reader) readElement(d document) element {
	e := element{document: d}
	e.ID = d.id()
	if d.broken() {
		return e
	}
	f := r.fields(d.file, d.root)
	e.order = f.order(f.optional("order"))
	f.record(&e.Element)
	e.ID = cmp.Or(e.ID, d.id())
	return e
}
