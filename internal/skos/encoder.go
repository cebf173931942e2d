package skos

import "placard/internal/taxonomy"

// encoder writes a graph in one syntax. Statements are about the last subject, and
// each property of a subject is written once. Statements without a value are
// omitted. Texts are not blank.
type encoder interface {
	begin(base string)
	subject(iri, class string)
	texts(p property, texts taxonomy.Localized)
	words(p property, words taxonomy.Keywords)
	value(p property, value string)
	resources(p property, iris ...string)
	end()
}

func newEncoder(s Syntax, o *output) encoder {
	switch s {
	case Turtle:
		return &turtle{output: o}
	case JSONLD:
		return &jsonld{output: o}
	}
	panic("skos: unknown syntax")
}

// output is the buffer of an encoder.
type output struct {
	b           []byte
	isMeasuring bool // only the size is needed
	measured    int
}

// flush is called regularly, so that the buffer stays small while the size is measured.
func (o *output) flush() {
	if o.isMeasuring {
		o.measured += len(o.b)
		o.b = o.b[:0]
	}
}

// property is a property of a vocabulary.
type property struct {
	prefix, name string
	kind         kind
}

// kind is the kind of a property's values.
type kind int

const (
	localized kind = iota
	plain
	date
	dateTime
	resource
	set  // of resources
	list // of resources
)

var (
	title       = property{"dcterms", "title", localized}
	description = property{"dcterms", "description", localized}
	identifier  = property{"dcterms", "identifier", plain}
	issued      = property{"dcterms", "issued", date}
	created     = property{"dcterms", "created", dateTime}
	replaces    = property{"dcterms", "replaces", set}
	isPartOf    = property{"dcterms", "isPartOf", resource}

	versionInfo = property{"owl", "versionInfo", plain}

	prefLabel    = property{"skos", "prefLabel", localized}
	altLabel     = property{"skos", "altLabel", localized}
	definition   = property{"skos", "definition", localized}
	note         = property{"skos", "note", localized}
	scopeNote    = property{"skos", "scopeNote", localized}
	notation     = property{"skos", "notation", plain}
	inScheme     = property{"skos", "inScheme", resource}
	topConceptOf = property{"skos", "topConceptOf", resource}
	exactMatch   = property{"skos", "exactMatch", set}
	member       = property{"skos", "member", set}
	memberList   = property{"skos", "memberList", list}
)

var (
	properties = []property{
		title, description, identifier, issued, created, replaces, isPartOf, versionInfo, prefLabel, altLabel, definition, note,
		scopeNote, notation, inScheme, topConceptOf, exactMatch, member, memberList,
	}
	classes    = []string{"ConceptScheme", "Concept", "OrderedCollection"} // of skos
	namespaces = []struct{ prefix, iri string }{
		{"dcterms", "http://purl.org/dc/terms/"},
		{"owl", "http://www.w3.org/2002/07/owl#"},
		{"skos", "http://www.w3.org/2004/02/skos/core#"},
		{"xsd", "http://www.w3.org/2001/XMLSchema#"},
	}
	datatypes = map[kind]string{date: "xsd:date", dateTime: "xsd:dateTime"}
)
