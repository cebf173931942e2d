package docschema

import (
	"slices"
	"strings"
)

// Field describes one member of a record.
type Field struct {
	Name string
	// Type is a JSON type or the name of a definition. The prefix [] denotes
	// an array, and [1] a non-empty array.
	Type        string
	Presence    Presence
	Description string
}

// Presence says when a record has a member.
type Presence int

const (
	Required  Presence = iota
	Written            // always written by the service, optional in documents
	Defaulted          // optional; an empty array if absent
	Optional
	Advisory // optional; a value of another type is only a warning
)

// Record returns the schema of an object with the given fields.
func (s Set) Record(description string, fields ...Field) Object {
	var properties Object
	var required []string
	for _, f := range fields {
		properties = properties.With(f.Name, s.field(f))
		if f.Presence == Required || f.Presence == Written && s.Form == Strict {
			required = append(required, f.Name)
		}
	}
	schema := described(Object{{"type", "object"}}, description)
	if required != nil {
		schema = schema.With("required", required)
	}
	return schema.With("properties", properties)
}

func (s Set) field(f Field) Object {
	if f.Presence == Advisory && s.Form == Lenient {
		return described(Object{}, f.Description)
	}
	if f.Presence == Defaulted && s.Form == Strict {
		// Generators of client code take a member with a default to be always
		// present, although clients may omit it.
		return described(s.Type(f.Type), strings.TrimSpace(f.Description+" Absent: an empty array."))
	}
	schema := described(s.Type(f.Type), f.Description)
	if f.Presence == Defaulted {
		schema = schema.With("default", []string{})
	}
	return schema
}

// Type returns the schema of a field's type.
func (s Set) Type(typ string) Object {
	if item, ok := strings.CutPrefix(typ, "[]"); ok {
		return Object{{"type", "array"}, {"items", s.Type(item)}}
	}
	if item, ok := strings.CutPrefix(typ, "[1]"); ok {
		return s.Type("[]"+item).With("minItems", 1)
	}
	switch typ {
	case "boolean", "integer", "string":
		return Object{{"type", typ}}
	}
	if s.Form == Lenient && slices.Contains(uncheckedPatterns, typ) {
		return Object{{"type", "string"}}
	}
	return Object{{"$ref", s.Refs + typ}}
}

func described(schema Object, description string) Object {
	if description == "" {
		return schema
	}
	return schema.With("description", description)
}
