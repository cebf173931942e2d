package mcpapi

import (
	_ "embed" // the definitions
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

//go:embed schema/defs.json
var definitionsJSON []byte

// definitions are what schemas refer to, by name and without white space.
var definitions = sync.OnceValue(func() map[string]jsontext.Value {
	var defs map[string]jsontext.Value
	if err := json.Unmarshal(definitionsJSON, &defs); err != nil {
		panic(err) // the file is part of the program
	}
	for name, def := range defs {
		if err := def.Compact(); err != nil {
			panic(err)
		}
		defs[name] = def
	}
	return defs
})

var reference = regexp.MustCompile(`#/\$defs/(\w+)`)

// withDefinitions returns the schema that has those members, and the
// definitions that it refers to, of the rest none.
func withDefinitions(members string) []byte {
	used := make(map[string]jsontext.Value)
	var refer func(text string)
	refer = func(text string) {
		for _, match := range reference.FindAllStringSubmatch(text, -1) {
			name := match[1]
			if _, again := used[name]; again {
				continue
			}
			used[name] = definitions()[name]
			refer(string(used[name]))
		}
	}
	refer(members)
	b := append([]byte{'{'}, members...)
	b = append(b, `,"$defs":{`...)
	for _, name := range slices.Sorted(maps.Keys(used)) {
		b = append(append(appendString(b, name), ':'), used[name]...)
		b = append(b, ',')
	}
	return append(closing(b, '}'), '}')
}

// outputSchema is that of a tool whose data has the given schema. Failures have
// the same form, without data.
func (t *tool) outputSchema() []byte {
	meta := `"version":{"type":"string","description":"Canonical id of the version that was used."},"content_hash":{"type":"string"},"notice":{"type":"string"}`
	if t.list {
		meta += `,"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"cursor of the next page; null on the last."}`
	}
	if slices.ContainsFunc(t.parameters, func(p parameter) bool { return p.name == localesParameter.name }) {
		meta += `,"locales":{"$ref":"#/$defs/Strings","description":"The only locales that texts are in, where all would be too long."}`
	}
	return withDefinitions(`"type":"object","properties":{` +
		`"ok":{"type":"boolean"},"data":` + t.data + `,` +
		`"errors":{"type":"array","items":{"$ref":"#/$defs/Problem"}},` +
		`"meta":{"type":"object","properties":{` + meta + `}}},"required":["ok","meta"],` +
		`"anyOf":[{"properties":{"ok":{"const":true}},"required":["data"]},{"properties":{"ok":{"const":false}},"required":["errors"]}]`)
}

// documentSchemas are the JSON Schemas of thin and resolved documents.
var documentSchemas = sync.OnceValue(func() []byte {
	const dialect = `"$schema":"https://json-schema.org/draft/2020-12/schema",`
	b := append([]byte(`{"thin":`), withDefinitions(dialect+`"$ref":"#/$defs/Datachain"`)...)
	b = append(append(b, `,"resolved":`...), withDefinitions(dialect+`"$ref":"#/$defs/Resolved"`)...)
	return append(b, '}')
})
