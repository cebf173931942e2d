package worddiff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// Excerpt replaces the parts that are far from every change with [Omit] spans. It
// keeps about context characters on each side of a change, in whole words, and no
// white space beside an omission.
func Excerpt(spans []Span, context int) []Span {
	var excerpt []Span
	for i, s := range spans {
		if s.Op != Equal {
			excerpt = append(excerpt, s)
			continue
		}
		head, tail := 0, len(s.Text)
		if i > 0 {
			head = headEnd(s.Text, context)
		}
		if i < len(spans)-1 {
			tail = tailStart(s.Text, context)
		}
		if tail-head < minOmitted {
			excerpt = append(excerpt, s)
			continue
		}
		if kept := strings.TrimRightFunc(s.Text[:head], unicode.IsSpace); kept != "" {
			excerpt = append(excerpt, Span{Equal, kept})
		}
		excerpt = append(excerpt, Span{Op: Omit})
		if kept := strings.TrimLeftFunc(s.Text[tail:], unicode.IsSpace); kept != "" {
			excerpt = append(excerpt, Span{Equal, kept})
		}
	}
	return excerpt
}

// minOmitted is the minimum number of bytes to omit. Shorter omissions would make a
// text harder to read without making it much shorter.
const minOmitted = 20

// headEnd returns the end of the words at the start of a text that have at least n
// characters.
func headEnd(text string, n int) int {
	segments := words.FromString(text)
	for n > 0 && segments.Next() {
		n -= utf8.RuneCountInString(segments.Value())
	}
	return segments.End()
}

// tailStart returns the start of the words at the end of a text that have at least
// n characters.
func tailStart(text string, n int) int {
	cut := len(text)
	for ; n > 0 && cut > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:cut])
		cut -= size
	}
	segments := words.FromString(text)
	for segments.Next() {
		if segments.End() > cut {
			return segments.Start()
		}
	}
	return len(text)
}
