package web

import "placard/internal/core/release"

// schemaOrg is the context of all linked data.
const schemaOrg = "https://schema.org"

// definedTermSet describes a taxonomy in the vocabulary of schema.org.
type definedTermSet struct {
	Context     string `json:"@context,omitempty"`
	Type        string `json:"@type"`
	ID          string `json:"@id"`
	URL         string `json:"url"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version"`
	Date        string `json:"datePublished"`
	InLanguage  string `json:"inLanguage"`
}

// definedTerm describes an element.
type definedTerm struct {
	Context     string         `json:"@context"`
	Type        string         `json:"@type"`
	ID          string         `json:"@id"`
	URL         string         `json:"url"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	TermCode    string         `json:"termCode"`
	InLanguage  string         `json:"inLanguage"`
	Version     string         `json:"version"`
	Image       string         `json:"image"`
	Set         definedTermSet `json:"inDefinedTermSet"`
}

// webSite describes this server with its search.
type webSite struct {
	Context    string       `json:"@context"`
	Type       string       `json:"@type"`
	URL        string       `json:"url"`
	Name       string       `json:"name"`
	InLanguage string       `json:"inLanguage"`
	Search     searchAction `json:"potentialAction"`
}

type searchAction struct {
	Type   string     `json:"@type"`
	Target entryPoint `json:"target"`
	Input  string     `json:"query-input"`
}

type entryPoint struct {
	Type     string `json:"@type"`
	Template string `json:"urlTemplate"`
}

// techArticle describes a page of the documents, which are in English.
type techArticle struct {
	Context    string `json:"@context"`
	Type       string `json:"@type"`
	ID         string `json:"@id"`
	URL        string `json:"url"`
	Headline   string `json:"headline"`
	InLanguage string `json:"inLanguage"`
}

// linkedTermSet returns the description of a taxonomy.
func (q *request) linkedTermSet(r *release.Release) definedTermSet {
	address := q.base + explorePath(r.Name())
	return definedTermSet{
		Context: schemaOrg, Type: "DefinedTermSet", ID: address, URL: address,
		Name: q.text(r, r.Manifest.Title).Value, Description: q.text(r, r.Manifest.Description).Value,
		Version: r.Name(), Date: r.ID().Date, InLanguage: q.localeOf(r),
	}
}

// linkedTerm returns the description of the n-th element of r.
func (q *request) linkedTerm(r *release.Release, n int) definedTerm {
	e := &r.Taxonomy.Elements[n]
	address := q.base + elementPath(r.Name(), e.ID)
	set := q.linkedTermSet(r)
	set.Context, set.Description = "", ""
	return definedTerm{
		Context: schemaOrg, Type: "DefinedTerm", ID: address, URL: address,
		Name: q.elementTitle(r, n).Value, Description: q.elementText(r, n, e.Description).Value,
		TermCode: e.ID, InLanguage: q.localeOf(r), Version: r.Name(), Image: address + "/preview.png", Set: set,
	}
}

// linkedSite returns the description of this server.
func (q *request) linkedSite() webSite {
	return webSite{
		Context: schemaOrg, Type: "WebSite", URL: q.base + "/", Name: q.ui.get("site"), InLanguage: q.ui.language,
		Search: searchAction{
			Type: "SearchAction", Input: "required name=search_term_string",
			Target: entryPoint{"EntryPoint", q.base + "/?q={search_term_string}"},
		},
	}
}

// linkedArticle returns the description of a page of the documents.
func (q *request) linkedArticle(path, headline string) techArticle {
	address := q.base + path
	return techArticle{Context: schemaOrg, Type: "TechArticle", ID: address, URL: address, Headline: headline, InLanguage: documentLanguage}
}
