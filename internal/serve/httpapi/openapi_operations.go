package httpapi

import (
	"strings"

	"placard/internal/core/docschema"
	"placard/internal/show/qr"
	"placard/internal/show/sign"
)

const openAPIDescription = "The API is public and read-only: it requires no authentication and does not store documents.\n\n" +
	"Every JSON response has the member `ok`. If a request fails, the status depends on the code, and the body is a `Failure`. " +
	"An invalid document is not a failed request: the response has status 200, `ok` is `false`, and `errors` has the findings.\n\n" +
	"A version is a canonical id such as `place@2026-06-01-stable`, or an alias such as `place@latest`. Every GET route also supports HEAD. " +
	"The limits in this document are the defaults; a server may be configured differently."

var openAPITags = []object{
	{{"name", "schemas"}, {"description", "Published schema versions and their content."}},
	{{"name", "drawings"}, {"description", "Shapes, symbols and icons as SVG images with a 36 by 36 view box."}},
	{{"name", "documents"}, {"description", "Validation, resolution and rendering of datachains. Nothing is stored."}},
	{{"name", "service"}, {"description", "Information about the service."}},
}

// pathParams are the path parameters. Together with the built-in taxonomy, the
// examples are valid for every route.
var pathParams = map[string]struct {
	schema      object
	example     string
	description string // empty if that of the schema says enough
}{
	"version":    {schemas.Type("VersionRef"), "place@latest", ""},
	"element_id": {schemas.Type("Word"), "video_camera", "The id of an element of the version."},
	"symbol_id":  {schemas.Type("Word"), "video_camera", "The id of a symbol of the version."},
	"variant":    {schemas.Type("Word"), "dark", "default, dark for dark ground, or the id of a value of the element's context. The element lists its variants."},
	"shape":      {schemas.Type("Shape"), "circle", ""},
}

// openAPIHeaders are the response headers.
var openAPIHeaders = object{
	{"Cache-Control", header("string", "How long the response may be cached. Only responses for the canonical id of a stable version are immutable. In a preview of an authoring tree, clients must revalidate every response.", true)},
	{"ETag", header("string", "The entity tag, for If-None-Match.", true)},
	{"Service-Content-Hash", header("ContentHash", "The content hash of the version.", true)},
	{"Retry-After", header("integer", "The number of seconds to wait before a retry.", true)},
	{"X-Request-Id", header("string", "Identifies the request in the logs. A client may send its own: 1 to 128 of the characters A-Z, a-z, 0-9, period, _ and -.", false)},
}

// openAPIParameters are the request headers.
var openAPIParameters = object{
	{"Service-Client", headerParam("Service-Client", `^[ -~]*$`, "A name of the client's choice, of at most 128 printable ASCII characters. Rate limits count clients with different names at one address separately.").With("example", "signs-of-ourtown")},
	{"Accept-Encoding", headerParam("Accept-Encoding", "", "The content codings that the client accepts: zstd, br and gzip are supported. Only successful responses are compressed.").With("example", "gzip")},
	{"If-None-Match", headerParam("If-None-Match", "", "The ETag of a cached response, or several. If it is still current, the response is 304 without a body.")},
}

func headerParam(name, pattern, description string) object {
	schema := schemas.Type("string")
	if pattern != "" {
		schema = schema.With("pattern", pattern).With("maxLength", 128)
	}
	return object{{"name", name}, {"in", "header"}, {"description", description}, {"schema", schema}}
}

func header(typ, description string, required bool) object {
	return object{{"description", description}, {"required", required}, {"schema", schemas.Type(typ)}}
}

var localesParam = param{"locales", schemas.Type("[]Locale"), "The locales of localized strings, separated by commas. Default: all."}

func fieldsParam(defaults string) param {
	names := []string{"all"}
	for _, f := range docschema.Fields("ElementFields") {
		names = append(names, f.Name)
	}
	return param{
		"fields",
		object{{"type", "array"}, {"items", object{{"type", "string"}, {"enum", names}}}, {"default", strings.Split(defaults, ",")}},
		"The fields of elements, separated by commas, or all. The id is always included. The server ignores names that it does not know.",
	}
}

var (
	openAPIDoc = operation{id: "getOpenAPI", title: "Get the OpenAPI document", tag: "service", result: object{{"type", "object"}}}

	categorySchemaDoc  = operation{id: "getCategorySchema", title: "Get the JSON Schema of categories", tag: "service", result: jsonSchema}
	elementSchemaDoc   = operation{id: "getElementSchema", title: "Get the JSON Schema of elements", tag: "service", result: jsonSchema}
	metaSchemaDoc      = operation{id: "getMetaSchema", title: "Get the JSON Schema of meta.yaml", tag: "service", result: jsonSchema}
	typeSchemaDoc      = operation{id: "getTypeSchema", title: "Get the JSON Schema of types", tag: "service", result: jsonSchema}
	datachainSchemaDoc = operation{id: "getDatachainSchema", title: "Get the JSON Schema of datachains", tag: "schemas", result: jsonSchema}

	listCodesDoc = operation{id: "listCodes", title: "List codes", tag: "service", result: envelope(field("codes", "[]Code", ""))}

	listSchemasDoc = operation{id: "listSchemas", title: "List versions", tag: "schemas", result: envelope(field("versions", "[]VersionEntry", ""))}

	manifestDoc = operation{id: "getManifest", title: "Get a manifest", tag: "schemas", result: envelope(versionField, field("manifest", "Manifest", ""))}

	categoriesDoc = operation{
		id: "listCategories", title: "List categories", tag: "schemas", params: []param{localesParam},
		result: envelope(versionField, field("categories", "[]Category", ""), optionalField("meta", "Meta", "")),
	}

	elementsDoc = operation{
		id: "listElements", title: "List elements", tag: "schemas",
		params: []param{
			{"category_id", schemas.Type("string"), "Only elements of this category."},
			{"query", object{{"type", "string"}, {"maxLength", 256}}, "Only elements whose title, description or keywords match any of the first 12 words in one locale, best matches first. Case and accents are ignored; the beginnings of words, simple inflections and small typing errors match too. A blank query is ignored."},
			{"locale", schemas.Type("Locale"), "The locale in which to search. Default: en, or the first locale of a version without en."},
			localesParam,
			fieldsParam("id,title,category_id"),
			{"limit", object{{"type", "integer"}, {"minimum", 1}, {"maximum", 200}, {"default", 50}}, "The maximum number of elements on a page."},
			{"cursor", schemas.Type("string"), "The next_cursor of the previous page. It is valid for one version, category_id and query and, with a query, one locale."},
		},
		result: envelope(versionField, field("elements", "[]ElementFields", ""), field("meta", "Page", "")),
	}

	elementDoc = operation{
		id: "getElement", title: "Get an element", tag: "schemas", params: []param{localesParam, fieldsParam("all")},
		result: envelope(versionField, field("element", "ElementFields", ""), optionalField("meta", "Meta", "")),
	}

	iconDoc = operation{tag: "drawings", files: []file{{"getIcon", "Get an icon", "icon.svg"}, {"getIconVariant", "Get an icon variant", "icon.{variant}.svg"}}}

	iconsDoc = operation{id: "getIcons", title: "Get all icons", tag: "drawings", archive: true}

	symbolDoc = operation{tag: "drawings", files: []file{{"getSymbol", "Get a symbol", "{symbol_id}.svg"}}}

	shapeDoc = operation{tag: "drawings", files: []file{{"getShape", "Get a shape", "{shape}.svg"}}}

	turtleDoc = operation{id: "getTurtle", title: "Get linked data in Turtle", tag: "schemas", result: schemas.Type("string"), media: "text/turtle"}
	jsonldDoc = operation{id: "getJSONLD", title: "Get linked data in JSON-LD", tag: "schemas", result: linkedDocument, media: typeJSONLD[0]}

	validateDoc = operation{id: "validate", title: "Check a document", tag: "documents", body: "Datachain", example: thinExample, result: oneOf("Valid", "Invalid")}

	resolveDoc = operation{id: "resolve", title: "Make a document self-contained", tag: "documents", body: "Datachain", example: thinExample, result: oneOf("Resolution", "Invalid")}

	renderDoc = operation{
		id: "render", title: "Render a document", tag: "documents", body: "AnyDatachain", example: thinExample, result: schemas.Type("Invalid"), rendered: []string{"text/html", "text/plain"},
		params: []param{
			{"locale", schemas.Type("Locale"), "The locale that the page shows first. Default: the first locale of the datachain or, in browsers, the one that the reader prefers."},
			{"format", object{{"type", "string"}, {"enum", []string{formatHTML, formatText}}}, "html for a page, the default, or text for its text."},
			{"url", object{{"type", "string"}, {"format", "uri"}, {"maxLength", qr.MaxLength}}, "The http or https address of the page, which its print shows with a QR code."},
		},
	}

	signDoc = operation{
		id: "sign", title: "Render a sign", tag: "documents", body: "AnyDatachain", example: thinExample, result: schemas.Type("Invalid"), rendered: []string{"image/svg+xml"},
		params: []param{
			{"url", object{{"type", "string"}, {"format", "uri"}, {"maxLength", qr.MaxLength}}, "The address of the page, for the QR code: an http: or https: URL."},
			{"size", object{{"type", "string"}, {"enum", sign.SizeNames()}, {"default", sign.Sizes[0].Name}}, "The size of the paper. A square has sides of 300 mm."},
			{"locale", schemas.Type("[]Locale").With("maxItems", sign.MaxLocales), "The locale of the sign, or two, separated by a comma. Default: the first locale of the datachain."},
			{"elements", object{{"type", "array"}, {"items", object{{"type", "string"}}}, {"maxItems", sign.MaxElements}}, "The placements to show, in order: the element_instance_id or element_id of each, separated by commas. Default: those that the taxonomy ranks first."},
		},
		needs: map[string]string{"url": "https://example.org/crossing"},
	}

	validateResolvedDoc = operation{id: "validateResolved", title: "Check a resolved document", tag: "documents", body: "ResolvedDatachain", example: resolvedExample, result: oneOf("Valid", "Invalid")}
)

// linkedDocument is the schema of a body that is a JSON-LD document.
var linkedDocument = object{{"type", "object"}, {"description", "A JSON-LD document with a context and a graph, without the member ok."}}

// jsonSchema is the schema of a body that is a JSON Schema.
var jsonSchema = object{{"type", "object"}, {"description", "A JSON Schema, without the member ok."}}

// envelope returns the schema of a body with ok and the given members.
func envelope(members ...docschema.Field) object {
	return schemas.Record("", append([]docschema.Field{field("ok", "True", "")}, members...)...)
}

var versionField = field("version", "Version", "The canonical id of the version, even if the request names an alias.")

func oneOf(names ...string) object {
	var alternatives []object
	for _, name := range names {
		alternatives = append(alternatives, schemas.Type(name))
	}
	return object{{"oneOf", alternatives}}
}
