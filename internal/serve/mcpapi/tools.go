package mcpapi

import "placard/internal/serve/budget"

var (
	thinParameter     = documentParameter("The thin document as a JSON object, or its handle.")
	resolvedParameter = documentParameter("The handle from resolve_datachain, or the complete resolved document.")

	// datachainParameter accepts both forms.
	datachainParameter = documentParameter("The document, thin or resolved, or its handle.")

	guideCategoryParameter = categoryParameter.described("With include authoring: only this category.")

	guideCursorParameter = cursorParameter.described("With include authoring: meta.next_cursor of the previous page.")

	resolveLocalesParameter = localesParameter.described("Has no effect: the snapshot has the texts in all locales.")

	returnParameter = choiceParameter("return", "outline returns the id, the title and counts instead of the document.",
		[]string{returnDocument, returnOutline}, func(a *arguments) *string { return &a.returns })

	viewLocaleParameter = localeParameter.described("Locale of the page. Default: the first locale of the document.")
)

// Schemas of data that several tools return. Output schemas name the members that
// agents use; the OpenAPI document describes records in full.
const (
	findingsSchema = `"valid":{"type":"boolean"},"warnings":` + objectsSchema
	objectsSchema  = `{"type":"array","items":{"type":"object"}}`
	recordsSchema  = `{"type":"array","items":{"type":"object","required":["id"]}}`
)

// tools lists all tools, in the order in which an agent uses them to write a
// datachain.
var tools = []tool{
	{
		name: "list_schema_versions", title: "List schema versions",
		description: "Lists the published schema versions: id, status (a stable version never changes, a beta may), content_hash, and aliases, which are accepted wherever a version is. " +
			"Continue with get_schema.",
		parameters: []parameter{typeParameter},
		dataSchema: `"versions":` + recordsSchema,
		budget:     budget.Read,
		isList:     true,
		shorter:    `datachain_type`,
		call:       (*Server).listSchemaVersions,
	},
	{
		name: "get_schema", title: "Get a schema version",
		description: "Returns the contents of a schema version. Call it with include authoring before you write a datachain: " +
			"one call returns the categories in order (question, required, min and max, context, variables), each with its elements (id, title, a short description), " +
			"the rules of the document and an example that is valid except for its [placeholders]: replace them with facts. Texts are strings in one locale, the first of locales. Members with default values are omitted; " +
			"a long guide has pages. include manifest instead returns localized records and JSON Schemas. Then call validate_datachain.",
		parameters: []parameter{versionParameter, includeParameter, localesParameter, guideCategoryParameter, guideCursorParameter},
		dataSchema: `"categories":` + recordsSchema + `,"rules":{"type":"array","items":{"type":"string"}},"example":{"type":"object"},"manifest":{"type":"object"},"schema_json":{"type":"object"},"elements":` + recordsSchema,
		budget:     budget.Read,
		isList:     true,
		shorter:    `include "authoring", or with locales`,
		call:       (*Server).getSchema,
	},
	{
		name: "list_categories", title: "List categories",
		description: "Lists the categories of a version in order, as full records: the questions that a datachain answers, " +
			"with their guidance, context and variables. get_schema with include authoring is shorter and has the elements too.",
		parameters: []parameter{versionParameter, localesParameter},
		dataSchema: `"categories":` + recordsSchema,
		budget:     budget.Read,
		isList:     true,
		shorter:    "locales",
		call:       (*Server).listCategories,
	},
	{
		name: "list_elements", title: "List or search elements",
		description: "Finds elements, the statements that a datachain can make: all, those of one category, or search results with the best match first. " +
			"Prefixes, inflections and small typos match too. Use get_elements for the full records of a few.",
		parameters: []parameter{
			versionParameter, categoryParameter, queryParameter, localeParameter, localesParameter,
			fieldsParameter("id, title and category_id"), limitParameter, cursorParameter,
		},
		dataSchema: `"elements":` + recordsSchema + `,"total":{"type":"integer"},"returned":{"type":"integer"}`,
		budget:     budget.Read,
		isList:     true,
		shorter:    "locales, fields or a lower limit",
		call:       (*Server).listElements,
	},
	{
		name: "get_element", title: "Get one element",
		description: "Returns one element in full: title, description, guidance, the variables that a placement fills in, its own context if that replaces the category's, " +
			"icon variants, sources and examples. Use get_elements for several, and list_elements to find ids.",
		parameters: []parameter{versionParameter, elementParameter, localesParameter, fieldsParameter("all")},
		dataSchema: `"element":{"type":"object"}`,
		budget:     budget.Read,
		shorter:    "locales or fields",
		call:       (*Server).getElement,
	},
	{
		name: "get_elements", title: "Get several elements",
		description: "Returns up to 100 elements in full, as a map from id to element. An unknown id maps to null, " +
			"with an error that names the nearest ids; the other elements are still returned. Use list_elements to find ids.",
		parameters: []parameter{versionParameter, idsParameter, localesParameter, fieldsParameter("all")},
		dataSchema: `"elements":{"type":"object"}`,
		budget:     budget.Read,
		shorter:    "locales or fields",
		call:       (*Server).getElements,
	},
	{
		name: "validate_datachain", title: "Validate a datachain",
		description: "Validates a thin datachain against a version: first its shape (parse_error), and once that is right, its meaning. " +
			"Each error has a path and a fix_hint. Warnings do not make a document invalid, but a finished document has none. " +
			"Fix errors with known facts only; if one is unknown, ask the user. " + openQuestions + " " +
			"Once ok is true, call render_datachain with meta.handle. " +
			"Use validate_resolved for a document with a schema_snapshot.",
		parameters: []parameter{versionParameter, thinParameter},
		dataSchema: findingsSchema,
		budget:     budget.Validate,
		call:       (*Server).validateDatachain,
	},
	{
		name: "resolve_datachain", title: "Resolve a datachain",
		description: "Validates a thin datachain and makes it self-contained: data is the document with defaults filled in and schema_snapshot, the part of the schema that it uses. " +
			"Use it for the copy to keep or publish. If the document is invalid, data.valid is false. " +
			"If you need only meta.handle, for validate_resolved and render_datachain, set return to outline.",
		parameters: []parameter{versionParameter, thinParameter, returnParameter, resolveLocalesParameter},
		dataSchema: `"id":{"type":"string"},"elements":{"type":"array"},"schema_snapshot":{"type":"object"},"suggested_elements":{"type":"array"},"byte_count":{"type":"integer"},` + findingsSchema,
		budget:     budget.Resolve,
		shorter:    `return "outline"`,
		call:       (*Server).resolveDatachain,
	},
	{
		name: "validate_resolved", title: "Validate a resolved datachain",
		description: "Validates a resolved datachain against its own snapshot and suggested_elements, and the snapshot against the version that the document pins, if that version is published. " +
			"A suggested element has id, category_id, title and description, is placed in elements like any other, and requires authoring_provenance.kind ai_generated. Use validate_datachain for a thin document.",
		parameters: []parameter{resolvedParameter, optionalVersionParameter},
		dataSchema: findingsSchema,
		budget:     budget.Resolve,
		call:       (*Server).validateResolved,
	},
	{
		name: "render_datachain", title: "Render a datachain",
		description: "Renders a datachain, thin or resolved, for people: hosts that support MCP Apps display it, and the resource " + viewURI +
			" then holds it as one HTML page. Returns a summary or the whole text, and then the JSON. " +
			"Call it after validate_datachain, with meta.handle. An invalid document is not rendered: data.valid is false.",
		parameters: []parameter{versionParameter, datachainParameter, formatParameter, viewLocaleParameter},
		dataSchema: `"resource_uri":{"type":"string"},"section_count":{"type":"integer"},"element_count":{"type":"integer"},"summary":{"type":"string"},"text":{"type":"string"},` + findingsSchema,
		budget:     budget.Resolve,
		hasView:    true,
		call:       (*Server).renderDatachain,
	},
	{
		name: "get_icon_url", title: "Get the URL of an icon",
		description: "Returns a URL from which an element's icon can be fetched as SVG, in one of its variants, and lists the variants. " +
			"Use it to embed icons in pages and documents; render_datachain includes icons itself.",
		parameters: []parameter{versionParameter, elementParameter, variantParameter},
		dataSchema: `"url":{"type":"string"},"content_type":{"type":"string"},"variant":{"type":"string"},"valid_variants":{"type":"array","items":{"type":"string"}}`,
		budget:     budget.Read,
		call:       (*Server).getIconURL,
	},
}
