package mcpapi

import (
	"strconv"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

// callNames are the tools of the operations that a hint can refer to.
var callNames = map[problem.Operation]string{
	problem.OpListVersions:     "list_schema_versions",
	problem.OpShowVersion:      "get_schema",
	problem.OpListElements:     "list_elements",
	problem.OpShowElement:      "get_element",
	problem.OpFindElement:      "get_element",
	problem.OpValidate:         "validate_datachain",
	problem.OpValidateResolved: "validate_resolved",
	problem.OpResolve:          "resolve_datachain",
}

// sentence returns the sentence about a call: its tool and the known arguments.
func sentence(c problem.Call) string {
	name := callNames[c.Operation]
	if name == "" {
		return ""
	}
	if c.Version != "" {
		name += " with version " + strconv.Quote(c.Version)
	}
	if c.Element != "" {
		name += " and element_id " + strconv.Quote(c.Element)
	}
	if c.Category != "" {
		name += " and category_id " + strconv.Quote(c.Category)
	}
	return c.Sentence(name)
}

// sentence returns the sentence about a next call, which is recommended in the
// result of c.
func (s *Server) sentence(c *call, next problem.Call) string {
	snapshot, _ := s.snapshot(c) // nil if there is none
	return sentence(query.Callable(snapshot, next, c.args.version))
}

// render renders the calls in the hints of the result of c.
func (s *Server) render(c *call, problems problem.List) problem.List {
	return problems.Render(func(next problem.Call) string { return s.sentence(c, next) })
}
