package web

import (
	"html/template"

	"placard/internal/release"
)

// home is the page about this server and its taxonomies.
func (q *request) home() (*page, error) {
	data := homeData{}
	for _, r := range q.newestReleases() {
		data.Taxonomies = append(data.Taxonomies, q.taxonomyCard(r))
	}
	return &page{template: "home.html", Description: q.ui.get("home.lead"), Path: "/", Locales: pageLanguages(), LinkedData: q.linkedSite(), Data: data}, nil
}

type homeData struct{ Taxonomies []taxonomyCard }

// taxonomyCard introduces a taxonomy by its newest release.
type taxonomyCard struct {
	Release  *release.Release
	Title    Text
	Elements int
	Icons    []template.HTML
}

const cardIcons = 12

func (q *request) taxonomyCard(r *release.Release) taxonomyCard {
	card := taxonomyCard{Release: r, Title: q.text(r, r.Manifest.Title), Elements: len(r.Taxonomy.Elements)}
	for i := range min(cardIcons, card.Elements) {
		card.Icons = append(card.Icons, inlineIcon(r, i*card.Elements/min(cardIcons, card.Elements), "default"))
	}
	return card
}

// newestReleases returns the newest release of each type that is in memory.
func (q *request) newestReleases() []*release.Release {
	var newest []*release.Release
	for _, r := range q.snapshot.Releases() {
		last := len(newest) - 1
		switch {
		case last < 0 || newest[last].ID().Type != r.ID().Type:
			newest = append(newest, r)
		case newest[last].ID().Compare(r.ID()) < 0:
			newest[last] = r
		}
	}
	return newest
}
