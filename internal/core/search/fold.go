package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"placard/internal/core/taxonomy"
)

// normalize prepares a text for tokenizing. It applies NFKC, which unifies full
// width characters and ligatures, converts letters to lower case, unifies
// apostrophes, removes invisible characters, and replaces placeholders with
// spaces.
func normalize(s string) string {
	if isPlainASCII(s) {
		return strings.ToLower(s)
	}
	return mapNormalized(strings.ToLower(norm.NFKC.String(removePlaceholders(s))))
}

// mapNormalized unifies apostrophes and removes invisible characters.
func mapNormalized(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '’' || r == 'ʼ' || r == '`':
			return '\''
		case r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

// isPlainASCII reports whether normalize only has to convert s to lower case.
func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '`' || s[i] == '{' {
			return false
		}
	}
	return true
}

func removePlaceholders(s string) string {
	var b strings.Builder
	end := 0
	for p := range taxonomy.Placeholders(s) {
		b.WriteString(s[end:p.Start])
		b.WriteByte(' ')
		end = p.End
	}
	if end == 0 {
		return s
	}
	b.WriteString(s[end:])
	return b.String()
}

// appendFolded appends a normalized text without the accents that people omit
// when they type.
func appendFolded(b []byte, s string) []byte {
	if hasNoAccents(s) {
		return append(b, s...)
	}
	var letters []byte
	var prev rune
	for _, r := range norm.NFD.String(s) {
		if !isAccent(r) || formsLetter(prev, r) {
			letters = appendLetter(letters, r)
		}
		prev = r
	}
	return norm.NFC.Append(b, letters...)
}

// hasNoAccents reports whether a normalized text consists of characters that
// appendFolded does not change: ASCII, kana and the common Chinese characters. It may
// return false for others.
func hasNoAccents(s string) bool {
	for _, r := range s {
		if r >= utf8.RuneSelf && (r < 'ぁ' || r > 'ゖ' && r < 'ァ' || r > 'ー' && r < '一' || r > '\u9FFF') {
			return false
		}
	}
	return true
}

// isAccent reports whether r is an optional mark on the preceding letter. Marks
// that readers consider letters are not accents, such as Indic and Thai vowel
// signs and the voicing marks of kana.
func isAccent(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36F, // Latin, Greek, Cyrillic
		0x483 <= r && r <= 0x487,
		0x591 <= r && r <= 0x5C7 && unicode.Is(unicode.Mn, r), // Hebrew points
		0x610 <= r && r <= 0x61A,                              // Arabic vowels and hamzas
		r == 0x640, 0x64B <= r && r <= 0x65F, r == 0x670,
		0x6D6 <= r && r <= 0x6ED && unicode.Is(unicode.Mn, r):
		return true
	}
	return false
}

// formsLetter reports whether a Cyrillic letter and an accent form a separate
// letter, whose accent is never omitted: й, ў, ї, ѓ, ќ.
func formsLetter(letter, accent rune) bool {
	switch accent {
	case 0x306:
		return letter == 'и' || letter == 'у'
	case 0x308:
		return letter == 'і'
	case 0x301:
		return letter == 'г' || letter == 'к'
	}
	return false
}

// appendLetter appends r. It replaces letters that have no Unicode decomposition
// with the letters that people type instead.
func appendLetter(b []byte, r rune) []byte {
	switch r {
	case 'ø':
		r = 'o'
	case 'ł':
		r = 'l'
	case 'đ', 'ð':
		r = 'd'
	case 'ı':
		r = 'i'
	case 'ħ':
		r = 'h'
	case 'ς':
		r = 'σ'
	case 'ى':
		r = 'ي'
	case 'æ':
		return append(b, "ae"...)
	case 'œ':
		return append(b, "oe"...)
	case 'ß':
		return append(b, "ss"...)
	case 'þ':
		return append(b, "th"...)
	}
	return utf8.AppendRune(b, r)
}

// titleKey returns a hash of a text that ignores case, accents and the amount of
// white space. The key of a blank text is 0. The buffer is scratch space.
func titleKey(buffer []byte, normalized string) uint64 {
	var key hash
	for word := range strings.FieldsSeq(normalized) {
		if key == 0 {
			key = emptyHash
		} else {
			key = key.add(' ')
		}
		for _, c := range appendFolded(buffer[:0], word) {
			key = key.add(c)
		}
	}
	return uint64(key)
}
