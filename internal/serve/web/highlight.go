package web

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"placard/internal/core/search"
)

// markedText is a text with the parts of it that match a search. The template
// "marked" shows it.
type markedText struct {
	Parts     []textPart
	Lang, Dir string // as in [Text]
}

type textPart struct {
	Text    string
	IsMatch bool
}

// mark returns a text with all its matches.
func (q *request) mark(t Text, query string) markedText {
	spans := search.Highlight(cmp.Or(t.Lang, q.ui.language), t.Value, query)
	return newMarkedText(t, 0, len(t.Value), spans)
}

// excerpt returns a line or two of a text around its first match.
func (q *request) excerpt(t Text, query string) markedText {
	t.Value = strings.Join(strings.Fields(t.Value), " ")
	spans := search.Highlight(cmp.Or(t.Lang, q.ui.language), t.Value, query)
	start, end := cutExcerpt(t.Value, spans)
	return newMarkedText(t, start, end, spans)
}

// newMarkedText returns the part of a text from start to end. If there is more text,
// it has an ellipsis there.
func newMarkedText(t Text, start, end int, spans []search.Span) markedText {
	m := markedText{Lang: t.Lang, Dir: t.Dir}
	add := func(text string, isMatch bool) {
		if text != "" {
			m.Parts = append(m.Parts, textPart{text, isMatch})
		}
	}
	if start > 0 {
		add("… ", false)
	}
	done := start
	for _, s := range spans {
		if s.End <= start || end <= s.Start {
			continue
		}
		from, to := max(s.Start, start), min(s.End, end)
		add(t.Value[done:from], false)
		add(t.Value[from:to], true)
		done = to
	}
	add(t.Value[done:end], false)
	if end < len(t.Value) {
		add(" …", false)
	}
	return m
}

// Sizes of excerpts in columns. Chinese and Japanese characters are two columns wide.
const (
	excerptColumns = 180
	columnsBefore  = 60 // the first match, if it is far from the start
	wordColumns    = 20 // within which an excerpt is cut between words
)

// cutExcerpt returns the start and the end of the excerpt of a text.
func cutExcerpt(text string, spans []search.Span) (start, end int) {
	if end = advance(text, 0, excerptColumns); end == len(text) {
		return 0, end
	}
	if len(spans) > 0 && spans[0].End > end {
		start = spans[0].Start
		for columns := 0; start > 0 && columns < columnsBefore; {
			r, size := utf8.DecodeLastRuneInString(text[:start])
			start -= size
			columns += columnsOf(r)
		}
		limit := min(advance(text, start, wordColumns), spans[0].Start)
		if space := strings.IndexByte(text[start:limit], ' '); space >= 0 {
			start += space + 1
		}
		end = advance(text, start, excerptColumns)
	}
	if end < len(text) {
		if space := strings.LastIndexByte(text[start:end], ' '); space > 0 && advance(text, start+space, wordColumns) >= end {
			end = start + space
		}
	}
	return start, end
}

// advance returns the position that is the given number of columns after start, or
// the end of the text. It does not separate a letter from its accents.
func advance(text string, start, columns int) int {
	used := 0
	for i, r := range text[start:] {
		if used += columnsOf(r); used > columns {
			return start + i
		}
	}
	return len(text)
}

func columnsOf(r rune) int {
	if unicode.Is(unicode.M, r) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}
