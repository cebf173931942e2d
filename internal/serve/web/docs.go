package web

import (
	"html/template"
	"regexp"
	"strings"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// documentLanguage is the language of the documents and of the texts about codes.
const documentLanguage = "en"

type overviewData struct {
	docsSearch
	Readers []readerData
}

// readerData is a group of readers in the overview, with the documents for them.
type readerData struct {
	Name   string
	Door   string // key of the title on the home page; may be empty
	Guides []*document
}

// docs is the overview of the documents, or the result of a search in them.
func (q *request) docs() (*page, error) {
	l, err := q.handler.library()
	if err != nil {
		return nil, err
	}
	data := overviewData{docsSearch: q.searchDocs(l)}
	for _, r := range readers {
		data.Readers = append(data.Readers, readerData{Name: r.Name, Door: r.Door})
	}
	for _, d := range l.guides {
		r := &data.Readers[readerOf(d.file)]
		r.Guides = append(r.Guides, d)
	}
	p := &page{
		template: "docs.html", Title: q.ui.get("docs.title"), Description: q.ui.get("docs.lead"), Path: docsPath,
		Crumbs: q.crumbs(), Locales: pageLanguages(), NoIndex: q.isDynamic, part: "docs-results",
	}
	if data.Query != "" {
		p.Title = data.Heading
	}
	p.Data = data
	return p, nil
}

type documentData struct {
	*document
	Guides   []*document
	Contents []contentsEntry
	Body     template.HTML

	Served   *release.Release // that the commands name; nil if it is the one in the text
	Name     Text             // of Served
	Examples []exampleLink    // of Served
}

// guides returns the guides for the list beside a page. Without documents it is empty.
func (q *request) guides() []*document {
	l, err := q.handler.library()
	if err != nil {
		return nil
	}
	return l.guides
}

// contentsEntry is a heading in the table of contents, with its subheadings.
type contentsEntry struct {
	docSection
	Sub []docSection
}

// requestHeading is a heading such as "GET /schemas/{version}/manifest".
var requestHeading = regexp.MustCompile(`^([A-Z]+) /.*(/[^/]+)$`)

// ShortParts returns the heading for the table of contents, divided after its slashes,
// where browsers may break it. Only the last segment of the path of a request is shown.
func (s docSection) ShortParts() []string {
	return strings.SplitAfter(requestHeading.ReplaceAllString(s.Heading, "$1 …$2"), "/")
}

// document is the page of a document.
func (q *request) document() (*page, error) {
	l, err := q.handler.library()
	if err != nil {
		return nil, err
	}
	d, ok := l.byPath[q.URL.Path]
	if q.URL.Path == rulesPath {
		return &page{redirect: withLang(codesPath, q.chosen)}, nil
	}
	if !ok {
		return nil, errNoPage
	}
	button, err := q.executePart("copy", "")
	if err != nil {
		return nil, err
	}
	body, err := d.render(func(path string) string { return withLang(path, q.chosen) }, button)
	if err != nil {
		return nil, err
	}
	data := documentData{document: d, Guides: l.guides, Contents: contents(d), Body: body}
	if exampleServers[d.file] {
		data.Body = template.HTML(q.withOwnAddress(string(body)))
		q.useServed(&data)
	}
	crumbs := q.docsCrumbs()
	if decisions, ok := l.byPath[decisionsPath]; ok && strings.HasPrefix(d.Path, decisionsPath+"/") {
		crumbs = q.docsCrumbs(crumb{newText(decisions.title, documentLanguage, q.ui.language), decisionsPath})
	}
	return &page{
		template: "document.html", Title: d.title, Description: clipText(d.sections[0].text, 200), Path: d.Path, Locales: pageLanguages(),
		LinkedData: q.linkedArticle(d.Path, d.title), Crumbs: crumbs, Search: q.docsBox(""),
		Data: data, partial: data.Served != nil,
	}, nil
}

// exampleServers are the documents in which the example server is this one. In others
// it is one that the reader has just started.
var exampleServers = map[string]bool{"docs/api.md": true, "docs/disclosure.md": true, "docs/mcp.md": true}

// withOwnAddress replaces the address of the example server in HTML by that of this
// one. The output of a command that starts a server is not changed.
func (q *request) withOwnAddress(body string) string {
	base := template.HTMLEscapeString(q.base)
	const started = "Listening on http://127.0.0.1:8080"
	return strings.NewReplacer(started, started, "http://127.0.0.1:8080", base, "http://localhost:8080", base, "localhost:8080", base).Replace(body)
}

var (
	guideVersion = regexp.MustCompile(`\bplace@(latest|stable|beta|\d{4}-\d\d-\d\d(-beta|-stable)?)`)
	guideCommand = regexp.MustCompile(`<b class="command">[^<]*`)
	guideElement = regexp.MustCompile(`/elements/[a-z_]+|category_id=[a-z_]+`)
)

// useServed makes a guide name a release that is served, unless the built-in taxonomy,
// which it was written with, is.
func (q *request) useServed(data *documentData) {
	for _, v := range q.snapshot.Served() {
		if v.ID.Type == "place" {
			return
		}
	}
	for _, r := range q.snapshot.Releases() {
		if len(r.Taxonomy.Elements) > 0 && (data.Served == nil || data.Served.ID().Status != taxonomy.Stable && r.ID().Status == taxonomy.Stable) {
			data.Served = r
		}
	}
	r := data.Served
	if r == nil {
		return
	}
	data.Name, data.Examples = q.text(r, r.Manifest.Title), q.examples(r)
	body := guideVersion.ReplaceAllStringFunc(string(data.Body), func(name string) string {
		if strings.Contains(name, "-") {
			return r.Name()
		}
		return latestAlias(r.ID())
	})
	element := &r.Taxonomy.Elements[0]
	data.Body = template.HTML(guideCommand.ReplaceAllStringFunc(body, func(command string) string {
		return guideElement.ReplaceAllStringFunc(command, func(part string) string {
			if strings.HasPrefix(part, "/") {
				return "/elements/" + element.ID
			}
			return "category_id=" + element.CategoryID
		})
	}))
}

// contents returns the table of contents of a document: two levels of headings.
func contents(d *document) []contentsEntry {
	var entries []contentsEntry
	for _, s := range d.sections[1:] {
		switch {
		case s.Level == 2 || len(entries) == 0:
			entries = append(entries, contentsEntry{docSection: s})
		case s.Level == 3:
			last := &entries[len(entries)-1]
			last.Sub = append(last.Sub, s)
		}
	}
	return entries
}

// clipText returns the start of a text, at most n bytes, up to the end of a word.
func clipText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if i := strings.LastIndexAny(text[:n], " \n"); i > 0 {
		n = i
	}
	return strings.ToValidUTF8(text[:n], "") + " …"
}

// image returns an image of a document.
func (q *request) image() (file, error) {
	l, err := q.handler.library()
	if err != nil {
		return file{}, err
	}
	image, ok := l.images[q.PathValue("file")]
	if !ok {
		return file{}, errNoPage
	}
	return file{body: image, contentType: typePNG}, nil
}
