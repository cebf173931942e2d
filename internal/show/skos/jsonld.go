package skos

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/taxonomy"
)

// jsonld writes JSON-LD, 1.0 and 1.1. The context is part of the document, so that clients
// need no other file. Each line has one subject.
type jsonld struct {
	*output
	// base is written at the start of every IRI. As @base in the context it would be
	// shorter, but jsonld.js does not resolve one that starts with "../".
	base       string
	hasSubject bool
}

func (e *jsonld) begin(base string) {
	e.base = base
	e.b = append(e.b, `{"@context":{`...)
	for i, n := range namespaces {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.b = fmt.Appendf(e.b, `"%s":"%s"`, n.prefix, n.iri)
	}
	for _, class := range classes {
		e.b = fmt.Appendf(e.b, `,"%s":"skos:%s"`, class, class)
	}
	for _, p := range properties {
		e.b = fmt.Appendf(e.b, `,"%s":{"@id":"%s:%s"%s}`, p.name, p.prefix, p.name, coercion(p.kind))
	}
	e.b = append(e.b, "},\n\"@graph\":["...)
}

// coercion returns the members of a term definition that say what the values of a
// property are.
func coercion(k kind) string {
	switch k {
	case kindLocalized:
		return `,"@container":"@language"`
	case kindResource:
		return `,"@type":"@id"`
	case kindSet:
		return `,"@type":"@id","@container":"@set"`
	case kindList:
		return `,"@type":"@id","@container":"@list"`
	case kindDate, kindDateTime, kindBoolean:
		return `,"@type":"` + datatypes[k] + `"`
	case kindPlain:
		return ""
	}
	panic("skos: unknown kind of values")
}

func (e *jsonld) subject(iri, class string) {
	if e.hasSubject {
		e.b = append(e.b, "},"...)
	}
	e.hasSubject = true
	e.b = append(e.b, "\n{\"@id\":"...)
	e.iri(iri)
	e.b = append(append(append(e.b, `,"@type":"`...), class...), '"')
}

func (e *jsonld) end() {
	e.b = append(e.b, "}\n]}\n"...)
	e.flush()
}

// member begins the member of a property.
func (e *jsonld) member(p property) {
	e.b = append(append(append(e.b, `,"`...), p.name...), `":`...)
}

func (e *jsonld) texts(p property, texts taxonomy.Localized) {
	for i, t := range texts {
		e.locale(p, i == 0, t.Locale)
		e.literal(t.Value)
	}
	if len(texts) > 0 {
		e.b = append(e.b, '}')
	}
}

func (e *jsonld) words(p property, words taxonomy.Keywords) {
	for i, list := range words {
		e.locale(p, i == 0, list.Locale)
		e.b = append(e.b, '[')
		for j, word := range list.Value.List() {
			if j > 0 {
				e.b = append(e.b, ',')
			}
			e.literal(word)
		}
		e.b = append(e.b, ']')
	}
	if len(words) > 0 {
		e.b = append(e.b, '}')
	}
}

// locale begins the texts of a property in one locale.
func (e *jsonld) locale(p property, isFirst bool, locale string) {
	if isFirst {
		e.member(p)
		e.b = append(e.b, '{')
	} else {
		e.b = append(e.b, ',')
	}
	e.literal(locale)
	e.b = append(e.b, ':')
}

func (e *jsonld) value(p property, value string) {
	e.member(p)
	e.literal(value)
}

func (e *jsonld) resources(p property, iris ...string) {
	if len(iris) == 0 {
		return
	}
	e.member(p)
	if p.kind != kindResource {
		e.b = append(e.b, '[')
	}
	for i, iri := range iris {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.iri(iri)
	}
	if p.kind != kindResource {
		e.b = append(e.b, ']')
	}
}

// iri writes an IRI. Ids need no escaping.
func (e *jsonld) iri(iri string) {
	e.b = append(append(append(append(e.b, '"'), e.base...), iri...), '"')
	e.flush()
}

// literal writes a string in quotes. Texts are valid UTF-8.
func (e *jsonld) literal(s string) {
	e.b, _ = jsontext.AppendQuote(e.b, s)
}
