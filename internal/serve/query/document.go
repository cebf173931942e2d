package query

import (
	"errors"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
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
	doc, verdict, err := validate(r, body, step)
	if doc != nil {
		doc.Release()
	}
	return verdict, err
}

// validate is [Validate] and returns the document too, unless it could not be parsed.
func validate(r *release.Release, body []byte, step datachain.Step) (*datachain.Document, Verdict, error) {
	doc, report, err := datachain.Parse(body, step)
	if err != nil || !report.OK() {
		return nil, Verdict{report, true}, err
	}
	report, err = datachain.Validate(doc, r.Schema(), step)
	return doc, Verdict{report, false}, err
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
	doc, _, verdict, err := validateResolved(s, body, step)
	if doc != nil {
		doc.Release()
	}
	return verdict, err
}

// validateResolved is [ValidateResolved] and returns the document too, unless it could
// not be parsed, and the release that it refers to, unless that is no longer published.
func validateResolved(s *catalog.Snapshot, body []byte, step datachain.Step) (*datachain.Resolved, *release.Release, Verdict, error) {
	doc, report, err := datachain.ParseResolved(body, step)
	if err != nil || !report.OK() {
		return nil, nil, Verdict{report, true}, err
	}
	var schema *datachain.Schema
	r, err := s.Find(doc.SchemaVersion.String())
	if p, ok := errors.AsType[problem.Problem](err); ok && (p.Code == problem.NotFound || p.Code == problem.Gone) {
		r, err = nil, nil
	}
	if err != nil {
		return doc, nil, Verdict{}, err
	}
	if r != nil {
		schema = r.Schema()
	}
	report, err = datachain.ValidateResolved(doc, schema, step)
	return doc, r, Verdict{report, false}, err
}
