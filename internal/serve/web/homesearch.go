package web

import (
	"net/url"

	"placard/internal/core/release"
	"placard/internal/serve/budget"
	"placard/internal/serve/query"
	"placard/internal/storage/catalog"
)

// maxHomeHits is the maximum number of results from one taxonomy.
const maxHomeHits = 6

// homeResults are the results of a search in all taxonomies.
type homeResults struct {
	Query  string
	Total  int
	Groups []resultGroup // the taxonomies with results
	Absent []taxonomyLink

	// If there are no hits:
	Words     []string       // similar words
	Languages []languageHits // results in other languages
}

// resultGroup contains the results from one taxonomy, best first.
type resultGroup struct {
	taxonomyLink
	Total int
	Hits  []hit
}

// taxonomyLink leads to the results of the search in the explorer of a taxonomy.
type taxonomyLink struct {
	Path  string
	Title Text
}

// languageHits is the number of results in a language.
type languageHits struct {
	taxonomyLink
	Lang  string
	Count int
}

// searchAll searches the given versions. Those that are not in memory are only
// linked.
func (q *request) searchAll(versions []catalog.Version, search string) (*homeResults, error) {
	meter := q.budget(budget.Read).Start()
	defer meter.Stop()
	results := &homeResults{Query: search}
	var searched []*release.Release
	for _, v := range versions {
		link := taxonomyLink{explorePath(v.ID.String()) + "?" + url.Values{"q": {search}}.Encode(), Text{Value: v.ID.Type}}
		r := q.snapshot.Lookup(v.ID.String())
		if r == nil {
			results.Absent = append(results.Absent, link)
			continue
		}
		searched = append(searched, r)
		link.Title = q.text(r, r.Manifest.Title)
		group, err := q.searchIn(r, search, meter.Step)
		if err != nil {
			return nil, err
		}
		if group.taxonomyLink = link; group.Total > 0 {
			results.Groups = append(results.Groups, group)
			results.Total += group.Total
		}
	}
	if results.Total == 0 {
		return results, q.addHomeAlternatives(results, searched, meter.Step)
	}
	return results, nil
}

// searchIn returns the first results from a release.
func (q *request) searchIn(r *release.Release, search string, step func() error) (resultGroup, error) {
	selected, err := query.List(r, query.Elements{Search: search, Locale: q.localeOf(r), Limit: maxHomeHits, Step: step})
	if err != nil {
		return resultGroup{}, err
	}
	e := &explorer{request: q, release: r, icons: iconSet{release: r, budget: maxIconBytes / maxIconCards}, search: search}
	hits, err := e.hits(selected.Elements(), e.categoryNames(), step)
	return resultGroup{Total: selected.Total, Hits: hits}, err
}

// maxAlternatives is the maximum number of similar words, and of other languages.
const maxAlternatives = 5

// addHomeAlternatives adds other searches to results without hits.
func (q *request) addHomeAlternatives(results *homeResults, searched []*release.Release, step func() error) error {
	known := make(map[string]bool)
	for _, r := range searched {
		found, err := query.FindAlternatives(r, query.Elements{Search: results.Query, Locale: q.localeOf(r), Step: step})
		if err != nil {
			return err
		}
		for _, word := range found.Words {
			if !known[word] && len(results.Words) < maxAlternatives {
				known[word] = true
				results.Words = append(results.Words, word)
			}
		}
		for _, l := range found.Locales {
			if len(results.Languages) < maxAlternatives {
				path := explorePath(r.Name()) + "?" + url.Values{"q": {results.Query}}.Encode()
				results.Languages = append(results.Languages, languageHits{taxonomyLink{path, q.text(r, r.Manifest.Title)}, l.Locale, l.Count})
			}
		}
	}
	return nil
}
