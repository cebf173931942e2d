package web

import (
	"math"
	"slices"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
)

// Limits of the home page.
const (
	cardIcons    = 12
	maxIconCards = 6 // taxonomies that are shown with icons
	maxWideCards = 2 // taxonomies whose icons are shown with their titles
)

// homePage is the data of the home page. It introduces the taxonomies of this server.
type homePage struct {
	Title, Lead Text
	Signs       int // in all taxonomies
	Box         *searchBox
	Results     *homeResults // nil unless this is a search
	Cards       []taxonomyCard
	Others      []taxonomyCard // without icons
	Doors       doors
}

// IsWide reports whether the icons are shown with their titles.
func (h *homePage) IsWide() bool { return len(h.Cards) <= maxWideCards }

// taxonomyCard introduces a taxonomy by its latest version.
type taxonomyCard struct {
	ID          taxonomy.ID
	Alias       string // of the version
	Title       Text   // the name of the type if the release is not in memory
	Description Text
	Signs       int // 0 if the release is not in memory
	Questions   int
	Languages   []string
	Icons       []elementLink
	Versions    []catalog.Version // the newest other ones, newest first
	State       catalog.State     // empty if the version is served as published
}

// Comparison returns the path of the comparison with the newest other version.
func (c *taxonomyCard) Comparison() string {
	before, after := c.Versions[0].ID, c.ID
	if before.Date > after.Date {
		before, after = after, before
	}
	return comparePath(before, after)
}

// home is the page about this server and its taxonomies.
func (q *request) home() (*page, error) {
	data := &homePage{}
	p := &page{template: "home.html", part: "home-results", Path: "/", Locales: pageLanguages(), LinkedData: q.linkedSite(), NoIndex: q.isDynamic, Data: data}
	latest := q.latestVersions()
	if search := q.params.Get("q"); search != "" {
		p.Title = search
		var err error
		if data.Results, err = q.searchAll(latest, search); err != nil {
			return nil, err
		}
	}
	if q.isPart {
		return p, nil
	}
	served := make(map[string][]catalog.Version) // by type
	for _, v := range q.snapshot.Served() {
		served[v.ID.Type] = append(served[v.ID.Type], v)
	}
	for i, v := range latest {
		r := q.snapshot.Lookup(v.ID.String())
		p.partial = p.partial || r == nil
		card := q.newCard(v, r, served[v.ID.Type])
		data.Signs += card.Signs
		if i >= maxIconCards {
			data.Others = append(data.Others, card)
			continue
		}
		q.addIcons(&card, r)
		data.Cards = append(data.Cards, card)
	}
	q.introduce(data)
	p.Description = data.Lead.Value
	data.Box = &searchBox{Action: "/", Placeholder: q.ui.count("search.signs", data.Signs), Query: q.params.Get("q"), Lang: q.chosen, Results: "results"}
	var err error
	data.Doors, err = q.newDoors(data.Cards)
	return p, err
}

// introduce sets the title and the lead, which say what this server is for.
func (q *request) introduce(data *homePage) {
	switch {
	case len(data.Cards) == 0 && q.handler.Preview:
		data.Title, data.Lead = Text{Value: q.ui.get("home.invalid")}, Text{Value: q.ui.get("home.invalid.lead")}
	case len(data.Cards) == 0:
		data.Title, data.Lead = Text{Value: q.ui.get("home.none")}, Text{Value: q.ui.get("home.none.lead")}
	default:
		data.Title = Text{Value: q.ui.get("home.title")}
		data.Lead = Text{Value: q.ui.count("home.lead", len(data.Cards)+len(data.Others))}
	}
}

// latestVersions returns the version of each type that its alias latest refers to, in
// the order of the index.
func (q *request) latestVersions() []catalog.Version {
	var latest []catalog.Version
	for _, v := range q.snapshot.Versions() {
		if slices.Contains(v.Aliases, latestAlias(v.ID)) {
			latest = append(latest, v)
		}
	}
	return latest
}

func latestAlias(id taxonomy.ID) string { return id.Type + "@" + taxonomy.AliasLatest }

// newCard returns the card of a version, given the versions of its type that can be
// served. r is nil if it is not in memory.
func (q *request) newCard(v catalog.Version, r *release.Release, served []catalog.Version) taxonomyCard {
	card := taxonomyCard{ID: v.ID, Alias: latestAlias(v.ID), Title: Text{Value: v.ID.Type}}
	if v.Degraded != nil {
		card.State = v.Degraded.State
	}
	for _, other := range slices.Backward(served) {
		if other.ID != v.ID && len(card.Versions) < maxHistory {
			card.Versions = append(card.Versions, other)
		}
	}
	if r == nil {
		return card
	}
	card.Title, card.Description = q.text(r, r.Manifest.Title), q.text(r, r.Manifest.Description)
	card.Signs, card.Questions, card.Languages = len(r.Taxonomy.Elements), len(r.Taxonomy.Categories), r.Manifest.Locales
	return card
}

// addIcons adds the icons of some elements of r, which may be nil.
func (q *request) addIcons(card *taxonomyCard, r *release.Release) {
	if r == nil {
		return
	}
	icons := iconSet{release: r, budget: maxIconBytes / maxIconCards}
	for _, n := range representatives(r.Taxonomy, cardIcons) {
		card.Icons = append(card.Icons, q.elementLink(&icons, n))
	}
}

// representatives returns the numbers of up to limit elements, in ascending order. They
// are spread over the categories, and their symbols differ if possible.
func representatives(t *taxonomy.Taxonomy, limit int) []int {
	var runs []categoryRun
	for i := range t.Elements { // those of a category are adjacent
		if i == 0 || t.Elements[i].CategoryID != t.Elements[i-1].CategoryID {
			runs = append(runs, categoryRun{first: i})
		}
		runs[len(runs)-1].count++
	}
	if len(runs) > limit {
		for i := range limit {
			runs[i] = runs[i*len(runs)/limit]
		}
		runs = runs[:limit]
	}
	for range min(limit, len(t.Elements)) {
		best := 0
		for i := range runs {
			if runs[i].need() > runs[best].need() {
				best = i
			}
		}
		runs[best].chosen++
	}
	var chosen []int
	symbols := make(map[string]bool)
	for _, r := range runs {
		for k := range min(r.chosen, r.count) {
			n, end := r.first+k*r.count/r.chosen, r.first+(k+1)*r.count/r.chosen
			for symbols[t.Elements[n].SymbolID] && n+1 < end {
				n++
			}
			symbols[t.Elements[n].SymbolID] = true
			chosen = append(chosen, n)
		}
	}
	return chosen
}

// categoryRun is the range of the elements of a category.
type categoryRun struct{ first, count, chosen int }

// need returns how much the category needs another representative: each has one before
// any has two, and large ones have more than small ones.
func (r categoryRun) need() float64 {
	switch r.chosen {
	case 0:
		return math.Inf(1)
	case r.count:
		return 0
	}
	return float64(r.count) / float64(r.chosen+1)
}
