package sign

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"placard/internal/core/problem"
)

// text is a text of the sign, divided where a line may end.
type text struct {
	original string
	lang     string
	rtl      bool
	weight   weight
	color    string
	pieces   []piece
	script   script

	isAddress bool // breaks are not marked with hyphens
}

// piece is a part of a text that stays on one line.
type piece struct {
	text  string
	width float64 // in em
	space float64 // width of the white space that follows it, in em
}

// script describes how the lines of a script are set, in em.
type script struct {
	ascent, descent float64 // of a line
	leading         float64 // distance between baselines
}

var (
	alphabetic  = script{0.76, 0.22, 1.14}
	ideographic = script{0.88, 0.14, 1.26}
	tall        = script{0.95, 0.35, 1.38} // scripts with marks above and below the line
)

// maxLength is the number of bytes of a text that are set. No text on a sign
// has room for more.
const maxLength = 1000

// newText returns a text that is set in the given weight and colour.
func newText(s, lang string, rtl bool, w weight, color string) *text {
	s = problem.ClipTo(s, 10*maxLength) // marks and spaces are removed
	s = problem.ClipTo(limitMarks(strings.Join(strings.FieldsFunc(s, isBreakingSpace), " ")), maxLength)
	t := &text{original: s, lang: lang, rtl: rtl, weight: w, color: color, script: scriptOf(s)}
	hasKana := strings.ContainsFunc(s, isKana)
	start := 0 // of the current piece
	previous := ""
	for clusters := graphemes.FromString(s); clusters.Next(); {
		cluster := clusters.Value()
		at := clusters.Start()
		switch {
		case cluster == " ":
			t.add(s[start:at], true)
			start = clusters.End()
		case start < at && mayBreak(previous, cluster, hasKana):
			t.add(s[start:at], false)
			start = at
		}
		previous = cluster
	}
	t.add(s[start:], false)
	return t
}

// maxMarks is the number of marks above and below a letter that are shown. More would
// cover other lines; no language needs them.
const maxMarks = 3

// limitMarks removes marks that follow too many others.
func limitMarks(s string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
			return r
		}
		if marks++; marks > maxMarks {
			return -1
		}
		return r
	}, s)
}

// newAddress returns an address. Its lines end where readers do not take the break, or
// the punctuation beside it, for a part of the address: after @ and the like, or before a
// dot, but not at a hyphen.
func newAddress(s string, w weight, color string) *text {
	s = limitMarks(problem.ClipTo(s, maxLength))
	t := &text{original: s, weight: w, color: color, script: alphabetic, isAddress: true}
	start := 0
	for i := 1; i < len(s); i++ {
		if s[i] == '.' || strings.IndexByte("@/?&=", s[i-1]) >= 0 {
			t.add(s[start:i], false)
			start = i
		}
	}
	t.add(s[start:], false)
	return t
}

func (t *text) add(s string, space bool) {
	if s == "" {
		return
	}
	p := piece{text: s, width: t.measure(s)}
	if space {
		p.space, _ = widthOf(' ', t.weight)
	}
	t.pieces = append(t.pieces, p)
}

// measure returns the width of s in em.
func (t *text) measure(s string) float64 {
	var width float64
	for _, r := range s {
		w, _ := widthOf(r, t.weight)
		width += w
	}
	return width
}

// length returns the width of the whole text on one line in em.
func (t *text) length() float64 { return t.measure(t.original) }

func (t *text) isEmpty() bool { return t == nil || len(t.pieces) == 0 }

// isExact reports whether all widths in s are those of the font.
func isExact(s string) bool {
	for _, r := range s {
		if _, exact := widthOf(r, regular); !exact {
			return false
		}
	}
	return true
}

func isBreakingSpace(r rune) bool {
	return unicode.IsSpace(r) && r != '\u00A0' && r != '\u202F' && r != '\u2007' || r == '\u200B'
}

// scriptOf returns the script that needs the most space in s.
func scriptOf(s string) script {
	found := alphabetic
	for _, r := range s {
		switch {
		case r < 0x590: // Latin, Greek, Cyrillic and Armenian
		case isIdeographic(r):
			if found == alphabetic {
				found = ideographic
			}
		case unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Georgian, unicode.Hebrew):
			return tall
		}
	}
	return found
}

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }

func isIdeographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hangul) || isKana(r) || 0x3000 <= r && r <= 0x30FF || 0xFF00 <= r && r <= 0xFFEF
}

// Characters that must not begin or end a line in Chinese and Japanese.
const (
	notAtStart = "、。，．：；？！!?,.:;」』）】〉》〕］｝)]}ー々ゝゞ・…‥ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ%％"
	notAtEnd   = "「『（【〈《〔［｛([{"
)

// mayBreak reports whether a line may end between two characters without a space.
// In a text with kana, lines end between phrases only, which usually begin after
// hiragana or where the script changes.
func mayBreak(before, after string, hasKana bool) bool {
	b, _ := utf8.DecodeLastRuneInString(before)
	a, _ := utf8.DecodeRuneInString(after)
	switch {
	case strings.ContainsRune("-‐–/", b):
		return unicode.IsLetter(a)
	case unicode.IsSpace(a), unicode.IsSpace(b):
		return false // a space that must not end a line
	case !isIdeographic(a) && !isIdeographic(b), strings.ContainsRune(notAtStart, a), strings.ContainsRune(notAtEnd, b):
		return false
	case unicode.Is(unicode.Hangul, a):
		return false // Korean has spaces
	case unicode.IsDigit(b):
		return false // a number stays with the word that follows it
	case !hasKana:
		return true
	case strings.ContainsRune(notAtEnd, a), strings.ContainsRune("、。，．：；？！」』）】〉》〕・…", b):
		return true
	case unicode.Is(unicode.Hiragana, a):
		return false
	}
	return kanaClass(a) != kanaClass(b)
}

// kanaClass returns a number for each of the scripts that Japanese uses.
func kanaClass(r rune) int {
	switch {
	case unicode.Is(unicode.Hiragana, r):
		return 1
	case unicode.Is(unicode.Katakana, r), r == 'ー':
		return 2
	case unicode.Is(unicode.Han, r), r == '々':
		return 3
	}
	return 4
}
