package httpapi

import (
	"strings"

	"placard/internal/docschema"
)

const openAPIDescription = `Public and read-only: there is no authentication, and what is posted is not kept.

Every JSON answer carries ok. Answers to requests that could not be served have the status of their code and the body Failure. ` +
	`A document that is found wrong is no such failure: it is answered with 200, ok false and the findings.

A version is a canonical id such as place@2026-06-01-stable, or an alias such as place@latest. HEAD works wherever GET does. ` +
	`The limits told here are the defaults; a server may be configured to have others.`

var openAPITags = []object{
	{{"name", "schemas"}, {"description", "Published versions of schemas, and what is in them."}},
	{{"name", "drawings"}, {"description", "Shapes, symbols and icons as SVG images of 36 by 36."}},
	{{"name", "documents"}, {"description", "Datachains checked and resolved. Nothing is kept."}},
	{{"name", "service"}, {"description", "What the service says of itself."}},
}

// pathParams are the schemas of the parameters in addresses.
var pathParams = map[string]object{
	"version":    schemas.Type("VersionRef"),
	"element_id": schemas.Type("Word"),
	"symbol_id":  schemas.Type("Word"),
	"variant":    schemas.Type("Word"),
	"shape":      schemas.Type("Shape"),
}

// openAPIHeaders are the headers of answers that mean something to callers.
var openAPIHeaders = object{
	{"Cache-Control", header("string", "How long the answer may be kept. Only what is addressed by the canonical id of a stable version is immutable.", true)},
	{"ETag", header("string", "To be sent as If-None-Match.", true)},
	{"Service-Content-Hash", header("ContentHash", "The content hash of the version that answered.", true)},
	{"Retry-After", header("integer", "Seconds to wait.", true)},
	{"X-Request-Id", header("string", "Names the request in the logs. A request's own is kept when it is 1 to 128 of A-Z, a-z, 0-9, period, _ and -.", false)},
}

func header(typ, about string, always bool) object {
	return object{{"description", about}, {"required", always}, {"schema", schemas.Type(typ)}}
}

var localesParam = param{"locales", schemas.Type("[]Locale"), "The locales kept in localized strings, separated by commas. Without it, all are."}

func fieldsParam(fallback string) param {
	return param{"fields", schemas.Type("[]string").With("default", strings.Split(fallback, ",")), "The fields wanted, separated by commas, or all. The id is always there; names of no field are ignored."}
}

var (
	openAPIDoc = operation{id: "getOpenAPI", tag: "service", answer: object{{"type", "object"}}}

	listCodesDoc = operation{id: "listCodes", tag: "service", answer: envelope(field("codes", "[]Code", ""))}

	listSchemasDoc = operation{id: "listSchemas", tag: "schemas", answer: envelope(field("versions", "[]VersionEntry", ""))}

	manifestDoc = operation{id: "getManifest", tag: "schemas", answer: envelope(answeredBy, field("manifest", "Manifest", ""))}

	categoriesDoc = operation{
		id: "listCategories", tag: "schemas", params: []param{localesParam},
		answer: envelope(answeredBy, field("categories", "[]Category", "")),
	}

	elementsDoc = operation{
		id: "listElements", tag: "schemas",
		params: []param{
			{"category_id", schemas.Type("string"), "Only elements of this category."},
			{"query", object{{"type", "string"}, {"maxLength", 256}}, "Only elements whose title or description match these words, best first."},
			{"locale", schemas.Type("Locale"), "The locale that query is in. Without it en, or the version's first locale if it has no en."},
			localesParam,
			fieldsParam("id,title,category_id"),
			{"limit", object{{"type", "integer"}, {"minimum", 1}, {"maximum", 200}, {"default", 50}}, "Elements on a page."},
			{"cursor", schemas.Type("string"), "The next_cursor of the page before. It holds for one version and one category_id, query and locale."},
		},
		answer: envelope(answeredBy, field("elements", "[]ElementFields", ""), field("meta", "Page", "")),
	}

	elementDoc = operation{
		id: "getElement", tag: "schemas", params: []param{localesParam, fieldsParam("all")},
		answer: envelope(answeredBy, field("element", "ElementFields", "")),
	}

	iconDoc = operation{tag: "drawings", files: []file{{"getIcon", "icon.svg"}, {"getIconVariant", "icon.{variant}.svg"}}}

	symbolDoc = operation{tag: "drawings", files: []file{{"getSymbol", "{symbol_id}.svg"}}}

	shapeDoc = operation{tag: "drawings", files: []file{{"getShape", "{shape}.svg"}}}

	validateDoc = operation{id: "validate", tag: "documents", body: "Datachain", answer: oneOf("Valid", "Invalid")}

	resolveDoc = operation{id: "resolve", tag: "documents", body: "Datachain", answer: oneOf("Resolution", "Invalid")}

	validateResolvedDoc = operation{id: "validateResolved", tag: "documents", body: "ResolvedDatachain", answer: oneOf("Valid", "Invalid")}
)

// envelope is the body of an answer that has these members beside ok.
func envelope(members ...docschema.Field) object {
	return schemas.Record("", append([]docschema.Field{field("ok", "True", "")}, members...)...)
}

var answeredBy = field("version", "Version", "The version that answered, also where an alias was asked.")

func oneOf(names ...string) object {
	var forms []object
	for _, name := range names {
		forms = append(forms, schemas.Type(name))
	}
	return object{{"oneOf", forms}}
}
