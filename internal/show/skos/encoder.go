package skos

import "placard/internal/core/taxonomy"

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

// flush keeps the buffer small while the size is measured. Encoders call it after every
// IRI, of which each subject has at least one, and at the end.
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
	kindLocalized kind = iota
	kindPlain
	kindDate
	kindDateTime
	kindBoolean
	kindResource
	kindSet  // of resources
	kindList // of resources
)

var (
	title       = property{"dcterms", "title", kindLocalized}
	description = property{"dcterms", "description", kindLocalized}
	identifier  = property{"dcterms", "identifier", kindPlain}
	issued      = property{"dcterms", "issued", kindDate}
	created     = property{"dcterms", "created", kindDateTime}
	replaces    = property{"dcterms", "replaces", kindSet}
	isPartOf    = property{"dcterms", "isPartOf", kindResource}
	hasVersion  = property{"dcterms", "hasVersion", kindResource}

	versionInfo = property{"owl", "versionInfo", kindPlain}
	deprecated  = property{"owl", "deprecated", kindBoolean}

	prefLabel    = property{"skos", "prefLabel", kindLocalized}
	altLabel     = property{"skos", "altLabel", kindLocalized}
	definition   = property{"skos", "definition", kindLocalized}
	note         = property{"skos", "note", kindLocalized}
	scopeNote    = property{"skos", "scopeNote", kindLocalized}
	notation     = property{"skos", "notation", kindPlain}
	inScheme     = property{"skos", "inScheme", kindResource}
	topConceptOf = property{"skos", "topConceptOf", kindResource}
	member       = property{"skos", "member", kindSet}
	memberList   = property{"skos", "memberList", kindList}
)

var (
	properties = []property{
		title, description, identifier, issued, created, replaces, isPartOf, hasVersion, versionInfo, deprecated, prefLabel, altLabel, definition, note,
		scopeNote, notation, inScheme, topConceptOf, member, memberList,
	}
	classes    = []string{"ConceptScheme", "Concept", "OrderedCollection"} // of skos
	namespaces = []struct{ prefix, iri string }{
		{"dcterms", "http://purl.org/dc/terms/"},
		{"owl", "http://www.w3.org/2002/07/owl#"},
		{"skos", "http://www.w3.org/2004/02/skos/core#"},
		{"xsd", "http://www.w3.org/2001/XMLSchema#"},
	}
	datatypes = map[kind]string{kindDate: "xsd:date", kindDateTime: "xsd:dateTime", kindBoolean: "xsd:boolean"}
)
