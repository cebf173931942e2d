package web

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/datachain"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
)

// sample provides the values of requests in the API reference: those of a release
// that this server has, so that the requests succeed.
type sample struct {
	versions []string          // ids and aliases
	release  *release.Release  // nil if none can be served
	element  *taxonomy.Element // nil if the operation needs none
}

// maxSuggestions limits the suggested values of a parameter.
const maxSuggestions = 200

// newSample returns the values for an operation. The release is one that an example
// in the OpenAPI document is written for, or else the newest one, if possible a
// stable one.
func (q *request) newSample(api *apiReference, o *operation) (sample, error) {
	var s sample
	var best taxonomy.ID
	for _, v := range q.snapshot.Served() {
		s.versions = append(append(s.versions, v.ID.String()), v.Aliases...)
		if isBetterSample(v.ID, best) {
			best = v.ID
		}
	}
	if best.IsZero() {
		return s, nil
	}
	s.versions = clipList(s.versions)
	for _, other := range api.operations {
		if other.Body == nil {
			continue
		}
		if id, ok := q.snapshot.Resolve(documentVersion(other.Body.Example)); ok {
			best = id
			break
		}
	}
	r, err := q.release(best.String())
	if err != nil {
		return s, err
	}
	s.release = r
	for _, p := range o.Parameters {
		if p.Name != "element_id" || len(r.Taxonomy.Elements) == 0 {
			continue
		}
		n, _ := r.Element(p.Example) // or the first one
		s.element = &r.Taxonomy.Elements[n]
	}
	return s, nil
}

// isBetterSample reports whether a is stable and b is not, or newer.
func isBetterSample(a, b taxonomy.ID) bool {
	if b.IsZero() || a.Status != b.Status {
		return b.IsZero() || a.Status == taxonomy.Stable
	}
	return a.Date > b.Date
}

// documentVersion returns the version that a document refers to.
func documentVersion(document jsontext.Value) string {
	var doc struct {
		SchemaVersion string `json:"schema_version"`
	}
	_ = json.Unmarshal(document, &doc)
	return doc.SchemaVersion
}

// value returns a value of a required parameter, and suggests values of any
// parameter.
func (s *sample) value(p *parameter) (value string, suggestions []string) {
	switch {
	case p.Name == "version":
		suggestions = s.versions
		if s.release != nil {
			value = s.release.Name()
		}
	case s.release == nil:
	case p.Name == "category_id":
		for i := range s.release.Taxonomy.Categories {
			suggestions = append(suggestions, s.release.Taxonomy.Categories[i].ID)
		}
	case p.Name == "locale" || p.Name == "locales":
		suggestions = s.release.Manifest.Locales
	case p.Name == "element_id":
		suggestions = query.ElementIDs(s.release)
		if s.element != nil {
			value = s.element.ID
		}
	case p.Name == "variant" && s.element != nil:
		suggestions = s.element.IconVariants
	case p.Name == "symbol_id":
		suggestions = slices.Sorted(maps.Keys(s.release.Taxonomy.Symbols))
	}
	switch {
	case !p.Required:
		value = ""
	case value != "":
	case len(suggestions) > 0 && !slices.Contains(suggestions, p.Example):
		value = suggestions[0]
	default:
		value = p.Example
	}
	return value, clipList(suggestions)
}

// body returns a document for a request to o: the example of the OpenAPI document if
// it suits the release, or else an example of the release.
func (s *sample) body(o *operation) (string, error) {
	if o.Body == nil {
		return "", nil
	}
	example := o.Body.Example
	if s.release != nil && !datachain.IsResolved(example) && !s.accepts(example) {
		guide, err := s.release.Guide(s.release.DefaultLocale(), nil)
		if err != nil {
			return "", err
		}
		if guide.Example != nil {
			example = guide.Example
		}
	}
	text := example.Clone()
	err := text.Indent(jsontext.WithIndent("  "))
	return string(text), err
}

// accepts reports whether a thin document is valid for the release.
func (s *sample) accepts(document []byte) bool {
	verdict, err := query.Validate(s.release, document, func() error { return nil })
	return err == nil && verdict.OK()
}

func clipList(values []string) []string { return values[:min(len(values), maxSuggestions)] }
