package web

import (
	"bytes"
	"embed"
	"html/template"
	"maps"
	"net/url"
	"strings"
	"sync"

	"placard/internal/core/release"
	"placard/internal/show/diffview"
	"placard/internal/show/view"
)

//go:embed templates
var templateFiles embed.FS

// page is the content of a page and the data of the frame around it.
type page struct {
	redirect string // an address to redirect to instead
	status   int    // HTTP status; 0 means 200. Only pages with status 200 are cached.
	partial  bool   // the page shows less because a release is not in memory
	uncached bool   // the page shows less because a release could not be loaded

	policy   []string // the Content-Security-Policy; nil for that of most pages
	document []byte   // a complete HTML document of package view, to send instead

	template    string  // defines the content
	part        string  // the template of the part that scripts replace; may be empty
	Title       string  // without the name of the site
	Crumbs      []crumb // the pages above this one, from the home page on
	Description string
	Path        string           // canonical path, without the language
	Release     *release.Release // selected in the header; nil if there is none
	Search      *searchBox       // in the header; by default that of the release
	Locales     []string         // the languages that the page is available in
	Image       string           // path of a picture for previews of links; may be empty
	LinkedData  any              // schema.org description, encoded as JSON-LD; may be nil
	NoIndex     bool             // search engines should ignore the page
	Data        any              // for the template
}

// templateSet returns the parsed templates in a language. The template of each page
// is combined with the frame, which includes it as "content".
var templateSet = func() map[string]func() map[string]*template.Template {
	sets := make(map[string]func() map[string]*template.Template)
	for _, l := range languages {
		sets[l.language] = sync.OnceValue(func() map[string]*template.Template { return parseTemplates(l) })
	}
	return sets
}()

const frameTemplate = "frame.html"

func parseTemplates(l *texts) map[string]*template.Template {
	all := template.Must(template.New("").Funcs(template.FuncMap{
		"t":            l.get,
		"n":            l.count,
		"date":         l.date,
		"asset":        assetURL,
		"direction":    view.Direction,
		"languageName": view.LanguageName,
		"diffWord":     l.diffWord,
		"withLang":     withLang,
	}).ParseFS(templateFiles, "templates/*.html"))
	template.Must(all.New("diff").Parse(diffview.Templates))
	set := make(map[string]*template.Template)
	for _, t := range all.Templates() {
		if t.Name() == frameTemplate || !strings.HasSuffix(t.Name(), ".html") {
			continue
		}
		combined := template.Must(all.Clone())
		template.Must(combined.AddParseTree("content", t.Tree))
		set[t.Name()] = combined
	}
	return set
}

// frame is the data of a template: the page and the request that it responds to.
type frame struct {
	*page
	*request
	Versions []versionLink // nil if the page is not about a release
}

// execute renders a page, or a part of it.
func (q *request) execute(p *page) ([]byte, error) {
	if p.document != nil {
		return p.document, nil
	}
	name, f := frameTemplate, frame{page: p, request: q}
	if q.isPart && p.part != "" {
		name = p.part
	} else {
		f.Versions = f.versionLinks()
	}
	var b bytes.Buffer
	if err := templateSet[q.ui.language]()[p.template].ExecuteTemplate(&b, name, f); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// executePart renders a template that pages share.
func (q *request) executePart(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	err := templateSet[q.ui.language]()["error.html"].ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err
}

// crumb is a link to a page above another one.
type crumb struct {
	Name Text
	Path string
}

// crumbs returns links to the home page and to the given pages below it.
func (q *request) crumbs(below ...crumb) []crumb {
	return append([]crumb{{Text{Value: q.ui.get("frame.home")}, "/"}}, below...)
}

// docsCrumbs returns links to the home page, to the overview of the documents and to
// the given pages below it.
func (q *request) docsCrumbs(below ...crumb) []crumb {
	return q.crumbs(append([]crumb{{Text{Value: q.ui.get("docs.title")}, docsPath}}, below...)...)
}

// releaseCrumb returns a link to the explorer of r.
func (q *request) releaseCrumb(r *release.Release) crumb {
	return crumb{q.text(r, r.Manifest.Title), explorePath(r.Name())}
}

// Current returns the value of aria-current for the link to a section in the header:
// "signs" or "docs". It is empty if the page is not part of the section.
func (f frame) Current(section string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(f.page.Path, "/"), "/")
	switch {
	case section == "docs":
		return f.Within(docsPath)
	case f.isOverview():
		return "page"
	case f.Release != nil, first == "", first == "compare":
		return "true"
	}
	return ""
}

// Within returns the value of aria-current for a link to a path: "page" if it leads to
// this page, "true" if this page is below it, or else empty.
func (f frame) Within(path string) string {
	switch {
	case f.page.Path == path:
		return "page"
	case strings.HasPrefix(f.page.Path, path+"/"):
		return "true"
	}
	return ""
}

// isOverview reports whether this is the page that the link to the signs leads to.
func (f frame) isOverview() bool {
	if f.Release != nil {
		return f.page.Path == explorePath(f.Release.Name()) && !f.isDynamic
	}
	return f.page.Path == "/" && !f.isDynamic
}

// Lang returns the language of the page itself.
func (f frame) Lang() string { return f.ui.language }

// Picture returns the path of the picture of the page, unless it would have to be drawn
// for a static page.
func (f frame) Picture() string {
	if f.handler.Static {
		return ""
	}
	return f.Image
}

// Base returns the external URL of the server, without a slash at the end.
func (f frame) Base() string { return f.base }

// Site returns the options of the pages.
func (f frame) Site() *Options { return &f.handler.Options }

// Preview reports whether the releases are those of an authoring tree.
func (f frame) Preview() bool { return f.handler.Preview }

// Param returns a parameter of the request.
func (f frame) Param(name string) string { return f.params.Get(name) }

// Link returns a link to a path of this server that keeps the language of the page.
// Links within the page are returned as they are.
func (f frame) Link(path string) string {
	if strings.HasPrefix(path, "#") {
		return path
	}
	return withLang(path, f.chosen)
}

// PageIn returns the address of this page in another language. It keeps all
// parameters but the cursor: the results of a search depend on the language.
func (f frame) PageIn(lang string) string { return withLang(f.page.Path+withoutCursor(f.params), lang) }

// FirstPage returns the path of the first page of the results that this page shows.
func (f frame) FirstPage() string { return f.page.Path + withoutCursor(f.params) }

// withoutCursor returns parameters as a part of an address, without the cursor of a
// page of results.
func withoutCursor(params url.Values) string {
	kept := maps.Clone(params)
	delete(kept, cursorParam)
	if len(kept) == 0 {
		return ""
	}
	return "?" + kept.Encode()
}

// Canonical returns the address of this page that search engines should use, in a
// language of the page or, if lang is empty, in the reader's.
func (f frame) Canonical(lang string) string { return f.base + withLang(f.page.Path, lang) }

// Chosen returns the language in the address of the page; empty if there is none.
func (f frame) Chosen() string { return f.chosen }

// CurrentLocale returns the selected language of the page's content.
func (f frame) CurrentLocale() string {
	if f.locale != "" {
		return f.locale
	}
	return f.ui.language
}

// withLang adds the language to a path, which may have parameters and a fragment.
func withLang(path, lang string) string {
	if lang == "" {
		return path
	}
	path, fragment, hasFragment := strings.Cut(path, "#")
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	path += separator + langParam + "=" + url.QueryEscape(lang)
	if hasFragment {
		path += "#" + fragment
	}
	return path
}
