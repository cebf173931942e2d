package web

import (
	"slices"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
)

// searchBox is a search form.
type searchBox struct {
	Action      string // path of the page with the results
	Placeholder string
	Query       string
	Category    string // id of the category that is searched; may be empty
	Lang        string // language in the address; may be empty
	Results     string // id of the element that shows results as the reader types; may be empty
}

// MaxLength returns the maximum number of characters in a search.
func (searchBox) MaxLength() int { return query.MaxSearch }

// SearchBox returns the search form in the header, or nil. By default, pages about a
// release search its elements.
func (f frame) SearchBox() *searchBox {
	if f.Search != nil || f.Release == nil {
		return f.Search
	}
	return f.newSearchBox(f.Release)
}

// newSearchBox returns the form that searches the elements of r.
func (q *request) newSearchBox(r *release.Release) *searchBox {
	return &searchBox{
		Action:      explorePath(r.Name()),
		Placeholder: q.ui.count("search.signs", len(r.Taxonomy.Elements)),
		Query:       q.params.Get("q"),
		Lang:        q.chosen,
	}
}

// versionLink is an entry in the menu of versions.
type versionLink struct {
	ID        taxonomy.ID
	Path      string
	IsCurrent bool
}

// versionLinks returns the newest versions of the taxonomy and that of this page, newest
// first. Their links keep the element, the category and the search of this page, if the
// version has them.
func (f frame) versionLinks() []versionLink {
	if f.Release == nil {
		return nil
	}
	var links []versionLink
	for _, id := range slices.Backward(f.versionsOf(f.Release.ID())) {
		links = append(links, versionLink{id, f.pathIn(id), id == f.Release.ID()})
	}
	return links
}

// Comparison returns the path of the comparison of the version of the page with the
// one before it, or of the oldest version with the one after it. It is empty if there
// is only one version.
func (f frame) Comparison() string {
	versions := f.Versions
	if len(versions) < 2 {
		return ""
	}
	current := slices.IndexFunc(versions, func(v versionLink) bool { return v.IsCurrent })
	before := min(max(current, 0)+1, len(versions)-1)
	return comparePath(versions[before].ID, versions[before-1].ID)
}

// pathIn returns the path of this page in another version of its taxonomy, or of the
// most similar page.
func (f frame) pathIn(id taxonomy.ID) string {
	path := explorePath(id.String())
	other := f.snapshot.Lookup(id.String()) // nil if it is not in memory
	if element := f.PathValue("element"); element != "" {
		n, ok := f.Release.Element(element)
		if other == nil {
			if ok {
				return elementPath(id.String(), element)
			}
			return path
		}
		if _, ok := other.Element(element); ok {
			return elementPath(id.String(), element)
		}
		if ok && query.IsCategory(other, f.Release.Taxonomy.Elements[n].CategoryID) {
			return questionPath(id.String(), f.Release.Taxonomy.Elements[n].CategoryID)
		}
		return path
	}
	params := f.params
	if category := params.Get("category"); other != nil && category != "" && !query.IsCategory(other, category) {
		params = nil
	}
	return path + withoutCursor(params)
}
