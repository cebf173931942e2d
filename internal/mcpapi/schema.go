package mcpapi

import (
	"slices"
	"sync"

	"placard/internal/docschema"
)

// outputSchema is that of a tool whose data has the given schema. Failures have
// the same form, without data.
func (t *tool) outputSchema() []byte {
	meta := `"version":{"type":"string","description":"Canonical id of the version that was used."},"content_hash":{"type":"string"},"notice":{"type":"string"}`
	if t.list {
		meta += `,"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"cursor of the next page; null on the last."}`
	}
	if slices.ContainsFunc(t.parameters, func(p parameter) bool { return p.name == localesParameter.name }) {
		meta += `,"locales":{"type":"array","items":{"type":"string"},"description":"The only locales that texts are in, where all would be too long."}`
	}
	return docschema.Bundle(`"type":"object","properties":{` +
		`"ok":{"type":"boolean"},"data":` + t.data + `,` +
		`"errors":{"type":"array","items":{"$ref":"#/$defs/Finding"}},` +
		`"meta":{"type":"object","properties":{` + meta + `}}},"required":["ok","meta"],` +
		`"anyOf":[{"properties":{"ok":{"const":true}},"required":["data"]},{"properties":{"ok":{"const":false}},"required":["errors"]}]`)
}

// documentSchemas are the JSON Schemas of thin and resolved documents.
var documentSchemas = sync.OnceValue(func() []byte {
	b := append([]byte(`{"thin":`), docschema.Thin()...)
	b = append(append(b, `,"resolved":`...), docschema.Resolved()...)
	return append(b, '}')
})
