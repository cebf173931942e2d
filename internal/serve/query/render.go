package query

import (
	"placard/internal/core/datachain"
	"placard/internal/core/release"
	"placard/internal/show/view"
	"placard/internal/storage/catalog"
)

// Render validates a document, thin or resolved, and returns a model of its view for
// each of the preferred locales. The texts of a thin document are those of r. The
// texts of a resolved document are those of its snapshot; the symbols, and the
// categories of suggested elements that the snapshot lacks, are those of the release
// that it refers to. There are no models if the verdict has errors.
func Render(s *catalog.Snapshot, r *release.Release, body []byte, locales []string, step datachain.Step) (Verdict, []*view.Model, error) {
	verdict, d, err := parseDocument(s, r, body, step)
	if d == nil || err != nil {
		return verdict, nil, err
	}
	models := make([]*view.Model, len(locales))
	for i, locale := range locales {
		if models[i], err = d.Model(locale, step); err != nil {
			return verdict, nil, err
		}
	}
	return verdict, models, nil
}

// RenderAll is like [Render] and returns the models in all locales of the document's
// title. The first model is the one that Render returns for locale.
func RenderAll(s *catalog.Snapshot, r *release.Release, body []byte, locale string, step datachain.Step) (Verdict, []*view.Model, error) {
	verdict, d, err := parseDocument(s, r, body, step)
	if d == nil || err != nil {
		return verdict, nil, err
	}
	models, err := d.Models(locale, step)
	return verdict, models, err
}

// parseDocument returns the document in a body, or nil if it has errors.
func parseDocument(s *catalog.Snapshot, r *release.Release, body []byte, step datachain.Step) (Verdict, *view.Document, error) {
	if datachain.IsResolved(body) {
		doc, pinned, verdict, err := validateResolved(s, body, step)
		if err != nil || !verdict.OK() {
			return verdict, nil, err
		}
		return verdict, view.Resolved(doc, pinned), nil
	}
	doc, verdict, err := validate(r, body, step)
	if err != nil || !verdict.OK() {
		return verdict, nil, err
	}
	return verdict, view.Thin(doc, r), nil
}
