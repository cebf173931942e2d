package web

import (
	"strings"
	"sync"

	"placard/internal/core/search"
)

// resultsID is the id of the element with the results.
const resultsID = "results"

// maxDocResults is the number of results that are shown.
const maxDocResults = 20

// sectionIndex finds sections of documents, and codes.
type sectionIndex struct {
	sections []indexedSection
	index    func() *search.Index // built on first use
}

// indexedSection is a section with the headings that it is below, the title of the
// document first.
type indexedSection struct {
	docSection
	path  string
	trail []string
}

// newSectionIndex indexes the sections of guides, decisions as a whole, because all
// have the same headings, and the codes.
func newSectionIndex(guides, decisions []*document) *sectionIndex {
	x := &sectionIndex{}
	for _, d := range guides {
		trail := make([]string, 0, 4)
		for _, s := range d.sections {
			trail = trail[:min(len(trail), s.Level-1)]
			path := d.Path
			if s.ID != "" {
				path += "#" + s.ID
			}
			x.sections = append(x.sections, indexedSection{s, path, append([]string(nil), trail...)})
			trail = append(trail, s.Heading)
		}
	}
	for _, d := range decisions {
		var texts []string
		for _, s := range d.sections {
			texts = append(texts, s.text)
		}
		s := docSection{Heading: d.title, text: strings.TrimSpace(strings.Join(texts, " "))}
		x.sections = append(x.sections, indexedSection{s, d.Path, []string{decisionsTitle}})
	}
	for _, c := range allCodes() {
		s := docSection{Heading: string(c.Code), text: c.Title + " " + c.Why}
		x.sections = append(x.sections, indexedSection{s, CodePath(c.Code), []string{codesTitle}})
	}
	x.index = sync.OnceValue(func() *search.Index {
		var all []search.Document
		for _, s := range x.sections {
			// The headings above a section tell what it is about, but less than its own.
			all = append(all, search.Document{Title: s.Heading, Description: strings.Join(s.trail, " ") + " " + s.text})
		}
		return search.Build(documentLanguage, all)
	})
	return x
}

// Headings above decisions and codes in results, in the language of the documents.
const (
	decisionsTitle = "Decisions"
	codesTitle     = "Codes"
)

type docsSearch struct {
	Box     *searchBox
	Query   string
	Heading string // says how many results there are; empty without a query
	Results []docsResult
	Total   int
}

// docsResult is a section that matches a query.
type docsResult struct {
	Path           string
	Trail          []string
	Title, Excerpt markedText
}

// searchDocs searches the documents for the query of the request, if there is one.
func (q *request) searchDocs(l *library) docsSearch {
	text := q.params.Get("q")
	found := docsSearch{Box: q.docsBox(resultsID), Query: text}
	if text == "" {
		return found
	}
	hits := l.sections.index().Search(text, nil)
	found.Total, found.Heading = len(hits), q.countResults("docs.results", "docs.none", len(hits), text)
	for _, hit := range hits[:min(len(hits), maxDocResults)] {
		s := l.sections.sections[hit.Doc]
		found.Results = append(found.Results, docsResult{
			Path: s.path, Trail: s.trail,
			Title: q.mark(englishText(s.Heading), text), Excerpt: q.excerpt(englishText(s.text), text),
		})
	}
	return found
}

// countResults says how many results a search has: the text results, or none if there
// are none.
func (q *request) countResults(results, none string, n int, search string) string {
	if n == 0 {
		return q.ui.get(none, "q", search)
	}
	return q.ui.count(results, n, "q", search)
}

// englishText returns a text of the documents.
func englishText(value string) Text { return Text{Value: value, Lang: documentLanguage, Dir: "ltr"} }

// docsBox returns the form that searches the documents. results is the id of the
// element that shows results as the reader types, if there is one.
func (q *request) docsBox(results string) *searchBox {
	return &searchBox{Action: docsPath, Placeholder: q.ui.get("docs.search"), Query: q.params.Get("q"), Lang: q.chosen, Results: results}
}
