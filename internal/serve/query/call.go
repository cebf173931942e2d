package query

import (
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/storage/catalog"
)

// Callable returns call in the form that succeeds for the client of a request.
// requested is the id or alias in the request, if any. The call has the same
// spelling of the version if it concerns the same release. A call for a version
// that is not available becomes [problem.ListVersions]. A call about an element that
// the version lacks becomes the call that shows it in another version, if any.
func Callable(s *catalog.Snapshot, call problem.Call, requested string) problem.Call {
	if call.Operation == problem.OpListVersions {
		return call
	}
	if call.Operation == problem.OpFindElement || call.Operation == problem.OpListElements && call.Element != "" {
		if r := releaseWith(s, call.Element, call.Version); r != nil {
			return problem.FindElement(r.Name(), call.Element)
		}
		if call.Operation == problem.OpFindElement {
			return problem.Call{}
		}
		call.Element = ""
	}
	if call.Version == "" {
		call.Version = requested
		return call
	}
	id, ok := s.Resolve(call.Version)
	if !ok {
		return problem.ListVersions()
	}
	if same, _ := s.Resolve(requested); same == id {
		call.Version = requested
	}
	return call
}

// releaseWith returns a release in memory, other than version, that has the element,
// if any: one of the same type if possible.
func releaseWith(s *catalog.Snapshot, element, version string) *release.Release {
	if s == nil {
		return nil
	}
	var found *release.Release
	own, _ := s.Resolve(version)
	for _, r := range s.Releases() {
		if _, ok := r.Element(element); !ok || r.ID() == own {
			continue
		}
		if own.IsZero() || r.ID().Type == own.Type {
			return r
		}
		if found == nil {
			found = r
		}
	}
	return found
}
