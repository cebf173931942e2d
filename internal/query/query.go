// Package query answers the questions that every face asks of a release:
// which elements, in what order, which fields and locales of them, and what
// comes on the next page. It knows neither HTTP nor JSON-RPC; the faces bring
// it typed questions and wrap its answers.
package query

import (
	"strings"

	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/taxonomy"
)

// Limits of a page of elements.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// MaxSearch is how many characters a search text may have.
const MaxSearch = 256

// DefaultFields are the fields of an element in lists that ask for none.
var DefaultFields = Fields(release.BriefFields)

// Fields names the fields of a record that are wanted; nil means all. Names
// that no record has are ignored, and the id is always there.
type Fields []string

// set returns the fields that are wanted.
func (f Fields) set() release.FieldSet {
	if f == nil {
		return release.AllFields
	}
	return release.Fields(f)
}

// ParseFields reads a comma-separated list, or "all". Empty means fallback.
func ParseFields(s string, fallback Fields) Fields {
	switch s {
	case "":
		return fallback
	case "all":
		return nil
	}
	fields := make(Fields, 0, 1+strings.Count(s, ","))
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		if name == "all" {
			return nil
		}
		fields = append(fields, name)
	}
	return fields
}

// Locales names the locales wanted in localized strings; nil means all.
type Locales []string

// ParseLocales reads a comma-separated list of locale codes. Empty means all.
func ParseLocales(s string) (Locales, error) {
	if s == "" {
		return nil, nil
	}
	locales := make(Locales, 0, 1+strings.Count(s, ","))
	for code := range strings.SplitSeq(s, ",") {
		locales = append(locales, strings.TrimSpace(code))
	}
	return locales, locales.Check()
}

// Check refuses codes that are not well-formed.
func (l Locales) Check() error {
	for _, code := range l {
		if !taxonomy.IsLocale(code) {
			return problem.New(problem.BadRequest, "%q is not a locale code.", problem.Clip(code)).
				In(problem.Root.Field("locales")).
				Hint(`Give BCP 47 codes separated by commas, such as "en,fr" or "pt-BR".`)
		}
	}
	return nil
}

// set returns the locales of r that are wanted.
func (l Locales) set(r *release.Release) release.LocaleSet {
	if l == nil {
		return release.LocaleSet{}
	}
	return r.Locales(l)
}

// AppendInLocales appends JSON that encodes parts of the manifest or taxonomy of
// r, without the texts in other locales.
func AppendInLocales(b []byte, r *release.Release, json []byte, locales Locales) []byte {
	return r.AppendInLocales(b, json, locales.set(r))
}

// AppendCategories appends the JSON array of all categories of r.
func AppendCategories(b []byte, r *release.Release, locales Locales) []byte {
	all := SelectCategories(r, locales)
	b, _ = all.AppendJSON(b, nil) // without a step, nothing fails
	return b
}

// AppendElement appends the JSON of the n-th element of r.
func AppendElement(b []byte, r *release.Release, n int, fields Fields, locales Locales) []byte {
	return r.Elements[n].Append(b, fields.set(), locales.set(r))
}

// Element returns the number of the element called id.
func Element(r *release.Release, id string) (int, error) {
	n, ok := r.Element(id)
	if !ok {
		return 0, problem.New(problem.NotFound, "Element %q is not in %s.", problem.Clip(id), r.ID()).Hint("%s", hintElements(r, id))
	}
	return n, nil
}

func hintElements(r *release.Release, id string) string {
	ids := make([]string, len(r.Taxonomy.Elements))
	for i := range ids {
		ids[i] = r.Taxonomy.Elements[i].ID
	}
	if hint := problem.DidYouMean(id, ids); hint != "" {
		return hint
	}
	return "List the elements of this version to see their ids."
}
