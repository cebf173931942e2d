package httpapi

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// endpoint is a method and a path that clients can request. A route with file
// names has one endpoint for each.
type endpoint struct {
	method   string
	segments []segment
}

// segment is a part of an endpoint's path. Without a parameter, its text is prefix.
type segment struct {
	prefix, param, suffix string
	missing               int // the cost of a path without it
	isBase                bool
}

// endpoints are all endpoints and the words in their paths.
type endpoints struct {
	all   []endpoint
	words []string
}

// newEndpoints returns the endpoints of routes, and others in the form "GET /path".
func newEndpoints(routes []route, others []string) *endpoints {
	e := new(endpoints)
	for _, rt := range routes {
		for _, f := range rt.files() {
			e.add(rt.method, strings.Replace(rt.pattern, "{file}", f.name, 1))
		}
	}
	for _, other := range others {
		method, pattern, _ := strings.Cut(other, " ")
		e.add(method, pattern)
	}
	return e
}

func (e *endpoints) add(method, pattern string) {
	added := endpoint{method: method}
	for text := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
		s := parseSegment(text)
		if n := len(added.segments); s.acceptsAnyWord() {
			added.segments[n-1].missing = costMissingPrefix
		}
		added.segments = append(added.segments, s)
		if s.param == "" && !slices.Contains(e.words, text) {
			e.words = append(e.words, text)
		}
	}
	e.all = append(e.all, added)
}

func parseSegment(text string) segment {
	prefix, rest, ok := strings.Cut(text, "{")
	switch {
	case ok:
		param, suffix, _ := strings.Cut(rest, "}")
		return segment{prefix, param, suffix, costMissingParam, false}
	case isBaseWord(text):
		return segment{prefix: text, missing: costBase, isBase: true}
	}
	return segment{prefix: text, missing: costMissingWord}
}

// isBaseWord reports whether text is a part of the base path.
func isBaseWord(text string) bool { return text == "api" || text == "v2" }

// The costs of the differences between a path and an endpoint.
const (
	costMethod        = 1 // another method
	costSimilar       = 2 // a misspelt word, or a missing or different file extension
	costBase          = 2 // a missing or additional word of the base path
	costMissingWord   = 4
	costVariant       = 5 // a file name that may be the variant of an icon
	costExtra         = 6 // an additional segment
	costInvalid       = 6 // an invalid value of a parameter
	costMissingParam  = 8
	costMissingPrefix = 12 // a missing word before a parameter that accepts any word
	costInvalidWord   = 12 // an invalid value that resembles a word of an endpoint
	costExtraWord     = 16 // an additional segment that resembles a word of an endpoint
)

const (
	// Longer paths, paths with more segments, and longer values of parameters are
	// not compared. This bounds the cost of hostile paths and the length of hints.
	maxPath     = 1 << 10
	maxSegments = 10
	maxValue    = 100
)

// guess is the endpoint that is most similar to a request, and the texts in the
// places of its parameters.
type guess struct {
	*endpoint
	values map[string]string
}

// nearest returns the endpoint that is most similar to a request. It reports false
// if the path and the endpoint have too little in common.
func (e *endpoints) nearest(method, requested string) (guess, bool) {
	if len(requested) > maxPath {
		return guess{}, false
	}
	requested = strings.Trim(path.Clean(requested), "/")
	if requested == "" || strings.Count(requested, "/") >= maxSegments {
		return guess{}, false
	}
	a := alignment{given: rewrite(strings.Split(requested, "/"))}
	if len(a.given) > maxSegments {
		return guess{}, false
	}
	a.similar = make([]string, len(a.given))
	for i, text := range a.given {
		a.similar[i] = problem.Closest(text, e.words)
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var best *endpoint
	lowest := 0
	for i := range e.all {
		candidate := &e.all[i]
		cost := a.align(candidate.segments)
		if candidate.method != method {
			cost += costMethod
		}
		if best == nil || cost < lowest {
			best, lowest = candidate, cost
		}
	}
	a.align(best.segments)
	return a.guess(best)
}

// otherWords are words of other APIs and the words of this one with the same
// meaning.
var otherWords = map[string]string{
	"health":       "healthz",
	"jsonld":       "skos.jsonld",
	"rdf":          "skos.ttl",
	"ready":        "readyz",
	"search":       "elements",
	"skos":         "skos.ttl",
	"swagger":      "openapi.json",
	"swagger.json": "openapi.json",
	"turtle":       "skos.ttl",
	"versions":     "schemas",
}

// rewrite replaces words of other APIs in a path, icons at its end by the pack of
// all icons, and icons/{id} by the path of an element's icon.
func rewrite(given []string) []string {
	var rewritten []string
	for i, text := range given {
		lower := strings.ToLower(text)
		if word, ok := otherWords[lower]; ok {
			rewritten = append(rewritten, word)
			if lower == "search" {
				return rewritten // the search text may follow
			}
			continue
		}
		isLast := i+1 == len(given)
		ofElement := i >= 2 && strings.HasPrefix(strings.ToLower(given[i-2]), "element")
		if lower == "icons" && isLast && !ofElement {
			return append(rewritten, "icons.zip")
		}
		if lower != "icon" && lower != "icons" || isLast {
			rewritten = append(rewritten, text)
			continue
		}
		rest := given[i+1:]
		if ofElement {
			return append(rewritten, "icon."+strings.Join(rest, "."))
		}
		id, variant, _ := strings.Cut(strings.Join(rest, "."), ".")
		return append(rewritten, "elements", id, "icon."+variant)
	}
	return rewritten
}

// alignment assigns the segments of a path to those of an endpoint.
type alignment struct {
	given   []string
	similar []string // the word that each given segment is or resembles, or empty

	// costs[i][j] is the cost of aligning the first i given segments with the
	// first j segments of the endpoint.
	costs [maxSegments + 1][maxSegments + 1]int
}

// align finds the cheapest alignment with the segments of an endpoint and returns
// its cost.
func (a *alignment) align(want []segment) int {
	for i := range len(a.given) + 1 {
		for j := range len(want) + 1 {
			cost := 0
			switch {
			case i > 0 && j > 0:
				cost = min(a.costs[i-1][j]+a.extra(i-1), a.costs[i][j-1]+want[j-1].missing)
				if matched, _, ok := want[j-1].match(a.given[i-1], a.similar[i-1]); ok {
					cost = min(cost, a.costs[i-1][j-1]+matched)
				}
			case i > 0:
				cost = a.costs[i-1][j] + a.extra(i-1)
			case j > 0:
				cost = a.costs[i][j-1] + want[j-1].missing
			}
			a.costs[i][j] = cost
		}
	}
	return a.costs[len(a.given)][len(want)]
}

// extra returns the cost of ignoring given segment i.
func (a *alignment) extra(i int) int {
	switch {
	case a.similar[i] == "":
		return costExtra
	case isBaseWord(a.similar[i]):
		return costBase
	}
	return costExtraWord
}

// guess returns the endpoint with the given values of its parameters. It reports
// false if no segment matches one after the base path. It also reports false if the
// last word of the endpoint is missing and the path has another segment: the
// segment is then probably the name of a route that does not exist.
func (a *alignment) guess(e *endpoint) (guess, bool) {
	g := guess{e, make(map[string]string)}
	found, extra, missing, lastWord := false, false, false, true
	i, j := len(a.given), len(e.segments)
	for i > 0 || j > 0 {
		if i > 0 && a.costs[i][j] == a.costs[i-1][j]+a.extra(i-1) {
			i--
			extra = extra || !isBaseWord(a.similar[i])
			continue
		}
		s := e.segments[j-1]
		matches := false
		if i > 0 {
			var cost int
			var value string
			if cost, value, matches = s.match(a.given[i-1], a.similar[i-1]); matches && a.costs[i][j] == a.costs[i-1][j-1]+cost {
				i--
				found = found || !s.isBase && cost < costInvalid
				g.values[s.param] = value
			} else {
				matches = false
			}
		}
		j--
		if s.param == "" {
			missing = missing || lastWord && !matches
			lastWord = false
		}
	}
	return g, found && !(extra && missing)
}

// match reports whether a given segment can take the place of s, at which cost
// and with which value of the parameter, which may be unknown.
func (s segment) match(given, similar string) (cost int, value string, ok bool) {
	if s.param == "" {
		return costOf(given == s.prefix), "", similar == s.prefix
	}
	rest, hasPrefix := strings.CutPrefix(given, s.prefix)
	value, hasSuffix := strings.CutSuffix(rest, s.suffix)
	if hasPrefix && hasSuffix && s.accepts(value) {
		return 0, value, true
	}
	if s.param == "variant" {
		if _, isIcon := parseVariant(given); isIcon {
			return costSimilar, given, true
		}
		return costVariant, given, true
	}
	if ext := path.Ext(rest); ext == "" || slices.Contains(extensions, ext) {
		if value := strings.TrimSuffix(rest, ext); hasPrefix && s.accepts(value) {
			return costSimilar, value, true
		}
	}
	if similar != "" {
		return costInvalidWord, given, true
	}
	return costInvalid, given, true
}

// parseVariant returns the variant in a file name such as icon-dark.png or
// dark.svg. It reports whether the name is that of an image or an icon.
func parseVariant(file string) (variant string, isIcon bool) {
	stem := strings.ToLower(file)
	if ext := path.Ext(stem); slices.Contains(extensions, ext) {
		stem, isIcon = strings.TrimSuffix(stem, ext), ext == ".png" || ext == ".svg"
	}
	if rest, ok := strings.CutPrefix(stem, "icon"); ok {
		return strings.TrimLeft(rest, ".-_"), true
	}
	return stem, isIcon
}

// extensions are file extensions that clients may add to the value of a parameter.
var extensions = []string{".html", ".json", ".png", ".svg"}

func costOf(equal bool) int {
	if equal {
		return 0
	}
	return costSimilar
}

// accepts reports whether value is well-formed.
func (s segment) accepts(value string) bool {
	switch {
	case s.param == "" || len(value) > maxValue:
		return false
	case s.param == "version":
		if !strings.Contains(value, "@") {
			return false // without the cost of an error
		}
		_, err := taxonomy.ParseRef(value)
		return err == nil
	case s.param == "shape":
		return slices.Contains(taxonomy.Shapes, taxonomy.Shape(value))
	}
	return taxonomy.IsWord(value)
}

// acceptsAnyWord reports whether s has a parameter whose values are not
// recognizable.
func (s segment) acceptsAnyWord() bool { return s.accepts("x") }
