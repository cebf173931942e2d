package datachain

import (
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Schemas finds the schema that a document is checked against.
type Schemas interface {
	// SchemaOf returns the schema for documents that pin the release id, which is
	// zero if a document pins none. It returns nil if there is no schema.
	SchemaOf(id taxonomy.ID) *Schema
}

// SchemaOf returns s: documents are checked against it whatever they pin.
func (s *Schema) SchemaOf(taxonomy.ID) *Schema { return s }

// hintContext is the data of a document that hints depend on.
type hintContext struct {
	schema *Schema           // the schema that the document is checked against, or nil
	ids    *strings.Replacer // the placeholders in examples
	locale string            // the first locale in the document, or en
}

// hintContext computes the context once: a document may have many members and
// locales.
func (r *reader) hintContext() *hintContext {
	if r.forHints == nil {
		s := r.findSchema()
		r.forHints = &hintContext{s, exampleIDs(s), r.firstLocale()}
	}
	return r.forHints
}

// schema returns the schema that the document is checked against, or nil.
func (r *reader) schema() *Schema { return r.hintContext().schema }

// exampleOf returns the example of w with the ids of the schema that the document
// is checked against, or with made-up ids if there is none.
func (r *reader) exampleOf(w *want) string { return r.hintContext().ids.Replace(w.example) }

// exampleIDs returns a replacer for the placeholders in examples.
func exampleIDs(s *Schema) *strings.Replacer {
	id, element, category, subchain := "example@2026-06-01-stable", "video_camera", "sensing", "sensing_to_outcome"
	if s != nil {
		id = s.id.String()
		if len(s.elements) > 0 {
			element, category = s.elements[0].id, s.elements[0].categoryID
		}
		if len(s.subchains.ids) > 0 {
			subchain = s.subchains.ids[0]
		}
	}
	typeID, _, _ := strings.Cut(id, "@")
	return strings.NewReplacer("<release>", id, "<type>", typeID, "<element>", problem.Clip(element),
		"<category>", problem.Clip(category), "<subchain>", problem.Clip(subchain))
}

func (r *reader) findSchema() *Schema {
	if r.schemas == nil {
		return nil
	}
	var pinned taxonomy.ID
	if r.kind(0) == '{' {
		if n := r.member(0, "schema_version"); n != 0 && r.kind(n) == '"' {
			pinned, _ = taxonomy.ParseID(r.str(n))
		}
	}
	return r.schemas.SchemaOf(pinned)
}
