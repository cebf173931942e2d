package query

import (
	"errors"

	"placard/internal/catalog"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// Verdict is what was found in a document.
type Verdict struct {
	datachain.Report
	// Shape says that the document has the wrong shape, so that only that was
	// looked at.
	Shape bool
}

// Validate checks a thin document against r.
func Validate(r *release.Release, body []byte, step datachain.Step) (Verdict, error) {
	doc, report, err := datachain.Parse(body, step)
	if err != nil || !report.OK() {
		return Verdict{report, true}, err
	}
	defer doc.Release()
	report, err = datachain.Validate(doc, r.Schema(), step)
	return Verdict{report, false}, err
}

// Resolve checks a thin document against r and makes it self-contained. There
// is a resolution only where the verdict has no errors.
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

// ValidateResolved checks a resolved document, its snapshot against the
// release it pins while that is in the index.
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

// pinned returns the release that a document pins, nil where it is no longer
// indexed.
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

// schemaOf returns the schema of r, nil where there is none.
func schemaOf(r *release.Release) *datachain.Schema {
	if r == nil {
		return nil
	}
	return r.Schema()
}
