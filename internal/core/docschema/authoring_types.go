package docschema

import (
	"strings"

	"placard/internal/core/taxonomy"
)

// authoringSchema renders the schema of one authoring file.
type authoringSchema struct {
	known known
	used  map[string]bool // types that the schema refers to
}

// authoringType is the definition of a value that is not a record.
type authoringType struct {
	name   string
	schema definitionFunc
}

// definitionFunc returns the definition of a type. Editors propose the known
// values.
type definitionFunc func(a *authoringSchema, known []choice) Object

// Types that other definitions refer to.
const (
	// emptyType is a key without a value, which counts as absent.
	emptyType = "empty"
	// truthType is one of the words true and false, read as text.
	truthType             = "true or false"
	localizedType         = "localized"
	requiredLocalizedType = "required localized"
	keywordsType          = "keywords"
)

const (
	// localePattern matches locales whose language has at most three letters.
	localePattern = `^([a-zA-Z]{2,3}(-[a-zA-Z0-9]{1,8})*|[xXiI](-[a-zA-Z0-9]{1,8})+)$`
	timePattern   = `^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{1,2}:[0-9]{2}:[0-9]{2}([.,][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})\s*$`
)

// authoringTypes are the types of values that are not records.
var authoringTypes = []authoringType{
	// A schema with the type null or boolean would make editors propose null, or
	// true and false.
	{emptyType, constant(Object{{"not", Object{{"type", []string{"array", "boolean", "number", "object", "string"}}}}})},
	{truthType, constant(Object{{"not", Object{{"type", []string{"array", "null", "number", "object", "string"}}}}})},
	{"any", constant(Object{})},
	{"boolean", constant(Object{{"type", "boolean"}, {"errorMessage", "Write true or false."}})},
	{"count", constant(Object{{"type", "integer"}, {"minimum", 0}, {"maximum", 1<<31 - 1}})},
	{"status", constant(Object{{"enum", taxonomy.Statuses}})},
	{"shape", constant(Object{{"enum", taxonomy.Shapes}})},
	{"kind", constant(Object{{"enum", taxonomy.Kinds}})},
	{"text", anyText(`\S`, "Write a text.")},
	{"version", anyText(`\S`, "Write the id of the release, such as library@2026-09-01-beta.")},
	{"source type", anyText(`\S`, "Write the kind of source, such as law.")},
	{"id", id},
	{"ids", func(a *authoringSchema, _ []choice) Object {
		return Object{{"anyOf", []Object{a.ref("id"), {{"type", "array"}, {"items", a.ref("id")}}}}}
	}},
	{"notes", func(a *authoringSchema, _ []choice) Object {
		return Object{{"anyOf", []Object{a.ref("text"), a.ref(localizedType)}}}
	}},
	{"type id", id},
	{"category id", id},
	{"element id", id},
	{"symbol id", id},
	{"locale", text("string", localePattern, "Write a language tag such as en, pt-BR or zh-Hant.")},
	{"color", text("string", `^\s*#[0-9a-fA-F]{6}\s*$`, `Write a colour in quotes, such as "#4A90D9".`)},
	{"time", text("string", timePattern, "Write a date and time such as 2026-06-01T09:00:00Z.")},
	{localizedType, func(a *authoringSchema, _ []choice) Object { return a.localized(false) }},
	{requiredLocalizedType, func(a *authoringSchema, _ []choice) Object { return a.localized(true) }},
	{keywordsType, func(a *authoringSchema, _ []choice) Object { return a.keywords() }},
}

// constant returns the definition s.
func constant(s Object) definitionFunc {
	return func(*authoringSchema, []choice) Object { return s }
}

// id defines an id. A number can be an id.
func id(a *authoringSchema, known []choice) Object {
	number := text([]string{"string", "integer"}, `^\s*[a-zA-Z0-9_-]{1,128}\s*$`,
		"An id must contain only a-z, A-Z, 0-9, _ and -, and have at most 128 characters.")
	return orTruth(a, number(a, known))
}

// anyText returns the definition of a text. Numbers, dates, and the words true and
// false are read as text.
func anyText(pattern, message string) definitionFunc {
	return func(a *authoringSchema, known []choice) Object {
		return orTruth(a, text([]string{"string", "number"}, pattern, message)(a, known))
	}
}

// orTruth returns a schema that accepts the words true and false too.
func orTruth(a *authoringSchema, text Object) Object {
	return Object{{"anyOf", []Object{text, a.ref(truthType)}}}
}

// text returns the definition of a value that is read as text.
func text(types any, pattern, message string) definitionFunc {
	return func(_ *authoringSchema, known []choice) Object {
		schema := Object{
			{"type", types},
			{"pattern", pattern},
			{"errorMessage", message},
			{"patternErrorMessage", message},
		}
		if known == nil {
			return schema
		}
		// With an enum, editors would also list all values whenever they describe
		// the key, and call them the only valid ones in errors.
		snippets := make([]Object, len(known))
		for i, c := range known {
			snippets[i] = described(Object{{"label", c.value}, {"body", c.value}}, c.description)
		}
		return schema.With("defaultSnippets", snippets)
	}
}

// localized returns the schema of a text in several locales: a mapping from locale
// to text, or a list of locales and texts.
func (a *authoringSchema) localized(required bool) Object {
	schema := Object{{"type", []string{"object", "array", "null"}}}
	if required {
		schema = Object{{"type", []string{"object", "array"}}, {"minProperties", 1}, {"minItems", 1}}
	}
	schema = schema.With("errorMessage", "Write the text for each locale, such as en: A text.")
	return a.perLocale(schema, Object{{"anyOf", []Object{a.ref("text"), a.ref(emptyType)}}}, a.ref("text"))
}

// keywords returns the schema of lists of words in several locales.
func (a *authoringSchema) keywords() Object {
	list := Object{{"type", "array"}, {"items", a.ref("text")}, {"errorMessage", "Write a list of words."}}
	schema := Object{
		{"type", []string{"object", "array", "null"}},
		{"errorMessage", "Write a list of words for each locale, such as en: [CCTV, surveillance camera]."},
	}
	return a.perLocale(schema, Object{{"anyOf", []Object{list, a.ref(emptyType)}}}, list.With("minItems", 1))
}

// perLocale adds the schemas of values in several locales to schema: of the value
// for a locale in a mapping, and of the value in a list of locales and values.
func (a *authoringSchema) perLocale(schema, translation, value Object) Object {
	var properties Object
	for _, l := range a.known["locale"] {
		properties = append(properties, Object{{l.value, translation}}...)
	}
	if properties != nil {
		schema = schema.With("properties", properties)
	}
	return append(schema, Object{
		{"patternProperties", Object{{localePattern, translation}}},
		{"additionalProperties", false},
		{"items", Object{
			{"type", "object"},
			{"required", []string{"locale", "value"}},
			{"properties", Object{{"locale", a.ref("locale")}, {"value", value}}},
			{"additionalProperties", false},
		}},
	}...)
}

// ref returns a reference to the definition of a type.
func (a *authoringSchema) ref(typ string) Object {
	a.used[typ] = true
	return Object{{"$ref", "#/definitions/" + definitionName(typ)}}
}

func definitionName(typ string) string { return strings.ReplaceAll(typ, " ", "_") }

// definitions returns the definitions that the schema refers to, directly or
// indirectly.
func (a *authoringSchema) definitions() Object {
	all := authoringTypes
	for i := range authoringRecords {
		r := &authoringRecords[i]
		all = append(all, authoringType{r.name, func(a *authoringSchema, _ []choice) Object { return a.record(r) }})
	}
	schemas := make(map[string]Object)
	for found := true; found; {
		found = false
		for _, t := range all {
			if a.used[t.name] && schemas[t.name] == nil {
				schemas[t.name] = t.schema(a, a.known[t.name])
				found = true
			}
		}
	}
	var definitions Object
	for _, t := range all {
		if a.used[t.name] {
			definitions = definitions.With(definitionName(t.name), schemas[t.name])
		}
	}
	return definitions
}

// record returns the schema of a mapping.
func (a *authoringSchema) record(r *authoringRecord) Object {
	var required []string
	var conditions []Object
	var properties, conflicts Object
	for _, k := range r.keys {
		properties = properties.With(k.name, a.key(k))
		if k.synonym != "" {
			// Editors ignore doNotSuggest beside a reference.
			synonym := Object{{"anyOf", []Object{a.key(k)}}, {"description", k.description}, {"doNotSuggest", true}}
			properties = properties.With(k.synonym, synonym)
			conflicts = conflicts.With(k.name, Object{{"properties", Object{{k.synonym, false}}}})
		}
		switch {
		case k.required && k.synonym != "":
			conditions = append(conditions, Object{{"anyOf", []Object{{{"required", []string{k.name}}}, {{"required", []string{k.synonym}}}}}})
		case k.required:
			required = append(required, k.name)
		}
	}
	schema := Object{{"type", "object"}}
	if r.optional {
		schema = Object{{"type", []string{"object", "null"}}}
	}
	schema = described(schema, r.description)
	if required != nil {
		schema = schema.With("required", required)
	}
	schema = schema.With("properties", properties).With("additionalProperties", false)
	if conditions != nil {
		schema = schema.With("allOf", conditions)
	}
	if conflicts != nil {
		schema = schema.With("dependencies", conflicts)
	}
	return schema
}

// key returns the schema of the value of a key.
func (a *authoringSchema) key(k authoringKey) Object {
	schema := Object{{"description", k.description}}
	if k.defaultTo != nil {
		schema = schema.With("default", k.defaultTo)
	}
	item, isList := strings.CutPrefix(k.typ, "[]")
	record := findRecord(k.typ)
	switch {
	case isList && k.required:
		return append(schema, Object{{"type", "array"}, {"minItems", 1}, {"items", a.ref(item)}, {"errorMessage", "Write a list."}}...)
	case isList:
		return append(schema, Object{{"type", []string{"array", "null"}}, {"items", a.ref(item)}, {"errorMessage", "Write a list."}}...)
	case k.typ == localizedType && k.required:
		return append(schema, a.ref(requiredLocalizedType)...)
	case k.required || k.typ == localizedType || k.typ == keywordsType || record != nil:
		return append(schema, a.ref(k.typ)...)
	}
	return schema.With("anyOf", []Object{a.ref(k.typ), a.ref(emptyType)})
}
