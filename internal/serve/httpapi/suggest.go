package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
)

// suggestion is a request that a client can make.
type suggestion struct{ method, path string }

func (s suggestion) String() string { return s.method + " " + s.path }

// suggest returns a request that succeeds and that the client probably meant, or
// the zero suggestion. note is a sentence about the values of a parameter; it may be
// empty.
func (a *api) suggest(r *http.Request) (s suggestion, note string) {
	g, ok := a.endpoints.nearest(r.Method, r.URL.Path)
	if !ok {
		return suggestion{}, ""
	}
	values := make(map[string]string)
	var rel *release.Release
	for _, part := range g.segments {
		given := g.values[part.param]
		switch part.param {
		case "":
			continue
		case "version":
			snapshot, _ := a.Catalog.Current() // nil if there is none
			if rel = snapshot.Lookup(given); rel == nil {
				given = snapshot.Nearest(given)
				rel = snapshot.Lookup(given)
			}
			if rel == nil {
				return suggestion{}, ""
			}
		case "element_id":
			if given = nearestElement(rel, given); given == "" {
				return suggestion{http.MethodGet, "/api/v2/schemas/" + values["version"] + "/elements"}, ""
			}
		case "variant":
			return suggestIcon(rel, values["version"], values["element_id"], given), ""
		case "symbol_id":
			if given = problem.Closest(given, symbolIDs(rel)); given == "" {
				return suggestion{http.MethodGet, symbolList(values["version"])}, ""
			}
		case "shape":
			shape := problem.Closest(given, shapes())
			if shape != given || given == "" {
				note = "The shapes are " + shapeNames() + "."
			}
			switch {
			case given == "":
				shape = string(taxonomy.Circle) // an example
			case shape == "":
				return suggestion{}, note
			}
			given = shape
		}
		values[part.param] = given
	}
	s = suggestion{g.method, g.path(values)}
	if strings.HasSuffix(s.path, "/elements") {
		s.path += searchParam(r)
	}
	return s, note
}

// path returns the path of an endpoint with the given values of its parameters.
func (e *endpoint) path(values map[string]string) string {
	var b strings.Builder
	for _, s := range e.segments {
		b.WriteString("/" + s.prefix + values[s.param] + s.suffix)
	}
	return b.String()
}

// suggestIcon returns the request for the icon of an element whose file name is
// similar to file, or else for the element.
func suggestIcon(r *release.Release, version, element, file string) suggestion {
	path := "/api/v2/schemas/" + version + "/elements/" + element
	n, _ := r.Element(element)
	name, isIcon := parseVariant(file)
	if variant := problem.Closest(name, r.Taxonomy.Elements[n].IconVariants); variant != "" {
		return suggestion{http.MethodGet, path + "/icon." + variant + ".svg"}
	}
	if isIcon {
		path += "/icon.svg"
	}
	return suggestion{http.MethodGet, path}
}

// nearestElement returns the id of the element that id was probably meant to be, or
// the empty string.
func nearestElement(r *release.Release, id string) string {
	if _, ok := r.Element(id); ok {
		return id
	}
	return problem.Closest(id, query.ElementIDs(r))
}

// searchParam returns the query string that searches for the text in a request for
// a route called search, or the empty string.
func searchParam(r *http.Request) string {
	_, rest, ok := strings.Cut(r.URL.Path, "/search")
	if !ok {
		return ""
	}
	text := strings.Trim(rest, "/")
	for _, name := range []string{"query", "q"} {
		if text == "" && checkQueryString(r.URL.RawQuery) == nil {
			text = paramsOf(r).get(name)
		}
	}
	if text == "" || utf8.RuneCountInString(text) > query.MaxSearch || !utf8.ValidString(text) {
		return ""
	}
	return "?query=" + url.QueryEscape(text)
}
