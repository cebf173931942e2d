package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// token is a word, or a run of one script that is written without spaces.
type token struct {
	script script
	text   string // normalized, with its accents

	glued   bool // only a hyphen or the like stands between this and the token before
	follows bool // nothing at all does
}

// tokenizer cuts a normalized text into tokens at Unicode word boundaries, at
// the joints of compounds, and where the script changes.
type tokenizer struct {
	lang     *language
	text     string
	segments *words.Iterator[string]
	boundary int  // the end of the current segment
	pos      int  // what has been read, never past boundary
	end      int  // of the last token, and of the joint after it
	joint    bool // there is one
}

func (l *language) tokenize(normalized string) tokenizer {
	return tokenizer{lang: l, text: normalized, segments: words.FromString(normalized), end: -1}
}

func (t *tokenizer) next() (token, bool) {
	for {
		if t.pos == t.boundary && !t.segment() {
			return token{}, false
		}
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		tok := token{script: scriptOf(r, none)}
		adjacent := t.end == t.pos
		if tok.script == none {
			t.pos += size
			t.joint = adjacent && !t.joint && isJoint(r)
			if t.joint {
				t.end = t.pos
			}
			continue
		}
		tok.glued, tok.follows = adjacent && t.joint, adjacent && !t.joint
		if tok.script == spaced {
			tok.text = t.word()
		} else {
			tok.text = t.run(tok.script)
		}
		t.end, t.joint = t.pos, false
		if strings.TrimFunc(tok.text, isAccent) != "" {
			return tok, true
		}
	}
}

// segment moves on to the next piece between word boundaries.
func (t *tokenizer) segment() bool {
	ok := t.segments.Next()
	t.boundary = t.segments.End()
	return ok
}

// word reads one word; none goes past a boundary.
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

// run reads one run, which has boundaries inside.
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
		t.segment()
	}
	return t.text[start:t.pos]
}

func isJoint(r rune) bool {
	switch r {
	case '-', '‐', '_', '.', '·':
		return true
	}
	return false
}

// cluster returns how many bytes the first character of a run has, together
// with the marks that belong to it.
func cluster(run string) int {
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

// inflects reports whether t starts with an ending of the word before it: kana
// after a Chinese character, where they are not a particle.
func (t token) inflects(word token) bool {
	return t.script == hiragana && t.follows && word.script == han &&
		!strings.Contains(japaneseParticles, t.text[:cluster(t.text)])
}
