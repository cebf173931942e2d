package docschema

import (
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// Format is the version of the output of [ThinOf]. A change of the output requires
// a new number, so that clients do not keep the old one.
const Format = 5

// ThinOf returns the JSON Schema of the thin datachains of one version, with which
// editors complete ids. It accepts the documents that [Thin] accepts, except those
// with a placement that is certainly an error: of an unknown element, with an
// unknown context value, variable or option, with a value that is empty or of the
// wrong kind, or without a required variable. Warnings and rules about several
// values or placements are left to package datachain.
//
// ThinOf calls step, which may be nil, regularly, and returns its error.
func ThinOf(t *taxonomy.Taxonomy, step func() error) ([]byte, error) {
	if step == nil {
		step = func() error { return nil }
	}
	s := thinSchema{Taxonomy: t, locale: defaultLocale(t), step: step}
	placement, err := s.placement()
	if err != nil {
		return nil, err
	}
	own := map[string]Object{
		"Datachain":        s.datachain(),
		"Placement":        placement,
		"SubchainInstance": s.subchainInstance(),
		"Text":             s.text(),
	}
	s.define("text.filled", s.filledText())
	b := []byte("{" + thinMembers + `,"$defs":{`)
	for _, name := range thinDefinitions() {
		if schema, ok := own[name]; ok {
			b, err = appendDefinition(b, name, schema)
		} else {
			b, err = appendDefinition(b, name, lenientDefinitions()[name])
		}
		if err != nil {
			return nil, err
		}
	}
	for _, d := range s.definitions {
		if err := step(); err != nil {
			return nil, err
		}
		if b, err = appendDefinition(b, d.Name, d.Value); err != nil {
			return nil, err
		}
	}
	return append(b, "}}\n"...), nil
}

// appendDefinition appends a member of $defs.
func appendDefinition(b []byte, name string, schema any) ([]byte, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(strconv.AppendQuote(b, name), ':') // names need no escaping
	return append(b, text...), nil
}

// thinDefinitions returns the names of the definitions that [Thin] contains.
var thinDefinitions = sync.OnceValue(func() []string { return referenced(thinMembers) })

// defaultLocale returns the locale of the texts that explain ids: English, or else
// the first.
func defaultLocale(t *taxonomy.Taxonomy) string {
	for _, locale := range t.Locales {
		if strings.EqualFold(locale, "en") {
			return locale
		}
	}
	if len(t.Locales) == 0 {
		return ""
	}
	return t.Locales[0]
}

// thinSchema renders the schema of the datachains of one version.
type thinSchema struct {
	*taxonomy.Taxonomy
	locale      string
	step        func() error
	definitions Object // of the categories and their parts
}

func (s *thinSchema) define(name string, schema Object) {
	s.definitions = append(s.definitions, Object{{name, schema}}...)
}

// lenient are the definitions that accept what the parser accepts.
var lenient = Set{Form: Lenient, Refs: bundleRefs}

// override returns a definition with other schemas for some of its properties.
func override(name string, properties Object) Object {
	schema := lenient.Definition(name)
	all := schema.Get("properties").(Object)
	for _, p := range properties {
		all = all.Set(p.Name, p.Value)
	}
	return schema.Set("properties", all)
}

func (s *thinSchema) datachain() Object {
	description := find("Datachain").fieldDescription("schema_version")
	version := described(lenient.Type("Version"), description).With("default", s.ID.String())
	return override("Datachain", Object{{"schema_version", version}})
}

func (s *thinSchema) subchainInstance() Object {
	var all []choice
	for _, c := range s.Type.Subchains {
		name, _ := c.Name.Get(s.locale)
		all = append(all, choice{c.ID, name})
	}
	return override("SubchainInstance", Object{{"subchain_id", s.enum(all, "", "The version has no such subchain.")}})
}

// text returns the schema of one translation. Other locales only get a warning.
func (s *thinSchema) text() Object {
	locale := described(Object{{"type", "string"}}, find("Text").fieldDescription("locale")).With("examples", s.Locales)
	return override("Text", Object{{"locale", locale}})
}

// enum returns the schema of an id that is one of the choices. The message is the
// error for other ids.
func (s *thinSchema) enum(choices []choice, description, message string) Object {
	schema := described(Object{{"type", "string"}}, description)
	if len(choices) == 0 {
		return append(schema, Object{{"not", Object{}}, {"errorMessage", message}}...)
	}
	values, descriptions := make([]string, len(choices)), make([]string, len(choices))
	for i, c := range choices {
		values[i], descriptions[i] = c.value, c.description
	}
	return append(schema, Object{{"enum", s.list(values)}, {"enumDescriptions", s.list(descriptions)}, {"errorMessage", message}}...)
}

// stringList is a list of strings that calls step while it is encoded.
type stringList struct {
	strings []string
	step    func() error
}

func (s *thinSchema) list(all []string) stringList { return stringList{all, s.step} }

// MarshalJSONTo writes a JSON array.
func (l stringList) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for _, s := range l.strings {
		if err := l.step(); err != nil {
			return err
		}
		if err := enc.WriteToken(jsontext.String(s)); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndArray)
}

// fieldDescription returns the description of a field of a record.
func (d *definition) fieldDescription(name string) string {
	for _, f := range d.fields {
		if f.Name == name {
			return f.Description
		}
	}
	return ""
}
