package web

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

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

// Sizes of excerpts in bytes.
const (
	excerptSize = 180
	sizeBefore  = 60 // the first match, if it is far from the start
	sizeOfWords = 20 // within which an excerpt is cut between words
)

// cutExcerpt returns the start and the end of the excerpt of a text.
func cutExcerpt(text string, spans []search.Span) (start, end int) {
	if len(text) <= excerptSize {
		return 0, len(text)
	}
	if len(spans) > 0 && spans[0].End > excerptSize {
		start = boundary(text, max(0, spans[0].Start-sizeBefore))
		if space := strings.IndexByte(text[start:min(start+sizeOfWords, spans[0].Start)], ' '); space >= 0 {
			start += space + 1
		}
	}
	end = boundary(text, start+excerptSize)
	if space := strings.LastIndexByte(text[start:end], ' '); end < len(text) && start+space > end-sizeOfWords {
		end = start + space
	}
	return start, end
}

// boundary returns the position before n at which a letter, with its accents, starts.
func boundary(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n > 0 {
		if r, _ := utf8.DecodeRuneInString(text[n:]); utf8.RuneStart(text[n]) && !unicode.Is(unicode.M, r) {
			break
		}
		n--
	}
	return n
}
