package httpapi

import (
	"placard/internal/core/docschema"
)

// object is a JSON object whose members keep their order.
type object = docschema.Object

// schemas renders the shared definitions for the OpenAPI document.
var schemas = docschema.Set{Form: docschema.Strict, Refs: "#/components/schemas/"}

// openAPISchemas returns the schemas of all components: the REST schemas and
// the shared definitions.
func openAPISchemas() object {
	all := restSchemas
	for _, name := range docschema.Names() {
		all = all.With(name, schemas.Definition(name))
	}
	return all
}

var restSchemas = object{
	{"True", object{{"type", "boolean"}, {"const", true}}},
	{"False", object{{"type", "boolean"}, {"const", false}}},
	{"Failure", schemas.Record("The body of every response to a request that could not be served.",
		field("ok", "False", ""),
		field("errors", "[]Finding", ""),
	)},
	{"Code", schemas.Record("The meaning of a code.",
		field("code", "string", ""),
		field("severity", "Severity", ""),
		optionalField("error_if", "string", "The condition under which a warning is an error."),
		field("meaning", "string", "What the rule requires."),
		field("why", "string", "Why the rule exists."),
		field("raised_by", "[]string", "The operations that raise the code."),
		optionalField("status", "integer", "The HTTP status, if the code fails a request."),
		optionalField("docs", "string", "The path of the page that explains the code. Absent in a static copy."),
	)},
	{"Page", schemas.Record("",
		field("total", "integer", "The number of elements on all pages."),
		field("returned", "integer", "The number of elements on this page."),
		field("next_cursor", "Cursor", ""),
		noticeField,
	)},
	{"Meta", schemas.Record("", noticeField)},
	{"Cursor", object{{"type", []string{"string", "null"}}, {"description", "The value of cursor for the next page; null on the last page."}}},
	{"Resolution", resolution()},
	{"AnyDatachain", object{{"description", "A thin or resolved datachain."}, {"anyOf", []object{schemas.Type("Datachain"), schemas.Type("ResolvedDatachain")}}}},
	{"Valid", schemas.Record("The datachain is valid.",
		field("ok", "True", ""),
		field("warnings", "[]Finding", ""),
	)},
	{"Invalid", schemas.Record("The datachain is invalid.",
		field("ok", "False", ""),
		field("errors", "[]Finding", "In document order, at most 200."),
		optionalField("warnings", "[]Finding", "Absent if the datachain could not be parsed, unless the list of errors is truncated."),
	)},
}

var noticeField = optionalField("notice", "string", "A sentence about requested locales that the version lacks.")

func field(name, typ, description string) docschema.Field {
	return docschema.Field{Name: name, Type: typ, Description: description}
}

func optionalField(name, typ, description string) docschema.Field {
	return docschema.Field{Name: name, Type: typ, Description: description, Presence: docschema.Optional}
}

// resolution returns the schema of a resolved datachain as resolve returns it,
// with absent arrays filled in.
func resolution() object {
	fields := append([]docschema.Field{field("ok", "True", "")}, docschema.Fields("ResolvedDatachain")...)
	for i := range fields {
		if fields[i].Presence == docschema.Defaulted {
			fields[i].Presence = docschema.Required
		}
	}
	return schemas.Record("A resolved datachain, with defaults filled in.", fields...).With("additionalProperties", true)
}
