// Package docschema contains the JSON Schemas of datachains, thin and resolved,
// and of the parts of a taxonomy that they contain. The OpenAPI document and the
// MCP tools are built from them. It also contains the JSON Schemas of the YAML
// files of an authoring tree, for editors. The package does no I/O, and its output
// is deterministic.
package docschema

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Form selects how narrowly schemas describe a value.
type Form int

const (
	// Lenient schemas accept the documents that package datachain parses, and
	// no others, except that they do not check whether dates exist.
	Lenient Form = iota

	// Strict schemas describe values as the service writes them: members that
	// it always writes are required, ids and locales match their patterns, and
	// provenance has the recommended types.
	Strict
)

// Set renders the definitions in one form.
type Set struct {
	Form Form
	Refs string // prefix of references to definitions, such as "#/$defs/"
}

// Names returns the names of all definitions.
func Names() []string {
	var names []string
	for i := range definitions {
		names = append(names, definitions[i].name)
	}
	return names
}

// Definition returns the schema called name, one of [Names].
func (s Set) Definition(name string) Object {
	d := find(name)
	if d == nil {
		panic(fmt.Sprintf("docschema: no definition is called %q", name))
	}
	if d.fields == nil {
		return d.schema(s)
	}
	schema := s.Record(d.description, d.fields...)
	if d.open && s.Form == Strict {
		schema = schema.With("additionalProperties", true)
	}
	return schema
}

// Fields returns the fields of the record called name.
func Fields(name string) []Field {
	d := find(name)
	if d == nil || d.fields == nil {
		panic(fmt.Sprintf("docschema: no record is called %q", name))
	}
	return slices.Clone(d.fields)
}

func find(name string) *definition {
	i := slices.IndexFunc(definitions, func(d definition) bool { return d.name == name })
	if i < 0 {
		return nil
	}
	return &definitions[i]
}

const bundleRefs = "#/$defs/"

var bundleRef = regexp.MustCompile(`"#/\$defs/(\w+)"`)

// lenientDefinitions returns the compact lenient definitions by name.
var lenientDefinitions = sync.OnceValue(func() map[string]jsontext.Value {
	all := make(map[string]jsontext.Value)
	for _, name := range Names() {
		text, err := json.Marshal(Set{Form: Lenient, Refs: bundleRefs}.Definition(name))
		if err != nil {
			panic(err) // the definitions are constant
		}
		all[name] = text
	}
	return all
})

// Bundle returns a self-contained JSON Schema with the given members, which are
// JSON without the enclosing braces. They refer to lenient definitions as
// #/$defs/<name>. Bundle adds the definitions that are used, directly or
// indirectly, as $defs.
func Bundle(members string) []byte {
	b := append([]byte{'{'}, members...)
	names := referenced(members)
	if len(names) == 0 {
		return append(b, '}')
	}
	b = append(b, `,"$defs":{`...)
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `"%s":%s`, name, lenientDefinitions()[name])
	}
	return append(b, `}}`...)
}

// referenced returns the names of the lenient definitions that members refer to,
// directly or indirectly.
func referenced(members string) []string {
	used := make(map[string]bool)
	var addRefs func(text string)
	addRefs = func(text string) {
		for _, match := range bundleRef.FindAllStringSubmatch(text, -1) {
			if name := match[1]; !used[name] {
				used[name] = true
				addRefs(string(lenientDefinitions()[name]))
			}
		}
	}
	addRefs(members)
	var names []string
	for _, name := range Names() {
		if used[name] {
			delete(used, name)
			names = append(names, name)
		}
	}
	for name := range used {
		panic(fmt.Sprintf("docschema: no definition is called %q", name))
	}
	return names
}

const dialect = `"$schema":"https://json-schema.org/draft/2020-12/schema",`

// thinMembers are the members of the JSON Schema of thin datachains.
const thinMembers = dialect + `"$ref":"` + bundleRefs + `Datachain"`

// Thin returns the JSON Schema of thin datachains. Callers must not modify it.
var Thin = sync.OnceValue(func() []byte { return Bundle(thinMembers) })

// Resolved returns the JSON Schema of resolved datachains. Callers must not
// modify it.
var Resolved = sync.OnceValue(func() []byte {
	return Bundle(dialect + `"$ref":"` + bundleRefs + `ResolvedDatachain"`)
})
