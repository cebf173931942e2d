package taxonomy

import "strings"

// Text is a text in one locale.
type Text struct {
	Locale string `json:"locale"`
	Value  string `json:"value"`
}

// Localized is one text in several locales, each locale at most once.
type Localized []Text

// Get returns the text in locale, which is compared case-insensitively.
func (l Localized) Get(locale string) (value string, ok bool) {
	for _, t := range l {
		if strings.EqualFold(t.Locale, locale) {
			return t.Value, true
		}
	}
	return "", false
}

// IsLocale reports whether s is a well-formed BCP 47 language tag. It does not
// check whether the language exists.
func IsLocale(s string) bool {
	if len(s) > 64 {
		return false
	}
	first, rest, more := strings.Cut(s, "-")
	if !isSubtag(first, false) || len(first) == 1 && (!more || first != "x" && first != "X" && first != "i" && first != "I") {
		return false
	}
	for more {
		var sub string
		sub, rest, more = strings.Cut(rest, "-")
		if !isSubtag(sub, true) {
			return false
		}
	}
	return true
}

func isSubtag(s string, digits bool) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && (!digits || c < '0' || '9' < c) {
			return false
		}
	}
	return 1 <= len(s) && len(s) <= 8
}
