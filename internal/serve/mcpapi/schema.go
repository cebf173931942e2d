package mcpapi

import (
	"sync"

	"placard/internal/core/docschema"
)

// outputSchema returns the JSON Schema of the structured content of t.
func (t *tool) outputSchema() string {
	meta := `"version":{"type":"string"},"notice":{"type":"string"}`
	if t.isList {
		meta += `,"next_cursor":{"anyOf":[{"type":"string"},{"type":"null"}]}`
	}
	if parameterIndex(t.parameters, datachainName) >= 0 {
		meta += `,"handle":{"type":"string"}`
	}
	return `{"type":"object","properties":{"ok":{"type":"boolean"},"data":{"type":"object","properties":{` + t.dataSchema + `}},` +
		`"errors":{"type":"array","items":{"type":"object","properties":{"code":{"type":"string"},"message":{"type":"string"},"path":{"type":"string"},"fix_hint":{"type":"string"}}}},"meta":{"type":"object","properties":{` + meta + `}}},"required":["ok","meta"]}`
}

// documentSchemas returns the JSON Schemas of thin and resolved documents.
var documentSchemas = sync.OnceValue(func() []byte {
	b := append([]byte(`{"thin":`), docschema.Thin()...)
	b = append(append(b, `,"resolved":`...), docschema.Resolved()...)
	return append(b, '}')
})
