package datachain

import (
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// Schema is a release in the form needed to validate and resolve documents. It is
// safe for concurrent use.
type Schema struct {
	*definitions
	id                taxonomy.ID
	typ               *taxonomy.DatachainType
	typeFragment      []byte
	categoryFragments fragments[taxonomy.Category] // parallel to definitions.categories
	elementFragments  fragments[taxonomy.Element]  // parallel to definitions.elements
}

// fragments are the canonical JSON (RFC 8785) of a list of definitions. They are made on first use:
// most documents refer to few elements, and making all fragments of a large release
// would take more time and memory than the rest of it.
type fragments[T any] struct {
	definitions []*T
	made        []atomic.Pointer[[]byte]
}

func (f *fragments[T]) add(definition *T) { f.definitions = append(f.definitions, definition) }

// finish prepares f for use, after all definitions have been added.
func (f *fragments[T]) finish() { f.made = make([]atomic.Pointer[[]byte], len(f.definitions)) }

func (f *fragments[T]) len() int { return len(f.definitions) }

func (f *fragments[T]) at(i int) []byte {
	if made := f.made[i].Load(); made != nil {
		return *made
	}
	// Concurrent calls make equal fragments, and keep one of them.
	made := newFragment(inSnapshot(f.definitions[i]))
	f.made[i].Store(&made)
	return made
}

// NewSchema returns the schema of t. [taxonomy.Taxonomy.Derive] must have been
// called on t, which must not change afterwards.
func NewSchema(t *taxonomy.Taxonomy) *Schema {
	s := &Schema{
		definitions:  newDefinitions(new(meter), t.Type, t.Categories, t.Elements),
		id:           t.ID,
		typ:          &t.Type,
		typeFragment: newFragment(t.Type),
	}
	s.locales = t.Locales
	for i := range t.Categories {
		if c := &t.Categories[i]; s.category[c.ID].position == s.categoryFragments.len() {
			s.categoryFragments.add(c)
		}
	}
	for i := range t.Elements {
		if e := &t.Elements[i]; s.element[e.ID].position == s.elementFragments.len() {
			s.elementFragments.add(e)
		}
	}
	s.categoryFragments.finish()
	s.elementFragments.finish()
	return s
}

// ID returns the canonical id of the release.
func (s *Schema) ID() taxonomy.ID { return s.id }

// inSnapshot returns a definition as it is written in snapshots: an element without
// its keywords, which readers of a document do not need.
func inSnapshot(definition any) any {
	if e, ok := definition.(*taxonomy.Element); ok && e.Keywords != nil {
		withoutKeywords := *e
		withoutKeywords.Keywords = nil
		return &withoutKeywords
	}
	return definition
}

// newFragment returns the canonical JSON of a definition.
func newFragment(definition any) []byte {
	encoded, err := json.Marshal(definition, jsontext.AllowInvalidUTF8(true))
	canonical := jsontext.Value(encoded)
	if err == nil {
		err = canonical.Canonicalize()
	}
	if err != nil {
		panic(err) // A taxonomy consists of strings, numbers and lists of them.
	}
	return canonical
}
