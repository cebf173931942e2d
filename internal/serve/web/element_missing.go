package web

import (
	"net/http"
	"slices"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/query"
)

// missingElement is the page for an element that r does not have.
func (q *request) missingElement(r *release.Release, id string) (*page, error) {
	if query.IsCategory(r, id) {
		return &page{redirect: withLang(questionPath(r.Name(), id), q.chosen)}, nil
	}
	if now, ok := r.Successor(id); ok {
		return &page{redirect: withLang(elementPath(r.Name(), now), q.chosen)}, nil
	}
	const maxNearest, maxVersions = 5, 10
	data := missingData{
		ID: problem.Clip(id), Version: r.Name(), Explorer: explorePath(r.Name()), Taxonomy: q.text(r, r.Manifest.Title),
	}
	for _, other := range slices.Backward(q.snapshot.Releases()) {
		if _, ok := other.Element(id); ok && other.ID().Type == r.ID().Type && len(data.Versions) < maxVersions {
			data.Versions = append(data.Versions, versionLink{ID: other.ID(), Path: elementPath(other.Name(), id)})
		}
	}
	icons := iconSet{release: r, budget: maxIconBytes}
	for _, near := range problem.Nearest(data.ID, query.ElementIDs(r), maxNearest) {
		n, _ := r.Element(near)
		data.Nearest = append(data.Nearest, q.elementLink(&icons, n))
	}
	title := q.ui.get("element.missing", "id", data.ID)
	return q.unknownPage(&page{
		template: "missing.html", status: http.StatusNotFound, Title: title, Release: r,
		Crumbs: q.crumbs(q.releaseCrumb(r)), Locales: r.Manifest.Locales, Data: data,
	}), nil
}

type missingData struct {
	ID, Version, Explorer string
	Taxonomy              Text
	Versions              []versionLink
	Nearest               []elementLink
}
