package docschema

import "slices"

// authoringRecord describes a YAML mapping in an authoring tree.
type authoringRecord struct {
	name        string // an [AuthoringFile], or the name of a type
	description string
	optional    bool // a key without a value may take its place
	keys        []authoringKey
}

// authoringKey describes one key of a mapping.
type authoringKey struct {
	name string
	// typ is the name of a type or a record. The prefix [] denotes a list.
	typ         string
	required    bool
	description string
	synonym     string // another name for the key
	defaultTo   any    // the value of an absent key, if editors should show it
}

func findRecord(name string) *authoringRecord {
	i := slices.IndexFunc(authoringRecords, func(r authoringRecord) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return &authoringRecords[i]
}

// authoringRecords describes every mapping that package source reads. Tests
// compare it with that package and with docs/authoring.md.
var authoringRecords = []authoringRecord{
	{name: string(MetaFile), description: "The metadata of a release.", keys: []authoringKey{
		{name: "locales", typ: "[]locale", description: "All languages of the release. Texts are served in this order. May be in datachain-type.yaml instead."},
		{name: "title", typ: "localized", description: "The title of the release. Default: the name of the type."},
		{name: "description", typ: "localized", description: "What the taxonomy describes. Default: the description of the type."},
		{name: "status", typ: "status", description: "Must match the folder. A beta release may change; a stable one never does."},
		{name: "version", typ: "version", description: "The id of the release. Must match the folder: the folder library/2026-09-01-beta is library@2026-09-01-beta."},
		{name: "created_at", typ: "time", description: `When the release was made, as an RFC 3339 time such as "2026-09-01T09:00:00Z".`},
		{name: "notes", typ: "text", description: "Release notes. They are published, but are not part of the content hash."},
		{name: "content_hash", typ: "any", description: "Ignored. The hash is always computed."},
	}},
	{name: string(TypeFile), description: "The kind of disclosure that the release describes, and its categories in order.", keys: []authoringKey{
		{name: "id", typ: "type id", required: true, description: "The id of the type. Must match the name of its folder."},
		{name: "name", typ: "localized", required: true, description: "The name of the type."},
		{name: "categories", typ: "[]category id", required: true, description: "The ids of all categories, in the order in which they are shown."},
		{name: "description", typ: "localized", description: "What a disclosure of this type describes."},
		{name: "subchains", typ: "[]subchain", description: "Groups of categories that can occur several times in one disclosure."},
		{name: "sources", typ: "[]source", description: "The laws, standards and publications that the type is based on."},
		{name: "locales", typ: "[]locale", description: "All languages of the release, if meta.yaml does not list them."},
	}},
	{name: string(CategoryFile), description: "A question about a system. Its elements are the possible answers.", keys: []authoringKey{
		{name: "id", typ: "id", required: true, description: "The id of the category. The file should be named after it."},
		{name: "name", typ: "localized", required: true, description: "The name of the category, shown as a heading."},
		{name: "description", typ: "localized", required: true, description: "What the category is about."},
		{name: "shape", typ: "shape", required: true, description: "The outline of the icons of its elements."},
		{name: "prompt", typ: "localized", description: "The question that the author of a disclosure answers."},
		{name: "guidance", typ: "localized", synonym: "authoring_guidance", description: "Advice for authors of disclosures."},
		{name: "required", typ: "boolean", defaultTo: false, description: "Whether every disclosure must use at least one element of the category. Default: false."},
		{name: "min_elements", typ: "count", description: "The minimum number of placements in a disclosure that has any in this category."},
		{name: "max_elements", typ: "count", description: "The maximum number of placements in a disclosure. 0 or absent: no limit."},
		{name: "sign", typ: "count", description: "Its rank on signs and at the top of pages: 1 is shown first. Categories without a rank are left out there, unless none has one."},
		{name: "context", typ: "context", synonym: "element_context", description: "An additional question about each placement. Its values are also icon variants."},
		{name: "variables", typ: "[]variable", synonym: "element_variables", description: "The values that each placement of an element provides, such as a duration."},
		{name: "order", typ: "count", description: "A number that is published with the category. The order of categories is that of the list in datachain-type.yaml."},
		{name: "datachain_type", typ: "type id", description: "The id of the type. Must match the type of the release."},
		{name: "sources", typ: "[]source", description: "The laws, standards and publications that the category is based on."},
		{name: "examples", typ: "[]example", description: "Examples that show authors how to use the category."},
	}},
	{name: string(ElementFile), description: "One statement that a disclosure can make.", keys: []authoringKey{
		{name: "id", typ: "id", required: true, description: "The id of the element. The file should be named after it. Documents refer to it, so it must keep its meaning."},
		{name: "category_id", typ: "category id", required: true, description: "The id of the category that the element belongs to."},
		{name: "title", typ: "localized", required: true, description: "The statement in a few words. May refer to variables of the category, such as {{duration}}."},
		{name: "description", typ: "localized", required: true, description: "The statement in one or two sentences. May refer to variables of the category."},
		{name: "symbol_id", typ: "symbol id", required: true, description: "The symbol of its icons: the name of a file in symbols/, without .svg. Elements can share a symbol."},
		{name: "order", typ: "count", description: "The position in the category. Elements without a number follow, sorted by id."},
		{name: "required", typ: "boolean", defaultTo: false, description: "Whether every disclosure must use the element. Default: false."},
		{name: "max_placements", typ: "count", description: "The maximum number of placements in a disclosure. 0 or absent: no limit."},
		{name: "excludes", typ: "[]element id", description: "The ids of elements that contradict this one. It is enough if one of two elements lists the other."},
		{name: "replaces", typ: "id", description: "The id that the element had in earlier versions. Documents that use the old id can be upgraded to this element."},
		{name: "keywords", typ: keywordsType, description: "Other words for the element, with which a search finds it: a list for each locale, such as en: [CCTV]. Never part of a disclosure."},
		{name: "guidance", typ: "localized", synonym: "authoring_guidance", description: "Advice for authors of disclosures."},
		{name: "context", typ: "context", synonym: "element_context", description: "Replaces the context of the category for this element."},
		{name: "sources", typ: "[]source", description: "The laws, standards and publications that the element is based on."},
		{name: "examples", typ: "[]example", description: "Examples that show authors how to use the element."},
	}},
	{name: "subchain", keys: []authoringKey{
		{name: "id", typ: "id", required: true, description: "The id of the subchain."},
		{name: "name", typ: "localized", required: true, description: "The name of the subchain."},
		{name: "categories", typ: "[]category id", required: true, description: "The ids of its categories, in order."},
	}},
	{name: "context", optional: true, keys: []authoringKey{
		{name: "id", typ: "id", required: true, description: "The id of the context."},
		{name: "name", typ: "localized", required: true, description: "The question about each placement."},
		{name: "values", typ: "[]context value", required: true, description: "The possible answers. The first weighs most: signs and the top of pages show a placement with it rather than one with a later answer."},
		{name: "description", typ: "localized", description: "What the question is about."},
	}},
	{name: "context value", keys: []authoringKey{
		{name: "id", typ: "id", required: true, description: "The id of the value. It names an icon variant, so it must not be default or dark."},
		{name: "label", typ: "localized", required: true, synonym: "name", description: "The answer in a few words."},
		{name: "description", typ: "localized", description: "What the answer means."},
		{name: "color", typ: "color", description: `The background of the icon, in quotes, such as "#2F6B3A". Without one, the value has the default icon.`},
		{name: "max_placements", typ: "count", description: "How many placements of a disclosure may have this value. 0 or absent: no limit."},
	}},
	{name: "variable", keys: []authoringKey{
		{name: "id", typ: "id", required: true, description: "The id of the variable. Titles and descriptions refer to it in double braces."},
		{name: "label", typ: "localized", required: true, description: "The name of the value, shown beside it."},
		{name: "required", typ: "boolean", defaultTo: false, description: "Whether every placement must provide the value. Default: false."},
		{name: "required_for", typ: "[]element id", description: "The elements of the category whose placements must provide the value, if required is not true."},
		{name: "kind", typ: "kind", defaultTo: "localized_text", description: "The kind of value. Default: localized_text."},
		{name: "options", typ: "[]option", description: "The options to choose from, for multi_select_enum."},
		{name: "sources", typ: "[]source", description: "The laws, standards and publications that the variable is based on."},
	}},
	{name: "option", keys: []authoringKey{
		{name: "id", typ: "id", required: true, description: "The id of the option."},
		{name: "name", typ: "localized", required: true, description: "The option in a few words."},
		{name: "description", typ: "localized", description: "What the option means."},
		{name: "applies_to", typ: "[]element id", description: "The elements of the category that can use the option. Default: all."},
		{name: "guidance", typ: "localized", synonym: "authoring_guidance", description: "Advice for authors of disclosures."},
		{name: "sources", typ: "[]source", description: "The laws, standards and publications that the option is based on."},
		{name: "examples", typ: "[]example", description: "Examples that show authors how to use the option."},
	}},
	{name: "source", keys: []authoringKey{
		{name: "type", typ: "source type", required: true, description: "The kind of source, such as law or standard."},
		{name: "title", typ: "text", required: true, description: "The title of the source."},
		{name: "url", typ: "text", description: "The web address of the source, beginning with http:// or https://."},
		{name: "citation", typ: "text", description: "Where in the source, or how to cite it."},
	}},
	{name: "example", keys: []authoringKey{
		{name: "scenario", typ: "localized", required: true, description: "The situation."},
		{name: "narrative", typ: "localized", required: true, description: "How a disclosure describes the situation."},
	}},
}
