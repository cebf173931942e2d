package httpapi

import (
	"errors"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"placard/internal/core/problem"
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
	if isBelowAPI(r.URL.Path) {
		bucket = ratelimit.Read
	}
	a.refuse(w, r, bucket, func() error { return errNoRoute })
}

// isBelowAPI reports whether a path is that of the API or below it.
func isBelowAPI(p string) bool { return p == "/api/v2" || strings.HasPrefix(p, "/api/v2/") }

// writeNoRoute responds to a request that matches no route. Outside the API, browsers
// get a page; all other requests get an error in the JSON envelope.
func (a *api) writeNoRoute(w http.ResponseWriter, r *http.Request) {
	method, nearest := a.nearest(r.URL.Path)
	if !isBelowAPI(r.URL.Path) {
		w.Header()["Vary"] = varyAccept
		isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
		if a.NotFoundPage != nil && isRead && isBrowser(r.Header["Accept"]) {
			a.NotFoundPage(w, r, method, nearest)
			return
		}
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

// isBrowser reports whether a client that sent these Accept headers is a browser:
// browsers name HTML, and clients of the API JSON or nothing.
func isBrowser(accept []string) bool {
	types := strings.ToLower(strings.Join(accept, ","))
	return strings.Contains(types, "text/html") && !strings.Contains(types, typeJSON[0])
}
