package skos

import (
	"fmt"

	"placard/internal/core/taxonomy"
)

// turtle writes Turtle 1.1.
type turtle struct {
	*output
	hasSubject bool
}

func (e *turtle) begin(base string) {
	e.b = fmt.Appendf(e.b, "@base <%s> .\n", base)
	for _, n := range namespaces {
		e.b = fmt.Appendf(e.b, "@prefix %s: <%s> .\n", n.prefix, n.iri)
	}
}

func (e *turtle) subject(iri, class string) {
	e.endSubject()
	e.hasSubject = true
	e.b = append(e.b, '\n')
	e.iri(iri)
	e.b = append(append(e.b, " a skos:"...), class...)
}

func (e *turtle) endSubject() {
	if e.hasSubject {
		e.b = append(e.b, " .\n"...)
	}
}

func (e *turtle) end() {
	e.endSubject()
	e.flush()
}

// predicate begins the statements with a property.
func (e *turtle) predicate(p property) {
	e.b = append(append(append(append(e.b, " ;\n  "...), p.prefix...), ':'), p.name...)
}

func (e *turtle) texts(p property, texts taxonomy.Localized) {
	for i, t := range texts {
		e.text(p, i == 0, t.Value, t.Locale)
	}
}

func (e *turtle) words(p property, words taxonomy.Keywords) {
	isFirst := true
	for _, list := range words {
		for word := range list.Value.All() {
			e.text(p, isFirst, word, list.Locale)
			isFirst = false
		}
	}
}

// text writes one of the texts of a property.
func (e *turtle) text(p property, isFirst bool, text, locale string) {
	if isFirst {
		e.predicate(p)
		e.b = append(e.b, ' ')
	} else {
		e.b = append(e.b, ",\n    "...)
	}
	e.literal(text)
	e.b = append(append(e.b, '@'), locale...)
}

func (e *turtle) value(p property, value string) {
	e.predicate(p)
	e.b = append(e.b, ' ')
	e.literal(value)
	if datatype := datatypes[p.kind]; datatype != "" {
		e.b = append(append(e.b, "^^"...), datatype...)
	}
}

func (e *turtle) resources(p property, iris ...string) {
	if len(iris) == 0 {
		return
	}
	e.predicate(p)
	if p.kind == kindList {
		e.b = append(e.b, " ("...)
	}
	for i, iri := range iris {
		switch {
		case len(iris) == 1:
			e.b = append(e.b, ' ')
		case i > 0 && p.kind != kindList:
			e.b = append(e.b, ",\n    "...)
		default:
			e.b = append(e.b, "\n    "...)
		}
		e.iri(iri)
	}
	if p.kind == kindList {
		e.b = append(e.b, " )"...)
	}
}

// iri writes an IRI. Ids need no escaping.
func (e *turtle) iri(iri string) {
	e.b = append(append(append(e.b, '<'), iri...), '>')
	e.flush()
}

// literal writes a string in quotes.
func (e *turtle) literal(s string) {
	const hex = "0123456789ABCDEF"
	e.b = append(e.b, '"')
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7F {
			continue
		}
		e.b = append(e.b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			e.b = append(e.b, '\\', c)
		case '\n':
			e.b = append(e.b, `\n`...)
		case '\r':
			e.b = append(e.b, `\r`...)
		case '\t':
			e.b = append(e.b, `\t`...)
		default:
			e.b = append(e.b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	e.b = append(append(e.b, s[start:]...), '"')
}
