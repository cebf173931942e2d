package source

import (
	"fmt"
	"path"
	"slices"

	"placard/internal/core/taxonomy"
)

// Write returns the files of a release folder from which [Load] reads t again,
// by their paths in the folder. They contain the authored values only, and none
// that the name of the folder gives. The order numbers of elements, which a
// taxonomy does not have, are new.
func Write(t *taxonomy.Taxonomy) (map[string][]byte, error) {
	t = t.Authored()
	files := map[string][]byte{
		metaFile: writeFile(func(w *yamlWriter) { w.manifest(t) }),
		typeFile: writeFile(func(w *yamlWriter) { w.datachainType(&t.Type) }),
	}
	for i := range t.Categories {
		c := &t.Categories[i]
		files[path.Join(categoryFolder, c.ID+".yaml")] = writeFile(func(w *yamlWriter) { w.category(c, i+1) })
	}
	orders := elementOrders(t.Elements)
	for i := range t.Elements {
		e := &t.Elements[i]
		files[path.Join(elementFolder, e.ID+".yaml")] = writeFile(func(w *yamlWriter) { w.element(e, orders[e.CategoryID]) })
		if orders[e.CategoryID] > 0 {
			orders[e.CategoryID] += orderStep
		}
	}
	for id, svg := range t.Symbols {
		files[path.Join(symbolFolder, id+".svg")] = svg
	}
	for name, data := range files {
		if len(data) > MaxFileSize {
			return nil, fmt.Errorf("%s would be larger than %d MiB", name, MaxFileSize>>20)
		}
	}
	return files, nil
}

// orderStep is the difference between the order numbers of two elements. It leaves
// room for new ones.
const orderStep = 10

// elementOrders returns the order number of the first element of each category whose
// elements are not sorted by id. Other categories need no order numbers.
func elementOrders(elements []taxonomy.Element) map[string]int {
	orders := map[string]int{}
	last := map[string]string{}
	for _, e := range elements {
		if e.ID < last[e.CategoryID] {
			orders[e.CategoryID] = orderStep
		}
		last[e.CategoryID] = e.ID
	}
	return orders
}

func writeFile(write func(*yamlWriter)) []byte {
	var w yamlWriter
	write(&w)
	return w.out
}

func (w *yamlWriter) manifest(t *taxonomy.Taxonomy) {
	w.text("created_at", t.CreatedAt)
	w.ids("locales", t.Locales)
	if !slices.Equal(t.Title, t.Type.Name) {
		w.localized("title", t.Title)
	}
	if !slices.Equal(t.Description, t.Type.Description) {
		w.localized("description", t.Description)
	}
	w.text("notes", t.Notes)
}

func (w *yamlWriter) datachainType(t *taxonomy.DatachainType) {
	w.text("id", t.ID)
	w.localized("name", t.Name)
	w.localized("description", t.Description)
	w.ids("categories", t.Categories)
	writeList(w, "subchains", t.Subchains, func(s *taxonomy.Subchain) {
		w.text("id", s.ID)
		w.localized("name", s.Name)
		w.ids("categories", s.Categories)
	})
	w.sources(t.Sources)
}

// category writes a category. position is its position in the list of the type,
// which is its order number if it has none.
func (w *yamlWriter) category(c *taxonomy.Category, position int) {
	w.text("id", c.ID)
	w.localized("name", c.Name)
	w.localized("description", c.Description)
	w.text("shape", string(c.Shape))
	w.localized("prompt", c.Prompt)
	w.localized("guidance", c.Guidance)
	w.flag("required", c.Required)
	w.count("min_elements", c.MinElements)
	w.count("max_elements", c.MaxElements)
	w.count("sign", c.Sign)
	w.context(c.Context)
	writeList(w, "variables", c.Variables, w.variable)
	if c.Order != position {
		w.number("order", c.Order)
	}
	w.sources(c.Sources)
	w.examples(c.Examples)
}

// element writes an element, with an order number unless it is 0.
func (w *yamlWriter) element(e *taxonomy.Element, order int) {
	w.text("id", e.ID)
	w.text("category_id", e.CategoryID)
	w.localized("title", e.Title)
	w.localized("description", e.Description)
	w.text("symbol_id", e.SymbolID)
	w.count("order", order)
	w.flag("required", e.Required)
	w.count("max_placements", e.MaxPlacements)
	w.ids("excludes", e.Excludes)
	w.text("replaces", e.Replaces)
	w.keywords(e.Keywords)
	w.localized("guidance", e.Guidance)
	w.context(e.Context)
	w.sources(e.Sources)
	w.examples(e.Examples)
}

func (w *yamlWriter) context(c *taxonomy.Context) {
	if c == nil {
		return
	}
	w.group("context", func() {
		w.text("id", c.ID)
		w.localized("name", c.Name)
		w.localized("description", c.Description)
		writeList(w, "values", c.Values, func(v *taxonomy.ContextValue) {
			w.text("id", v.ID)
			w.localized("label", v.Label)
			w.localized("description", v.Description)
			w.text("color", v.Color)
			w.count("max_placements", v.MaxPlacements)
		})
	})
}

func (w *yamlWriter) variable(v *taxonomy.Variable) {
	w.text("id", v.ID)
	w.localized("label", v.Label)
	w.flag("required", v.Required)
	w.ids("required_for", v.RequiredFor)
	if v.Kind != taxonomy.DefaultKind {
		w.text("kind", string(v.Kind))
	}
	writeList(w, "options", v.Options, func(o *taxonomy.Option) {
		w.text("id", o.ID)
		w.localized("name", o.Name)
		w.localized("description", o.Description)
		w.ids("applies_to", o.AppliesTo)
		w.localized("guidance", o.Guidance)
		w.sources(o.Sources)
		w.examples(o.Examples)
	})
	w.sources(v.Sources)
}

func (w *yamlWriter) sources(sources []taxonomy.Source) {
	writeList(w, "sources", sources, func(s *taxonomy.Source) {
		w.text("type", s.Type)
		w.text("title", s.Title)
		w.text("url", s.URL)
		w.text("citation", s.Citation)
	})
}

func (w *yamlWriter) examples(examples []taxonomy.Example) {
	writeList(w, "examples", examples, func(e *taxonomy.Example) {
		w.localized("scenario", e.Scenario)
		w.localized("narrative", e.Narrative)
	})
}
