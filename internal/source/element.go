package source

import (
	"cmp"

	"placard/internal/taxonomy"
)

// element is one file of the elements folder.
type element struct {
	document
	taxonomy.Element
	order *int
}

func (r *reader) element(d document) element {
	e := element{document: d}
	e.ID = d.id()
	if d.broken() {
		return e
	}
	f := r.fields(d.file, d.root)
	e.order = f.order(f.take("order"))
	e.Element = taxonomy.Element{
		ID:            cmp.Or(f.text(f.need("id")), d.id()),
		Title:         f.localized(f.need("title")),
		Description:   f.localized(f.need("description")),
		CategoryID:    f.text(f.need("category_id")),
		SymbolID:      f.text(f.need("symbol_id")),
		Required:      f.flag(f.take("required")),
		MaxPlacements: f.count(f.take("max_placements")),
		Guidance:      f.localized(f.take("guidance", "authoring_guidance")),
		Context:       f.context(f.take("context", "element_context")),
		Sources:       each(f, f.take("sources"), (*fields).source),
		Examples:      each(f, f.take("examples"), (*fields).example),
	}
	f.end()
	return e
}
