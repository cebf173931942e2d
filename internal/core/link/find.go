package link

import (
	"iter"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Address is an address inside a text.
type Address struct {
	Start, End int    // text[Start:End] is the address as written
	Href       string // https:, mailto: or tel:
}

// Find returns the addresses in a text: https: URLs, email addresses, and phone
// numbers that begin with + and a country code. The punctuation after an address
// is not part of it. Find takes time proportional to the length of the text.
func Find(text string) iter.Seq[Address] {
	return func(yield func(Address) bool) {
		if !strings.ContainsAny(text, "@+") && !strings.Contains(text, "https://") {
			return // The pattern is slow on long texts.
		}
		for _, m := range candidate.FindAllStringSubmatchIndex(text, -1) {
			a := Address{Start: m[0], End: m[1]}
			written := text[a.Start:a.End]
			toLink := Web
			switch at := strings.IndexByte(written, '@'); {
			case m[2] >= 0: // an email address
				if toLink = Mail; at > maxLocal || len(written)-at > maxHost {
					continue
				}
			case m[4] >= 0: // a phone number
				if toLink = Phone; appended.MatchString(written) {
					continue
				}
			}
			if continues(text, a) {
				continue
			}
			written = trimPunctuation(written)
			a.End = a.Start + len(written)
			if a.Href = toLink(written); a.Href != "" && !yield(a) {
				return
			}
		}
	}
}

// candidate matches what may be an address: the first group is an email address, the
// second a phone number of 7 to 15 digits with up to two separators between them,
// but not the period and space at the end of a sentence.
var candidate = regexp.MustCompile(`https://[A-Za-z0-9.:\[\]-]+(?:[/?#][A-Za-z0-9!#$%&'()*+,./:;=?@\[\]_~-]*)?` +
	`|([A-Za-z0-9.!#$%&'*+/=?^_{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)` +
	`|(\+[0-9](?:(?:\.[.` + separators + `]?|[ ` + separators + `][ .` + separators + `]?)?[0-9]){6,14})`)

const separators = `()/\x{A0}\x{2009}\x{202F}\x{2010}\x{2011}-`

const maxLocal, maxHost = 64, 253 // bytes in the parts of an email address

// appended matches a short group of digits after a long one. It may be part of the
// sentence, as in "+44 1632 960001 24/7", or of the number.
var appended = regexp.MustCompile(`[0-9]{4}[^0-9]*[ /(\x{A0}\x{2009}\x{202F}][^0-9]*[0-9]{1,2}([^0-9]|$)`)

// continues reports whether a is only a part of an address or a word, because a
// letter, digit or @ is adjacent to it. Scripts that are written without spaces are
// not taken into account.
func continues(text string, a Address) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:a.Start])
	after, _ := utf8.DecodeRuneInString(text[a.End:])
	isWord := func(r rune) bool {
		return unicode.IsDigit(r) || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
	}
	return isWord(before) || isWord(after) || after == '@'
}

// trimPunctuation removes the punctuation of the surrounding sentence from the end
// of an address. A closing bracket belongs to the address if it is opened in it.
func trimPunctuation(address string) string {
	round := strings.Count(address, ")") - strings.Count(address, "(")
	square := strings.Count(address, "]") - strings.Count(address, "[")
	for end := len(address); end > 0; end-- {
		switch c := address[end-1]; {
		case c == ')' && round > 0:
			round--
		case c == ']' && square > 0:
			square--
		case strings.IndexByte(".,;:!?'*_", c) < 0:
			return address[:end]
		}
	}
	return ""
}
