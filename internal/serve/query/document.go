package query

import (
	"errors"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
)

// Verdict is the findings in a document.
type Verdict struct {
	datachain.Report
	// WrongShape reports whether the document could not be parsed, so that no
	// rules were applied.
	WrongShape bool
}

// Validate validates a thin document against r.
func Validate(r *release.Release, body []byte, step datachain.Step) (Verdict, error) {
	doc, report, err := datachain.Parse(body, step)
	if err != nil || !report.OK() {
		return Verdict{report, true}, err
	}
	defer doc.Release()
	report, err = datachain.Validate(doc, r.Schema(), step)
	return Verdict{report, false}, err
}

// Resolve validates a thin document against r and resolves it. The resolution
// is nil if the verdict has errors.
func Resolve(r *release.Release, body []byte, step datachain.Step) (Verdict, *datachain.Resolution, error) {
	doc, report, err := datachain.Parse(body, step)
	if err != nil || !report.OK() {
		return Verdict{report, true}, nil, err
	}
	defer doc.Release()
	resolution, err := datachain.Resolve(doc, r.Schema(), step)
	if err != nil || !resolution.OK() {
		return Verdict{resolution.Report, false}, nil, err
	}
	return Verdict{resolution.Report, false}, &resolution, nil
}

// ValidateResolved validates a resolved document. Its snapshot is compared with
// the release that the document refers to, if that is still published.
func ValidateResolved(s *catalog.Snapshot, body []byte, step datachain.Step) (Verdict, error) {
	doc, report, err := datachain.ParseResolved(body, step)
	if err != nil || !report.OK() {
		return Verdict{report, true}, err
	}
	defer doc.Release()
	r, err := pinned(s, doc.SchemaVersion)
	if err != nil {
		return Verdict{}, err
	}
	report, err = datachain.ValidateResolved(doc, schemaOf(r), step)
	return Verdict{report, false}, err
}

// pinned returns the release called id, or nil if it is no longer published.
func pinned(s *catalog.Snapshot, id taxonomy.ID) (*release.Release, error) {
	ref, err := taxonomy.ParseRef(id.String())
	if err != nil {
		return nil, err
	}
	r, err := s.Release(ref)
	var p problem.Problem
	if errors.As(err, &p) && p.Code == problem.NotFound {
		return nil, nil
	}
	return r, err
}

// schemaOf returns the schema of r, or nil if r is nil.
func schemaOf(r *release.Release) *datachain.Schema {
	if r == nil {
		return nil
	}
	return r.Schema()
}
