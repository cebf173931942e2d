package view

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"html/template"
	"net/url"
	"regexp"
	"strings"

	"placard/internal/icon"
	"placard/internal/taxonomy"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/style.css
	pageCSS string
	//go:embed page/view.js
	pageJS string
)

// page draws a [Model], or nothing yet where that is nil.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"external": func(href string) bool { return strings.HasPrefix(href, "https:") },
	"link":     func(href string) template.URL { return template.URL(href) },
	"plain":    Text.String,
	"policy":   func() string { return policy },
	"script":   func() template.JS { return template.JS(pageJS) },
	"style":    func() template.CSS { return template.CSS(pageCSS) },
	"shapes":   func() []Icon { return waiting },
	"some":     some,
	"source":   source,
}).Parse(unindented(pageHTML)))

// some returns t where there is something to show, for templates, to which every
// struct is something.
func some(t Text) *Text {
	if t.IsZero() {
		return nil
	}
	return &t
}

// unindented takes line ends and indentation out, which would become text of
// the page.
func unindented(html string) string {
	return regexp.MustCompile(`\n\s*`).ReplaceAllString(html, "")
}

// source returns the src attribute of an image of a drawing, escaped as view.js
// does: whatever is not a letter, a digit, - _ . or ~. That leaves nothing for
// the template to escape, which would take it longer than the rest of the page.
func source(svg string) template.HTMLAttr {
	return template.HTMLAttr(`src="data:image/svg+xml,` + strings.ReplaceAll(url.QueryEscape(svg), "+", "%20") + `"`)
}

// policy lets the page run its own script, wear its own style and show images
// that it carries itself; it lets nothing reach the network.
var policy = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; " +
	"script-src '" + digest(pageJS) + "'; style-src '" + digest(pageCSS) + "'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// waiting is shown while there is nothing else.
var waiting = func() []Icon {
	var icons []Icon
	for _, s := range taxonomy.Shapes {
		if icon.ShapeSVG(s) != nil {
			icons = append(icons, shapeIcon(s))
		}
	}
	return icons
}()

var placeholder = func() []byte {
	var b bytes.Buffer
	if err := page.Execute(&b, (*Model)(nil)); err != nil {
		panic(err) // the template is at fault
	}
	return b.Bytes()
}()

// Placeholder returns the page with nothing drawn yet, called "datachain
// (awaiting tool call)". A host that has it draws the disclosure from the
// tool's result. The bytes are shared: do not change them.
func Placeholder() []byte { return placeholder }
