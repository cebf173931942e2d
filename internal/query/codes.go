package query

import (
	"slices"

	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/source"
	"placard/internal/store"
)

// Code is one code that Placard can answer with, and where it is raised.
type Code struct {
	problem.Rule
	RaisedBy []string
}

// Codes of answers that only the tools for agents give.
const (
	ElementNotFound   problem.Code = "element_not_found"
	ElementIDsTooMany problem.Code = "element_ids_too_many"
	UnknownVersion    problem.Code = "unknown_version"
	UnknownVariant    problem.Code = "unknown_variant"
	InvalidArguments  problem.Code = "invalid_arguments"
)

var toolCodes = []Code{
	{problem.Rule{
		Code: ElementNotFound, Severity: problem.Error, Title: "The element is not in the version.",
		Why: "Ids differ between versions; the hint names those that are near.",
	}, []string{"get_element", "get_elements", "get_icon_url"}},
	{problem.Rule{
		Code: ElementIDsTooMany, Severity: problem.Error, Title: "At most 100 different elements are answered at once.",
		Why: "Longer answers are cut by the programs that agents run in.",
	}, []string{"get_elements"}},
	{problem.Rule{
		Code: UnknownVersion, Severity: problem.Error, Title: "The schema version is not published here.",
		Why: "It is malformed, was never published, or has been retired.",
	}, []string{"mcp"}},
	{problem.Rule{
		Code: UnknownVariant, Severity: problem.Error, Title: "The element has no such icon variant.",
		Why: "Variants are default, dark and the values of the element's context; the hint lists them.",
	}, []string{"get_icon_url"}},
	{problem.Rule{
		Code: InvalidArguments, Severity: problem.Error, Title: "The arguments do not fit the tool's input schema.",
		Why: "The path names the argument, and the hint what it may be.",
	}, []string{"mcp"}},
}

// Codes returns every code that Placard can answer with: of requests, of
// documents, of tools, of authoring trees, of publishing.
func Codes() []Code {
	var all []Code
	for _, r := range problem.Faults {
		all = append(all, Code{r, []string{"rest", "mcp"}})
	}
	for _, r := range datachain.Rules() {
		c := Code{Rule: r.Rule}
		for _, op := range r.RaisedBy {
			c.RaisedBy = append(c.RaisedBy, string(op))
		}
		all = append(all, c)
	}
	all = append(all, toolCodes...)
	for _, r := range source.Rules() {
		all = append(all, Code{r, []string{"check"}})
	}
	for _, r := range store.Rules {
		all = append(all, Code{r, []string{"publish"}})
	}
	return all
}

// FindCode returns the row of a code.
func FindCode(code problem.Code) (Code, bool) {
	all := Codes()
	i := slices.IndexFunc(all, func(c Code) bool { return c.Code == code })
	if i < 0 {
		return Code{}, false
	}
	return all[i], true
}
