package taxonomy

import (
	"iter"
	"strings"
)

// Placeholder is a reference to a variable in a text, written {{id}}.
type Placeholder struct {
	Start, End int    // byte offsets in the text, braces included
	VariableID string // without the white space around it
}

// Placeholders returns an iterator over the placeholders in text, in order.
func Placeholders(text string) iter.Seq[Placeholder] {
	return func(yield func(Placeholder) bool) {
		for end := 0; ; {
			open := strings.Index(text[end:], "{{")
			if open < 0 {
				return
			}
			start := end + open
			// An id has no braces, so the next brace must be the closing one.
			// Otherwise a placeholder may begin at the next byte: {{{id}}.
			id := text[start+len("{{"):]
			brace := strings.IndexAny(id, "{}")
			if brace < 0 || !strings.HasPrefix(id[brace:], "}}") {
				end = start + 1
				continue
			}
			id = id[:brace]
			end = start + len("{{") + len(id) + len("}}")
			if !yield(Placeholder{start, end, strings.Trim(id, " \t\n\f\r")}) {
				return
			}
		}
	}
}
