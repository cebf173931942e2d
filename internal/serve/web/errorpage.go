package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
)

// errorData is the data of the page that explains a problem.
type errorData struct {
	Status  int
	Meaning string          // of the status; empty if there is a Path or a Version
	Path    string          // requested, if there is no such path
	Nearest nearestRequest  // to Path
	Box     *searchBox      // nil if there is no Path
	Problem problem.Problem // not shown if there is a Path or a Version

	Version  string        // requested, if it is not served
	Versions []versionLink // that are, if Version is not
}

// unknownVersionError is the error of a path that names a version that is not served.
type unknownVersionError struct {
	problem.Problem
	name    string
	nearest []versionLink
}

func (e *unknownVersionError) Unwrap() error { return e.Problem }

// nearestVersions returns the requested page in the version whose id is similar to the
// value of a parameter, or else in the latest ones. It returns nothing if the version
// is published: the problem then says why it is not served.
func (q *request) nearestVersions(param string) []versionLink {
	const maxVersions = 5
	name := q.PathValue(param)
	var ids []string
	for _, v := range q.snapshot.Versions() {
		if v.ID.String() == name {
			return nil
		}
	}
	for _, v := range q.snapshot.Served() {
		ids = append(ids, v.ID.String())
	}
	near := problem.Closest(problem.Clip(name), ids)
	var links []versionLink
	for _, v := range q.snapshot.Served() {
		if v.ID.String() == near {
			return []versionLink{{ID: v.ID, Path: q.pathWith(param, near)}}
		}
		if slices.Contains(v.Aliases, latestAlias(v.ID)) && len(links) < maxVersions {
			links = append(links, versionLink{ID: v.ID, Path: q.pathWith(param, v.ID.String())})
		}
	}
	return links
}

// pathWith returns the path of the request with another value of a parameter.
func (q *request) pathWith(param, value string) string {
	path := q.route.pattern
	for _, name := range pathParams(path) {
		segment := q.PathValue(name)
		if name == param {
			segment = value
		}
		path = strings.Replace(path, "{"+name+"}", url.PathEscape(segment), 1)
	}
	return path
}

// nearestRequest is the request that a reader probably meant. It is zero if there is
// none.
type nearestRequest struct{ Method, Path string }

// Opens reports whether a browser can open the address.
func (n nearestRequest) Opens() bool { return n.Method == http.MethodGet }

// errorPage returns the page that explains a problem.
func (q *request) errorPage(status int, p problem.Problem) *page {
	key := "error.other"
	if status == http.StatusNotFound || status == http.StatusGone {
		key = "error.404"
	}
	q.locale = ""
	return q.unknownPage(&page{
		template: "error.html", Title: q.ui.get(key), Locales: pageLanguages(),
		Data: errorData{Status: status, Meaning: q.meaning(status), Problem: p},
	})
}

// unknownPage sets the path of a page to the requested one, which does not exist. If it
// is long, the page does not repeat it in links to its other languages.
func (q *request) unknownPage(p *page) *page {
	// Two slashes at the start would make these links lead to another host.
	p.Path = "/" + strings.TrimLeft(q.URL.EscapedPath(), "/")
	p.NoIndex = true
	if len(p.Path) > maxErrorPath {
		p.Locales = nil
	}
	return p
}

// meaning says what a status means and what to do next. Messages of problems are
// English only.
func (q *request) meaning(status int) string {
	if text, ok := q.ui.find("error.status." + strconv.Itoa(status)); ok {
		return text
	}
	return q.ui.get("error.status.500")
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
	h.sendPage(w, r, http.StatusNotFound, newBody(text))
}
