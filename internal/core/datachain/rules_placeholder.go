package datachain

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// CodePlaceholder is the code of warnings about placeholders.
const CodePlaceholder problem.Code = "value_placeholder"

var placeholderRules = []Rule{
	{
		Rule: problem.Rule{
			Code: CodePlaceholder, Severity: problem.Warning,
			Title: "A text should not be a placeholder.",
			Why: "Readers see the placeholder instead of the fact. A placeholder is a text in brackets, such as [Name], " +
				"a text of punctuation marks only, or a note such as TBD.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].variables[0].value[0].value", `"[Where it is]"`}},
		check: func(c *checker, r *Rule) {
			for n, text := range c.texts() {
				if !isPlaceholder(text) {
					continue
				}
				if c.tree.kind(n) == '{' {
					n = c.tree.member(n, "value")
				}
				c.find(r, location{node: n}, func() problem.Problem {
					return r.Found("The text %q is a placeholder.", problem.Clip(text)).
						Hint("Replace it with the fact. If you do not know it, ask someone who knows the system; do not guess.")
				})
			}
		},
	},
}

// texts returns an iterator over the texts that a page shows and that have no
// prescribed form: localized strings, labels and postal addresses. The node of a
// text in a localized string is the object that contains it. The iterator ends when
// the meter stops.
func (c *checker) texts() iter.Seq2[ref, string] {
	return func(yield func(ref, string) bool) {
		visit := func(n ref, text string) bool { return c.spend(1+len(text)/64) && yield(n, text) }
		localized := func(list ref, texts taxonomy.Localized) bool {
			for k, item := range c.items(list) {
				if !visit(item, texts[k].Value) {
					return false
				}
			}
			return true
		}
		if len(c.Title) > 0 && !localized(c.tree.member(0, "title"), c.Title) ||
			len(c.Description) > 0 && !localized(c.tree.member(0, "description"), c.Description) {
			return
		}
		for l := range c.labels {
			if l.Text != "" && !visit(l.node, l.Text) || len(l.Localized) > 0 && !localized(l.node, l.Localized) {
				return
			}
		}
		for _, p := range c.placements() {
			for i := range p.Variables {
				v, more := &p.Variables[i], true
				v.Value.Match(func(texts taxonomy.Localized) {
					more = len(texts) == 0 || localized(v.value, texts)
				}, func([]string) {})
				if !more {
					return
				}
			}
			if len(p.Actions) == 0 {
				continue
			}
			for k, item := range c.items(c.tree.member(p.refs.self, "actions")) {
				a := &p.Actions[k]
				if !localized(c.tree.member(item, "label"), a.Label) || a.Type == "postal" && !visit(c.tree.member(item, "target"), a.Target) {
					return
				}
			}
		}
	}
}

// placeholderWords mark a missing fact, in upper or lower case.
var placeholderWords = []string{
	"tbd", "tbc", "fixme", "xxx", "to be confirmed", "to be determined", "to be decided", "to be defined",
	"à confirmer", "à définir", "à déterminer", "à compléter",
}

// maxPlaceholderWord is the maximum size of placeholderWords, in either case.
const maxPlaceholderWord = len("to be determined")

// upperCasePlaceholder marks a missing fact only in upper case: todo is a word in
// Spanish and Portuguese.
var upperCasePlaceholder = strings.ToUpper("todo")

// isPlaceholder reports whether text marks a missing fact. A blank text does not:
// other rules apply to it.
func isPlaceholder(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	if isBracketed(text) {
		return true
	}
	word := strings.TrimFunc(text, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) })
	if len(word) > maxPlaceholderWord {
		return false
	}
	return word == "" || word == upperCasePlaceholder || slices.ContainsFunc(placeholderWords, func(known string) bool { return strings.EqualFold(word, known) })
}

// isBracketed reports whether one pair of brackets encloses the whole text. Angle
// brackets may also enclose an address.
func isBracketed(text string) bool {
	var end byte
	switch text[0] {
	case '[':
		end = ']'
	case '{':
		end = '}'
	case '<':
		if end = '>'; strings.ContainsAny(text, "@/") {
			return false
		}
	default:
		return false
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case text[0]:
			depth++
		case end:
			if depth--; depth == 0 {
				return i == len(text)-1
			}
		}
	}
	return false
}
