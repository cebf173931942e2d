package view

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page template, style and script
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

// page renders a *Model, or the placeholder if it is nil.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"external": func(href string) bool { return strings.HasPrefix(href, "https:") },
	"link":     func(href string) template.URL { return template.URL(href) },
	"plain":    Text.String,
	"policy":   func() string { return Policy },
	"script":   func() template.JS { return template.JS(pageJS) },
	"style":    func() template.CSS { return template.CSS(pageCSS) },
	"shapes":   func() []Icon { return placeholderIcons },
	"nonzero":  nonzero,
	"src":      srcAttribute,
}).Parse(removeIndentation(pageHTML)))

// nonzero returns nil for an empty text. Templates treat every struct as true.
func nonzero(t Text) *Text {
	if t.IsZero() {
		return nil
	}
	return &t
}

// removeIndentation removes line breaks and indentation, which would become text
// nodes of the page.
func removeIndentation(html string) string {
	return regexp.MustCompile(`\n\s*`).ReplaceAllString(html, "")
}

// srcAttribute returns the src attribute of an SVG image. Like view.js, it escapes
// everything but letters, digits and the characters -_.~. The result bypasses the
// template's own escaping, which takes longer than the rest of the page.
func srcAttribute(svg string) template.HTMLAttr {
	return template.HTMLAttr(`src="data:image/svg+xml,` + strings.ReplaceAll(url.QueryEscape(svg), "+", "%20") + `"`)
}

// Policy is the Content-Security-Policy of the page. It allows the page's own
// script and style and data: images, and no network access.
var Policy = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; " +
	"script-src '" + digest(pageJS) + "'; style-src '" + digest(pageCSS) + "'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// placeholderIcons are the shapes shown in the placeholder.
var placeholderIcons = func() []Icon {
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
		panic(err) // the template is broken
	}
	return b.Bytes()
}()

// Placeholder returns the page without a model, titled "datachain (awaiting tool
// call)". In an MCP Apps host, it draws the model of the tool result. The caller
// must not modify the returned bytes.
func Placeholder() []byte { return placeholder }
