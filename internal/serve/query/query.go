// Package query implements the queries that REST and MCP share: it filters,
// searches, divides and projects the records of a release, and validates and
// resolves documents. It knows nothing about HTTP or JSON-RPC.
package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// Limits of a part of the elements.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// MaxSearch is the maximum number of characters in a search text.
const MaxSearch = 256

// DefaultFields are the default fields of elements in lists.
var DefaultFields = Fields(release.BriefFields)

// Fields lists the requested fields of a record; nil means all. Unknown names
// are ignored, and the id is always included.
type Fields []string

// set returns the requested fields as a set.
func (f Fields) set() release.FieldSet {
	if f == nil {
		return release.AllFields
	}
	return release.Fields(f)
}

// Unknown returns the names that are not fields of elements.
func (f Fields) Unknown() []string {
	var unknown []string
	for _, name := range f {
		if !slices.Contains(release.ElementFields, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// ParseFields parses a comma-separated list, or "all". If s is empty, it returns
// fallback.
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

// Locales lists the requested locales of localized strings; nil means all.
type Locales []string

// ParseLocales parses a comma-separated list of locale codes for a query about r.
// If s is empty, it returns nil.
func ParseLocales(r *release.Release, s string) (Locales, error) {
	if s == "" {
		return nil, nil
	}
	locales := make(Locales, 0, 1+strings.Count(s, ","))
	for code := range strings.SplitSeq(s, ",") {
		locales = append(locales, strings.TrimSpace(code))
	}
	return locales, locales.Check(r)
}

// Check returns an error if a code is malformed. Its hint lists the locales of r.
func (l Locales) Check(r *release.Release) error {
	for _, code := range l {
		if !taxonomy.IsLocale(code) {
			return problem.New(problem.BadRequest, "%q is not a valid locale code.", problem.Clip(code)).
				In(problem.Root.Field("locales")).
				Hint("Use BCP 47 codes separated by commas. %s", hintLocales(r)).See(problem.ShowVersion(r.Name()))
		}
	}
	return nil
}

// Notice returns a sentence about the requested locales that r lacks, or nothing.
func (l Locales) Notice(r *release.Release) string {
	var missing []string
	for _, code := range l {
		if _, ok := r.NearestLocale(code); !ok {
			missing = append(missing, strconv.Quote(problem.Clip(code)))
		}
	}
	if missing == nil {
		return ""
	}
	return fmt.Sprintf("This version has no texts in locale %s; it has %s.", problem.Listing(missing, 20), problem.Listing(r.Manifest.Locales, 20))
}

// set returns the requested locales of r as a set.
func (l Locales) set(r *release.Release) release.LocaleSet {
	if l == nil {
		return release.LocaleSet{}
	}
	return r.Locales(l)
}

// AppendInLocales appends json, the encoding of a part of r's manifest or
// taxonomy, without the texts in other locales.
func AppendInLocales(b []byte, r *release.Release, json []byte, locales Locales) []byte {
	return r.AppendInLocales(b, json, locales.set(r))
}

// AppendCategories appends the JSON array of all categories of r.
func AppendCategories(b []byte, r *release.Release, locales Locales) []byte {
	all := SelectCategories(r, locales)
	b, _ = all.AppendJSON(b, nil) // fails only if a step does
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
		return 0, unknownElement(r, id)
	}
	return n, nil
}

// ElementIDs returns the ids of all elements of r.
func ElementIDs(r *release.Release) []string {
	ids := make([]string, len(r.Taxonomy.Elements))
	for i := range ids {
		ids[i] = r.Taxonomy.Elements[i].ID
	}
	return ids
}

// IsCategory reports whether id is a category of r.
func IsCategory(r *release.Release, id string) bool {
	return slices.Contains(r.Taxonomy.Type.Categories, id)
}

func unknownElement(r *release.Release, id string) error {
	p := problem.New(problem.NotFound, "Element %q is not in %s.", problem.Clip(id), r.Name())
	if IsCategory(r, id) {
		return p.Hint("%q is a category.", id).See(problem.ListElementsIn(r.Name(), id))
	}
	if now, ok := r.Successor(id); ok {
		p.Message = fmt.Sprintf("Element %q is now %q.", id, now)
		return p.See(problem.ShowElement(r.Name(), now))
	}
	if hint := problem.DidYouMean(id, ElementIDs(r)); hint != "" {
		return p.Hint("%s", hint).See(problem.FindElement(r.Name(), id))
	}
	return p.See(problem.ListElementsWithout(r.Name(), id))
}
