package mcpapi

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

// arguments holds the arguments of a tool call after type coercion.
type arguments struct {
	version       string
	datachainType string
	include       string
	categoryID    string
	elementID     string
	elementIDs    []string
	query         string
	locale        string
	locales       []string // nil if absent
	fields        []string // nil if absent
	limit         int      // 0 if absent
	cursor        string
	variant       string
	format        string
	returns       string         // the argument return
	datachain     jsontext.Value // an object, or nil if absent
	handle        string         // of a datachain, instead of the datachain
}

// parameter describes one argument of a tool.
type parameter struct {
	name        string
	description string // for agents
	schema      object // JSON Schema of the value
	want        string // completes the message "must be ..."
	hint        string // fix hint for a wrong value
	required    bool
	alias       string // another name that is accepted, or empty
	// read stores a value in arguments and reports whether it is acceptable.
	read func(*arguments, jsontext.Value) bool
}

// described returns p with another description.
func (p parameter) described(description string) parameter {
	p.description = description
	return p
}

// asRequired returns p as a required parameter.
func (p parameter) asRequired() parameter {
	p.required = true
	return p
}

// withCheck returns p with a check of the value in the arguments.
func (p parameter) withCheck(check func(*arguments) bool) parameter {
	read := p.read
	p.read = func(a *arguments, v jsontext.Value) bool { return read(a, v) && check(a) }
	return p
}

// maxArgumentProblems limits the number of reported problems. No tool has as many
// parameters.
const maxArgumentProblems = 20

// read reads the arguments of a call, which object contains unless it is nil or null. It
// converts values of the wrong type whose meaning is obvious, and returns a problem for
// every other wrong argument.
func (a *arguments) read(object jsontext.Value, parameters []parameter) (problems problem.List) {
	seen := make([]bool, len(parameters))
	for name, value := range members(object) {
		if len(problems) == maxArgumentProblems {
			return problems
		}
		i := parameterIndex(parameters, name)
		switch {
		case i < 0:
			problems = append(problems, unknownArgument(name, parameters))
		case value.Kind() == 'n': // some clients send null for an absent argument
		case parameters[i].read(a, value):
			seen[i] = true
		default:
			seen[i] = true
			problems = append(problems, parameters[i].valueProblem(value))
		}
	}
	for i := range parameters {
		if p := &parameters[i]; p.required && !seen[i] {
			problems = append(problems, argumentProblem(query.InvalidArguments, p.name, "%q is missing; it must be %s.", p.name, p.want).Hint("%s", p.hint))
		}
	}
	return problems
}

// parameterIndex returns the index of the parameter with the given name or, if there
// is none, alias. It returns -1 if there is neither.
func parameterIndex(parameters []parameter, name string) int {
	alias := -1
	for i, p := range parameters {
		if p.name == name {
			return i
		}
		if p.alias == name && name != "" {
			alias = i
		}
	}
	return alias
}

func argumentProblem(code problem.Code, name, format string, args ...any) problem.Problem {
	return problem.New(code, format, args...).In(problem.Root.Field(name))
}

func (p parameter) valueProblem(value jsontext.Value) problem.Problem {
	return argumentProblem(query.InvalidArguments, p.name, "%q must be %s, not %s.", p.name, p.want, problem.Clip(string(value))).Hint("%s", p.hint)
}

func unknownArgument(name string, parameters []parameter) problem.Problem {
	p := argumentProblem(query.InvalidArguments, name, "Unknown argument %q.", problem.Clip(name))
	known := make([]string, len(parameters))
	for i := range parameters {
		known[i] = parameters[i].name
	}
	switch hint := problem.DidYouMean(name, known); {
	case hint != "":
		return p.Hint("%s", hint)
	case len(known) == 0:
		return p.Hint("This tool takes no arguments.")
	}
	return p.Hint("The arguments are %s.", problem.And(known))
}

// stringParameter returns a parameter whose value is a string. A number is
// converted to its literal text.
func stringParameter(name, description, want, hint string, into func(*arguments) *string) parameter {
	return parameter{
		name: name, description: description, want: want, hint: hint, schema: object{{"type", "string"}},
		read: func(a *arguments, v jsontext.Value) bool {
			switch v.Kind() {
			case '"':
				*into(a) = unquote(v)
			case '0':
				*into(a) = string(v)
			default:
				return false
			}
			return true
		},
	}
}

// maxListItems limits lists that are searched for every element of a result.
const maxListItems = 100

// listSchema admits all forms of a list of strings.
var listSchema = object{{"anyOf", []object{{{"type", "array"}, {"items", object{{"type", "string"}}}}, {{"type", "string"}}}}}

// listParameter returns a parameter whose value is an array of strings. A single
// string is split at commas.
func listParameter(name, description, want, hint string, into func(*arguments) *[]string) parameter {
	return parameter{
		name: name, description: description, want: want, hint: hint, schema: listSchema,
		read: func(a *arguments, v jsontext.Value) bool {
			list := into(a)
			switch v.Kind() {
			case '"':
				for item := range strings.SplitSeq(unquote(v), ",") {
					if item = strings.TrimSpace(item); item != "" {
						*list = append(*list, item)
					}
				}
			case '[':
				err := json.Unmarshal(v, list)
				if len(*list) == 0 {
					*list = nil // as if it were absent
				}
				return err == nil
			default:
				return false
			}
			return true
		},
	}
}

var (
	optionalVersionParameter = stringParameter("version", "Optional. The document is checked against the version it pins.",
		"a string, the id or alias of a schema version", "Call list_schema_versions to see the published versions.",
		func(a *arguments) *string { return &a.version })

	versionParameter = optionalVersionParameter.described("Id or alias of a schema version.").asRequired()

	typeParameter = stringParameter("datachain_type", "Only versions of this type, the part of an id before the @.",
		"a string, a datachain type", "Omit it to see all types.",
		func(a *arguments) *string { return &a.datachainType })

	categoryParameter = stringParameter("category_id", "Only elements of this category.",
		"a string, the id of a category", "Call list_categories to see the categories.",
		func(a *arguments) *string { return &a.categoryID })

	elementParameter = stringParameter("element_id", "Id of the element.",
		"a string, the id of an element", "Call list_elements to find element ids.",
		func(a *arguments) *string { return &a.elementID }).asRequired()

	localeParameter = stringParameter("locale", "Locale to search in. Default: the first of locales, or else the version's default.",
		"a string, a locale code", `Use a BCP 47 code such as "en" or "pt-BR".`,
		func(a *arguments) *string { return &a.locale })

	cursorParameter = stringParameter("cursor", "meta.next_cursor of the previous page, with the same filters.",
		"a string", "Omit it for the first page.",
		func(a *arguments) *string { return &a.cursor })

	variantParameter = stringParameter("variant", "One of the element's icon_variants. Default: default.",
		"a string, one of the element's icon_variants", "Omit it for the default icon.",
		func(a *arguments) *string { return &a.variant })

	localesParameter = newLocalesParameter()
	idsParameter     = listParameter("element_ids", "1 to 100 element ids.",
		"a non-empty array of element ids", "Call list_elements to find element ids.",
		func(a *arguments) *[]string { return &a.elementIDs }).asRequired().
		withCheck(func(a *arguments) bool { return len(a.elementIDs) > 0 })

	queryParameter   = newQueryParameter()
	limitParameter   = newLimitParameter()
	includeParameter = choiceParameter("include",
		"authoring: everything needed to write a datachain, in one locale. manifest: metadata, categories and JSON Schemas. full: that and all elements, very long.",
		[]string{includeManifest, includeAuthoring, includeFull}, func(a *arguments) *string { return &a.include })
	formatParameter = choiceParameter("format", "html shows the page and returns a summary; text returns the whole text, to check it, and leaves the page as it was.",
		[]string{formatHTML, formatText}, func(a *arguments) *string { return &a.format })
)

func newLocalesParameter() parameter {
	p := listParameter("locales", `Locales of the texts: ["en"], "en,fr" or "*" for all. Default: all.`,
		"an array of at most 100 locale codes", `Use for example ["en", "fr"], or "*" for all.`,
		func(a *arguments) *[]string { return &a.locales }).
		withCheck(func(a *arguments) bool { return len(a.locales) <= maxListItems })
	p.alias = "locale"
	return p
}

func newQueryParameter() parameter {
	p := stringParameter("query", "Words to search for in titles and descriptions.",
		"a string of at most 256 characters", "Search for fewer words; only the first twelve are used.",
		func(a *arguments) *string { return &a.query }).
		withCheck(func(a *arguments) bool { return utf8.RuneCountInString(a.query) <= query.MaxSearch })
	p.schema = object{{"type", "string"}, {"maxLength", query.MaxSearch}}
	return p
}

func newLimitParameter() parameter {
	maximum, fallback := strconv.Itoa(query.MaxLimit), strconv.Itoa(query.DefaultLimit)
	return parameter{
		name:        "limit",
		description: "Elements per page.",
		want:        "a whole number from 1 to " + maximum,
		hint:        "The maximum is " + maximum + "; for more elements, pass meta.next_cursor as cursor. Omit limit for the default, " + fallback + ".",
		schema:      object{{"type", "integer"}, {"minimum", 1}, {"maximum", query.MaxLimit}, {"default", query.DefaultLimit}},
		read: func(a *arguments, v jsontext.Value) bool {
			digits := string(v)
			if v.Kind() == '"' {
				digits = strings.TrimSpace(unquote(v))
			}
			n, err := strconv.ParseFloat(digits, 64)
			if err != nil || n != float64(int(n)) || n < 1 || n > query.MaxLimit {
				return false
			}
			a.limit = int(n)
			return true
		},
	}
}

// Values of the include argument.
const (
	includeManifest  = "manifest"
	includeAuthoring = "authoring"
	includeFull      = "full"
)

// Values of the format argument.
const (
	formatHTML = "html"
	formatText = "text"
)

// Values of the return argument.
const (
	returnDocument = "document"
	returnOutline  = "outline"
)

// choiceParameter returns a parameter whose value is one of choices. The first is
// the default.
func choiceParameter(name, description string, choices []string, into func(*arguments) *string) parameter {
	p := stringParameter(name, description, problem.Or(choices), "Omit it for "+choices[0]+".", into).
		withCheck(func(a *arguments) bool { return slices.Contains(choices, *into(a)) })
	p.schema = object{{"type", "string"}, {"enum", choices}, {"default", choices[0]}}
	return p
}

// fieldsParameter returns a parameter for field names or "all". fallback describes
// the default to agents.
func fieldsParameter(fallback string) parameter {
	return listParameter("fields", `Fields of each element, such as ["title","description"], or "all". Default: `+fallback+`.`,
		`an array of at most 100 field names, or "all"`, `Use for example ["title", "description"].`,
		func(a *arguments) *[]string { return &a.fields }).
		withCheck(func(a *arguments) bool { return len(a.fields) <= maxListItems })
}

// datachainName is the name of the argument of all document tools.
const datachainName = "datachain"

// documentParameter returns a parameter for a document or its handle. It also
// accepts the document as a string of JSON, which some clients send.
func documentParameter(description string) parameter {
	return parameter{
		name: datachainName, description: description, required: true,
		want:   "an object or a handle",
		hint:   "Pass the document itself, as a JSON object, or the handle in meta.handle of an earlier result.",
		schema: object{{"anyOf", []object{{{"type", "object"}}, {{"type", "string"}}}}},
		read: func(a *arguments, v jsontext.Value) bool {
			if v.Kind() == '"' {
				text := strings.TrimSpace(unquote(v))
				if strings.HasPrefix(text, handlePrefix) {
					a.handle = text
					return true
				}
				v = jsontext.Value(text)
				if v.Kind() != '{' || !v.IsValid() {
					return false
				}
			}
			if v.Kind() != '{' {
				return false
			}
			a.datachain = v
			return true
		},
	}
}

// allLocales selects the texts in all locales, as the default does.
const allLocales = "*"

// requestedLocales returns the requested locales, or nil for all.
func (a *arguments) requestedLocales() query.Locales {
	if slices.Contains(a.locales, allLocales) {
		return nil
	}
	return a.locales
}

// requestedFields returns the requested fields, or fallback if there are none. nil
// means all fields.
func (a *arguments) requestedFields(fallback query.Fields) query.Fields {
	switch {
	case a.fields == nil:
		return fallback
	case slices.Contains(a.fields, "all"):
		return nil
	}
	return a.fields
}
