package docschema

import (
	"slices"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// definition is a named schema: a record, or any other schema.
type definition struct {
	name string

	// Records only.
	description string
	fields      []Field
	open        bool // unknown members are kept

	// Other schemas only.
	schema func(Set) Object
}

// uncheckedPatterns are the definitions whose pattern the parser does not
// check. Lenient schemas accept any string in their place.
var uncheckedPatterns = []string{"Word", "VersionRef", "Locale"}

var definitions = slices.Concat(sharedTypes, versionRecords, taxonomyRecords(), documentRecords)

// sharedTypes are the types that several records use.
var sharedTypes = []definition{
	{name: "Word", schema: pattern("An id.", `^[a-zA-Z0-9_-]+$`)},
	{name: "Words", schema: func(s Set) Object {
		return Object{{"anyOf", []Object{s.Type("Word"), s.Type("[]Word")}}, {"description", "An id, or a list of ids."}}
	}},
	{name: "Version", schema: pattern("The canonical id of a version: type, date and status.",
		`^[a-zA-Z0-9_-]+@[0-9]{4}-[0-9]{2}-[0-9]{2}-(beta|stable)$`)},
	{name: "VersionRef", schema: pattern(
		"A canonical id or an alias: <type>@latest, <type>@stable, <type>@beta, <type>@<YYYY-MM-DD>, or <type>@<name> for a name pinned by the publisher.",
		`^[a-zA-Z0-9_-]+@([a-z][a-z0-9-]*|[0-9]{4}-[0-9]{2}-[0-9]{2}(-(beta|stable))?)$`)},
	{name: "ContentHash", schema: pattern("The SHA-256 hash of a version's content. It does not depend on the version's id and status.",
		`^sha256-[0-9a-f]{64}$`)},
	{name: "Color", schema: pattern("", `^#[0-9a-fA-F]{6}$`)},
	{name: "Locale", schema: func(s Set) Object {
		return pattern("A BCP 47 language tag, compared case-insensitively.", `^([a-zA-Z]{2,8}|[xXiI]-[a-zA-Z0-9]{1,8})(-[a-zA-Z0-9]{1,8})*$`)(s).With("maxLength", 64)
	}},
	{name: "Timestamp", schema: func(Set) Object {
		return Object{
			{"type", "string"},
			{"description", "An ISO 8601 date and time. Seconds may be omitted; without an offset, it is in UTC."},
			{"examples", []string{"2026-06-01T09:00:00Z"}},
			{"pattern", `^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?$`},
		}
	}},
	{name: "Count", schema: func(Set) Object { return Object{{"type", "integer"}, {"minimum", 0}} }},
	{name: "Status", schema: enum("A beta version may change; a stable version never does.", taxonomy.Statuses)},
	{name: "Shape", schema: enum("", taxonomy.Shapes)},
	{name: "VariableKind", schema: enum("", taxonomy.Kinds)},
	{name: "ActionType", schema: enum("", datachain.ActionTypes)},
	{name: "Confidence", schema: enum("", datachain.Confidences)},
	{name: "Localized", schema: func(s Set) Object {
		return described(s.Type("[]Text"), "One text in several locales, each at most once.")
	}},
	{name: "Text", fields: []Field{
		{"locale", "Locale", Required, "A BCP 47 language tag, such as en or pt-BR."},
		{"value", "string", Required, ""},
	}},
	{name: "KeywordList", description: "Search words in one locale.", fields: []Field{
		{"locale", "Locale", Required, "A BCP 47 language tag, such as en or pt-BR."},
		{"value", "[1]string", Required, ""},
	}},
}

func pattern(description, expr string) func(Set) Object {
	return func(Set) Object { return described(Object{{"type", "string"}, {"pattern", expr}}, description) }
}

func enum[T any](description string, values []T) func(Set) Object {
	return func(Set) Object { return described(Object{{"type", "string"}, {"enum", values}}, description) }
}

// versionRecords describe versions.
var versionRecords = []definition{
	{name: "VersionEntry", description: "A published version.", fields: []Field{
		{"id", "Version", Required, ""},
		{"status", "Status", Required, ""},
		{"content_hash", "ContentHash", Required, ""},
		{"aliases", "[]VersionRef", Required, "The aliases that currently refer to this version."},
		{"degraded", "Degradation", Optional, "Present while the version is not served as it is published or, in a preview, as it is written."},
	}},
	{name: "Degradation", description: "The reason why a version is not served in its current state.", fields: []Field{
		{"state", "DegradedState", Required, ""},
		{"since", "Timestamp", Required, "The time at which the server noticed the first error."},
		{"errors", "Count", Required, "The number of errors."},
		{"warnings", "Count", Required, "The number of warnings."},
		{"first_error", "Finding", Required, ""},
	}},
	{name: "DegradedState", schema: enum("stale: the last good state is served. unavailable: there is none.", []string{"stale", "unavailable"})},
	{name: "Manifest", description: "The metadata of a version.", fields: []Field{
		{"id", "Version", Required, ""},
		{"status", "Status", Required, ""},
		{"content_hash", "ContentHash", Required, ""},
		{"title", "Localized", Required, ""},
		{"description", "Localized", Required, ""},
		{"type", "Word", Required, "The id of the datachain type."},
		{"locales", "[]Locale", Required, "The locales of the version's texts, in the stewards' order."},
		{"subchains", "[]Subchain", Required, "The subchains of the datachain type."},
		{"created_at", "Timestamp", Optional, ""},
		{"notes", "string", Optional, "Notes for readers."},
	}},
}

// documentRecords are the parts of a datachain, and the findings about it.
var documentRecords = []definition{
	{name: "Datachain", open: true, description: "A thin datachain: it refers to the elements of a version.", fields: thinFields},
	{
		name: "ResolvedDatachain", open: true, description: "A resolved datachain: it contains the parts of the version that it uses.",
		fields: slices.Concat(thinFields, []Field{
			{"schema_snapshot", "Snapshot", Required, ""},
			{"suggested_elements", "[]SuggestedElement", Defaulted, "Elements that are not in the snapshot. They require authoring_provenance.kind to be ai_generated."},
		}),
	},
	{name: "Snapshot", description: "The parts of a version that a datachain uses, as written by resolve.", fields: []Field{
		{"datachain_type", "DatachainType", Required, ""},
		{"categories", "[]Category", Required, "The categories of the elements, in declaration order."},
		{"elements", "[]Element", Required, "The elements that are placed, or named by a subchain instance, in the version's order."},
	}},
	{name: "Placement", open: true, description: "One element placed in a datachain.", fields: []Field{
		{"element_id", "string", Required, "The id of an element of the version."},
		{"context_type_id", "string", Optional, "The id of a value of the element's context, or of its category's."},
		{"variables", "[]VariableValue", Optional, ""},
		{"element_instance_id", "string", Optional, "Unique in the datachain, and different from every placed element_id."},
		{"label", "Label", Optional, ""},
		{"priority", "Count", Optional, ""},
		{"subchain_instance_id", "string", Optional, "The id of the subchain instance that the placement belongs to. Without one, it is true of all instances."},
		{"sources", "[]Source", Optional, ""},
		{"actions", "[]Action", Optional, "Actions available to a reader."},
	}},
	{name: "Label", schema: func(s Set) Object {
		return Object{{"oneOf", []Object{s.Type("string"), s.Type("Localized")}}}
	}},
	{name: "VariableValue", open: true, fields: []Field{
		{"id", "string", Required, "The id of a variable of the element's category."},
		{"value", "Value", Required, ""},
	}},
	{name: "Value", schema: func(s Set) Object {
		return Object{
			{"anyOf", valueSchemas(s)},
			{"description", taxonomy.DescribeValues()},
		}
	}},
	{name: "SubchainInstance", open: true, description: "One occurrence of a subchain, such as the chain of one camera.", fields: []Field{
		{"id", "string", Required, "Unique in the datachain. Placements refer to it in subchain_instance_id."},
		{"subchain_id", "string", Required, "The id of a subchain of the datachain type."},
		{"label", "Label", Optional, "The name of the instance, shown as its title."},
		{"head_refs", "[]string", Optional, "The elements with which the chain begins, or placements by their element_instance_id. Their names are the title of an instance without a label."},
		{"order", "integer", Optional, "The position among the instances of the subchain, in ascending order."},
	}},
	{name: "Action", open: true, fields: []Field{
		{"type", "ActionType", Required, ""},
		{"label", "Localized", Required, ""},
		{"target", "string", Required, ""},
	}},
	{name: "Provenance", open: true, description: "How the datachain was written.", fields: []Field{
		{"kind", "string", Required, "human or ai_generated. Suggested elements require ai_generated."},
		{"model", "string", Advisory, "The name of the model."},
		{"generated_at", "Timestamp", Advisory, "An ISO 8601 date and time."},
		{"element_provenance", "ElementProvenances", Optional, ""},
	}},
	{name: "ElementProvenances", schema: func(s Set) Object {
		return Object{
			{"type", "object"},
			{"description", "Keyed by the element_instance_id of a placement, or by the id of an element that is placed once."},
			{"additionalProperties", s.Type("ElementProvenance")},
		}
	}},
	{name: "ElementProvenance", open: true, fields: []Field{
		{"rationale", "string", Advisory, "A string: why the element is placed."},
		{"confidence", "Confidence", Advisory, "high, medium or low."},
		{"source_references", "[]SourceReference", Advisory, "An array of passages: {quote, context?}."},
		{"variable_rationale", "VariableRationale", Optional, ""},
	}},
	{name: "SourceReference", open: true, fields: []Field{
		{"quote", "string", Required, ""},
		{"context", "string", Optional, ""},
	}},
	{name: "VariableRationale", schema: func(Set) Object {
		return Object{{"type", "object"}, {"description", "Keyed by variable id."}, {"additionalProperties", true}}
	}},
	{name: "Revision", schema: func(Set) Object { return Object{{"type", []string{"string", "number"}}} }},
	{name: "Finding", description: "One problem in a datachain, a request or an authoring tree.", fields: []Field{
		{"code", "string", Required, "The stable code of the problem. New codes may be added."},
		{"message", "string", Required, "What is wrong."},
		{"path", "string", Optional, "The location: a parameter, or a member of the datachain such as elements[3].variables[0].value. Empty for the whole datachain."},
		{"fix_hint", "string", Optional, "How to fix it."},
		{"severity", "Severity", Optional, "Absent if the request could not be served."},
		{"position", "Position", Optional, "The location in an authoring tree."},
	}},
	{name: "Position", description: "A location in a file. Without a line, it is the whole file or folder.", fields: []Field{
		{"file", "string", Required, "The path below the root of the tree."},
		{"line", "integer", Optional, "Starts at 1."},
		{"column", "integer", Optional, "Starts at 1 and counts characters."},
	}},
	{name: "Severity", schema: enum("", []problem.Severity{problem.Error, problem.Warning})},
}

// valueSchemas returns the schema of a value for each kind of variable.
func valueSchemas(s Set) []Object {
	schemas := make([]Object, len(taxonomy.Kinds))
	for i, kind := range taxonomy.Kinds {
		schemas[i] = s.Type(taxonomy.ByKind(kind, "Localized", "[]string"))
	}
	return schemas
}

var thinFields = []Field{
	{"id", "string", Required, ""},
	{"title", "Localized", Defaulted, ""},
	{"description", "Localized", Defaulted, ""},
	{"schema_version", "Version", Required, "The canonical id of the version that the datachain refers to, not an alias."},
	{"created_at", "Timestamp", Required, ""},
	{"updated_at", "Timestamp", Optional, ""},
	{"instance_version", "Revision", Optional, ""},
	{"elements", "[1]Placement", Required, ""},
	{"sources", "[]Source", Defaulted, ""},
	{"linked_instance_ids", "[]string", Defaulted, ""},
	{"subchain_instances", "[]SubchainInstance", Defaulted, ""},
	{"authoring_provenance", "Provenance", Optional, ""},
}
