package diffview

import (
	"crypto/sha256"
	_ "embed" // for the page template and style
	"encoding/base64"
	"html/template"
	"io"
	"net/url"
	"regexp"
	"strings"

	"placard/internal/worddiff"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/style.css
	pageCSS string
)

// page renders a *Report.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"deleted":  func(s worddiff.Span) bool { return s.Op == worddiff.Delete },
	"in":       func(g Group, e Entry) groupedEntry { return groupedEntry{e, g.Name.Value != ""} },
	"inserted": func(s worddiff.Span) bool { return s.Op == worddiff.Insert },
	"old":      func(c ValueChange) side { return side{c.Old, true, c.isColor()} },
	"new":      func(c ValueChange) side { return side{c.New, false, c.isColor()} },
	"policy":   func() string { return policy },
	"style":    func() template.CSS { return template.CSS(pageCSS) },
	"src":      srcAttribute,
}).Parse(regexp.MustCompile(`\n\s*`).ReplaceAllString(pageHTML, "")))

// groupedEntry is an entry and whether its group has a heading.
type groupedEntry struct {
	Entry
	Grouped bool
}

// side is the old or new value of a field.
type side struct {
	Value      string
	Old, Color bool
}

func (c *ValueChange) isColor() bool { return c.Field == "color" }

// policy allows the page's own style and data: images, and nothing else.
var policy = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src '" + digest(pageCSS) + "'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// srcAttribute returns the src attribute of an SVG image. The template's own
// escaping takes longer than the rest of the page.
func srcAttribute(svg string) template.HTMLAttr {
	return template.HTMLAttr(`src="data:image/svg+xml,` + strings.ReplaceAll(url.QueryEscape(svg), "+", "%20") + `"`)
}

// HTML writes the report as a self-contained page without scripts.
func (r *Report) HTML(w io.Writer) error { return page.Execute(w, r) }
