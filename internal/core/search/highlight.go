package search

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Span is a part of a text, as byte offsets.
type Span struct{ Start, End int }

// maxHighlighted is the number of bytes of a text in which matches are highlighted.
const maxHighlighted = 8 << 10

// Highlight returns the parts of a text in the given locale that match a query: words
// that start with a word of the query or have the same stem, and what the text and the
// query have in common in scripts without spaces. Unlike [Index.Search], it does not
// find words with typing errors. Function words are ignored, unless there are no others.
//
// Spans are in order, do not touch each other, and begin and end between characters.
// Matches after the first 8 KiB of the text are not returned.
func Highlight(locale, text, query string) []Span {
	h := highlighter{lang: languageOf(locale)}
	s := newSearcher(&Index{lang: h.lang})
	s.parse(normalize(firstBytes(query, maxHighlighted/8)))
	for n := range s.terms {
		h.addPattern(&s.terms[n])
	}
	text = firstBytes(text, maxHighlighted)
	for segments := words.FromString(text); segments.Next(); {
		if first, _ := utf8.DecodeRuneInString(segments.Value()); scriptOf(first, none) == spaced {
			if h.matchesWord(segments.Value()) {
				h.add(segments.Start(), segments.End())
			}
			continue
		}
		for at := max(segments.Start(), h.end()); at < segments.End(); {
			size := h.matchRun(text[at:])
			if size > 0 {
				h.add(at, at+size)
			}
			at += max(size, clusterLen(text[at:]))
		}
	}
	s.release() // the patterns refer to its terms
	return h.spans
}

// firstBytes returns at most the first n bytes of text. It does not split characters.
func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// highlighter finds the matches of a query in one text.
type highlighter struct {
	lang  *language
	words []wordPattern
	runs  []runPattern
	spans []Span
}

// wordPattern is a word of a query.
type wordPattern struct{ folded, stem []byte }

// runPattern is a run of a query.
type runPattern struct {
	folded string
	// shortest is the number of characters of the shortest match. As in a search, a pair
	// is a match only in scripts where it is usually a word.
	shortest int
}

func (h *highlighter) addPattern(t *queryTerm) {
	switch {
	case t.function:
		return
	case t.script == spaced:
		stem, _ := clip(h.lang.appendStem(nil, t.text))
		h.words = append(h.words, wordPattern{t.folded, stem})
		return
	}
	shortest := 3
	if t.script.pairIsWord() {
		shortest = 2
	}
	shortest = min(shortest, utf8.RuneCountInString(t.text))
	h.runs = append(h.runs, runPattern{string(appendFolded(nil, t.text)), shortest})
	if t.foldsKana() {
		h.runs = append(h.runs, runPattern{string(appendFolded(nil, otherKana(t.text))), shortest})
	}
}

// matchesWord reports whether a word of a text matches a word of the query.
func (h *highlighter) matchesWord(text string) bool {
	for tokens := h.lang.tokenize(normalize(text)); len(h.words) > 0; {
		tok, ok := tokens.next()
		if !ok {
			return false
		}
		word, _ := clip(appendFolded(nil, tok.text))
		stem, _ := clip(h.lang.appendStem(nil, tok.text))
		for _, p := range h.words {
			if bytes.HasPrefix(word, p.folded) || bytes.Equal(stem, p.stem) {
				return true
			}
		}
	}
	return false
}

// matchRun returns the size of the longest match at the start of a text with a run of
// the query, or 0.
func (h *highlighter) matchRun(text string) (longest int) {
	for _, p := range h.runs {
		size, piece := 0, ""
		for count := 1; size < len(text); count++ {
			cluster := text[size : size+clusterLen(text[size:])]
			piece += string(appendFolded(nil, normalize(cluster)))
			if !strings.Contains(p.folded, piece) {
				break
			}
			if size += len(cluster); count >= p.shortest {
				longest = max(longest, size)
			}
		}
	}
	return longest
}

// end returns the end of the last span.
func (h *highlighter) end() int {
	if len(h.spans) == 0 {
		return 0
	}
	return h.spans[len(h.spans)-1].End
}

// add adds a span, or extends the last one if they touch.
func (h *highlighter) add(start, end int) {
	if start <= h.end() && len(h.spans) > 0 {
		h.spans[len(h.spans)-1].End = max(end, h.end())
		return
	}
	h.spans = append(h.spans, Span{start, end})
}
