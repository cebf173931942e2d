package httpapi

import (
	"cmp"
	"net/url"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
	"placard/internal/storage/catalog"
)

// callNames are the method and path of each operation that a hint can refer to.
var callNames = map[problem.Operation]string{
	problem.OpListVersions:     "GET /api/v2/schemas",
	problem.OpShowVersion:      "GET /api/v2/schemas/{version}/manifest",
	problem.OpListElements:     "GET /api/v2/schemas/{version}/elements",
	problem.OpShowElement:      "GET /api/v2/schemas/{version}/elements/{element_id}",
	problem.OpFindElement:      "GET /api/v2/schemas/{version}/elements/{element_id}",
	problem.OpValidate:         "POST /api/v2/schemas/{version}/validate",
	problem.OpValidateResolved: "POST /api/v2/schemas/{version}/validate_resolved",
	problem.OpResolve:          "POST /api/v2/schemas/{version}/resolve",
}

// sentence returns the sentence about a call. Parameters that are not known keep
// their names.
func sentence(c problem.Call) string {
	name := strings.NewReplacer(
		"{version}", cmp.Or(c.Version, "{version}"),
		"{element_id}", cmp.Or(c.Element, "{element_id}"),
	).Replace(callNames[c.Operation])
	if c.Category != "" {
		name += "?category_id=" + url.QueryEscape(c.Category)
	}
	return c.Sentence(name)
}

// sentences returns the function that renders calls for a request. requested is
// the version in its path.
func sentences(s *catalog.Snapshot, requested string) func(problem.Call) string {
	return func(c problem.Call) string { return sentence(query.Callable(s, c, requested)) }
}
