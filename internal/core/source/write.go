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
		typeFile: writeFile(func(w *yamlWriter) { w.datachainType(t.Type) }),
	}
	for i := range t.Categories {
		c := &t.Categories[i]
		order := &c.Order
		if c.Order == i+1 { // as without a number
			order = nil
		}
		files[path.Join(categoryFolder, c.ID+".yaml")] = writeFile(func(w *yamlWriter) { w.record(c, order) })
	}
	orders := elementOrders(t.Elements)
	for i := range t.Elements {
		e := &t.Elements[i]
		var order *int
		if n := orders[e.CategoryID]; n > 0 {
			order = &n
			orders[e.CategoryID] += orderStep
		}
		files[path.Join(elementFolder, e.ID+".yaml")] = writeFile(func(w *yamlWriter) { w.record(e, order) })
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

// datachainType writes a type without its locales, which are those of the manifest.
func (w *yamlWriter) datachainType(t taxonomy.DatachainType) {
	t.Locales = nil
	w.record(&t, nil)
}
