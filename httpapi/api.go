// Package httpapi is the REST face of Placard: its routes in one table, the
// envelopes of answers and errors, and their caching headers. It asks the
// questions of package query and knows nothing of MCP.
package httpapi

import (
	"log/slog"
	"net/http"
	"path"
	"strings"
	"sync/atomic"

	"placard.dev/catalog"
	"placard.dev/problem"
)

// Options configure the API.
type Options struct {
	Catalog *catalog.Catalog // required
	Log     *slog.Logger     // default slog.Default()
}

// api answers the routes of the table.
type api struct {
	catalog *catalog.Catalog
	log     *slog.Logger
	schemas atomic.Pointer[schemaList]
}

// route is one row of the table.
type route struct {
	method  string // GET stands for GET and HEAD
	pattern string
	handle  func(*http.Request) (reply, error)
	summary string
}

func (a *api) routes() []route {
	return []route{
		{"GET", "/api/v2/codes", a.listCodes, "Every code that answers and findings can carry."},
		{"GET", "/api/v2/schemas", a.listSchemas, "The published schema versions."},
		{"GET", "/api/v2/schemas/{version}/manifest", a.manifest, "One release's manifest."},
		{"GET", "/api/v2/schemas/{version}/categories", a.categories, "The categories in declaration order."},
		{"GET", "/api/v2/schemas/{version}/elements", a.elements, "The elements: filtered, searched, paged, projected."},
		{"GET", "/api/v2/schemas/{version}/elements/{element_id}", a.element, "One element."},
		{"GET", "/api/v2/schemas/{version}/elements/{element_id}/{file}", a.icon, "An element's icon, icon.svg or icon.<variant>.svg."},
		{"POST", "/api/v2/schemas/{version}/validate", a.validate, "Check a datachain."},
		{"POST", "/api/v2/schemas/{version}/resolve", a.resolve, "Check a datachain and make it self-contained."},
		{"POST", "/api/v2/schemas/{version}/validate_resolved", a.validateResolved, "Check a resolved datachain."},
		{"GET", "/api/v2/schemas/{version}/symbols/{file}", a.symbol, "A symbol, <symbol_id>.svg."},
		{"GET", "/api/v2/shapes/{file}", a.shape, "A bare shape, <shape>.svg."},
	}
}

// New returns the handler of every path of the API. Paths that no route has
// are answered with an error in the envelope.
func New(opts Options) http.Handler {
	a := &api{catalog: opts.Catalog, log: opts.Log}
	if a.log == nil {
		a.log = slog.Default()
	}
	byPattern := make(map[string]methods)
	for _, rt := range a.routes() {
		if byPattern[rt.pattern] == nil {
			byPattern[rt.pattern] = make(methods)
		}
		if _, twice := byPattern[rt.pattern][rt.method]; twice {
			panic("two routes for " + rt.method + " " + rt.pattern)
		}
		byPattern[rt.pattern][rt.method] = rt
	}
	// The methods are told apart here and not in the mux's patterns, because
	// the mux would answer a wrong method in plain text.
	mux := http.NewServeMux()
	for pattern, m := range byPattern {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, m) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.writeError(w, r, noRoute(r)) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The mux would redirect a path that is not clean.
		if !isClean(r.URL.EscapedPath()) || !isClean(r.URL.Path) {
			a.writeError(w, r, noRoute(r))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// methods are the routes of one pattern by method.
type methods map[string]route

func (m methods) allow() string {
	var allowed []string
	for _, method := range []string{"GET", "POST"} {
		if _, ok := m[method]; ok {
			allowed = append(allowed, method)
			if method == "GET" {
				allowed = append(allowed, "HEAD")
			}
		}
	}
	return strings.Join(append(allowed, "OPTIONS"), ", ")
}

// serve answers one request; handlers only return.
func (a *api) serve(w http.ResponseWriter, r *http.Request, m methods) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt, ok := m[method]
	if !ok {
		w.Header().Set("Allow", m.allow())
		a.writeError(w, r, problem.New(problem.MethodNotAllowed, "%s is not possible here.", r.Method).Hint("Use %s.", m.allow()))
		return
	}
	answer, err := rt.handle(r)
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	answer.write(w, r)
}

func noRoute(r *http.Request) error {
	return problem.New(problem.NotFound, "There is nothing at %q.", shorten(r.URL.Path)).
		Hint("The API begins at /api/v2/schemas.")
}

func shorten(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "") + "…"
	}
	return strings.ToValidUTF8(s, "�")
}

func isClean(p string) bool {
	return strings.HasPrefix(p, "/") && (p == "/" || path.Clean(p) == strings.TrimSuffix(p, "/"))
}
