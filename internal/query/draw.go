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
	verdict, d, err := parseDrawable(s, r, body, step)
	if d == nil || err != nil {
		return verdict, nil, err
	}
	var model *view.Model
	if d.resolved != nil {
		model, err = view.BuildResolved(d.resolved, d.release, locale)
	} else {
		model, err = view.Build(d.thin, d.release, locale)
	}
	return verdict, model, err
}

// DrawAll is like [Draw] and returns the models in all locales of the document's
// title. The first model is the one that Draw returns.
func DrawAll(s *catalog.Snapshot, r *release.Release, body []byte, locale string, step datachain.Step) (Verdict, []*view.Model, error) {
	verdict, d, err := parseDrawable(s, r, body, step)
	if d == nil || err != nil {
		return verdict, nil, err
	}
	var models []*view.Model
	if d.resolved != nil {
		models, err = view.BuildAllResolved(d.resolved, d.release, locale, step)
	} else {
		models, err = view.BuildAll(d.thin, d.release, locale, step)
	}
	return verdict, models, err
}

// drawable is a valid document, thin or resolved.
type drawable struct {
	thin     *datachain.Document
	resolved *datachain.Resolved
	release  *release.Release // nil if the release of a resolved document is not available
}

// parseDrawable returns a document if it is valid.
func parseDrawable(s *catalog.Snapshot, r *release.Release, body []byte, step datachain.Step) (Verdict, *drawable, error) {
	if datachain.IsResolved(body) {
		return parseResolvedDrawable(s, body, step)
	}
	doc, report, err := datachain.ParseFor(body, r.Schema(), step)
	if err != nil || !report.OK() {
		return Verdict{report, true}, nil, err
	}
	report, err = datachain.Validate(doc, r.Schema(), step)
	if err != nil || !report.OK() {
		return Verdict{report, false}, nil, err
	}
	return Verdict{report, false}, &drawable{thin: doc, release: r}, nil
}

func parseResolvedDrawable(s *catalog.Snapshot, body []byte, step datachain.Step) (Verdict, *drawable, error) {
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
	return Verdict{report, false}, &drawable{resolved: doc, release: r}, nil
}
