package httpapi

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"placard/internal/problem"
	"placard/internal/taxonomy"
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
}

// endpoints are all endpoints and the words in their paths.
type endpoints struct {
	all   []endpoint
	words []string
}

func newEndpoints(routes []route) *endpoints {
	e := new(endpoints)
	for _, rt := range routes {
		for _, f := range rt.files() {
			pattern := strings.Replace(rt.pattern, "{file}", f.name, 1)
			added := endpoint{method: rt.method}
			for text := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
				s := parseSegment(text, len(added.segments))
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
	}
	return e
}

// parseSegment returns segment number n of a path.
func parseSegment(text string, n int) segment {
	prefix, rest, ok := strings.Cut(text, "{")
	switch {
	case ok:
		param, suffix, _ := strings.Cut(rest, "}")
		return segment{prefix, param, suffix, costMissingParam}
	case n < baseSegments:
		return segment{prefix: text, missing: costMissingBase}
	}
	return segment{prefix: text, missing: costMissingWord}
}

// suggestion is a request that a client may have meant.
type suggestion struct {
	method, path string
	complete     bool // the path contains no {parameter}
}

func (s suggestion) String() string { return s.method + " " + s.path }

// The costs of the differences between a path and an endpoint.
const (
	costMethod        = 1 // another method
	costSimilar       = 2 // a misspelt word, or a missing or different file extension
	costMissingBase   = 2 // a missing word of the base path
	costMissingWord   = 4
	costExtra         = 6 // an additional segment
	costInvalid       = 6 // an invalid value of a parameter
	costMissingParam  = 8
	costMissingPrefix = 12 // a missing word before a parameter that accepts any word
)

const (
	baseSegments = 2 // api and v2
	// Longer paths, paths with more segments, and longer values of parameters are
	// not compared. This bounds the cost of hostile paths and the length of hints.
	maxPath     = 1 << 10
	maxSegments = 10
	maxValue    = 100
)

// nearest returns the request that is most similar to the given one. It reports
// false if the path has nothing in common with any endpoint but the base path.
func (e *endpoints) nearest(method, requested string) (suggestion, bool) {
	if len(requested) > maxPath {
		return suggestion{}, false
	}
	requested = strings.Trim(path.Clean(requested), "/")
	if requested == "" || strings.Count(requested, "/") >= maxSegments {
		return suggestion{}, false
	}
	a := alignment{given: strings.Split(requested, "/")}
	a.similar = make([]string, len(a.given))
	for i, text := range a.given {
		if near := problem.Nearest(text, e.words, 1); len(near) > 0 {
			a.similar[i] = near[0]
		}
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
	return a.request(best)
}

// alignment assigns the segments of a path to those of an endpoint.
type alignment struct {
	given   []string
	similar []string // the word that each given segment resembles, or empty

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
				cost = min(a.costs[i-1][j]+costExtra, a.costs[i][j-1]+want[j-1].missing)
				if matched, _, ok := want[j-1].match(a.given[i-1], a.similar[i-1]); ok {
					cost = min(cost, a.costs[i-1][j-1]+matched)
				}
			case i > 0:
				cost = a.costs[i-1][j] + costExtra
			case j > 0:
				cost = a.costs[i][j-1] + want[j-1].missing
			}
			a.costs[i][j] = cost
		}
	}
	return a.costs[len(a.given)][len(want)]
}

// request returns the request for an endpoint with the given values of its
// parameters. It reports false if no segment matches one after the base path.
func (a *alignment) request(e *endpoint) (suggestion, bool) {
	near, found := suggestion{method: e.method, complete: true}, false
	i, j := len(a.given), len(e.segments)
	for j > 0 {
		s := e.segments[j-1]
		cost, value, matches := 0, "", false
		if i > 0 {
			if a.costs[i][j] == a.costs[i-1][j]+costExtra {
				i--
				continue
			}
			cost, value, matches = s.match(a.given[i-1], a.similar[i-1])
		}
		j--
		if matches && a.costs[i][j+1] == a.costs[i-1][j]+cost {
			i--
			found = found || j >= baseSegments && cost < costInvalid
		} else {
			value = ""
		}
		if s.param != "" && value == "" {
			value, near.complete = "{"+s.param+"}", false
		}
		near.path = "/" + s.prefix + value + s.suffix + near.path
	}
	if !found {
		return suggestion{}, false
	}
	return near, true
}

// match reports whether a given segment can take the place of s. It returns the
// cost and the value of the parameter.
func (s segment) match(given, similar string) (cost int, value string, ok bool) {
	if s.param == "" {
		return costOf(given == s.prefix), "", given == s.prefix || similar == s.prefix
	}
	rest, hasPrefix := strings.CutPrefix(given, s.prefix)
	value, hasSuffix := strings.CutSuffix(rest, s.suffix)
	if hasPrefix && hasSuffix && s.accepts(value) {
		return 0, value, true
	}
	if ext := path.Ext(rest); ext == "" || slices.Contains(extensions, ext) {
		if value := strings.TrimSuffix(rest, ext); hasPrefix && s.accepts(value) {
			return costSimilar, value, true
		}
	}
	return costInvalid, "", true
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
