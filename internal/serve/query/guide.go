package query

import (
	"bytes"

	"placard/internal/core/release"
)

// Guide is a query for one part of the authoring guide of a release.
type Guide struct {
	Locale     string // default en, or else the release's first locale
	CategoryID string // only this category; empty: all
	Cursor     string // the cursor of the part; empty: the first part
	Step       func() error
}

// GuidePart describes the part of a guide that [AppendGuide] appended.
type GuidePart struct {
	*release.Guide        // its locale may differ from the requested one
	Next           string // cursor of the next part; empty on the last
	Shortened      bool   // whether long lists are omitted
}

// AppendGuide appends the members of a part of r's guide, without braces.
func AppendGuide(b []byte, r *release.Release, q Guide) ([]byte, GuidePart, error) {
	locale, ok := r.NearestLocale(q.Locale)
	if !ok {
		locale = r.DefaultLocale()
	}
	g, err := r.Guide(locale, q.Step)
	if err != nil {
		return b, GuidePart{}, err
	}
	f := filter{q.CategoryID, guideSearch, locale}
	start := 0
	if q.Cursor != "" {
		if start, err = f.readCursor(q.Cursor, r, g.Units(q.CategoryID)); err != nil {
			return b, GuidePart{}, err
		}
	}
	part := GuidePart{Guide: g}
	size := len(b)
	b, next := g.AppendPage(b, q.CategoryID, start)
	part.Shortened = bytes.Contains(b[size:], []byte(`"shortened":true`)) // texts have no unescaped quotes
	if next > 0 {
		part.Next = f.cursor(r, next)
	}
	return b, part, nil
}

// guideSearch takes the place of the search text in the cursors of guides, so that
// they differ from those of lists. No search text has a line break at its end.
const guideSearch = "guide\n"
