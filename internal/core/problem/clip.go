package problem

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxQuoted is the maximum number of input bytes that a message quotes.
	maxQuoted = 80
	// MaxName is the maximum number of bytes of each name in a [Path].
	MaxName = 200
	// Ellipsis ends text that [Clip] or [ClipTo] has shortened.
	Ellipsis = "…"
)

// Clip shortens input to be quoted in a message. It replaces invalid UTF-8, so
// that the message can be encoded as JSON.
func Clip(s string) string { return strings.ToValidUTF8(ClipTo(s, maxQuoted), "\uFFFD") }

// ClipTo shortens s to at most limit bytes followed by [Ellipsis]. It does not
// split a character.
func ClipTo(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + Ellipsis
}
