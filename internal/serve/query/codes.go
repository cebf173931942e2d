package query

import (
	"slices"

	"placard/internal/core/compat"
	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/upgrade"
	"placard/internal/storage/store"
)

// Code describes a code of Placard and the operations that raise it.
type Code struct {
	problem.Rule
	Group    Group
	RaisedBy []string
}

// Group is what a code is about.
type Group string

// The groups.
const (
	Requests    Group = "requests"
	Documents   Group = "documents"
	Tools       Group = "tools" // of MCP
	Trees       Group = "trees"
	Comparisons Group = "comparisons"
	Stores      Group = "stores"
)

// Codes that only MCP tools return.
const (
	ElementNotFound   problem.Code = "element_not_found"
	ElementIDsTooMany problem.Code = "element_ids_too_many"
	UnknownVersion    problem.Code = "unknown_version"
	UnknownVariant    problem.Code = "unknown_variant"
	UnknownHandle     problem.Code = "unknown_handle"
	InvalidArguments  problem.Code = "invalid_arguments"
)

var toolCodes = []Code{
	{problem.Rule{
		Code: ElementNotFound, Severity: problem.Error, Title: "The element must exist in the version.",
		Why: "Ids differ between versions. The hint lists similar ids.",
	}, Tools, []string{"get_element", "get_elements", "get_icon_url"}},
	{problem.Rule{
		Code: ElementIDsTooMany, Severity: problem.Error, Title: "A call must not request more than 100 different elements.",
		Why: "Agent hosts truncate longer responses.",
	}, Tools, []string{"get_elements"}},
	{problem.Rule{
		Code: UnknownVersion, Severity: problem.Error, Title: "The schema version must be published.",
		Why: "The version is malformed, was never published, or has been retired.",
	}, Tools, []string{"mcp"}},
	{problem.Rule{
		Code: UnknownVariant, Severity: problem.Error, Title: "The icon variant must exist.",
		Why: "The variants are default, dark and the values of the element's context. The hint lists them.",
	}, Tools, []string{"get_icon_url"}},
	{problem.Rule{
		Code: UnknownHandle, Severity: problem.Error, Title: "The handle must belong to a document of this session.",
		Why: "A handle works only in the session that it was issued in or, for clients without a session, from the same address. It expires an hour after its last use. Send the document again.",
	}, Tools, []string{"validate_datachain", "resolve_datachain", "validate_resolved", "render_datachain"}},
	{problem.Rule{
		Code: InvalidArguments, Severity: problem.Error, Title: "The arguments must match the input schema of the tool.",
		Why: "The path names the argument, and the hint lists the allowed values.",
	}, Tools, []string{"mcp"}},
}

// Codes returns the codes of requests, documents, tools, authoring trees,
// comparisons and stores.
func Codes() []Code {
	var all []Code
	for _, r := range problem.Faults {
		all = append(all, Code{r, Requests, []string{"rest", "mcp"}})
	}
	for _, r := range datachain.Rules() {
		c := Code{Rule: r.Rule, Group: Documents}
		for _, op := range r.RaisedBy {
			c.RaisedBy = append(c.RaisedBy, string(op))
		}
		all = append(all, c)
	}
	all = append(all, toolCodes...)
	for _, r := range source.Rules() {
		all = append(all, Code{r, Trees, []string{"check"}})
	}
	for _, r := range compat.Rules {
		all = append(all, Code{r, Comparisons, []string{"diff"}})
	}
	for _, r := range upgrade.Rules {
		all = append(all, Code{r, Comparisons, []string{"upgrade"}})
	}
	for _, r := range store.Rules {
		all = append(all, Code{r.Rule, Stores, r.RaisedBy})
	}
	return all
}

// FindCode returns the description of a code.
func FindCode(code problem.Code) (Code, bool) {
	all := Codes()
	i := slices.IndexFunc(all, func(c Code) bool { return c.Code == code })
	if i < 0 {
		return Code{}, false
	}
	return all[i], true
}
