package search

import (
	"strings"
	"unicode"
)

// script classifies characters for tokenizing. Scripts that separate words with
// spaces need not be distinguished.
type script uint8

const (
	none   script = iota // white space, punctuation, symbols
	spaced               // any script that is written with spaces
	han
	hiragana
	katakana
	hangul
	thai
	lao
	khmer
	burmese
)

// scriptOf returns the script of r. prev is the script of the preceding character.
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
		return letterScript(r, thai)
	case r <= 0x0EFF:
		return letterScript(r, lao)
	case 0x1000 <= r && r <= 0x109F || 0xA9E0 <= r && r <= 0xA9FF || 0xAA60 <= r && r <= 0xAA7F:
		return letterScript(r, burmese)
	case 0x1780 <= r && r <= 0x17FF:
		return letterScript(r, khmer)
	case unicode.Is(unicode.Hiragana, r):
		return letterScript(r, hiragana)
	case unicode.Is(unicode.Katakana, r):
		return letterScript(r, katakana)
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Hangul, r):
		return letterScript(r, hangul)
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return spaced
	}
	return none
}

// letterScript returns s for letters and marks, spaced for digits, and none for
// other characters.
func letterScript(r rune, s script) script {
	switch {
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return s
	case unicode.IsNumber(r):
		return spaced
	}
	return none
}

// otherKana returns a text in katakana if it is in hiragana, and the reverse.
func otherKana(text string) string {
	const distance = 'ァ' - 'ぁ'
	return strings.Map(func(r rune) rune {
		switch {
		case 'ぁ' <= r && r <= 'ゖ' || 'ゝ' <= r && r <= 'ゞ':
			return r + distance
		case 'ァ' <= r && r <= 'ヶ' || 'ヽ' <= r && r <= 'ヾ':
			return r - distance
		}
		return r
	}, text)
}

// pairIsWord reports whether a pair of characters is usually a word. In other
// scripts without spaces, it is only a syllable or two.
func (s script) pairIsWord() bool { return s == han || s == hangul }
