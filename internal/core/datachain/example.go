package datachain

import (
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"placard/internal/core/taxonomy"
)

// ExampleTaxonomy returns the small taxonomy used by the examples of the rules.
func ExampleTaxonomy() *taxonomy.Taxonomy {
	en := func(s string) taxonomy.Localized { return taxonomy.Localized{{Locale: "en", Value: s}} }
	element := func(id, category, title string) taxonomy.Element {
		return taxonomy.Element{ID: id, CategoryID: category, SymbolID: id, Title: en(title), Description: en(title + ".")}
	}
	contact := element("contact", "rights", "Ask a question")
	contact.Required, contact.MaxPlacements = true, 1
	comfort := element("comfort", "purpose", "Comfort")
	comfort.Description = en("Comfort: {{detail}}.")
	anonymous := element("anonymous", "rights", "Nobody is recognized")
	anonymous.Excludes = []string{"camera"}
	object := element("object", "rights", "Object")
	object.Deprecated = &taxonomy.Deprecation{Since: "2026-01-15", Message: en("Objections are complaints."), Use: taxonomy.IDs{"complain"}}
	t := &taxonomy.Taxonomy{
		ID:      taxonomy.ID{Type: "demo", Date: "2026-01-15", Status: taxonomy.Stable},
		Locales: []string{"en", "fr"},
		Title:   en("An example"),
		Type: taxonomy.DatachainType{
			ID:         "demo",
			Name:       en("Sensors in a building"),
			Categories: []string{"purpose", "sensing", "access", "rights"},
			Subchains:  []taxonomy.Subchain{{ID: "flow", Name: en("From sensor to reader"), Categories: []string{"sensing", "access"}}},
			Locales:    []string{"en", "fr"},
		},
		Categories: []taxonomy.Category{
			{
				ID: "purpose", Name: en("Purpose"), Shape: taxonomy.Hexagon, Order: 1, Required: true, MaxElements: 1,
				Variables: []taxonomy.Variable{{ID: "detail", Label: en("Detail"), Kind: taxonomy.LocalizedText}},
			},
			{
				ID: "sensing", Name: en("Sensing"), Shape: taxonomy.Circle, Order: 2, Required: true,
				Context: &taxonomy.Context{ID: "timing", Name: en("When does it sense?"), Values: []taxonomy.ContextValue{
					{ID: "continuous", Label: en("All the time"), Color: "#1F77B4"},
					{ID: "on_event", Label: en("When something happens"), MaxPlacements: 1},
				}},
				Variables: []taxonomy.Variable{
					{ID: "position", Label: en("Where it is"), Kind: taxonomy.LocalizedText, Required: true},
					{ID: "formats", Label: en("What it records"), Kind: taxonomy.MultiSelectEnum, Options: []taxonomy.Option{
						{ID: "pictures", Name: en("Pictures")},
						{ID: "sound", Name: en("Sound"), AppliesTo: []string{"microphone"}},
					}},
				},
			},
			{ID: "access", Name: en("Access"), Shape: taxonomy.RoundedSquare, Order: 3, MinElements: 2},
			{ID: "rights", Name: en("Your rights"), Shape: taxonomy.Octagon, Order: 4},
		},
		Elements: []taxonomy.Element{
			element("safety", "purpose", "Safety"),
			comfort,
			element("camera", "sensing", "Camera"),
			element("microphone", "sensing", "Microphone"),
			element("staff", "access", "Staff"),
			element("police", "access", "Police"),
			contact,
			element("complain", "rights", "Complain"),
			anonymous,
			object,
		},
	}
	t.Derive()
	return t
}

// exampleDocument violates no rule.
const exampleDocument = `{
  "id": "entrance-hall",
  "schema_version": "demo@2026-01-15-stable",
  "created_at": "2026-02-03T09:30:00Z",
  "title": [{"locale": "en", "value": "Entrance hall"}],
  "elements": [
    {
      "element_id": "safety"
    },
    {
      "element_id": "camera",
      "element_instance_id": "gate-camera",
      "context_type_id": "continuous",
      "variables": [
        {"id": "position", "value": [{"locale": "en", "value": "Above the gate"}]}
      ],
      "subchain_instance_id": "gate-flow"
    },
    {
      "element_id": "contact",
      "actions": [{"type": "email", "label": [{"locale": "en", "value": "Write to us"}], "target": "ask@example.org"}]
    }
  ],
  "subchain_instances": [{"id": "gate-flow", "subchain_id": "flow", "head_refs": ["camera"]}]
}`

// manyZeros is an array with more items than a report lists.
var manyZeros = "[" + strings.Repeat("0, ", maxFindings) + "0]"

var (
	exampleSchema   = sync.OnceValue(func() *Schema { return NewSchema(ExampleTaxonomy()) })
	exampleResolved = sync.OnceValue(func() string {
		d, _, _ := Parse([]byte(exampleDocument), nil)
		r, _ := Resolve(d, exampleSchema(), nil)
		return string(r.Document())
	})
)

// ExampleDocuments returns the valid documents that the examples of the rules are made
// from, indented like these.
func ExampleDocuments() (thin, resolved string) {
	return indented(exampleDocument), indented(exampleResolved())
}

func indented(document string) string {
	value := jsontext.Value(document)
	value.Indent(jsontext.WithIndent("  "))
	return value.String()
}

// change replaces the value at a path of a document, or appends it to the array or
// object that the path leads to.
type change struct{ path, json string }

func (c change) apply(document string) string {
	t, err := readTree([]byte(document), new(meter))
	if err != nil {
		panic(err) // Examples are valid JSON.
	}
	n, rest := t.find(c.path)
	if rest == "" {
		return t.text[:t.nodes[n].start] + c.json + t.text[t.nodes[n].end:]
	}
	end, comma, name := t.nodes[n].end-1, "", ""
	if t.size(n) > 0 {
		comma = ","
	}
	if t.kind(n) == '{' {
		name = `"` + rest + `":`
	}
	return t.text[:end] + comma + name + c.json + t.text[end:]
}

// example returns a document that violates r and no other rule.
func (r *Rule) example() string {
	document := exampleDocument
	if r.RaisedBy[0] == OpValidateResolved {
		document = exampleResolved()
	}
	for _, c := range r.changes {
		document = c.apply(document)
	}
	return indented(document)
}
