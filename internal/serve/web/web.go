// Package web serves the pages that people read: the home page, the explorer of a
// taxonomy, comparisons of versions, and the documents with the API reference.
//
// A page is a pure function of a release, a language and the address of the server.
// It is rendered once and cached with its compressed forms; only searches, and pages
// with other parameters, are rendered for each request. Pages work without script and
// request nothing from other hosts.
package web

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"

	"placard/internal/core/problem"
	"placard/internal/serve/budget"
	"placard/internal/serve/compress"
	"placard/internal/serve/httpstatus"
	"placard/internal/serve/ratelimit"
	"placard/internal/storage/catalog"
)

// Options configures the pages.
type Options struct {
	Catalog *catalog.Catalog // required

	// Preview declares that the releases are those of an authoring tree. Pages show
	// its findings and reload when it changes.
	Preview bool

	// Findings returns the findings in the authoring tree of a preview. It may be nil.
	Findings func() problem.List

	// PublicURL is the external base URL of the server. By default it is derived from
	// each request.
	PublicURL string

	// Admit decides whether a request is served, as in package httpapi. Default: every
	// request is admitted.
	Admit func(http.ResponseWriter, *http.Request, ratelimit.Bucket) (netip.Addr, error)

	// Docs contains the documents as Markdown files, their images, and the OpenAPI
	// document, under their names in the repository, such as docs/api.md. It may be nil.
	Docs fs.FS

	// Examples contains example documents, in the folders of an authoring tree. Those of
	// other releases, and invalid ones, are not shown. It may be nil.
	Examples fs.FS

	// Publisher is responsible for the pages, and Licence applies to the texts and icons
	// of the releases. The footer shows both, unless they are zero, and FooterLinks.
	Publisher   Link
	Licence     Link
	FooterLinks []Link

	Version string // of Placard, in the footer; may be empty

	// Static says that the pages become files. They may take any time, and refer to no
	// picture that is drawn on request, because there are too many of them.
	Static bool

	// Work limits how many comparisons and pictures are computed at the same time. A
	// comparison of 20,000 elements or a large picture takes a tenth of a second of
	// processor time. By default, half of the processors compute them.
	Work *budget.Pool

	CacheSize int             // of rendered pages, in bytes; default [DefaultCacheSize]
	Encoded   *compress.Cache // caches compressed bodies; default a new cache
	Log       *slog.Logger    // default slog.Default()
}

// Link is a name with an address, which may be empty.
type Link struct{ Name, Address string }

// Handler serves the pages. See [Handler.Serves] for the paths of its requests.
type Handler struct {
	Options
	mux      *http.ServeMux
	pages    *cache
	pictures *cache
	library  func() (*library, error)      // read on first use
	api      func() (*apiReference, error) // read on first use
}

// route is one kind of page.
type route struct {
	pattern string
	render  func(*request) (*page, error)
	// params are the parameters that the page has in addition to the language. Pages
	// with a value for one of them are not cached.
	params []string
}

func routes() []route {
	return []route{
		{"/{$}", (*request).home, []string{"q"}},
		{"/example/{version}/{name}", (*request).example, nil},
		{"/explore", (*request).exploreRoot, nil},
		{"/explore/{version}", (*request).explore, []string{"q", "category", cursorParam}},
		{"/explore/{version}/" + worksheetName, (*request).worksheet, []string{"category"}},
		{"/explore/{version}/{element}", (*request).element, nil},
		{comparePrefix, (*request).compareForm, []string{"old", "new"}},
		{comparePrefix + "/{old}/{new}", (*request).compare, nil},
		{docsPath, (*request).docs, []string{"q"}},
		{docsPath + "/{name}", (*request).document, nil},
		{decisionsPath + "/{name}", (*request).document, nil},
		{codesPath, (*request).codes, []string{"q"}},
		{codesPath + "/{code}", (*request).code, nil},
		{mcpPath, (*request).mcp, nil},
		{referencePath, (*request).reference, nil},
		{referencePath + "/{operation}", (*request).operationPage, nil},
		{referencePath + "/{operation}/run", (*request).runOperation, nil},
	}
}

// New returns the handler of all pages.
func New(opts Options) *Handler {
	h := &Handler{Options: opts, mux: http.NewServeMux(), pages: newCache(opts.CacheSize), pictures: newCache(pictureCacheSize)}
	if h.Admit == nil {
		h.Admit = func(http.ResponseWriter, *http.Request, ratelimit.Bucket) (netip.Addr, error) {
			return netip.Addr{}, nil
		}
	}
	if h.Encoded == nil {
		h.Encoded = compress.NewCache(0)
	}
	if h.Work == nil {
		h.Work = budget.NewPool(max(1, runtime.GOMAXPROCS(0)/2), 0)
	}
	if h.Log == nil {
		h.Log = slog.Default()
	}
	h.PublicURL = strings.TrimSuffix(h.PublicURL, "/")
	h.api = sync.OnceValues(func() (*apiReference, error) { return readReference(h.Docs) })
	for _, rt := range routes() {
		h.mux.HandleFunc(rt.pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, rt) })
	}
	for _, rt := range pictureRoutes() {
		h.handleFile(rt.pattern, rt.picture)
	}
	h.library = sync.OnceValues(func() (*library, error) { return readLibrary(h.Docs) })
	h.handleFile(assetPath+"{file}", (*request).asset)
	h.handleFile(faviconPath, (*request).favicon)
	h.handleFile(robotsPath, (*request).robots)
	h.handleFile(sitemapPath, (*request).sitemap)
	if h.Preview {
		h.handleFile(previewPath, (*request).previewFile)
	}
	h.handleFile(imagesPath+"{file}", (*request).image)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.serve(w, r, route{pattern: "/", render: h.withoutSlash})
	})
	return h
}

// withoutSlash redirects to the page whose path lacks the slash at the end of the
// requested one, if there is such a page.
func (h *Handler) withoutSlash(q *request) (*page, error) {
	address := *q.URL
	address.Path, address.RawPath = strings.TrimSuffix(address.Path, "/"), strings.TrimSuffix(address.RawPath, "/")
	if address.Path == q.URL.Path {
		return nil, errNoPage
	}
	if _, pattern := h.mux.Handler(&http.Request{Method: http.MethodGet, Host: q.Host, URL: &address}); pattern == "/" {
		return nil, errNoPage
	}
	return &page{redirect: address.RequestURI()}, nil
}

// Serves reports whether a request is for a page or for a part of it, which may not
// exist.
func (h *Handler) Serves(r *http.Request) bool {
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	return roots[first] && (first != "" || rest == "") || opensMCP(r) || h.Preview && r.URL.Path == previewPath
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// roots are the first segments of the paths of pages.
var roots = map[string]bool{
	"": true, "assets": true, "compare": true, "docs": true, "example": true, "explore": true,
	"favicon.ico": true, "robots.txt": true, "sitemap.xml": true,
}

var errNoPage = problem.New(problem.NotFound, "There is no page at this address.")

// serve responds with a page, from the cache if possible.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, rt route) {
	q := h.newRequest(w, r, rt)
	if rt.pattern == mcpPath {
		w.Header().Set("Vary", "Accept") // other clients get responses of the MCP server
	}
	err := h.admit(w, r)
	if err == nil {
		err = h.respond(w, q)
	}
	if err != nil {
		h.writeError(w, q, err)
	}
}

// admit returns an error if a request must not be served. It does not charge the
// request.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) error {
	if _, err := h.Admit(w, r, ratelimit.Free); err != nil {
		return err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		return problem.New(problem.MethodNotAllowed, "Pages and their files can only be read.")
	}
	return nil
}

// respond renders a page, or finds it in the cache, and sends it. Pages that are
// rendered are charged as reads.
func (h *Handler) respond(w http.ResponseWriter, q *request) error {
	if err := q.open(); err != nil {
		if address := q.latestVersion(); address != "" {
			http.Redirect(w, q.Request, address, http.StatusFound)
			return nil
		}
		return err
	}
	key, cached := q.cacheKey(), !q.isDynamic && !h.Preview
	if cached {
		body, ok := h.pages.Get(cacheKey{q.snapshot.Index(), key})
		if !ok {
			body, ok = h.pages.Get(cacheKey{q.snapshot.Index(), key + q.resident()})
		}
		if ok {
			h.sendPage(w, q.Request, http.StatusOK, body)
			return nil
		}
	}
	if err := q.charge(); err != nil {
		return err
	}
	p, err := q.route.render(q)
	if err != nil {
		return err
	}
	if p.redirect != "" {
		http.Redirect(w, q.Request, p.redirect, http.StatusFound)
		return nil
	}
	text, err := q.execute(p)
	if err != nil {
		return err
	}
	if p.partial {
		key += q.resident()
	}
	body := newBody(text)
	body.policy = p.policy
	if cached && p.status == 0 && !p.uncached {
		body.IsRepeated = true
		h.pages.Put(cacheKey{q.snapshot.Index(), key}, body)
	}
	h.sendPage(w, q.Request, cmp.Or(p.status, http.StatusOK), body)
	return nil
}

// writeError responds with a page that explains err. It logs failures of the server.
func (h *Handler) writeError(w http.ResponseWriter, q *request, err error) {
	if q.Context().Err() != nil {
		return // the client has disconnected
	}
	var p problem.Problem
	status := 0
	if errors.As(err, &p) {
		status = statuses[p.Code]
	}
	if status == 0 {
		p = problem.New(problem.InternalError, "An internal error occurred.").Hint("Retry. If this persists, report the X-Request-Id of this response.")
		status = http.StatusInternalServerError
	}
	if status >= http.StatusInternalServerError && p.Code != problem.Overloaded {
		h.Log.Error("page failed", "error", err, "code", string(p.Code), "route", q.route.pattern, "request_id", q.Header.Get("X-Request-Id"))
	}
	page := q.errorPage(status, p)
	if unknown, ok := errors.AsType[*unknownVersionError](err); ok {
		page.Data = errorData{Status: status, Version: problem.Clip(unknown.name), Versions: unknown.nearest}
	}
	text, err := q.execute(page)
	if err != nil {
		h.Log.Error("the page of an error failed", "error", err)
		http.Error(w, p.Message, status)
		return
	}
	h.sendPage(w, q.Request, status, newBody(text))
}

// statuses maps each code that fails a request to its HTTP status.
var statuses = httpstatus.Of

// base returns the external base URL of the server, without a slash at the end.
func (h *Handler) base(r *http.Request) string {
	if h.PublicURL != "" {
		return h.PublicURL
	}
	return cmp.Or(r.URL.Scheme, "http") + "://" + r.Host
}
