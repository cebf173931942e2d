package search

import "unicode"

// A script tells how a character takes part in searching: as part of a word
// between spaces, or of a run in a script that is written without them.
type script uint8

const (
	none script = iota // white space, punctuation, symbols
	spaced
	han
	hiragana
	katakana
	hangul
	thai
	lao
	khmer
	burmese
)

// scriptOf returns the script of r, where prev is that of the character before.
func scriptOf(r rune, prev script) script {
	switch {
	case r < 0x0E00:
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return spaced
		}
		return none
	case unicode.IsMark(r) && prev != none:
		return prev
	case r == 'ー':
		if prev == hiragana {
			return hiragana
		}
		return katakana
	case r <= 0x0E7F:
		return letters(r, thai)
	case r <= 0x0EFF:
		return letters(r, lao)
	case 0x1000 <= r && r <= 0x109F || 0xA9E0 <= r && r <= 0xA9FF || 0xAA60 <= r && r <= 0xAA7F:
		return letters(r, burmese)
	case 0x1780 <= r && r <= 0x17FF:
		return letters(r, khmer)
	case unicode.Is(unicode.Hiragana, r):
		return letters(r, hiragana)
	case unicode.Is(unicode.Katakana, r):
		return letters(r, katakana)
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Hangul, r):
		return letters(r, hangul)
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return spaced
	}
	return none
}

// letters is s for characters that carry meaning; a digit is a word anywhere.
func letters(r rune, s script) script {
	switch {
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return s
	case unicode.IsNumber(r):
		return spaced
	}
	return none
}

// spellsSounds tells scripts in which a pair of characters is a sound or two
// from those in which it mostly is a word.
func (s script) spellsSounds() bool { return s != han && s != hangul }
