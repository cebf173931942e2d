package query

import (
	"cmp"
	"iter"
	"strings"
	"unicode/utf8"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/search"
	"placard/internal/core/taxonomy"
)

// Elements is a query for one part of a release's elements.
type Elements struct {
	CategoryID string  // only elements of this category
	Search     string  // only matching elements, best matches first; blank: no search
	Locale     string  // the locale to search; default en, or else the release's first locale
	Fields     Fields  // nil: all
	Locales    Locales // nil: all
	Limit      int     // 0: [DefaultLimit]
	Cursor     string  // the cursor of the part; empty: the first part

	// Step is called during long searches, which stop if it returns an error.
	// It may be nil.
	Step func() error
}

// Selection is a list of records to be encoded.
type Selection struct {
	Total int    // elements in all parts
	Next  string // cursor of the next part; empty in the last

	records    release.Records // all records of the release
	matches    matches
	start, end int // the range of matches in the part
	fields     release.FieldSet
	locales    release.LocaleSet

	release *release.Release
}

// Returned returns the number of records in the selection.
func (s *Selection) Returned() int { return s.end - s.start }

// Elements returns an iterator over the numbers of the selected elements, in order.
func (s *Selection) Elements() iter.Seq[int] {
	return func(yield func(n int) bool) {
		for i := s.start; i < s.end; i++ {
			if !yield(s.matches.at(i)) {
				return
			}
		}
	}
}

// CountByCategory returns the number of matches in all parts, by category. It
// contains only categories with matches.
func (s *Selection) CountByCategory() map[string]int {
	counts := make(map[string]int)
	for i := range s.matches.len() {
		counts[s.release.Taxonomy.Elements[s.matches.at(i)].CategoryID]++
	}
	return counts
}

// stepRecords is the number of records appended between two calls to a step
// function, which is never called for shorter lists.
const stepRecords = 64

// appendRange appends the matches from start to end.
func (s *Selection) appendRange(b []byte, start, end int) []byte {
	if s.matches.list == nil {
		first := s.matches.first
		return s.records[first+start:first+end].Append(b, s.fields, s.locales)
	}
	for i, hit := range s.matches.list[start:end] {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.records[hit.Doc].Append(b, s.fields, s.locales)
	}
	return b
}

// AppendJSON appends the JSON array of the records. It calls step, unless it is nil,
// after every 64 records and stops if step returns an error.
func (s *Selection) AppendJSON(b []byte, step func() error) ([]byte, error) {
	b = append(b, '[')
	for start := s.start; start < s.end; start += stepRecords {
		if start > s.start {
			if step != nil {
				if err := step(); err != nil {
					return b, err
				}
			}
			b = append(b, ',')
		}
		b = s.appendRange(b, start, min(start+stepRecords, s.end))
	}
	return append(b, ']'), nil
}

// List returns a part of r's elements.
func List(r *release.Release, q Elements) (*Selection, error) {
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return nil, InvalidLimit()
	}
	if err := q.Locales.Check(r); err != nil {
		return nil, err
	}
	if err := CheckLocale(r, q.Locale); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(q.Search) > MaxSearch {
		return nil, problem.New(problem.BadRequest, "The query has more than %d characters.", MaxSearch).
			In(problem.Root.Field("query")).Hint("Use fewer words. Only the first twelve are searched for.")
	}
	f := filter{categoryID: q.CategoryID, search: strings.TrimSpace(q.Search)}
	if f.search != "" {
		f.locale = cmp.Or(q.Locale, r.DefaultLocale())
	}
	matches, err := f.matches(r, q.Step)
	if err != nil {
		return nil, err
	}
	start := 0
	if q.Cursor != "" {
		if start, err = f.readCursor(q.Cursor, r, matches.len()); err != nil {
			return nil, err
		}
	}
	s := &Selection{
		Total:   matches.len(),
		records: r.Elements,
		matches: matches,
		start:   start,
		end:     min(start+q.Limit, matches.len()),
		fields:  q.Fields.set(),
		locales: q.Locales.set(r),
		release: r,
	}
	if s.end < s.Total {
		s.Next = f.cursor(r, s.end)
	}
	return s, nil
}

// SelectCategories returns all categories of r.
func SelectCategories(r *release.Release, locales Locales) Selection {
	return selectAll(r, r.Categories, locales)
}

// SelectElements returns all elements of r, with all fields.
func SelectElements(r *release.Release, locales Locales) Selection {
	return selectAll(r, r.Elements, locales)
}

func selectAll(r *release.Release, records release.Records, locales Locales) Selection {
	n := len(records)
	return Selection{
		Total:   n,
		records: records,
		matches: matches{count: n},
		end:     n,
		fields:  release.AllFields,
		locales: locales.set(r),
	}
}

// InvalidLimit returns the error for a limit that is not a number from 1 to
// [MaxLimit].
func InvalidLimit() error {
	return problem.New(problem.BadRequest, "The limit must be a whole number from 1 to %d.", MaxLimit).
		In(problem.Root.Field("limit")).Hint("The default is %d.", DefaultLimit)
}

// CheckLocale returns an error if the value of the parameter locale is malformed.
// It may be empty.
func CheckLocale(r *release.Release, locale string) error {
	if locale == "" || taxonomy.IsLocale(locale) {
		return nil
	}
	return problem.New(problem.BadRequest, "%q is not a valid locale code.", problem.Clip(locale)).
		In(problem.Root.Field("locale")).Hint("Use one BCP 47 code. %s", hintLocales(r)).See(problem.ShowVersion(r.Name()))
}

func hintLocales(r *release.Release) string {
	return "This version has " + problem.Listing(r.Manifest.Locales, 20) + "."
}

// matches are element numbers: a range, or a list of hits.
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

// at returns the number of the i-th element.
func (m matches) at(i int) int {
	if m.list != nil {
		return m.list[i].Doc
	}
	return m.first + i
}

// filter selects elements. Its locale, the one to search, is empty without a search.
type filter struct{ categoryID, search, locale string }

func (f *filter) matches(r *release.Release, step func() error) (matches, error) {
	all := matches{count: len(r.Elements)}
	if f.categoryID != "" {
		all.first, all.count = r.CategoryRun(f.categoryID)
	}
	if f.search == "" {
		return all, nil
	}
	index, ok := r.Search(f.locale)
	if !ok {
		return matches{}, problem.New(problem.BadRequest, "This version has no texts in locale %q to search.", problem.Clip(f.locale)).
			In(problem.Root.Field("locale")).Hint("%s", hintLocales(r)).See(problem.ShowVersion(r.Name()))
	}
	var accept func(n int) bool
	if f.categoryID != "" {
		accept = func(n int) bool { return all.first <= n && n < all.first+all.count }
	}
	hits, err := index.SearchStep(f.search, accept, step)
	return matches{list: hits}, err
}
