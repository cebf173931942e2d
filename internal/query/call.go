package query

import (
	"placard/internal/catalog"
	"placard/internal/problem"
)

// Callable returns call in the form that succeeds for the client of a request.
// requested is the id or alias in the request, if any. The call has the same
// spelling of the version if it concerns the same release. A call for a version
// that is not available becomes [problem.ListVersions].
func Callable(s *catalog.Snapshot, call problem.Call, requested string) problem.Call {
	if call.Operation == problem.OpListVersions {
		return call
	}
	if call.Version == "" {
		call.Version = requested
		return call
	}
	r := s.Lookup(call.Version)
	if r == nil {
		return problem.ListVersions()
	}
	if s.Lookup(requested) == r {
		call.Version = requested
	}
	return call
}
