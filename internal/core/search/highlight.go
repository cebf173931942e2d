package search

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Span is a part of a text, as byte offsets.
type Span struct{ Start, End int }

// maxHighlighted is the number of bytes of a text in which matches are highlighted,
// before and after it is normalized.
const maxHighlighted = 8 << 10

// Highlight returns the parts of a text in the given locale that match a query: words
// that match as they do in [Index.Search], and characters of scripts without spaces.
// For each word of the query, only its best matches in the text are returned: words
// with typing errors, for example, only if the text has no better match. Function
// words are ignored, unless there are no others.
//
// Spans are in order, do not touch each other, and begin and end between characters.
// Matches after the first 8 KiB of the text are not returned.
func Highlight(locale, text, query string) []Span {
	h := highlighter{lang: languageOf(locale)}
	s := newSearcher(&Index{lang: h.lang})
	s.parse(normalize(firstBytes(query, maxHighlighted/8)))
	h.addPatterns(s.terms)
	var spans []Span
	if len(h.patterns) > 0 {
		h.text = normalizeOriginal(firstBytes(text, maxHighlighted), maxHighlighted)
		h.findMatches()
		spans = h.spans()
	}
	s.release() // the patterns refer to its terms
	return spans
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
	lang     *language
	text     originalText
	patterns []pattern
	words    bool // whether a pattern is a word
	matches  []highlight
}

// pattern is a term of a query.
type pattern struct {
	*queryTerm
	best tier // of the matches so far

	// For a word.
	stem      []byte // folded
	joined    []byte // the word and the next one, as one word
	signature uint64
	maxTypos  int

	// For a run: by pair of characters, a bit for each of its positions in the run.
	pairs map[string]uint64
	all   uint64 // the bit of the last position
}

// tier is the quality of a match. Better ones are greater.
type tier uint8

const (
	noMatch tier = iota
	similar      // a typing error, or a pair of characters of a run
	partial      // the start of a word, or consecutive pairs of a run
	whole        // the word, its stem or a compound, or the whole run
)

// highlight is a match of a pattern with a part of the normalized text.
type highlight struct {
	start, end int32
	pattern    uint8
	tier       tier
}

func (h *highlighter) addPatterns(terms []queryTerm) {
	lookups := 0
	for n := range terms {
		t := &terms[n]
		p := pattern{queryTerm: t}
		switch {
		case t.function:
			continue
		case t.script == spaced:
			h.words = true
			p.stem, _ = clip(h.lang.appendStem(nil, t.text))
			p.signature, p.maxTypos = signature(t.folded), t.maxTypos()
			if n+1 < len(terms) && terms[n+1].script == spaced && t.position+1 == terms[n+1].position {
				p.joined, _ = clip(slices.Concat(t.folded, terms[n+1].folded))
			}
		case !t.isCharacter():
			p.pairs = make(map[string]uint64)
			for pair := range pairsOf(t.text) {
				if lookups == maxGrams {
					break
				}
				lookups++
				p.all = max(1, p.all<<1)
				p.pairs[string(appendFolded(nil, t.text[pair.Start:pair.End]))] |= p.all
				if t.foldsKana() {
					p.pairs[string(appendFolded(nil, otherKana(t.text[pair.Start:pair.End])))] |= p.all
				}
			}
		}
		h.patterns = append(h.patterns, p)
	}
}

// pairsOf yields the pairs of characters of a run. They overlap.
func pairsOf(run string) func(yield func(pair Span) bool) {
	return func(yield func(pair Span) bool) {
		for start, first := 0, clusterLen(run); start+first < len(run); {
			second := clusterLen(run[start+first:])
			if !yield(Span{start, start + first + second}) {
				return
			}
			start, first = start+first, second
		}
	}
}

// findMatches finds the matches of all patterns.
func (h *highlighter) findMatches() {
	var compound []byte // the joined words so far
	compoundStart, parts, end := 0, 0, 0
	tokens := h.lang.tokenize(h.text.normalized)
	for {
		tok, ok := tokens.next()
		if !tok.joined || tok.script != spaced {
			if parts > 1 {
				h.matchWord(string(compound), compoundStart, end)
			}
			compound, compoundStart, parts = compound[:0], tok.start, 0
		}
		if !ok {
			return
		}
		end = tokens.pos
		if tok.script == spaced {
			h.matchWord(tok.text, tok.start, end)
			compound = append(compound, tok.text...)
			parts++
		} else {
			h.matchRun(tok)
		}
	}
}

// matchWord adds the matches of a normalized word.
func (h *highlighter) matchWord(text string, start, end int) {
	if !h.words {
		return
	}
	var wordBuf, stemBuf [64]byte
	word, letters := clip(appendFolded(wordBuf[:0], text))
	var stem []byte
	for n := range h.patterns {
		p := &h.patterns[n]
		if p.script != spaced {
			continue
		}
		// Stemming takes most of the time.
		if stem == nil && (h.lang.prefixes || word[0] == p.stem[0]) {
			stem, _ = clip(h.lang.appendStem(stemBuf[:0], text))
		}
		h.add(n, p.tierOf(word, stem, letters), start, end)
	}
}

// tierOf returns the tier of the match of p with a folded word.
func (p *pattern) tierOf(word, stem []byte, letters int) tier {
	switch {
	case bytes.Equal(word, p.folded), bytes.Equal(stem, p.stem), p.joined != nil && bytes.Equal(word, p.joined):
		return whole
	case bytes.HasPrefix(word, p.folded):
		return partial
	case p.best > similar || p.maxTypos == 0 || max(letters, p.letters)-min(letters, p.letters) > p.maxTypos,
		bits.OnesCount64(signature(word)^p.signature) > 2*p.maxTypos:
		return noMatch
	}
	var wordBuf, otherBuf [maxWordLetters]rune
	if distance(decodeRunes(wordBuf[:], word), decodeRunes(otherBuf[:], p.folded), p.maxTypos) <= p.maxTypos {
		return similar
	}
	return noMatch
}

// matchRun adds the matches of a run.
func (h *highlighter) matchRun(run token) {
	for n := range h.patterns {
		p := &h.patterns[n]
		switch {
		case p.script == spaced:
		case p.isCharacter():
			h.matchCharacter(n, run)
		default:
			h.matchPairs(n, run)
		}
	}
}

// matchCharacter adds the occurrences of a lone character in a run.
func (h *highlighter) matchCharacter(n int, run token) {
	for i := 0; i < len(run.text); {
		size := clusterLen(run.text[i:])
		if run.text[i:i+size] == h.patterns[n].text {
			h.add(n, whole, run.start+i, run.start+i+size)
		}
		i += size
	}
}

// matchPairs adds the parts of a run that share pairs of characters with a pattern.
// As in a search, a single pair is a match only in scripts where it is usually a word.
func (h *highlighter) matchPairs(n int, run token) {
	p := &h.patterns[n]
	single := p.script.pairIsWord() || p.all == 1
	var last, matched uint64 // positions of the previous pair: all, and those that are preceded by all pairs before them
	var starts [maxGrams + 1]int
	var buf [64]byte
	k := 0
	for pair := range pairsOf(run.text) {
		starts[k%len(starts)] = pair.Start
		at := p.pairs[string(appendFolded(buf[:0], run.text[pair.Start:pair.End]))]
		matched = (matched<<1 | 1) & at
		end := run.start + pair.End
		switch {
		case matched&p.all != 0:
			length := bits.TrailingZeros64(p.all) // pairs before this one
			h.add(n, whole, run.start+starts[(k-length)%len(starts)], end)
		case last<<1&at != 0:
			h.add(n, partial, run.start+starts[(k-1)%len(starts)], end)
		case at != 0 && single:
			h.add(n, similar, run.start+pair.Start, end)
		}
		last = at
		k++
	}
}

// add adds a match, unless its pattern has a better one.
func (h *highlighter) add(pattern int, t tier, start, end int) {
	if p := &h.patterns[pattern]; t != noMatch && t >= p.best {
		p.best = t
		h.matches = append(h.matches, highlight{int32(start), int32(end), uint8(pattern), t})
	}
}

// spans returns the best matches of all patterns. Those that overlap or touch are
// merged.
func (h *highlighter) spans() []Span {
	matches := slices.DeleteFunc(h.matches, func(m highlight) bool { return m.tier < h.patterns[m.pattern].best })
	slices.SortFunc(matches, func(a, b highlight) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var spans []Span
	for _, m := range matches {
		span := h.text.span(int(m.start), int(m.end))
		if last := len(spans) - 1; last >= 0 && span.Start <= spans[last].End {
			spans[last].End = max(spans[last].End, span.End)
		} else {
			spans = append(spans, span)
		}
	}
	return spans
}
