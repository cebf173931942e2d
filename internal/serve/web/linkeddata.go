package web

import (
	"maps"

	"placard/internal/core/release"
)

// linkedData describes a page in the vocabulary of schema.org.
type linkedData map[string]any

// newLinkedData returns the description of something of a type, which has the given
// address.
func newLinkedData(kind, address, locale string, members linkedData) linkedData {
	data := linkedData{"@context": "https://schema.org", "@type": kind, "@id": address, "url": address, "inLanguage": locale}
	maps.Copy(data, members)
	return data
}

// linkedTermSet returns the description of a taxonomy.
func (q *request) linkedTermSet(r *release.Release) linkedData {
	return newLinkedData("DefinedTermSet", q.base+explorePath(r.Name()), q.localeOf(r), linkedData{
		"name": q.text(r, r.Manifest.Title).Value, "description": q.text(r, r.Manifest.Description).Value,
		"version": r.Name(), "datePublished": r.ID().Date,
	})
}

// linkedTerm returns the description of the n-th element of r.
func (q *request) linkedTerm(r *release.Release, n int) linkedData {
	e := &r.Taxonomy.Elements[n]
	address := q.base + elementPath(r.Name(), e.ID)
	set := q.linkedTermSet(r)
	delete(set, "@context")
	delete(set, "description")
	return newLinkedData("DefinedTerm", address, q.localeOf(r), linkedData{
		"name": q.elementTitle(r, n).Value, "description": q.elementText(r, n, e.Description).Value,
		"termCode": e.ID, "version": r.Name(), "image": q.base + "/api/v2/schemas/" + r.Name() + "/elements/" + e.ID + "/icon.svg", "inDefinedTermSet": set,
	})
}

// linkedSite returns the description of this server with its search.
func (q *request) linkedSite() linkedData {
	return newLinkedData("WebSite", q.base+"/", q.ui.language, linkedData{
		"name": q.ui.get("site"),
		"potentialAction": linkedData{
			"@type": "SearchAction", "query-input": "required name=search_term_string",
			"target": linkedData{"@type": "EntryPoint", "urlTemplate": q.base + "/?q={search_term_string}"},
		},
	})
}

// linkedArticle returns the description of a page of the documents.
func (q *request) linkedArticle(path, headline string) linkedData {
	return newLinkedData("TechArticle", q.base+path, documentLanguage, linkedData{"headline": headline})
}
