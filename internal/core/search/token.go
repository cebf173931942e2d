package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// token is a word, or a run of characters of one script without spaces.
type token struct {
	script script
	text   string // normalized, with accents
	start  int    // offset in the normalized text

	joined   bool // to the previous token, by a hyphen or another joiner
	adjacent bool // to the previous token, with nothing in between
}

// tokenizer splits a normalized text into tokens at Unicode word boundaries, at
// joiners, and where the script changes.
type tokenizer struct {
	lang     *language
	text     string
	segments words.Iterator[string]
	boundary int  // end of the current segment
	pos      int  // read position, at most boundary
	end      int  // end of the previous token, including a joiner after it
	joiner   bool // the previous token is followed by a joiner
}

func (l *language) tokenize(normalized string) tokenizer {
	return tokenizer{lang: l, text: normalized, segments: *words.FromString(normalized), end: -1}
}

func (t *tokenizer) next() (token, bool) {
	for {
		if t.pos == t.boundary && !t.nextSegment() {
			return token{}, false
		}
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		tok := token{script: scriptOf(r, none), start: t.pos}
		adjacent := t.end == t.pos
		if tok.script == none {
			t.pos += size
			t.joiner = adjacent && !t.joiner && isJoiner(r)
			if t.joiner {
				t.end = t.pos
			}
			continue
		}
		tok.joined, tok.adjacent = adjacent && t.joiner, adjacent && !t.joiner
		if tok.script == spaced {
			tok.text = t.word()
		} else {
			tok.text = t.run(tok.script)
		}
		t.end, t.joiner = t.pos, false
		if strings.TrimFunc(tok.text, isAccent) != "" {
			return tok, true
		}
	}
}

// nextSegment advances to the next segment between word boundaries.
func (t *tokenizer) nextSegment() bool {
	ok := t.segments.Next()
	t.boundary = t.segments.End()
	return ok
}

// word reads one word within the current segment.
func (t *tokenizer) word() string {
	start, apostrophe := t.pos, false
	for t.pos < t.boundary {
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		if r == '\'' && !t.lang.elides {
			apostrophe = true
		} else if scriptOf(r, spaced) != spaced {
			break
		}
		t.pos += size
	}
	word := t.text[start:t.pos]
	if !apostrophe {
		return word
	}
	if t.lang.possessive {
		word = strings.TrimSuffix(word, "'s")
	}
	return strings.ReplaceAll(word, "'", "")
}

// run reads one run, which may span several segments.
func (t *tokenizer) run(s script) string {
	start := t.pos
	for t.pos < len(t.text) {
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		if scriptOf(r, s) != s {
			break
		}
		t.pos += size
	}
	for t.boundary < t.pos {
		t.nextSegment()
	}
	return t.text[start:t.pos]
}

// isJoiner reports whether r joins the parts of a compound.
func isJoiner(r rune) bool {
	switch r {
	case '-', '‐', '_', '.', '·':
		return true
	}
	return false
}

// clusterLen returns the length in bytes of the first character of a run,
// including its combining marks.
func clusterLen(run string) int {
	_, n := utf8.DecodeRuneInString(run)
	for n < len(run) {
		r, size := utf8.DecodeRuneInString(run[n:])
		if !unicode.IsMark(r) {
			break
		}
		n += size
	}
	return n
}

// inflects reports whether t starts with an inflection of the preceding word:
// kana after a Chinese character, unless they are a particle.
func (t token) inflects(word token) bool {
	return t.script == hiragana && t.adjacent && word.script == han &&
		!strings.Contains(japaneseParticles, t.text[:clusterLen(t.text)])
}
