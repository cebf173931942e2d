package mcpapi

import (
	"cmp"
	"fmt"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/serve/query"
)

// searchLocale returns the locale to search in: the requested one or else, for a
// search, the first requested locale of texts that r has.
func (a *arguments) searchLocale(r *release.Release) string {
	if a.locale == "" && a.query != "" {
		for _, code := range a.requestedLocales() {
			if locale, ok := r.NearestLocale(code); ok {
				return locale
			}
		}
	}
	return a.locale
}

// elementsNotice returns the notice for the result of a query with the given total.
// requested is the locale argument of the call.
func elementsNotice(r *release.Release, q query.Elements, total int, requested string) (string, error) {
	if notice := unknownCategoryNotice(r, q.CategoryID); notice != "" {
		return notice, nil
	}
	isSearch := strings.TrimSpace(q.Search) != ""
	switch {
	case !isSearch && q.CategoryID != "" && total == 0:
		return fmt.Sprintf("Category %q has no elements.", q.CategoryID), nil
	case !isSearch && requested != "":
		return "locale is ignored without a query. Use locales to choose the language of the texts.", nil
	case !isSearch:
		return "", nil
	}
	notice := ""
	if locale, ok := r.NearestLocale(requested); ok && !strings.EqualFold(locale, requested) {
		notice = fmt.Sprintf("This version has no texts in locale %q; the search is in %q.", problem.Clip(requested), locale)
	}
	if total > 0 {
		return notice, nil
	}
	alternatives, err := query.FindAlternatives(r, q)
	if err != nil {
		return "", err
	}
	return joinSentences(notice, noHitsNotice(r, q, alternatives)), nil
}

// noHitsNotice returns the notice for a search without hits.
func noHitsNotice(r *release.Release, q query.Elements, alternatives query.Alternatives) string {
	locale := cmp.Or(q.Locale, r.DefaultLocale())
	if nearest, ok := r.NearestLocale(locale); ok {
		locale = nearest
	}
	where := ""
	if q.CategoryID != "" {
		where = fmt.Sprintf(" of category %q", q.CategoryID)
	}
	notice := fmt.Sprintf("No element%s matches %q in locale %q.", where, problem.Clip(q.Search), locale)
	if alternatives.AllCategories > 0 {
		notice += fmt.Sprintf(" In all categories, the number of matches is %d.", alternatives.AllCategories)
	}
	if len(alternatives.Locales) > 0 {
		counts := make([]string, len(alternatives.Locales))
		for i, l := range alternatives.Locales {
			counts[i] = fmt.Sprintf("%s %d", l.Locale, l.Count)
		}
		notice += fmt.Sprintf(" Matches in other locales: %s.", strings.Join(counts, ", "))
	}
	if len(alternatives.Words) > 0 {
		notice += fmt.Sprintf(" The nearest words are %s.", problem.And(alternatives.Words))
	}
	return notice + fmt.Sprintf(" Search for other words, or call get_schema with version %q and include \"authoring\" to see all elements.", r.Name())
}

// unknownCategoryNotice returns a notice if r has no category called id.
func unknownCategoryNotice(r *release.Release, id string) string {
	if id == "" || query.IsCategory(r, id) {
		return ""
	}
	notice := fmt.Sprintf("Unknown category %q.", problem.Clip(id))
	if n, ok := r.Element(id); ok {
		notice = fmt.Sprintf("%q is an element of category %q, not a category.", id, r.Taxonomy.Elements[n].CategoryID)
	}
	return notice + fmt.Sprintf(" The categories are %s.", problem.Listing(r.Taxonomy.Type.Categories, 50))
}
