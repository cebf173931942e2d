package datachain

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/taxonomy"
)

// Schema is a release as documents are checked against it and resolved with
// it. It is immutable and safe for concurrent use.
type Schema struct {
	*pool
	id            taxonomy.ID
	typeForm      form
	categoryForms []form // as pool.categories
	elementForms  []form // as pool.elements
}

// form is one part of a release in its served JSON form.
type form struct {
	tree      *tree  // members in the order they are served in
	canonical []byte // in the order of RFC 8785
}

// NewSchema makes a schema of t, which must be derived and must not
// change afterwards.
func NewSchema(t *taxonomy.Taxonomy) *Schema {
	s := &Schema{
		pool:     newPool(new(meter), t.Type, t.Categories, t.Elements),
		id:       t.ID,
		typeForm: newForm(t.Type),
	}
	s.locales = t.Locales
	for i := range t.Categories {
		if c := &t.Categories[i]; s.category[c.ID].position == len(s.categoryForms) {
			s.categoryForms = append(s.categoryForms, newForm(c))
		}
	}
	for i := range t.Elements {
		if e := &t.Elements[i]; s.element[e.ID].position == len(s.elementForms) {
			s.elementForms = append(s.elementForms, newForm(e))
		}
	}
	return s
}

// ID returns the canonical id of the release.
func (s *Schema) ID() taxonomy.ID { return s.id }

func newForm(part any) form {
	served, err := json.Marshal(part, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // The parts of a taxonomy are strings, numbers and lists of them.
	}
	t, err := readTree(served, new(meter))
	if err != nil {
		panic(err)
	}
	w := writer{tree: t, meter: new(meter)}
	w.value(0)
	return form{t, w.out}
}
