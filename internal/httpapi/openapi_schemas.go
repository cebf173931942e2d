package httpapi

import (
	"slices"
	"strings"

	"placard/internal/taxonomy"
)

// field is one member of a record. The name of one that may be absent ends in
// ?, and of one that counts as [] where it is absent from what is sent in =.
// The type is a JSON type or the name of a schema, after [] for a list of it.
type field struct{ name, typ, about string }

// openAPISchemas are the nouns of the API.
var openAPISchemas = object{
	{"True", object{{"type", "boolean"}, {"const", true}}},
	{"False", object{{"type", "boolean"}, {"const", false}}},
	{"Word", pattern("An id.", "^[a-zA-Z0-9_-]+$")},
	{"Version", pattern("The canonical id of a version: type, day and status.", "^[a-zA-Z0-9_-]+@[0-9]{4}-[0-9]{2}-[0-9]{2}-(beta|stable)$")},
	{"VersionRef", pattern(
		"A canonical id or an alias: <type>@latest, <type>@stable, <type>@beta, <type>@<YYYY-MM-DD> or <type>@<name> as the publisher pinned it.",
		"^[a-zA-Z0-9_-]+@([a-z][a-z0-9-]*|[0-9]{4}-[0-9]{2}-[0-9]{2}(-(beta|stable))?)$")},
	{"ContentHash", pattern("SHA-256 over the content of a version. The same content has the same hash, whatever its id and status.", "^sha256-[0-9a-f]{64}$")},
	{"Color", pattern("", "^#[0-9a-fA-F]{6}$")},
	{"Locale", pattern("A BCP 47 language tag, compared without regard to case.", "^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$")},
	{"Timestamp", object{
		{"type", "string"},
		{"description", "ISO 8601: as in RFC 3339, also without seconds or with an offset like +0200."},
		{"examples", []string{"2026-06-01T09:00:00Z"}},
	}},
	{"Status", object{{"type", "string"}, {"enum", []taxonomy.Status{taxonomy.Beta, taxonomy.Stable}}, {"description", "A beta may change; a stable version never does."}}},
	{"Shape", object{{"type", "string"}, {"enum", taxonomy.Shapes}}},
	{"Severity", object{{"type", "string"}, {"enum", []string{"error", "warning"}}}},

	{"Localized", object{{"type", "array"}, {"items", of("Text")}, {"description", "One text in several locales, each at most once."}}},
	{"Text", record("", field{"locale", "Locale", ""}, field{"value", "string", ""})},

	{"Failure", record("The body of every answer to a request that could not be served.",
		field{"ok", "False", ""},
		field{"errors", "[]Finding", ""},
	)},
	{"Finding", record("One thing that is wrong.",
		field{"code", "string", "Stable for ever; GET /api/v2/codes lists them all, and new ones may come."},
		field{"message", "string", "What is wrong, for people."},
		field{"path?", "string", "Where: a member of the document that was sent, such as elements[3].variables[0].value, or a parameter. Empty for the document itself."},
		field{"fix_hint?", "string", "What to do next."},
		field{"severity?", "Severity", "Absent where a request could not be served."},
	)},
	{"Code", record("What a code means.",
		field{"code", "string", ""},
		field{"severity", "Severity", ""},
		field{"meaning", "string", "What the rule asks."},
		field{"why", "string", "What goes wrong where it is not kept."},
		field{"raised_by", "[]string", "The operations that raise it."},
		field{"status?", "integer", "The HTTP status, of a code that stops a request."},
	)},

	{"VersionEntry", record("A published version.",
		field{"id", "Version", ""},
		field{"status", "Status", ""},
		field{"content_hash", "ContentHash", ""},
		field{"aliases", "[]VersionRef", "The aliases that name this version now."},
	)},
	{"Manifest", record("What a version says of itself.",
		field{"id", "Version", ""},
		field{"status", "Status", ""},
		field{"content_hash", "ContentHash", ""},
		field{"title", "Localized", ""},
		field{"description", "Localized", ""},
		field{"type", "Word", "The id of the datachain type."},
		field{"locales", "[]Locale", "The locales that texts are in, in the authors' order."},
		field{"created_at?", "Timestamp", ""},
		field{"notes?", "string", "For people."},
	)},
	{"DatachainType", record("The kind of disclosure that a schema is for.",
		field{"id", "Word", ""},
		field{"name", "Localized", ""},
		field{"description", "Localized", ""},
		field{"categories", "[]Word", "All category ids, in declaration order."},
		field{"subchains", "[]Subchain", ""},
		field{"locales", "[]Locale", ""},
		field{"sources", "[]Source", ""},
	)},
	{"Subchain", record("A sequence of categories that may occur several times in one disclosure.",
		field{"id", "Word", ""},
		field{"name", "Localized", ""},
		field{"categories", "[]Word", ""},
	)},
	{"Category", record("A question about a system; its elements are the answers.",
		field{"id", "Word", ""},
		field{"name", "Localized", ""},
		field{"description", "Localized", ""},
		field{"prompt", "Localized", "The question, as one would ask it."},
		field{"guidance", "Localized", "For those who write disclosures."},
		field{"shape", "Shape", "The outline of its elements' icons."},
		field{"required", "boolean", "Whether a disclosure must place one of its elements."},
		field{"order", "integer", "The authors' number for its place. Lists come in declaration order, whatever this says."},
		field{"min_elements?", "integer", "Placements that it needs at least, once it has one."},
		field{"max_elements?", "integer", "Placements that it may have at most; absent: any number."},
		field{"context?", "Context", "Absent where the category has none."},
		field{"variables", "[]Variable", ""},
		field{"sources", "[]Source", ""},
		field{"examples", "[]Example", ""},
	)},
	{"Context", record("A question asked of each placement; its values are the answers.",
		field{"id", "Word", ""},
		field{"name", "Localized", ""},
		field{"description", "Localized", ""},
		field{"values", "[]ContextValue", ""},
	)},
	{"ContextValue", record("One answer to a context's question, and an icon variant.",
		field{"id", "Word", ""},
		field{"label", "Localized", ""},
		field{"description", "Localized", ""},
		field{"color", "Color", "#000000 where it has no colour of its own."},
		field{"tinted", "boolean", "Whether it has a colour of its own. Without one, its icon is the default one."},
	)},
	{"Element", record("One thing that a disclosure can say.", elementFields...)},
	{"ElementFields", record("An element, with those of its fields that were asked for.", optional(elementFields, "id")...)},
	{"SuggestedElement", record("An element that somebody proposes for a schema that lacks it.", optional(elementFields, "id", "title", "category_id")...)},
	{"Variable", record("A value that a placement fills in.",
		field{"id", "Word", ""},
		field{"label", "Localized", ""},
		field{"required", "boolean", ""},
		field{"kind", "VariableKind", ""},
		field{"options?", "[]Option", "The choices of a multi_select_enum."},
	)},
	{"VariableKind", object{{"type", "string"}, {"enum", []taxonomy.Kind{taxonomy.LocalizedText, taxonomy.MultiSelectEnum}}}},
	{"Option", record("",
		field{"id", "Word", ""},
		field{"name", "Localized", ""},
		field{"description", "Localized", ""},
		field{"applies_to?", "[]Word", "The elements that it may be chosen for; absent: all of the category."},
	)},
	{"Source", record("Where something comes from.",
		field{"type", "string", ""},
		field{"title", "string", ""},
		field{"url?", "string", ""},
		field{"citation?", "string", ""},
	)},
	{"Example", record("", field{"scenario", "Localized", ""}, field{"narrative", "Localized", ""})},
	{"Page", record("",
		field{"total", "integer", "Elements on all pages."},
		field{"returned", "integer", "Elements on this page."},
		field{"next_cursor", "Cursor", ""},
	)},
	{"Cursor", object{{"type", []string{"string", "null"}}, {"description", "To be sent as cursor for the next page; null on the last."}}},

	{"Datachain", sent("A disclosure in thin form.", datachainFields...)},
	{"ResolvedDatachain", sent("A disclosure that carries the part of the schema it uses.", slices.Concat(datachainFields, resolvedFields)...)},
	{"Resolution", sent("A resolved disclosure, its defaults filled in.",
		slices.Concat([]field{{"ok", "True", ""}}, filled(datachainFields), filled(resolvedFields))...)},
	{"Snapshot", record("The part of a schema that a disclosure uses, as resolve makes it.",
		field{"datachain_type", "DatachainType", ""},
		field{"categories", "[]Category", "Those of the elements, in declaration order."},
		field{"elements", "[]Element", "Those placed or named by a subchain instance, in element order."},
	)},
	{"Placement", sent("An element placed in a disclosure.",
		field{"element_id", "string", ""},
		field{"context_type_id?", "string", "A value of the element's context."},
		field{"variables?", "[]VariableValue", ""},
		field{"element_instance_id?", "string", "Unique in the document, and no element_id placed in it."},
		field{"label?", "Label", ""},
		field{"priority?", "Count", ""},
		field{"subchain_instance_id?", "string", ""},
		field{"sources?", "[]Source", ""},
		field{"actions?", "[]Action", "What a reader can do."},
	)},
	{"Label", object{{"oneOf", []object{of("string"), of("Localized")}}}},
	{"Count", object{{"type", "integer"}, {"minimum", 0}}},
	{"VariableValue", sent("", field{"id", "string", ""}, field{"value", "Value", ""})},
	{"Value", object{
		{"anyOf", []object{of("Localized"), of("[]string")}},
		{"description", "A localized string for localized_text, option ids for multi_select_enum."},
	}},
	{"SubchainInstance", sent("One occurrence of a subchain.",
		field{"id", "string", ""},
		field{"subchain_id", "string", ""},
		field{"head_refs?", "[]string", "Elements, or placements by their element_instance_id."},
		field{"order?", "integer", ""},
	)},
	{"Action", sent("",
		field{"type", "ActionType", ""},
		field{"label", "Localized", ""},
		field{"target", "string", ""},
	)},
	{"ActionType", object{{"type", "string"}, {"enum", []string{"email", "url", "phone", "form", "postal"}}}},
	{"Provenance", sent("How a disclosure came to be.",
		field{"kind", "string", "human or ai_generated; the latter is required beside suggested elements."},
		field{"model?", "string", ""},
		field{"generated_at?", "Timestamp", ""},
		field{"element_provenance?", "ElementProvenances", ""},
	)},
	{"ElementProvenances", object{
		{"type", "object"},
		{"description", "By the element_instance_id of a placement, or an element_id that is placed once."},
		{"additionalProperties", of("ElementProvenance")},
	}},
	{"ElementProvenance", sent("",
		field{"rationale?", "string", ""},
		field{"confidence?", "Confidence", ""},
		field{"source_references?", "[]SourceReference", ""},
		field{"variable_rationale?", "VariableRationale", ""},
	)},
	{"Confidence", object{{"type", "string"}, {"enum", []string{"high", "medium", "low"}}}},
	{"SourceReference", sent("", field{"quote", "string", ""}, field{"context?", "string", ""})},
	{"VariableRationale", object{{"type", "object"}, {"description", "By the id of a variable."}, {"additionalProperties", true}}},
	{"Revision", object{{"type", []string{"string", "number"}}}},

	{"Valid", record("Nothing is wrong.",
		field{"ok", "True", ""},
		field{"warnings", "[]Finding", "Always empty from validate_resolved."},
	)},
	{"Invalid", record("Something is wrong.",
		field{"ok", "False", ""},
		field{"errors", "[]Finding", "In the order of the document, at most 200."},
		field{"warnings?", "[]Finding", "Absent where the shape of the document is wrong, because nothing else was looked at then, unless more is wrong than is listed."},
	)},
}

var elementFields = []field{
	{"id", "Word", ""},
	{"title", "Localized", "May name variables, as {{duration}}."},
	{"description", "Localized", ""},
	{"category_id", "Word", ""},
	{"symbol_id", "Word", ""},
	{"required", "boolean", "Whether every disclosure must place it."},
	{"max_placements?", "integer", "How often it may be placed; absent: any number of times."},
	{"guidance", "Localized", "For those who write disclosures."},
	{"context?", "Context", "Where the element has one of its own, which replaces its category's."},
	{"sources", "[]Source", ""},
	{"examples", "[]Example", ""},
	{"shape", "Shape", "That of its category."},
	{"icon_variants", "[]Word", "default, dark, and the values of its context."},
	{"variables", "[]Variable", "Those of its category."},
}

var datachainFields = []field{
	{"id", "string", ""},
	{"title=", "Localized", ""},
	{"description=", "Localized", ""},
	{"schema_version", "Version", "The version that the document is written in."},
	{"created_at", "Timestamp", ""},
	{"updated_at?", "Timestamp", ""},
	{"instance_version?", "Revision", ""},
	{"elements", "[1]Placement", ""},
	{"sources=", "[]Source", ""},
	{"linked_instance_ids=", "[]string", ""},
	{"subchain_instances=", "[]SubchainInstance", ""},
	{"authoring_provenance?", "Provenance", ""},
}

var resolvedFields = []field{
	{"schema_snapshot", "Snapshot", ""},
	{"suggested_elements=", "[]SuggestedElement", "Elements outside the snapshot. They need authoring_provenance.kind to be ai_generated."},
}

// optional lets all fields but those be absent.
func optional(fields []field, except ...string) []field {
	fields = slices.Clone(fields)
	for i, f := range fields {
		if !slices.Contains(except, f.name) {
			fields[i].name = strings.TrimSuffix(f.name, "?") + "?"
		}
	}
	return fields
}

// filled are the fields as they come back, with what was absent filled in.
func filled(fields []field) []field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].name = strings.TrimSuffix(fields[i].name, "=")
	}
	return fields
}

// of returns the schema of a field's type.
func of(typ string) object {
	if item, ok := strings.CutPrefix(typ, "[]"); ok {
		return object{{"type", "array"}, {"items", of(item)}}
	}
	if item, ok := strings.CutPrefix(typ, "[1]"); ok {
		return append(of("[]"+item), member{"minItems", 1})
	}
	switch typ {
	case "boolean", "integer", "string":
		return object{{"type", typ}}
	}
	return object{{"$ref", "#/components/schemas/" + typ}}
}

func pattern(about, expr string) object {
	return described(object{{"type", "string"}, {"pattern", expr}}, about)
}

func described(schema object, about string) object {
	if about != "" {
		schema = append(schema, member{"description", about})
	}
	return schema
}

// record is the schema of an object with these fields.
func record(about string, fields ...field) object {
	var properties object
	var required []string
	for _, f := range fields {
		schema := described(of(f.typ), f.about)
		name, optional := strings.CutSuffix(f.name, "?")
		name, defaulted := strings.CutSuffix(name, "=")
		if defaulted {
			schema = append(schema, member{"default", []string{}})
		}
		if !optional && !defaulted {
			required = append(required, name)
		}
		properties = append(properties, member{name, schema})
	}
	schema := described(object{{"type", "object"}}, about)
	if required != nil {
		schema = append(schema, member{"required", required})
	}
	return append(schema, member{"properties", properties})
}

// sent is record for what callers write: members that nothing here names
// are kept.
func sent(about string, fields ...field) object {
	return append(record(about, fields...), member{"additionalProperties", true})
}
