package query

import (
	"placard/internal/core/release"
	"placard/internal/core/search"
)

// Alternatives are other searches to try if one has no hits.
type Alternatives struct {
	AllCategories int           // hits without the category filter, if there is one
	Locales       []LocaleCount // hits in other locales; only those with any
	Words         []string      // the nearest words of the index, most similar first
}

// LocaleCount is the number of hits in a locale.
type LocaleCount struct {
	Locale string
	Count  int
}

// Limits of [Alternatives].
const (
	maxAlternativeLocales = 20 // locales to search
	maxAlternativeWords   = 5
)

// FindAlternatives returns alternatives to a search of r without hits.
func FindAlternatives(r *release.Release, q Elements) (Alternatives, error) {
	var alternatives Alternatives
	if q.Locale == "" {
		q.Locale = r.DefaultLocale()
	}
	index, ok := r.Search(q.Locale)
	if !ok {
		return alternatives, nil
	}
	count := func(ix *search.Index) (int, error) {
		hits, err := ix.SearchStep(q.Search, nil, q.Step)
		return len(hits), err
	}
	var err error
	if q.CategoryID != "" {
		if alternatives.AllCategories, err = count(index); err != nil {
			return alternatives, err
		}
	}
	for _, locale := range r.Manifest.Locales[:min(len(r.Manifest.Locales), maxAlternativeLocales)] {
		other, ok := r.Search(locale)
		if !ok || other == index {
			continue
		}
		n, err := count(other)
		if err != nil {
			return alternatives, err
		}
		if n > 0 {
			alternatives.Locales = append(alternatives.Locales, LocaleCount{locale, n})
		}
	}
	alternatives.Words, err = index.Nearest(q.Search, maxAlternativeWords, q.Step)
	return alternatives, err
}
