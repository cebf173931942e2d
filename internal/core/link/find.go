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
		end := 0 // of the last candidate
		for i := 0; i < len(text); i++ {
			a := Address{Start: i}
			var toLink func(string) string
			switch text[i] {
			case 'h':
				a.End, toLink = i+webLength(text[i:]), Web
			case '+':
				a.End, toLink = i+phoneLength(text[i:]), Phone
			case '@':
				a.Start, a.End = mailbox(text, end, i)
				toLink = Mail
			}
			if a.End <= a.Start {
				continue
			}
			end, i = a.End, a.End-1
			if continues(text, a) {
				continue
			}
			written := trimPunctuation(text[a.Start:a.End])
			a.End = a.Start + len(written)
			if a.Href = toLink(written); a.Href != "" && !yield(a) {
				return
			}
		}
	}
}

// webLength returns the length of the https: URL that text begins with, or 0.
func webLength(text string) int {
	const scheme = "https://"
	if !strings.HasPrefix(text, scheme) {
		return 0
	}
	end := len(scheme)
	for end < len(text) && (isAlphanumeric(text[end]) || strings.IndexByte(".:[]-", text[end]) >= 0) {
		end++
	}
	if end == len(scheme) {
		return 0
	}
	if end < len(text) && strings.IndexByte("/?#", text[end]) >= 0 {
		for end < len(text) && (isAlphanumeric(text[end]) || strings.IndexByte("!#$%&'()*+,-./:;=?@[]_~", text[end]) >= 0) {
			end++
		}
	}
	return end
}

// appended matches a short group of digits after a long one. It may be part of the
// sentence, as in "+44 1632 960001 24/7", or of the number.
var appended = regexp.MustCompile(`[0-9]{4}[^0-9]*[ /(\x{A0}\x{2009}\x{202F}][^0-9]*[0-9]{1,2}([^0-9]|$)`)

// phoneLength returns the length of the international phone number that text begins
// with, or 0 if there is none or it is unclear where it ends. The digits before an @
// belong to an email address.
func phoneLength(text string) int {
	const minDigits, maxDigits, maxSeparators = 7, 15, 2
	end, digits, separators := 1, 0, 0
	for i, r := range text[1:] {
		if '0' <= r && r <= '9' {
			end, digits, separators = i+2, digits+1, 0
		} else if separators++; digits == 0 || separators > maxSeparators || !strings.ContainsRune(" .()/-\u00A0\u2009\u202F\u2010\u2011", r) {
			break
		} else if r == ' ' && text[i] == '.' {
			break // the end of a sentence
		}
		if digits == maxDigits {
			break
		}
	}
	if digits < minDigits || appended.MatchString(text[:end]) {
		return 0
	}
	if n := localPrefix(text); n < len(text) && text[n] == '@' {
		return 0
	}
	return end
}

const maxLocal, maxHost = 64, 253 // bytes in the parts of an email address

// mailbox returns the email address around the @ at a position of text, in which
// everything before start belongs to other addresses. The address is empty if there
// is none.
func mailbox(text string, start, at int) (from, to int) {
	for from = at; from > start && isLocal(text[from-1]); from-- {
		if at-from == maxLocal {
			return at, at
		}
	}
	labels := 0
	for to = at; to < len(text) && (to == at || text[to] == '.'); labels++ {
		label := to + 1
		for label < len(text) && (isAlphanumeric(text[label]) || text[label] == '-') {
			label++
		}
		if label == to+1 {
			break
		}
		to = label
	}
	if from == at || labels < 2 || to-at > maxHost {
		return at, at
	}
	return from, to
}

// localPrefix returns the number of bytes at the start of text, up to maxLocal, that
// may be the local part of an email address.
func localPrefix(text string) int {
	n := 0
	for n < min(len(text), maxLocal) && isLocal(text[n]) {
		n++
	}
	return n
}

// isLocal reports whether c may be in the local part of an email address.
func isLocal(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte(".!#$%&'*+/=?^_{|}~-", c) >= 0
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
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
