package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

// codeGroups are the groups of codes in the order of the page: those that readers are
// most likely to see first.
var codeGroups = []query.Group{query.Requests, query.Documents, query.Trees, query.Comparisons, query.Stores, query.Tools}

// allCodes are the codes of Placard. They are built once, because the list is long.
var allCodes = sync.OnceValue(query.Codes)

// CodePath returns the path of the page of a code.
func CodePath(code problem.Code) string { return codesPath + "/" + url.PathEscape(string(code)) }

// codeAnchor returns the id of a code in the list.
func codeAnchor(code problem.Code) string { return strings.ToLower(string(code)) }

type codesData struct {
	Box     *searchBox
	Query   string
	Heading string // says how many codes match; empty without a query
	Total   int
	Groups  []codeGroup
	Guides  []*document
}

type codeGroup struct {
	Name  query.Group
	Codes []codeEntry
}

// codeEntry is a code in a list.
type codeEntry struct {
	query.Code
	Path, Anchor string
}

func newCodeEntry(c query.Code) codeEntry { return codeEntry{c, CodePath(c.Code), codeAnchor(c.Code)} }

// codes is the list of all codes, or of those that contain the words of a query.
func (q *request) codes() (*page, error) {
	search := q.params.Get("q")
	box := &searchBox{Action: codesPath, Placeholder: q.ui.get("codes.filter"), Query: search, Lang: q.chosen, Results: resultsID}
	data := codesData{Box: box, Query: search, Guides: q.guides()}
	for _, name := range codeGroups {
		group := codeGroup{Name: name}
		for _, c := range allCodes() {
			if c.Group == name && mentions(c, search) {
				group.Codes = append(group.Codes, newCodeEntry(c))
			}
		}
		if len(group.Codes) > 0 {
			data.Groups = append(data.Groups, group)
			data.Total += len(group.Codes)
		}
	}
	p := &page{
		template: "codes.html", Title: q.ui.get("codes.title"), Description: q.ui.get("codes.lead"), Path: codesPath,
		Crumbs: q.docsCrumbs(), Locales: pageLanguages(), NoIndex: q.isDynamic, part: "codes-results",
	}
	if search != "" {
		data.Heading = q.countResults("codes.results", "codes.none", data.Total, search)
		p.Title = data.Heading
	}
	p.Data = data
	return p, nil
}

// mentions reports whether a code, its title or its HTTP status contains all words of a
// query, in any case. People copy codes in brackets.
func mentions(c query.Code, search string) bool {
	text := strings.ToLower(string(c.Code) + " " + c.Title)
	if status, ok := statuses[c.Code]; ok {
		text += " " + strconv.Itoa(status)
	}
	for _, word := range strings.Fields(strings.ToLower(strings.Trim(search, "[]"))) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

type codeData struct {
	query.Code
	Status     string // of the response, such as "404 Not Found"; empty if there is none
	IsFinding  bool   // the response succeeds and contains the code as a finding
	Operations []operationLink
	Next       string // what to do
	Finding    *problem.Problem
	Excerpt    []exampleLine // of the example
	Lines      []exampleLine // all of them
}

// exampleLine is a line of an example. The one that causes the finding is marked.
type exampleLine struct {
	Text   string
	Marked bool
}

// maxExcerpt is the number of lines before and after the marked one in an excerpt.
const maxExcerpt = 5

// code is the page of a code.
func (q *request) code() (*page, error) {
	name := problem.Clip(strings.Trim(q.PathValue("code"), "[]"))
	i := slices.IndexFunc(allCodes(), func(c query.Code) bool { return strings.EqualFold(string(c.Code), name) })
	if i < 0 && isStatus(name) {
		return &page{redirect: withLang(codesPath+"?q="+name, q.chosen)}, nil
	}
	if i < 0 {
		return q.unknownCode(name), nil
	}
	c := allCodes()[i]
	if string(c.Code) != q.PathValue("code") {
		return &page{redirect: withLang(CodePath(c.Code), q.chosen)}, nil
	}
	data := codeData{Code: c, Operations: operationsOf(c), Next: q.nextStep(c)}
	status, ok := statuses[c.Code]
	data.IsFinding = c.Group == query.Documents
	if data.IsFinding {
		status, ok = http.StatusOK, true
	}
	if ok {
		data.Status = strconv.Itoa(status) + " " + http.StatusText(status)
	}
	finding, line, ok := findInExample(c)
	if ok {
		data.Finding = &finding
	}
	if c.Example != "" {
		data.Lines = exampleLines(c.Example, line)
		data.Excerpt = data.Lines
		if line > 0 {
			data.Excerpt = data.Lines[max(0, line-1-maxExcerpt):min(len(data.Lines), line+maxExcerpt)]
		}
	}
	return &page{
		template: "code.html", Title: string(c.Code), Description: c.Title, Path: CodePath(c.Code), Locales: pageLanguages(), Search: q.docsBox(""),
		LinkedData: q.linkedArticle(CodePath(c.Code), c.Title), Data: data,
		Crumbs: q.docsCrumbs(crumb{Text{Value: q.ui.get("codes.title")}, codesPath + "#" + string(c.Group)}),
	}, nil
}

// isStatus reports whether text is the HTTP status of a code.
func isStatus(text string) bool {
	for _, status := range statuses {
		if text == strconv.Itoa(status) {
			return true
		}
	}
	return false
}

// exampleLines splits an example. Bytes that are not valid UTF-8 are replaced.
func exampleLines(example string, marked int) []exampleLine {
	var lines []exampleLine
	for text := range strings.Lines(strings.TrimRight(strings.ToValidUTF8(example, "\uFFFD"), "\n")) {
		lines = append(lines, exampleLine{strings.TrimSuffix(text, "\n"), len(lines)+1 == marked})
	}
	return lines
}

// nextStep returns what to do about a code: the step for this code, or else for its
// group.
func (q *request) nextStep(c query.Code) string {
	if step, ok := q.ui.find("codes.next." + string(c.Code)); ok {
		return step
	}
	return q.ui.get("codes.next." + string(c.Group))
}

// operationLink is an operation that raises a code, with the part of a document that
// describes it.
type operationLink struct{ Name, Path string }

// operationsOf returns the operations that raise a code, under their names in REST,
// MCP and on the command line.
func operationsOf(c query.Code) []operationLink {
	var all []operationLink
	for _, op := range c.RaisedBy {
		links, ok := operationLinks[op]
		switch {
		case c.Group == query.Tools && op != "mcp":
			links = []operationLink{{op, "/docs/mcp#tools"}}
		case !ok:
			links = []operationLink{{"placard " + op, "/docs/cli#placard-" + strings.ReplaceAll(op, " ", "-")}}
		}
		for _, link := range links {
			if !slices.Contains(all, link) {
				all = append(all, link)
			}
		}
	}
	return all
}

// operationLinks are the operations that are not commands of the same name, or not
// only.
var operationLinks = map[string][]operationLink{
	"rest":              {{"REST", "/docs/api#errors"}},
	"mcp":               {{"MCP", "/docs/mcp#tools"}},
	"validate":          {{"POST …/validate", referencePath + "/validate"}, {"validate_datachain", "/docs/mcp#tools"}, {"placard validate", "/docs/cli#placard-validate"}},
	"resolve":           {{"POST …/resolve", referencePath + "/resolve"}, {"resolve_datachain", "/docs/mcp#tools"}, {"placard resolve", "/docs/cli#placard-resolve"}},
	"validate_resolved": {{"POST …/validate_resolved", referencePath + "/validateResolved"}, {"validate_resolved", "/docs/mcp#tools"}, {"placard validate", "/docs/cli#placard-validate"}},
}

type unknownCodeData struct {
	Name    string
	Nearest []codeEntry
}

// unknownCode is the page of a code that does not exist.
func (q *request) unknownCode(name string) *page {
	var names []string
	for _, c := range allCodes() {
		names = append(names, string(c.Code))
	}
	data := unknownCodeData{Name: name}
	for _, near := range problem.Nearest(name, names, 5) {
		data.Nearest = append(data.Nearest, newCodeEntry(allCodes()[slices.Index(names, near)]))
	}
	return q.unknownPage(&page{
		status: http.StatusNotFound, template: "code-unknown.html", Title: q.ui.get("codes.unknown"),
		Crumbs:  q.docsCrumbs(crumb{Text{Value: q.ui.get("codes.title")}, codesPath}),
		Locales: pageLanguages(), Search: q.docsBox(""), Data: data,
	})
}
