// Package httpapi is the REST API of Placard: a table of routes, the envelopes
// of responses and errors, and their caching headers. It runs the queries of
// package query and knows nothing about MCP.
package httpapi

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"

	"placard/internal/core/docschema"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/budget"
	"placard/internal/serve/compress"
	"placard/internal/serve/lru"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/requestbody"
	"placard/internal/show/skos"
	"placard/internal/storage/catalog"
)

// Options configures the API.
type Options struct {
	Catalog *catalog.Catalog // required

	// Preview declares that the releases are not published and may change under
	// their ids, even stable ones. Clients must then revalidate every response.
	Preview bool

	// Admit decides whether a request is served. It is called after routing
	// and before the body is read. If it returns an error, the error is the
	// response, and Admit has set the headers that belong to it. Otherwise
	// the address identifies the client for other limits. Default: every
	// request is admitted, and clients are not identified.
	Admit func(http.ResponseWriter, *http.Request, ratelimit.Bucket) (client netip.Addr, err error)

	MaxBody   int64           // maximum size of a request body in bytes; default [requestbody.DefaultLimit]
	Documents *budget.Pool    // limits the documents processed at a time; default a new pool
	Encoded   *compress.Cache // caches compressed bodies; default a new cache

	Unlimited bool // requests may take any time, such as those of an export

	IconMissed func() // called when an icon is drawn because it is not stored; may be nil

	// IsListed reports whether the list of versions contains a release. Default: it
	// contains all releases.
	IsListed func(taxonomy.ID) bool

	// Others lists endpoints outside the API, such as "GET /healthz", that the hints
	// of unknown paths may suggest.
	Others []string

	// NotFoundPage responds to browsers whose request matches no route. The method and
	// the path are those of the nearest request that succeeds; they are empty if there
	// is none. Default: browsers get an error in the JSON envelope, as other clients do.
	NotFoundPage func(w http.ResponseWriter, r *http.Request, method, path string)

	// CodePage returns the path of the page that explains a code. Default: there are no
	// such pages.
	CodePage func(problem.Code) string

	Log *slog.Logger // default slog.Default()
}

// api serves the table of routes.
type api struct {
	Options
	mux *http.ServeMux

	bodies  *lru.Cache[string, []byte] // bodies that take long to write, by entity tag
	writing sync.Mutex                 // held while such a body is written: that uses a whole processor

	schemaList atomic.Pointer[schemaList]
	openapi    atomic.Pointer[reply]
	codes      atomic.Pointer[reply]
}

// route is one row of the table. Each request is charged to the bucket of its
// route and served within its budget.
type route struct {
	method  string // GET includes HEAD
	pattern string
	handler handler
	bucket  ratelimit.Bucket
	budget  budget.Budget
	summary string
	doc     operation
}

// Patterns of routes that other code refers to.
const (
	schemasPath  = "/api/v2/schemas"
	elementsPath = "/api/v2/schemas/{version}/elements"
)

func (a *api) routes() []route {
	return []route{
		{"GET", "/api/v2/authoring/category.schema.json", authoringSchema(docschema.CategoryFile), ratelimit.Read, budget.Read, "The JSON Schema of categories/*.yaml, for editors.", categorySchemaDoc},
		{"GET", "/api/v2/authoring/element.schema.json", authoringSchema(docschema.ElementFile), ratelimit.Read, budget.Read, "The JSON Schema of elements/*.yaml, for editors.", elementSchemaDoc},
		{"GET", "/api/v2/authoring/meta.schema.json", authoringSchema(docschema.MetaFile), ratelimit.Read, budget.Read, "The JSON Schema of meta.yaml, for editors.", metaSchemaDoc},
		{"GET", "/api/v2/authoring/type.schema.json", authoringSchema(docschema.TypeFile), ratelimit.Read, budget.Read, "The JSON Schema of datachain-type.yaml, for editors.", typeSchemaDoc},
		{"GET", "/api/v2/codes", read(a.listCodes), ratelimit.Read, budget.Read, "The codes of all errors and findings.", listCodesDoc},
		{"GET", openAPIPath, read(a.openAPI), ratelimit.Read, budget.Read, "The OpenAPI document of this API.", openAPIDoc},
		{"GET", schemasPath, read(a.listSchemas), ratelimit.Read, budget.Read, "The published schema versions.", listSchemasDoc},
		{"GET", "/api/v2/schemas/{version}/manifest", versionRead(a.manifest), ratelimit.Read, budget.Read, "The manifest of a version.", manifestDoc},
		{"GET", "/api/v2/schemas/{version}/datachain.schema.json", versionRead(a.datachainSchema), ratelimit.Read, budget.Read, "The JSON Schema of the version's thin datachains, for editors.", datachainSchemaDoc},
		{"GET", "/api/v2/schemas/{version}/categories", versionRead(a.categories), ratelimit.Read, budget.Read, "The categories in declaration order.", categoriesDoc},
		{"GET", elementsPath, versionRead(a.elements), ratelimit.Read, budget.Read, "The elements, filtered or searched, a page at a time.", elementsDoc},
		{"GET", "/api/v2/schemas/{version}/elements/{element_id}", versionRead(a.element), ratelimit.Read, budget.Read, "One element.", elementDoc},
		{"GET", "/api/v2/schemas/{version}/elements/{element_id}/{file}", versionRead(a.icon), ratelimit.Icons, budget.Read, "An element's icon, icon.svg or icon.<variant>.svg.", iconDoc},
		{"GET", "/api/v2/schemas/{version}/icons.zip", versionRead(a.icons), ratelimit.Read, budget.Read, "All icons and symbols of a version, a page that shows them and an index, as a zip archive.", iconsDoc},
		{"GET", "/api/v2/schemas/{version}/skos.ttl", a.linkedData(skos.Turtle, typeTurtle), ratelimit.Read, budget.Read, "The version as linked data: a SKOS concept scheme in Turtle.", turtleDoc},
		{"GET", "/api/v2/schemas/{version}/skos.jsonld", a.linkedData(skos.JSONLD, typeJSONLD), ratelimit.Read, budget.Read, "The version as linked data: a SKOS concept scheme in JSON-LD.", jsonldDoc},
		{"POST", "/api/v2/schemas/{version}/validate", document(a.validate), ratelimit.Validate, budget.Validate, "Validate a datachain.", validateDoc},
		{"POST", "/api/v2/schemas/{version}/resolve", document(a.resolve), ratelimit.Resolve, budget.Resolve, "Validate a datachain and make it self-contained.", resolveDoc},
		{"POST", "/api/v2/schemas/{version}/validate_resolved", document(a.validateResolved), ratelimit.Resolve, budget.Resolve, "Validate a resolved datachain.", validateResolvedDoc},
		{"POST", "/api/v2/schemas/{version}/render", document(a.render), ratelimit.Resolve, budget.Resolve, "Validate a datachain, thin or resolved, and render it as an HTML page.", renderDoc},
		{"POST", "/api/v2/schemas/{version}/sign", document(a.sign), ratelimit.Resolve, budget.Resolve, "Validate a datachain, thin or resolved, and render it as a sign to print.", signDoc},
		{"GET", "/api/v2/schemas/{version}/symbols/{file}", versionRead(a.symbol), ratelimit.Icons, budget.Read, "A symbol, <symbol_id>.svg.", symbolDoc},
		{"GET", "/api/v2/shapes/{file}", read(a.shape), ratelimit.Icons, budget.Read, "A shape without a symbol, <shape>.svg.", shapeDoc},
	}
}

// handler handles a request by the client with the given address, within the
// budget of its route.
type handler interface {
	handle(*api, *http.Request, netip.Addr, budget.Budget) (reply, error)
}

// read handles a request that is served from memory. If it may take a while, it calls
// step regularly and stops if step returns an error.
type read func(r *http.Request, step func() error) (reply, error)

func (f read) handle(_ *api, r *http.Request, _ netip.Addr, b budget.Budget) (reply, error) {
	meter := b.Start()
	p, err := f(r, meter.Step)
	if err == nil {
		err = meter.Step()
	}
	return p, err
}

// versionRead is a read about the version in the path.
type versionRead func(r *http.Request, v *version, step func() error) (reply, error)

func (f versionRead) handle(a *api, r *http.Request, client netip.Addr, b budget.Budget) (reply, error) {
	return read(func(r *http.Request, step func() error) (reply, error) {
		v, err := a.version(r)
		if err != nil {
			return reply{}, err
		}
		return f(r, v, step)
	}).handle(a, r, client, b)
}

// New returns the handler of the API. It also responds to requests that match no
// route.
func New(opts Options) http.Handler {
	a := &api{Options: opts, bodies: newBodies()}
	if a.Admit == nil {
		a.Admit = func(http.ResponseWriter, *http.Request, ratelimit.Bucket) (netip.Addr, error) {
			return netip.Addr{}, nil
		}
	}
	if a.MaxBody <= 0 {
		a.MaxBody = requestbody.DefaultLimit
	}
	if a.Documents == nil {
		a.Documents = budget.NewPool(0, 0)
	}
	if a.Encoded == nil {
		a.Encoded = compress.NewCache(0)
	}
	if a.IconMissed == nil {
		a.IconMissed = func() {}
	}
	if a.Log == nil {
		a.Log = slog.Default()
	}
	a.mux = http.NewServeMux()
	a.mux.HandleFunc(unroutedPattern, a.unrouted)
	routes := a.routes()
	patterns := make(map[string]methods)
	for _, rt := range routes {
		if a.Unlimited {
			rt.budget = budget.Budget{}
		}
		if patterns[rt.pattern] == nil {
			m := make(methods)
			patterns[rt.pattern] = m
			a.mux.HandleFunc(rt.pattern, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, m) })
		}
		if patterns[rt.pattern][rt.method] != nil {
			panic("httpapi: two routes for " + rt.method + " " + rt.pattern)
		}
		patterns[rt.pattern][rt.method] = &rt
	}
	return a
}

// ServeHTTP implements [http.Handler].
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !IsClean(r.URL) {
		r.Pattern = unroutedPattern // as ServeMux does, for the log
		a.unrouted(w, r)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// methods contains the routes of one pattern, keyed by method.
type methods map[string]*route

func (m methods) allowed() []string {
	var allowed []string
	if m[http.MethodGet] != nil {
		allowed = append(allowed, http.MethodGet, http.MethodHead)
	}
	if m[http.MethodPost] != nil {
		allowed = append(allowed, http.MethodPost)
	}
	return allowed
}

// serve handles a request whose path matches a pattern.
func (a *api) serve(w http.ResponseWriter, r *http.Request, m methods) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt, ok := m[method]
	if !ok {
		a.refuse(w, r, ratelimit.Read, func() error {
			allowed := m.allowed()
			w.Header().Set("Allow", strings.Join(append(allowed, http.MethodOptions), ", "))
			return problem.New(problem.MethodNotAllowed, "Method %s is not allowed for this route.", problem.Clip(r.Method)).
				Hint("Use %s.", problem.OneOf(allowed))
		})
		return
	}
	client, err := a.Admit(w, r, rt.bucket)
	if err == nil {
		err = checkQueryString(r.URL.RawQuery)
	}
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	p, err := rt.handler.handle(a, r, client, rt.budget)
	if absent, ok := errors.AsType[*catalog.AbsentError](err); ok {
		// Loading is not part of the budget. No handler has read the body yet.
		var loaded *http.Request
		if loaded, err = a.load(r, absent); err == nil {
			p, err = rt.handler.handle(a, loaded, client, rt.budget)
		}
	}
	if err != nil {
		a.writeError(w, r, err)
		return
	}
	a.write(w, r, p)
}

// refuse charges a request to bucket and responds with the error that reason
// returns.
func (a *api) refuse(w http.ResponseWriter, r *http.Request, bucket ratelimit.Bucket, reason func() error) {
	_, err := a.Admit(w, r, bucket)
	if err == nil {
		err = reason()
	}
	a.writeError(w, r, err)
}
