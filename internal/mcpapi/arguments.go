package mcpapi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/problem"
	"placard/internal/query"
)

// arguments are those of a tool call, as they were meant.
type arguments struct {
	version       string
	datachainType string
	include       string
	categoryID    string
	elementID     string
	elementIDs    []string
	query         string
	locale        string
	locales       []string // nil: not given
	fields        []string // nil: not given
	limit         int      // 0: not given
	cursor        string
	variant       string
	datachain     jsontext.Value
}

// parameter is one argument of a tool.
type parameter struct {
	name     string
	about    string // what an agent is told of it
	schema   string // of its value, the inside of a JSON object
	want     string // what a message says it must be
	hint     string // what to do where it is not that
	required bool
	// read takes a value, and reports whether it can be taken for one.
	read func(*arguments, jsontext.Value) bool
}

// needed returns p as an argument that must be given.
func (p parameter) needed() parameter {
	p.required = true
	return p
}

// few returns p as an argument with at most so many items as one request may
// look for in every element.
func (p parameter) few(count func(*arguments) int) parameter {
	read := p.read
	p.read = func(a *arguments, v jsontext.Value) bool { return read(a, v) && count(a) <= maxWords }
	return p
}

// maxWrong is how many wrong arguments are reported; no tool has as many.
const maxWrong = 20

// read reads the arguments of a call. Those of the wrong but obvious type are
// taken as meant; all others are reported.
func (a *arguments) read(given []member, parameters []parameter) (wrong problem.List) {
	seen := make([]bool, len(parameters))
	for _, g := range given {
		if len(wrong) == maxWrong {
			return wrong
		}
		i := indexParameter(parameters, g.name)
		switch {
		case i < 0:
			wrong = append(wrong, unknownArgument(string(g.name), parameters))
		case g.value.Kind() == 'n': // null is how some clients leave out an argument
		case parameters[i].read(a, g.value):
			seen[i] = true
		default:
			seen[i] = true
			wrong = append(wrong, parameters[i].wrong(g.value))
		}
	}
	for i := range parameters {
		if p := &parameters[i]; p.required && !seen[i] {
			wrong = append(wrong, invalid(p.name, "%q is missing; it must be %s.", p.name, p.want).Hint("%s", p.hint))
		}
	}
	return wrong
}

// indexParameter returns which of the parameters is called name, or -1.
func indexParameter(parameters []parameter, name []byte) int {
	for i := range parameters {
		if parameters[i].name == string(name) {
			return i
		}
	}
	return -1
}

func invalid(name, format string, args ...any) problem.Problem {
	return problem.New(query.InvalidArguments, format, args...).In(problem.Root.Field(name))
}

func (p parameter) wrong(value jsontext.Value) problem.Problem {
	return invalid(p.name, "%q must be %s, not %s.", p.name, p.want, problem.Clip(string(value))).Hint("%s", p.hint)
}

func unknownArgument(name string, parameters []parameter) problem.Problem {
	known := make([]string, len(parameters))
	for i, p := range parameters {
		known[i] = p.name
	}
	p := invalid(name, "Unknown argument %q.", problem.Clip(name))
	switch near := problem.DidYouMean(name, known); {
	case near != "":
		return p.Hint("%s", near)
	case len(known) == 0:
		return p.Hint("This tool takes no arguments.")
	}
	return p.Hint("The arguments are %s.", problem.And(known))
}

// text is a parameter that is a string. A number is taken as it is written.
func text(name, about, want, hint string, into func(*arguments) *string) parameter {
	return parameter{
		name: name, about: about, want: want, hint: hint, schema: `"type":"string"`,
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

// maxWords is how many names a list may have of which each is looked for in
// every element.
const maxWords = 100

// words is a parameter that is an array of strings. One string is taken for an
// array of one, or of several with commas between them.
func words(name, about, want, hint string, into func(*arguments) *[]string) parameter {
	return parameter{
		name: name, about: about, want: want, hint: hint, schema: `"type":"array","items":{"type":"string"}`,
		read: func(a *arguments, v jsontext.Value) bool {
			list := into(a)
			switch v.Kind() {
			case '"':
				for word := range strings.SplitSeq(unquote(v), ",") {
					if word = strings.TrimSpace(word); word != "" {
						*list = append(*list, word)
					}
				}
			case '[':
				var ok bool
				*list, ok = unquoteAll(v)
				return ok
			default:
				return false
			}
			return true
		},
	}
}

// unquoteAll returns what the strings in an array say, and whether it has
// nothing else. Of an empty one it returns nil.
func unquoteAll(array jsontext.Value) (list []string, ok bool) {
	for item := range items(array) {
		if item.Kind() != '"' {
			return nil, false
		}
		if list == nil {
			list = make([]string, 0, 4) // most are short
		}
		list = append(list, unquote(item))
	}
	return list, true
}

var (
	versionParameter = text("version",
		"Schema version: a canonical id such as place@2026-06-01-stable, or an alias such as place@latest. list_schema_versions lists both.",
		"a string, the id or alias of a schema version", "Call list_schema_versions to see the published versions.",
		func(a *arguments) *string { return &a.version }).needed()

	typeParameter = text("datachain_type",
		"Return only versions of this datachain type, the part of an id before the @. Omit for all.",
		"a string, a datachain type", "Omit it to see all types.",
		func(a *arguments) *string { return &a.datachainType })

	categoryParameter = text("category_id",
		"Return only elements of this category. list_categories lists the ids; an unknown id returns an empty list.",
		"a string, the id of a category", "Call list_categories to see the categories.",
		func(a *arguments) *string { return &a.categoryID })

	elementParameter = text("element_id", "Id of the element, as returned by list_elements.",
		"a string, the id of an element", "Call list_elements to find element ids.",
		func(a *arguments) *string { return &a.elementID }).needed()

	localeParameter = text("locale",
		"Locale to search in. Default: en, or else the version's first locale; en-GB falls back to en.",
		"a string, a locale code", `Use a BCP 47 code such as "en" or "pt-BR".`,
		func(a *arguments) *string { return &a.locale })

	cursorParameter = text("cursor",
		"meta.next_cursor of the previous page, with all filters unchanged. Omit for the first page.",
		"a string", "Omit it for the first page.",
		func(a *arguments) *string { return &a.cursor })

	variantParameter = text("variant",
		"default, dark, or the id of one of the element's context values; the element's icon_variants lists them. Default: default.",
		"a string, one of the element's icon_variants", "Omit it for the default icon.",
		func(a *arguments) *string { return &a.variant })

	localesParameter = words("locales",
		`Locales of the texts to return, such as ["en"], or "*" for all. Request only the one or two you need: results become much shorter. `+
			`Default: all, or only the main locale if the result would be very long; meta.notice says so.`,
		"an array of at most 100 locale codes", `Use for example ["en", "fr"], or "*" for all.`,
		func(a *arguments) *[]string { return &a.locales }).few(func(a *arguments) int { return len(a.locales) })

	queryParameter   = searchText()
	limitParameter   = pageSize()
	includeParameter = include()
	idsParameter     = elementIDs()
)

func searchText() parameter {
	p := text("query",
		"Words to search for in titles and descriptions. The best matches are first; prefixes, inflections and small typos match too.",
		"a string of at most 256 characters", "Search for fewer words; only the first twelve are used.",
		func(a *arguments) *string { return &a.query })
	p.schema = `"type":"string","maxLength":` + strconv.Itoa(query.MaxSearch)
	read := p.read
	p.read = func(a *arguments, v jsontext.Value) bool {
		return read(a, v) && len([]rune(a.query)) <= query.MaxSearch
	}
	return p
}

func pageSize() parameter {
	return parameter{
		name:   "limit",
		about:  "Maximum number of elements per page.",
		want:   "a whole number from 1 to " + strconv.Itoa(query.MaxLimit),
		hint:   "Omit it for the default, " + strconv.Itoa(query.DefaultLimit) + ".",
		schema: `"type":"integer","minimum":1,"maximum":` + strconv.Itoa(query.MaxLimit) + `,"default":` + strconv.Itoa(query.DefaultLimit),
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

// What get_schema includes.
const (
	includeManifest = "manifest"
	includeFull     = "full"
)

func include() parameter {
	p := text("include",
		"manifest omits the elements; full adds every element with all its fields, which can be very long: prefer list_elements.",
		`"manifest" or "full"`, "Omit it for manifest.",
		func(a *arguments) *string { return &a.include })
	p.schema = `"type":"string","enum":["manifest","full"],"default":"manifest"`
	read := p.read
	p.read = func(a *arguments, v jsontext.Value) bool {
		return read(a, v) && (a.include == includeManifest || a.include == includeFull)
	}
	return p
}

func elementIDs() parameter {
	p := words("element_ids",
		"Ids of the elements, as returned by list_elements: at least one, at most 100 distinct ids.",
		"a non-empty array of element ids", "Call list_elements to find element ids.",
		func(a *arguments) *[]string { return &a.elementIDs }).needed()
	p.schema = `"type":"array","items":{"type":"string"},"minItems":1`
	read := p.read
	p.read = func(a *arguments, v jsontext.Value) bool { return read(a, v) && len(a.elementIDs) > 0 }
	return p
}

// fieldsParameter takes names of fields, or "all".
func fieldsParameter(fallback string) parameter {
	p := words("fields",
		`Fields of each element to return, or "all". The id is always included; unknown names are ignored. Default: `+fallback+
			`. Fields: title, description, category_id, symbol_id, required, max_placements, guidance, context, sources, examples, shape, icon_variants, variables.`,
		`an array of at most 100 field names, or "all"`, `Use for example ["title", "description"].`,
		func(a *arguments) *[]string { return &a.fields }).few(func(a *arguments) int { return len(a.fields) })
	p.schema = `"anyOf":[{"type":"array","items":{"type":"string"}},{"const":"all"}]`
	return p
}

// documentParameter takes a document. Some clients send one as a string.
func documentParameter(about, example string) parameter {
	return parameter{
		name: "datachain", about: about, required: true,
		want:   "an object",
		hint:   "Pass the document itself, as a JSON object.",
		schema: `"type":"object","examples":[` + example + `]`,
		read: func(a *arguments, v jsontext.Value) bool {
			if v.Kind() == '"' {
				inner := jsontext.Value(strings.TrimSpace(unquote(v)))
				if inner.Kind() != '{' || !inner.IsValid() {
					return false
				}
				v = inner
			}
			a.datachain = v
			return v.Kind() == '{'
		},
	}
}

// everyLocale is what a caller writes to get the texts in all locales, however
// long the answer is then.
const everyLocale = "*"

// wantedLocales returns the locales that were asked for, nil for all.
func (a *arguments) wantedLocales() query.Locales {
	if slices.Contains(a.locales, everyLocale) {
		return nil
	}
	return a.locales
}

// wantedFields returns the fields that were asked for.
func (a *arguments) wantedFields(fallback query.Fields) query.Fields {
	switch {
	case a.fields == nil:
		return fallback
	case slices.Contains(a.fields, "all"):
		return nil
	}
	return a.fields
}
