package web

import (
	"net/http"
	"strings"

	"placard/internal/compress"
	"placard/internal/problem"
)

// errorData is the data of the page that explains a problem.
type errorData struct {
	Status  int
	Path    string          // requested, if there is no such path
	Nearest nearestRequest  // to Path
	Box     *searchBox      // nil if there is no Path
	Problem problem.Problem // not shown if there is a Path
}

// nearestRequest is the request that a reader probably meant. It is zero if there is
// none.
type nearestRequest struct{ Method, Path string }

// Opens reports whether a browser can open the address.
func (n nearestRequest) Opens() bool { return n.Method == http.MethodGet }

// errorPage returns the page that explains a problem.
func (q *request) errorPage(status int, p problem.Problem) *page {
	key := "error.other"
	if status == http.StatusNotFound {
		key = "error.404"
	}
	q.locale = ""
	// Two slashes at the start would make the links to other languages lead to another
	// host.
	path := "/" + strings.TrimLeft(q.URL.EscapedPath(), "/")
	locales := pageLanguages()
	if len(path) > maxErrorPath {
		locales = nil
	}
	return &page{
		template: "error.html", Title: q.ui.get(key), Path: path, Locales: locales, NoIndex: true,
		Data: errorData{Status: status, Problem: p},
	}
}

// maxErrorPath is the length of the paths whose error pages link to their other
// languages.
const maxErrorPath = 512

// NotFound responds with the page for a path that neither a page nor another part of
// the server has. The method and the path are those of the nearest request; they may
// be empty.
func (h *Handler) NotFound(w http.ResponseWriter, r *http.Request, method, path string) {
	q := h.newRequest(w, r, route{pattern: "/"})
	p := q.errorPage(http.StatusNotFound, problem.Problem{})
	p.Data = errorData{
		Status: http.StatusNotFound, Path: problem.Clip(r.URL.EscapedPath()), Nearest: nearestRequest{method, path},
		Box: &searchBox{Action: "/", Placeholder: q.ui.get("error.search"), Lang: q.chosen},
	}
	text, err := q.execute(p)
	if err != nil {
		h.writeError(w, q, err)
		return
	}
	h.send(w, r, http.StatusNotFound, newBody(text, compress.Quick))
}
