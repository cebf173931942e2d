package taxonomy

import (
	"iter"
	"slices"
	"strings"
)

// Placeholder is a reference to a variable in a text, written {{id}}.
type Placeholder struct {
	Start, End int    // byte offsets in the text, braces included
	VariableID string // without the white space around it
}

// VariablesInTexts returns the ids of the variables that the title or description
// of e refers to, in any locale. They need not be declared.
func (e *Element) VariablesInTexts() []string {
	var ids []string
	for _, text := range slices.Concat(e.Title, e.Description) {
		for p := range Placeholders(text.Value) {
			if !slices.Contains(ids, p.VariableID) {
				ids = append(ids, p.VariableID)
			}
		}
	}
	return ids
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
