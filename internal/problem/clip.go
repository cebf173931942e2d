package problem

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxQuoted is how many bytes of one input a message quotes.
	maxQuoted = 80
	// MaxName is how many bytes of one name a [Path] contains.
	MaxName = 200
	// Ellipsis ends text that [Clip] or [ClipTo] has shortened.
	Ellipsis = "…"
)

// Clip shortens input that a message quotes. Invalid UTF-8 is replaced, so that
// the message can be encoded as JSON.
func Clip(s string) string { return strings.ToValidUTF8(ClipTo(s, maxQuoted), "\uFFFD") }

// ClipTo shortens s to at most limit bytes followed by [Ellipsis]. It does not
// split a character.
func ClipTo(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return clipTo(s, limit)
}

func clipTo(s string, limit int) string {
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + Ellipsis
}
