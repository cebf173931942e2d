package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"placard/internal/taxonomy"
)

// normalize brings a text to the form that it is cut into words in: compatible
// spellings made one (full width, ligatures), lower case, one kind of
// apostrophe, and no invisible characters. Placeholders become spaces.
func normalize(s string) string {
	if plain(s) {
		return strings.ToLower(s)
	}
	s = strings.ToLower(norm.NFKC.String(withoutPlaceholders(s)))
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

func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '`' || s[i] == '{' {
			return false
		}
	}
	return true
}

func withoutPlaceholders(s string) string {
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

// appendFolded appends a normalized text without its accents: what people
// leave out when they type in a hurry.
func appendFolded(b []byte, s string) []byte {
	ascii := true
	for i := 0; ascii && i < len(s); i++ {
		ascii = s[i] < utf8.RuneSelf
	}
	if ascii {
		return append(b, s...)
	}
	var spelled []byte
	var before rune
	for _, r := range norm.NFD.String(s) {
		if !isAccent(r) || isPart(before, r) {
			spelled = appendLetter(spelled, r)
		}
		before = r
	}
	return norm.NFC.Append(b, spelled...)
}

// isAccent reports whether r only decorates the letter before it. Marks that
// are letters to their readers, such as the vowels of India or Thailand and
// the voicing marks of kana, are none.
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

// isPart reports whether an accent makes another letter of a Cyrillic one,
// which nobody leaves out: й, ў, ї, ѓ, ќ.
func isPart(letter, accent rune) bool {
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

// appendLetter spells letters that do not decompose the way people type them.
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

// titleKey is equal for texts that differ in nothing but case, accents and
// white space, and zero for blank ones. Words are folded in the buffer.
func titleKey(buffer []byte, normalized string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	var key uint64
	for word := range strings.FieldsSeq(normalized) {
		if key == 0 {
			key = offset
		} else {
			key = (key ^ ' ') * prime
		}
		for _, c := range appendFolded(buffer[:0], word) {
			key = (key ^ uint64(c)) * prime
		}
	}
	return key
}
