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

// Page is a GET request whose response can be published as a file.
type Page struct {
	Pattern string // of the route
	Path    string
	Query   string // sorted by parameter; empty for the response without parameters
	IsAlias bool   // the version is an alias, whose responses name the id
}

// Pages returns the requests for everything that can be read about the releases
// for which isListed returns true, by id and by alias: all GET routes without
// parameters, and the lists of [pagedLists]. The releases must be loaded. The list of
// versions is last, so that publishing the responses in this order never lists a
// version before its content.
func Pages(s *catalog.Snapshot, isListed func(taxonomy.ID) bool) iter.Seq[Page] {
	return func(yield func(Page) bool) {
		for _, rt := range new(api).routes() {
			if rt.method != http.MethodGet || rt.pattern == schemasPath {
				continue
			}
			for _, f := range rt.files() {
				e := pageExpansion{snapshot: s, isListed: isListed, pattern: rt.pattern, yield: yield}
				if !e.expand("", strings.Replace(rt.pattern, "{file}", f.name, 1), pageScope{}) {
					return
				}
			}
		}
		yield(Page{Pattern: schemasPath, Path: schemasPath})
	}
}

// pageExpansion replaces the parameters in the pattern of a route by their values.
type pageExpansion struct {
	snapshot *catalog.Snapshot
	isListed func(taxonomy.ID) bool
	pattern  string
	yield    func(Page) bool
}

// pageScope is the release and the element that a path refers to.
type pageScope struct {
	release *release.Release
	isAlias bool
	element *taxonomy.Element
}

// expand yields the pages whose paths start with path and continue with the
// expansions of rest. It reports whether to continue.
func (e *pageExpansion) expand(path, rest string, scope pageScope) bool {
	literal, rest, found := strings.Cut(rest, "{")
	path += literal
	if !found {
		return e.yieldPages(path, scope)
	}
	param, rest, _ := strings.Cut(rest, "}")
	values := pageValues[param]
	if values == nil {
		panic("httpapi: the values of the path parameter " + param + " are unknown")
	}
	for value, inner := range values(e, scope) {
		if !e.expand(path+value, rest, inner) {
			return false
		}
	}
	return true
}

// pageValues returns the values of each path parameter.
var pageValues = map[string]func(*pageExpansion, pageScope) iter.Seq2[string, pageScope]{
	"version": (*pageExpansion).versions,
	"element_id": func(_ *pageExpansion, scope pageScope) iter.Seq2[string, pageScope] {
		return func(yield func(string, pageScope) bool) {
			for i := range scope.release.Taxonomy.Elements {
				element := &scope.release.Taxonomy.Elements[i]
				if !yield(element.ID, pageScope{scope.release, scope.isAlias, element}) {
					return
				}
			}
		}
	},
	"variant": func(_ *pageExpansion, scope pageScope) iter.Seq2[string, pageScope] {
		return inScope(scope, scope.element.IconVariants)
	},
	"symbol_id": func(_ *pageExpansion, scope pageScope) iter.Seq2[string, pageScope] {
		return inScope(scope, slices.Sorted(maps.Keys(scope.release.Taxonomy.Symbols)))
	},
	"shape": func(_ *pageExpansion, scope pageScope) iter.Seq2[string, pageScope] {
		return inScope(scope, shapes())
	},
}

// inScope yields each value with the same scope.
func inScope(scope pageScope, values []string) iter.Seq2[string, pageScope] {
	return func(yield func(string, pageScope) bool) {
		for _, value := range values {
			if !yield(value, scope) {
				return
			}
		}
	}
}

// versions yields the ids and aliases of the listed releases.
func (e *pageExpansion) versions(pageScope) iter.Seq2[string, pageScope] {
	return func(yield func(string, pageScope) bool) {
		for _, v := range e.snapshot.Versions() {
			if !e.isListed(v.ID) {
				continue
			}
			for i, name := range append([]string{v.ID.String()}, v.Aliases...) {
				if !yield(name, pageScope{release: e.snapshot.Lookup(name), isAlias: i > 0}) {
					return
				}
			}
		}
	}
}

// yieldPages yields the page at a path and, for elements, the pages of the lists.
func (e *pageExpansion) yieldPages(path string, scope pageScope) bool {
	if !e.yield(Page{Pattern: e.pattern, Path: path, IsAlias: scope.isAlias}) {
		return false
	}
	if e.pattern != elementsPath {
		return true
	}
	for q := range pagedLists(scope.release) {
		if !e.yield(Page{e.pattern, path, q, scope.isAlias}) {
			return false
		}
	}
	return true
}

// pagedLists yields the query strings of every page of the lists of elements that
// clients need without a search: all elements, each category, and all elements with all
// fields. The first page of the first list needs no query string and is omitted.
func pagedLists(r *release.Release) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !eachPage(r, query.Elements{}, url.Values{}, yield) {
			return
		}
		for i := range r.Taxonomy.Categories {
			id := r.Taxonomy.Categories[i].ID
			if !eachPage(r, query.Elements{CategoryID: id}, url.Values{"category_id": {id}}, yield) {
				return
			}
		}
		full := url.Values{"fields": {"all"}, "limit": {strconv.Itoa(query.MaxLimit)}}
		eachPage(r, query.Elements{Limit: query.MaxLimit}, full, yield)
	}
}

// eachPage yields the query strings of every page of a list. It reports whether to
// continue.
func eachPage(r *release.Release, q query.Elements, params url.Values, yield func(string) bool) bool {
	for {
		if len(params) > 0 && !yield(params.Encode()) {
			return false
		}
		page, err := query.List(r, q)
		if err != nil {
			panic(err) // the query has no parameter that could be invalid
		}
		if page.Next == "" {
			return true
		}
		q.Cursor = page.Next
		params.Set("cursor", page.Next)
	}
}
