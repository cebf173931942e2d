package httpapi

import (
	"errors"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/serve/compress"
	"placard/internal/serve/ratelimit"
)

// unroutedPattern is the pattern of requests that match no route.
const unroutedPattern = "/"

// errNoRoute is the error of a request that matches no route. Handlers whose
// pattern has a file name return it for names that they do not serve.
var errNoRoute = errors.New("no route matches the path")

// unrouted responds to requests that match no route. Below /api/v2/ they are
// charged as reads.
func (a *api) unrouted(w http.ResponseWriter, r *http.Request) {
	bucket := ratelimit.Free
	if strings.HasPrefix(r.URL.Path, "/api/v2/") {
		bucket = ratelimit.Read
	}
	a.refuse(w, r, bucket, func() error { return errNoRoute })
}

// writeNoRoute responds to a request that matches no route. Browsers get a page,
// and all other clients an error in the JSON envelope.
func (a *api) writeNoRoute(w http.ResponseWriter, r *http.Request) {
	w.Header()["Vary"] = varyAccept
	method, nearest := a.nearest(r.URL.Path)
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	if a.NotFoundPage != nil && isRead && prefersHTML(r.Header["Accept"]) {
		a.NotFoundPage(w, r, method, nearest)
		return
	}
	hint := "GET " + schemasPath + " lists the published versions."
	if nearest != "" {
		hint = "Did you mean " + method + " " + nearest + "?"
	}
	WriteError(w, problem.New(problem.NotFound, "No route matches %q.", problem.Clip(r.URL.EscapedPath())).
		Hint("%s GET %s describes all routes.", hint, openAPIPath))
}

// maxNearestPath is the length of the paths for which the nearest route is searched.
const maxNearestPath = 200

// nearest returns the method and path of the request whose path is most similar to an
// unknown one, or empty strings. Path parameters keep their values, which may be unknown
// too.
func (a *api) nearest(unknown string) (method, nearest string) {
	if len(unknown) > maxNearestPath {
		return "", ""
	}
	unknown = path.Clean(unknown)
	methods := make(map[string]string)
	for _, rt := range a.routes() {
		for _, f := range rt.files() {
			known := fillParams(strings.Replace(rt.pattern, "{file}", f.name, 1), unknown)
			if !strings.Contains(known, "{") {
				methods[known] = rt.method
			}
		}
	}
	for _, endpoint := range a.Others {
		method, known, _ := strings.Cut(endpoint, " ")
		methods[known] = method
	}
	nearest = problem.Closest(unknown, slices.Collect(maps.Keys(methods)))
	return methods[nearest], nearest
}

// fillParams replaces the parameters in a pattern by the values at the same place of a
// path, without their file extension.
func fillParams(pattern, given string) string {
	segments, values := strings.Split(pattern, "/"), strings.Split(given, "/")
	for i, segment := range segments {
		start, end := strings.IndexByte(segment, '{'), strings.IndexByte(segment, '}')
		if start < 0 || i >= len(values) {
			continue
		}
		value := values[i]
		if start > 0 || end < len(segment)-1 {
			value = strings.TrimSuffix(value, path.Ext(value))
		}
		segments[i] = segment[:start] + value + segment[end+1:]
	}
	return strings.Join(segments, "/")
}

const openAPIPath = "/api/v2/openapi.json"

var varyAccept = []string{"Accept"}

// prefersHTML reports whether a client that sent these Accept headers prefers
// HTML to JSON (RFC 9110, section 12.5.1).
func prefersHTML(accept []string) bool {
	var html, json preference
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			mediaRange, weight := parseMediaRange(item)
			html.apply(mediaRange, weight, "text/html")
			json.apply(mediaRange, weight, typeJSON[0])
		}
	}
	return html.weight > json.weight
}

// preference is the weight of a media type in an Accept header. The most specific
// range that contains the type determines it.
type preference struct{ specificity, weight int }

func (p *preference) apply(mediaRange string, weight int, mediaType string) {
	major, _, _ := strings.Cut(mediaType, "/")
	specificity := 0
	switch {
	case strings.EqualFold(mediaRange, mediaType):
		specificity = 3
	case strings.EqualFold(mediaRange, major+"/*"):
		specificity = 2
	case mediaRange == "*/*":
		specificity = 1
	}
	if specificity > p.specificity {
		*p = preference{specificity, weight}
	}
}

// parseMediaRange splits an item of an Accept header into a range without
// parameters and its weight in thousandths.
func parseMediaRange(item string) (mediaRange string, weight int) {
	mediaRange, params, _ := strings.Cut(item, ";")
	weight = 1000
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.Trim(name, " \t"), "q") {
			weight = compress.ParseWeight(strings.Trim(value, " \t"))
		}
	}
	return strings.Trim(mediaRange, " \t"), weight
}
