package mcpapi

import (
	"slices"
	"sync"

	"placard/internal/docschema"
)

// outputSchema returns the JSON Schema of the structured content of t. It also
// allows failed calls, which have no data.
func (t *tool) outputSchema() []byte {
	meta := `"version":{"type":"string","description":"Canonical id of the version that was used."},"content_hash":{"type":"string"},"notice":{"type":"string"}`
	if t.isList {
		meta += `,"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"Cursor of the next page; null on the last page."}`
	}
	switch takes := func(name string) bool {
		return slices.ContainsFunc(t.parameters, func(p parameter) bool { return p.name == name })
	}; {
	case takes(datachainName):
		meta += `,"handle":{"type":"string","description":"Handle of the document, accepted as datachain for an hour after its last use."}`
	case takes(localesParameter.name):
		meta += `,"locales":{"type":"array","items":{"type":"string"},"description":"Locales of the texts, if other locales were omitted for length."}`
	}
	return docschema.Bundle(`"type":"object","properties":{` +
		`"ok":{"type":"boolean"},"data":` + t.dataSchema + `,` +
		`"errors":{"type":"array","items":{"$ref":"#/$defs/Finding"}},` +
		`"meta":{"type":"object","properties":{` + meta + `}}},"required":["ok","meta"],` +
		`"anyOf":[{"properties":{"ok":{"const":true}},"required":["data"]},{"properties":{"ok":{"const":false}},"required":["errors"]}]`)
}

// documentSchemas returns the JSON Schemas of thin and resolved documents.
var documentSchemas = sync.OnceValue(func() []byte {
	b := append([]byte(`{"thin":`), docschema.Thin()...)
	b = append(append(b, `,"resolved":`...), docschema.Resolved()...)
	return append(b, '}')
})
