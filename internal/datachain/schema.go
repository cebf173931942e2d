package datachain

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/taxonomy"
)

// Schema is a release in the form needed to validate and resolve documents. It is
// immutable and safe for concurrent use.
type Schema struct {
	*definitions
	id                taxonomy.ID
	typeFragment      fragment
	categoryFragments []fragment // parallel to definitions.categories
	elementFragments  []fragment // parallel to definitions.elements
}

// fragment is the JSON of a category, an element or the datachain type.
type fragment struct {
	tree      *tree  // in the order of REST responses
	canonical []byte // as in RFC 8785
}

// NewSchema returns the schema of t. [taxonomy.Taxonomy.Derive] must have been
// called on t, which must not change afterwards.
func NewSchema(t *taxonomy.Taxonomy) *Schema {
	s := &Schema{
		definitions:  newThinDefinitions(t),
		id:           t.ID,
		typeFragment: newFragment(t.Type),
	}
	for i := range t.Categories {
		if c := &t.Categories[i]; s.category[c.ID].position == len(s.categoryFragments) {
			s.categoryFragments = append(s.categoryFragments, newFragment(c))
		}
	}
	for i := range t.Elements {
		if e := &t.Elements[i]; s.element[e.ID].position == len(s.elementFragments) {
			s.elementFragments = append(s.elementFragments, newFragment(e))
		}
	}
	return s
}

// ID returns the canonical id of the release.
func (s *Schema) ID() taxonomy.ID { return s.id }

func newFragment(definition any) fragment {
	encoded, err := json.Marshal(definition, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // A taxonomy consists of strings, numbers and lists of them.
	}
	t, err := readTree(encoded, new(meter))
	if err != nil {
		panic(err)
	}
	w := writer{tree: t, meter: new(meter)}
	w.value(0)
	return fragment{t, w.out}
}
