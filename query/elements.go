package query

import (
	"strings"
	"unicode/utf8"

	"placard.dev/problem"
	"placard.dev/release"
	"placard.dev/search"
	"placard.dev/taxonomy"
)

// Elements asks for one page of a release's elements.
type Elements struct {
	CategoryID string  // only those of this category
	Search     string  // only those that match, best first; blank: no search
	Locale     string  // of the search; default: en, or the release's first
	Fields     Fields  // nil: all
	Locales    Locales // nil: all
	Limit      int     // 0: [DefaultLimit]
	Cursor     string  // from an earlier page
}

// Page is the answer to [Elements].
type Page struct {
	Total int    // elements on all pages
	Next  string // cursor of the next page; empty on the last

	release    *release.Release
	matches    matches
	start, end int // among the matches
	fields     release.FieldSet
	locales    release.LocaleSet
}

// Returned is the number of elements on this page.
func (p *Page) Returned() int { return p.end - p.start }

// AppendJSON appends the JSON array of the page's elements.
func (p *Page) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i := p.start; i < p.end; i++ {
		if i > p.start {
			b = append(b, ',')
		}
		b = p.release.Elements[p.matches.at(i)].Append(b, p.fields, p.locales)
	}
	return append(b, ']')
}

// List answers q from r.
func List(r *release.Release, q Elements) (*Page, error) {
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return nil, BadLimit()
	}
	if err := q.Locales.Check(); err != nil {
		return nil, err
	}
	if q.Locale != "" && !taxonomy.IsLocale(q.Locale) {
		return nil, problem.New(problem.BadRequest, "%.80q is not a locale code.", q.Locale).
			In(problem.Root.Field("locale")).Hint("Give one BCP 47 code. %s", hintLocales(r))
	}
	if utf8.RuneCountInString(q.Search) > MaxSearch {
		return nil, problem.New(problem.BadRequest, "The query has more than %d characters.", MaxSearch).
			In(problem.Root.Field("query")).Hint("Search for fewer words; the first twelve count.")
	}
	if q.Locale == "" {
		q.Locale = r.DefaultLocale()
	}
	q.Search = strings.TrimSpace(q.Search)

	matches, err := q.matches(r)
	if err != nil {
		return nil, err
	}
	start := 0
	if q.Cursor != "" {
		if start, err = q.readCursor(r, matches.len()); err != nil {
			return nil, err
		}
	}
	end := min(start+q.Limit, matches.len())
	page := &Page{
		Total:   matches.len(),
		release: r,
		matches: matches,
		start:   start,
		end:     end,
		fields:  q.Fields.set(),
		locales: q.Locales.set(r),
	}
	if end < matches.len() {
		page.Next = q.cursor(r, end)
	}
	return page, nil
}

// BadLimit is the answer to a limit that is no number from 1 to [MaxLimit].
func BadLimit() error {
	return problem.New(problem.BadRequest, "The limit must be a whole number from 1 to %d.", MaxLimit).
		In(problem.Root.Field("limit")).Hint("Leave it out for %d.", DefaultLimit)
}

func hintLocales(r *release.Release) string {
	return "This version has " + problem.Listing(r.Manifest.Locales, 20) + "."
}

// matches are element numbers: a run of them, or a list.
type matches struct {
	first, count int
	list         []search.Hit
}

func (m matches) len() int {
	if m.list != nil {
		return len(m.list)
	}
	return m.count
}

func (m matches) at(i int) int {
	if m.list != nil {
		return m.list[i].Doc
	}
	return m.first + i
}

func (q *Elements) matches(r *release.Release) (matches, error) {
	all := matches{count: len(r.Elements)}
	if q.CategoryID != "" {
		all.first, all.count = r.CategoryRun(q.CategoryID)
	}
	if q.Search == "" {
		return all, nil
	}
	index, ok := r.Search(q.Locale)
	if !ok {
		return matches{}, problem.New(problem.BadRequest, "This version has no texts in locale %.80q to search.", q.Locale).
			In(problem.Root.Field("locale")).Hint("%s", hintLocales(r))
	}
	var accept func(n int) bool
	if q.CategoryID != "" {
		accept = func(n int) bool { return all.first <= n && n < all.first+all.count }
	}
	return matches{list: index.Search(q.Search, accept)}, nil
}
