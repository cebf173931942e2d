package source

import (
	"cmp"

	"placard/internal/core/taxonomy"
)

// category is one file in the categories folder.
type category struct {
	document
	taxonomy.Category
	order         *int
	datachainType string
}

func (r *reader) readCategory(d document) category {
	c := category{document: d}
	c.ID = d.id()
	if d.broken() {
		return c
	}
	f := r.fields(d.file, d.root)
	c.order = f.order(f.optional("order"))
	c.datachainType = f.text(f.optional("datachain_type"))
	f.record(&c.Category)
	c.ID = cmp.Or(c.ID, d.id())
	return c
}
