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
	e.Element = taxonomy.Element{
		ID:            cmp.Or(f.text(f.required("id")), d.id()),
		Title:         f.localized(f.required("title")),
		Description:   f.localized(f.required("description")),
		CategoryID:    f.text(f.required("category_id")),
		SymbolID:      f.text(f.required("symbol_id")),
		Required:      f.boolean(f.optional("required")),
		MaxPlacements: f.count(f.optional("max_placements")),
		Excludes:      f.texts(f.optional("excludes")),
		Replaces:      f.text(f.optional("replaces")),
		Keywords:      f.keywords(f.optional("keywords")),
		Guidance:      f.localized(f.optional("guidance", "authoring_guidance")),
		Context:       f.context(f.optional("context", "element_context")),
		Sources:       readList(f, f.optional("sources"), (*fields).source),
		Examples:      readList(f, f.optional("examples"), (*fields).example),
	}
	f.reportUnknown()
	return e
}
