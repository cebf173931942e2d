package web

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// rawSchema is a JSON Schema in the OpenAPI document.
type rawSchema struct {
	Ref         string              `json:"$ref"`
	Type        typeNames           `json:"type"`
	Description string              `json:"description"`
	Properties  members[*rawSchema] `json:"properties"`
	Required    []string            `json:"required"`
	Items       *rawSchema          `json:"items"`
	OneOf       []*rawSchema        `json:"oneOf"`
	AnyOf       []*rawSchema        `json:"anyOf"`
	Additional  additional          `json:"additionalProperties"`
	Enum        []jsontext.Value    `json:"enum"`
	Const       jsontext.Value      `json:"const"`
	Default     jsontext.Value      `json:"default"`
	Pattern     string              `json:"pattern"`
	Minimum     jsontext.Value      `json:"minimum"`
	Maximum     jsontext.Value      `json:"maximum"`
	MaxLength   int                 `json:"maxLength"`
	MinItems    int                 `json:"minItems"`
	Examples    []jsontext.Value    `json:"examples"`
}

// typeNames are the names of types: one or several.
type typeNames []string

// UnmarshalJSONFrom reads a string or an array of strings.
func (t *typeNames) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == jsontext.KindBeginArray {
		return json.UnmarshalDecode(dec, (*[]string)(t))
	}
	*t = make(typeNames, 1)
	return json.UnmarshalDecode(dec, &(*t)[0])
}

// additional is the schema of additional members, if it is not just true or false.
type additional struct{ schema *rawSchema }

// UnmarshalJSONFrom reads a schema or a boolean.
func (a *additional) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == jsontext.KindBeginObject {
		return json.UnmarshalDecode(dec, &a.schema)
	}
	return dec.SkipValue()
}

// schemaView is a schema as pages show it. Each type with members is described once
// on a page; other occurrences link to it, so that recursive types end.
type schemaView struct {
	Name        string // of the member or parameter; empty for a body
	Required    bool
	Type        string // such as "array of Placement"
	Description string
	Anchor      string // id of this description; empty if the type has no name or no members
	Target      string // id of the description on the page; empty if it is this one

	Constant  string
	Default   string
	Values    []string // the only allowed ones
	Pattern   string
	Minimum   string
	Maximum   string
	MaxLength int
	MinItems  int
	Example   string

	Members      []schemaView
	Alternatives []schemaView // of which at least one has members
}

// anyName is the name of members whose names are not known in advance.
const anyName = "*"

// schemaWriter describes the schemas on one page.
type schemaWriter struct {
	schemas map[string]*rawSchema
	seen    map[string]bool // by name of the type
	open    map[string]bool // the types around the one that is being described
}

func newSchemaWriter(schemas map[string]*rawSchema) *schemaWriter {
	return &schemaWriter{schemas, make(map[string]bool), make(map[string]bool)}
}

func (w *schemaWriter) view(s *rawSchema) schemaView {
	if s == nil {
		return schemaView{}
	}
	s, name, description := w.resolve(s)
	if s == nil {
		return schemaView{Type: name, Description: description}
	}
	v := schemaView{
		Type: strings.Join(s.Type, " or "), Description: description,
		Constant: plainText(s.Const), Default: plainText(s.Default),
		Minimum: plainText(s.Minimum), Maximum: plainText(s.Maximum), MaxLength: s.MaxLength, MinItems: s.MinItems,
	}
	for _, value := range s.Enum {
		v.Values = append(v.Values, plainText(value))
	}
	if !w.seen[name] {
		v.Pattern = s.Pattern
		if len(s.Examples) > 0 {
			v.Example = plainText(s.Examples[0])
		}
	}
	isOpen := name != "" && w.open[name]
	w.open[name] = true
	switch alternatives := slices.Concat(s.OneOf, s.AnyOf); {
	case isOpen && (alternatives != nil || s.Items != nil):
		v.Type = name // lists and alternatives may contain themselves
	case alternatives != nil:
		w.addAlternatives(&v, alternatives)
	case s.Items != nil:
		w.addItems(&v, s.Items)
	case len(s.Properties) > 0 || s.Additional.schema != nil:
		w.addMembers(&v, s, name)
	}
	w.open[name] = isOpen
	if name != "" {
		w.seen[name] = true
	}
	return v
}

// resolve follows references. It returns the schema, or nil if there is none, its
// name, if it has one, and the description closest to s.
func (w *schemaWriter) resolve(s *rawSchema) (_ *rawSchema, name, description string) {
	description = s.Description
	for range len(w.schemas) + 1 {
		if s.Ref == "" {
			return s, name, description
		}
		name = refName(s.Ref)
		if s = w.schemas[name]; s == nil {
			return nil, name, description
		}
		if description == "" {
			description = s.Description
		}
	}
	return nil, name, description // the references form a cycle
}

func (w *schemaWriter) addAlternatives(v *schemaView, alternatives []*rawSchema) {
	var types []string
	hasMembers := false
	for _, s := range alternatives {
		alternative := w.view(s)
		types = append(types, alternative.Type)
		hasMembers = hasMembers || alternative.hasParts()
		v.Alternatives = append(v.Alternatives, alternative)
	}
	v.Type = strings.Join(types, " or ")
	if !hasMembers {
		v.Alternatives = nil
	}
}

// hasParts reports whether more than a type can be shown.
func (v *schemaView) hasParts() bool {
	return len(v.Members) > 0 || len(v.Alternatives) > 0 || v.Target != ""
}

// addItems describes the items of an array together with the array.
func (w *schemaWriter) addItems(v *schemaView, items *rawSchema) {
	item := w.view(items)
	v.Type = "array of " + item.Type
	v.Anchor, v.Target, v.Members, v.Alternatives = item.Anchor, item.Target, item.Members, item.Alternatives
	v.Values, v.Pattern = item.Values, item.Pattern
	if v.Description == "" {
		v.Description = item.Description
	}
}

func (w *schemaWriter) addMembers(v *schemaView, s *rawSchema, name string) {
	if name != "" {
		v.Type = name
		anchor := "type-" + name
		if w.seen[name] {
			v.Target = anchor
			return
		}
		v.Anchor = anchor
		w.seen[name] = true // its members may refer to it
	}
	for _, p := range s.Properties {
		member := w.view(p.value)
		member.Name, member.Required = p.name, slices.Contains(s.Required, p.name)
		v.Members = append(v.Members, member)
	}
	if s.Additional.schema != nil {
		member := w.view(s.Additional.schema)
		member.Name = anyName
		v.Members = append(v.Members, member)
	}
}

// plainText returns a JSON value as it is written in a parameter: strings without
// quotes, and the items of arrays separated by commas.
func plainText(value jsontext.Value) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var items []string
	if json.Unmarshal(value, &items) == nil {
		return strings.Join(items, ",")
	}
	return string(value)
}
