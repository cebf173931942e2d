package query

import (
	"placard/internal/catalog"
	"placard/internal/datachain"
	"placard/internal/release"
	"placard/internal/view"
)

// Draw validates a document, thin or resolved, and returns the model of its
// view. The texts of a thin document are those of r. The texts of a resolved
// document are those of its snapshot; the symbols, and the categories of suggested
// elements that the snapshot lacks, are those of the release that it refers to. The
// model is nil if the verdict has errors. locale is the preferred locale.
func Draw(s *catalog.Snapshot, r *release.Release, body []byte, locale string, step datachain.Step) (Verdict, *view.Model, error) {
	if datachain.IsResolved(body) {
		return drawResolved(s, body, locale, step)
	}
	doc, report, err := datachain.ParseFor(body, r.Schema(), step)
	if err != nil || !report.OK() {
		return Verdict{report, true}, nil, err
	}
	report, err = datachain.Validate(doc, r.Schema(), step)
	if err != nil || !report.OK() {
		return Verdict{report, false}, nil, err
	}
	model, err := view.Build(doc, r, locale)
	return Verdict{report, false}, model, err
}

func drawResolved(s *catalog.Snapshot, body []byte, locale string, step datachain.Step) (Verdict, *view.Model, error) {
	doc, report, err := datachain.ParseResolvedFor(body, Schemas{s}, step)
	if err != nil || !report.OK() {
		return Verdict{report, true}, nil, err
	}
	r, err := pinned(s, doc.SchemaVersion)
	if err != nil {
		return Verdict{}, nil, err
	}
	report, err = datachain.ValidateResolved(doc, schemaOf(r), step)
	if err != nil || !report.OK() {
		return Verdict{report, false}, nil, err
	}
	model, err := view.BuildResolved(doc, r, locale)
	return Verdict{report, false}, model, err
}
