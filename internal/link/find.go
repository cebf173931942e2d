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

// candidate matches a web address, an email address or an international phone
// number, possibly followed by punctuation.
var candidate = regexp.MustCompile(`https://[0-9A-Za-z.:\[\]-]+(?:[/?#][!#-;=?-\[\]_a-z~]*)?` +
	`|[0-9A-Za-z.!#$%&'*+/=?^_{|}~-]{1,64}@[0-9A-Za-z-]{1,63}(?:\.[0-9A-Za-z-]{1,63}){1,8}` +
	"|\\+[0-9](?:[ .()/\u00A0\u2009\u202F\u2010\u2011-]{0,2}[0-9]){6,14}")

// Find returns the addresses in a text: https: URLs, email addresses, and phone
// numbers that begin with + and a country code. The punctuation after an address
// is not part of it.
func Find(text string) iter.Seq[Address] {
	return func(yield func(Address) bool) {
		if !strings.Contains(text, "https://") && !strings.ContainsAny(text, "@+") {
			return
		}
		for _, match := range candidate.FindAllStringIndex(text, -1) {
			a := Address{Start: match[0], End: match[1]}
			if continues(text, a) {
				continue
			}
			a.End = a.Start + len(trimPunctuation(text[a.Start:a.End]))
			switch written := text[a.Start:a.End]; {
			case strings.HasPrefix(written, "https://"):
				a.Href = Web(written)
			case written[0] == '+' && !strings.Contains(written, "@"):
				a.Href = Phone(written)
			default:
				a.Href = Mail(written)
			}
			if a.Href != "" && !yield(a) {
				return
			}
		}
	}
}

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
	for {
		trimmed := strings.TrimRight(address, ".,;:!?'*_")
		if strings.HasSuffix(trimmed, ")") && strings.Count(trimmed, ")") > strings.Count(trimmed, "(") {
			trimmed = strings.TrimSuffix(trimmed, ")")
		}
		if strings.HasSuffix(trimmed, "]") && strings.Count(trimmed, "]") > strings.Count(trimmed, "[") {
			trimmed = strings.TrimSuffix(trimmed, "]")
		}
		if trimmed == address {
			return address
		}
		address = trimmed
	}
}
