package diffview

import (
	"crypto/sha256"
	_ "embed" // for the templates and style sheets
	"encoding/base64"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"

	"placard/internal/core/worddiff"
	"placard/internal/show/view"
)

var (
	//go:embed page/report.html
	reportHTML string
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string

	// Style is the style sheet of reports. It extends [view.CommonStyle].
	//
	//go:embed page/report.css
	Style string
)

// blanks are the line breaks and indentation of templates.
var blanks = regexp.MustCompile(`\n\s*`)

// Templates defines the parts of a page that shows a report: the template "diff-counts"
// of a [Report], and "diff-section" of a [Section]. They need the function "diffWord",
// which returns words like [Options.Words].
var Templates = blanks.ReplaceAllString(reportHTML, "")

// page returns the template that renders a *Report.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.Must(template.New("page").Funcs(template.FuncMap{
		"diffWord": englishWord,
		"policy":   func() string { return policy },
		"style":    func() template.CSS { return template.CSS(pageStyle) },
	}).Parse(Templates)).Parse(blanks.ReplaceAllString(pageHTML, "")))
})

var pageStyle = view.CommonStyle + Style + pageCSS

// policy allows the page's own style, and nothing else.
var policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + digest(pageStyle) + "'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// HTML writes the report, which must be in English, as a self-contained page without
// scripts.
func (r *Report) HTML(w io.Writer) error { return page().Execute(w, r) }

// part is a span for templates.
type part struct {
	Text                             string
	IsDeleted, IsInserted, IsOmitted bool
}

func parts(spans []worddiff.Span) []part {
	all := make([]part, len(spans))
	for i, s := range spans {
		all[i] = part{s.Text, s.Op == worddiff.Delete, s.Op == worddiff.Insert, s.Op == worddiff.Omit}
	}
	return all
}

// Parts returns the spans for templates. Spaces at the ends of changed words are not
// part of the change, so that they are not marked at the end of a line.
func (c TextChange) Parts() []part {
	var all []part
	for _, p := range parts(c.Spans) {
		word := strings.Trim(p.Text, " ")
		if word == "" || word == p.Text || !p.IsDeleted && !p.IsInserted {
			all = append(all, p)
			continue
		}
		before, after, _ := strings.Cut(p.Text, word)
		p.Text = word
		all = append(all, part{Text: before}, p, part{Text: after})
	}
	return all
}

// Parts returns the items for templates.
func (c ValueChange) Parts() []part { return parts(c.Items) }

// IsColor reports whether the values are colours.
func (c ValueChange) IsColor() bool { return c.Field == "color" }
