package httpapi

import (
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
	"placard/internal/storage/catalog"
)

// Resource is a GET request whose response can be published as a file.
type Resource struct {
	Pattern string // of the route
	Path    string
	Query   string // sorted by parameter; empty for the response without parameters
	IsAlias bool   // the version is an alias, whose responses name the id
}

// Resources returns the requests for everything that can be read about the releases
// for which isListed returns true, by id and by alias: all GET routes without
// parameters, and the lists of [dividedLists]. The releases must be loaded. The list of
// versions is last, so that publishing the responses in this order never lists a
// version before its content.
func Resources(s *catalog.Snapshot, isListed func(taxonomy.ID) bool) iter.Seq[Resource] {
	return func(yield func(Resource) bool) {
		for _, rt := range new(api).routes() {
			if rt.method != http.MethodGet || rt.pattern == schemasPath {
				continue
			}
			for _, f := range rt.files() {
				e := expansion{snapshot: s, isListed: isListed, pattern: rt.pattern, yield: yield}
				if !e.expand("", strings.Replace(rt.pattern, "{file}", f.name, 1), resourceScope{}) {
					return
				}
			}
		}
		yield(Resource{Pattern: schemasPath, Path: schemasPath})
	}
}

// expansion replaces the parameters in the pattern of a route by their values.
type expansion struct {
	snapshot *catalog.Snapshot
	isListed func(taxonomy.ID) bool
	pattern  string
	yield    func(Resource) bool
}

// resourceScope is the release and the element that a path refers to.
type resourceScope struct {
	release *release.Release
	isAlias bool
	element *taxonomy.Element
}

// expand yields the resources whose paths start with path and continue with the
// expansions of rest. It reports whether to continue.
func (e *expansion) expand(path, rest string, scope resourceScope) bool {
	literal, rest, found := strings.Cut(rest, "{")
	path += literal
	if !found {
		return e.yieldResources(path, scope)
	}
	param, rest, _ := strings.Cut(rest, "}")
	values := pathValues[param]
	if values == nil {
		panic("httpapi: the values of the path parameter " + param + " are unknown")
	}
	for _, v := range values(e, scope) {
		if !e.expand(path+v.text, rest, v.scope) {
			return false
		}
	}
	return true
}

// pathValue is a value of a path parameter, and the scope of the rest of the path.
type pathValue struct {
	text  string
	scope resourceScope
}

// pathValues returns the values of each path parameter.
var pathValues = map[string]func(*expansion, resourceScope) []pathValue{
	"version": (*expansion).versions,
	"element_id": func(_ *expansion, scope resourceScope) (values []pathValue) {
		for i := range scope.release.Taxonomy.Elements {
			element := &scope.release.Taxonomy.Elements[i]
			values = append(values, pathValue{element.ID, resourceScope{scope.release, scope.isAlias, element}})
		}
		return values
	},
	"variant": func(_ *expansion, scope resourceScope) []pathValue {
		return inScope(scope, scope.element.IconVariants)
	},
	"symbol_id": func(_ *expansion, scope resourceScope) []pathValue {
		return inScope(scope, slices.Sorted(maps.Keys(scope.release.Taxonomy.Symbols)))
	},
	"shape": func(_ *expansion, scope resourceScope) []pathValue { return inScope(scope, shapes()) },
}

// inScope returns values with the same scope.
func inScope(scope resourceScope, texts []string) (values []pathValue) {
	for _, text := range texts {
		values = append(values, pathValue{text, scope})
	}
	return values
}

// versions returns the ids and aliases of the listed releases.
func (e *expansion) versions(resourceScope) (values []pathValue) {
	for _, v := range e.snapshot.Versions() {
		if !e.isListed(v.ID) {
			continue
		}
		for i, name := range append([]string{v.ID.String()}, v.Aliases...) {
			values = append(values, pathValue{name, resourceScope{release: e.snapshot.Lookup(name), isAlias: i > 0}})
		}
	}
	return values
}

// yieldResources yields the resource at a path and, for elements, the parts of the lists.
func (e *expansion) yieldResources(path string, scope resourceScope) bool {
	if !e.yield(Resource{Pattern: e.pattern, Path: path, IsAlias: scope.isAlias}) {
		return false
	}
	if e.pattern != elementsPath {
		return true
	}
	for _, q := range dividedLists(scope.release) {
		if !e.yield(Resource{e.pattern, path, q, scope.isAlias}) {
			return false
		}
	}
	return true
}

// dividedLists returns the query strings of every part of the lists of elements that
// clients need without a search: all elements, each category, and all elements with all
// fields. The first part of the first list needs no query string and is omitted.
func dividedLists(r *release.Release) []string {
	all := parts(r, query.Elements{}, url.Values{})[1:]
	for i := range r.Taxonomy.Categories {
		id := r.Taxonomy.Categories[i].ID
		all = append(all, parts(r, query.Elements{CategoryID: id}, url.Values{"category_id": {id}})...)
	}
	full := url.Values{"fields": {"all"}, "limit": {strconv.Itoa(query.MaxLimit)}}
	return append(all, parts(r, query.Elements{Limit: query.MaxLimit}, full)...)
}

// parts returns the query strings of every part of a list.
func parts(r *release.Release, q query.Elements, params url.Values) (all []string) {
	for {
		all = append(all, params.Encode())
		part, err := query.List(r, q)
		if err != nil {
			panic(err) // the query has no parameter that could be invalid
		}
		if part.Next == "" {
			return all
		}
		q.Cursor = part.Next
		params.Set("cursor", part.Next)
	}
}
