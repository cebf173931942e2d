package view

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page template, style and script
	"encoding/base64"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"placard/internal/core/icon"
	"placard/internal/core/taxonomy"
	"placard/internal/show/qr"
)

var (
	// CommonStyle is the style sheet that all pages start with, those of other packages
	// included: colours, sizes, and the look of plain HTML elements and icons.
	//
	//go:embed page/common.css
	CommonStyle string
	//go:embed page/page.html
	pageHTML string
	//go:embed page/base.css
	baseCSS string
	//go:embed page/summary.css
	summaryCSS string
	//go:embed page/sections.css
	sectionsCSS string
	//go:embed page/print.css
	printCSS string
	//go:embed page/view.js
	pageJS string

	pageCSS = CommonStyle + baseCSS + summaryCSS + sectionsCSS + printCSS
)

// Page is a document in one or several languages.
type Page struct {
	// Models are the languages of the page. The first is shown unless the reader
	// chooses another one.
	Models []*Model

	// FollowsReader makes the script of the page show the language that the reader's
	// browser prefers, if it is one of the page's.
	FollowsReader bool

	// Code leads to the page, in print. The zero Code is not shown.
	Code qr.Code
}

// NewPage returns the page of models, of which the first is the best one for the
// requested locale. The page follows the reader unless it is in that locale.
func NewPage(models []*Model, requested string) *Page {
	return &Page{Models: models, FollowsReader: !models[0].IsIn(requested)}
}

// HTML renders the page. The same page always gives the same bytes. If they exceed
// [MaxBytes], the error is a payload_too_large [problem.Problem]. HTML calls step
// regularly and stops if it returns an error; a nil step never stops it.
func (p *Page) HTML(step func() error) ([]byte, error) {
	b := limitedBuffer{meter: meter{step: step}}
	if err := page().Execute(&b, p.data()); err != nil {
		return nil, b.writeError(err)
	}
	return b.buffer.Bytes(), nil
}

// JSON encodes the contents of the page for the script of another page, as an object
// with the members html and follows_reader. It has the limits of [Page.HTML].
func (p *Page) JSON(step func() error) ([]byte, error) {
	b := limitedBuffer{meter: meter{step: step}}
	if err := page().ExecuteTemplate(&b, "contents", p.data()); err != nil {
		return nil, b.writeError(err)
	}
	encoded, err := json.Marshal(struct {
		HTML          string `json:"html"`
		FollowsReader bool   `json:"follows_reader"`
	}{b.buffer.String(), p.FollowsReader})
	if err == nil && len(encoded) > MaxBytes {
		err = errTooLarge
	}
	return encoded, err
}

// pageData is the data of the page template. Without a page, it is that of the
// placeholder.
type pageData struct {
	*Page
	First     *Model
	Symbols   []symbol
	ids       map[Icon]string
	explained map[explanation]bool
}

// explanation is the explanation of a context value in one language.
type explanation struct {
	model *Model
	text  string
}

// symbol is an icon that a page contains once and draws in several places.
type symbol struct {
	ID     string
	Color  string // of a tinted icon
	Markup template.HTML
}

func (p *Page) data() *pageData {
	d := &pageData{Page: p, First: p.Models[0], ids: make(map[Icon]string), explained: make(map[explanation]bool)}
	for _, m := range p.Models {
		for i := range m.Highlights {
			d.add(m.Highlights[i].Icon)
		}
		for i := range m.Choices {
			d.add(m.Choices[i].Icon)
		}
		for _, p := range m.placements() {
			d.add(p.Icon)
		}
	}
	return d
}

// add adds an icon. Package icon has written it: it contains nothing but shapes, and its
// ids are unique.
func (d *pageData) add(i Icon) {
	if _, ok := d.ids[i]; ok {
		return
	}
	id := "icon." + strconv.Itoa(len(d.ids)+1)
	d.ids[i] = id
	_, markup, _ := strings.Cut(strings.TrimSuffix(i.SVG, "</svg>"), ">")
	color := ""
	if i.Tinted {
		_, fill, _ := strings.Cut(markup, ` fill="`)
		color, _, _ = strings.Cut(fill, `"`)
	}
	d.Symbols = append(d.Symbols, symbol{id, color, template.HTML(markup)})
}

// Icon returns the id of the symbol of an icon.
func (d *pageData) Icon(i Icon) string { return d.ids[i] }

// node is a value in a template together with the page and the model that contain it.
type node struct {
	*pageData
	Model *Model
	Level int // of the heading above
	Value any
}

// With returns another value of the same model.
func (n node) With(value any) node { return node{n.pageData, n.Model, n.Level, value} }

// Below returns a value below a heading of the given level.
func (n node) Below(level int, value any) node { return node{n.pageData, n.Model, level, value} }

// In returns a model of the page.
func (d *pageData) In(m *Model) node { return node{d, m, 2, m} }

// Explain returns the explanation of a context value the first time that it is
// shown, and an empty text afterwards.
func (n node) Explain(c *Context) Text {
	e := explanation{n.Model, c.Explanation.String()}
	if n.explained[e] {
		return Text{}
	}
	n.explained[e] = true
	return c.Explanation
}

// page returns the template that renders a *pageData. Most commands do not need it.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"address":   addressClass,
		"answers":   answers,
		"external":  func(href string) bool { return strings.HasPrefix(href, "https:") },
		"label":     labelClass,
		"language":  LanguageName,
		"link":      func(href string) template.URL { return template.URL(href) },
		"nonzero":   nonzero,
		"pieces":    pieces,
		"policy":    func() string { return Policy },
		"scale":     scaleSVG,
		"script":    func() template.JS { return template.JS(pageJS) },
		"separator": listSeparator,
		"split":     split,
		"shapes":    func() []template.HTML { return placeholderShapes() },
		"string":    Text.String,
		"style":     func() template.CSS { return template.CSS(pageCSS) },
	}).Parse(removeIndentation(pageHTML)))
})

// nonzero returns nil for an empty text. Templates treat every struct as true.
func nonzero(t Text) *Text {
	if t.IsZero() {
		return nil
	}
	return &t
}

// scaleSVG draws the scale of a context value: one box for each step, filled up to its
// own.
func scaleSVG(scale []bool) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="scale" viewBox="0 0 %d 12" width="%[1]d" height="12" aria-hidden="true">`, 10*len(scale))
	for i, filled := range scale {
		fill := "none"
		if filled {
			fill = "currentColor"
		}
		fmt.Fprintf(&b, `<rect x="%d" y="1" width="8" height="10" rx="1.5" fill="%s"></rect>`, 10*i+1, fill)
	}
	return template.HTML(b.String() + "</svg>")
}

// labelClass returns the classes of a label before a value.
func labelClass(label Text) string {
	if label.EndsLabel() {
		return "label ends"
	}
	return "label"
}

// addressClass returns the classes of an address. A long one needs small letters to fit
// into a line of a phone, and an even longer one also the whole width of a printed page.
func addressClass(address Text) string {
	switch n := utf8.RuneCountInString(strings.TrimPrefix(address.String(), "https://")); {
	case n > 50:
		return "link long longer"
	case n > 43:
		return "link long"
	}
	return "link"
}

// pieces returns the parts of an address between which a line may break. Web
// addresses are shown without their scheme.
func pieces(address Text) []string { return split(strings.TrimPrefix(address.String(), "https://")) }

// split divides an address where a line may break.
func split(address string) []string {
	var pieces []string
	for {
		end := strings.IndexAny(address, "/.@-_")
		// The two slashes of a scheme stay together.
		for end >= 0 && end+1 < len(address) && strings.IndexByte("/.@-_", address[end+1]) >= 0 {
			end++
		}
		if end < 0 || end+1 == len(address) {
			return append(pieces, address)
		}
		pieces = append(pieces, address[:end+1])
		address = address[end+1:]
	}
}

// removeIndentation removes line breaks and indentation, which would become text
// nodes of the page.
func removeIndentation(html string) string {
	return regexp.MustCompile(`\n\s*`).ReplaceAllString(html, "")
}

// Policy is the Content-Security-Policy of the page. It allows the page's own
// script and style, and no network access.
var Policy = "default-src 'none'; base-uri 'none'; form-action 'none'; " +
	"script-src '" + digest(pageJS) + "'; style-src '" + digest(pageCSS) + "'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// placeholderShapes are the shapes shown in the placeholder.
func placeholderShapes() []template.HTML {
	var shapes []template.HTML
	for _, s := range taxonomy.Shapes {
		if svg := icon.ShapeSVG(s); svg != nil {
			shapes = append(shapes, `<svg class="icon plain" aria-hidden="true" `+template.HTML(bytes.TrimPrefix(svg, []byte("<svg "))))
		}
	}
	return shapes
}

var placeholder = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	if err := page().Execute(&b, new(pageData)); err != nil {
		panic(err) // the template is broken
	}
	return b.Bytes()
})

// Placeholder returns the page without a model, titled "datachain (awaiting tool
// call)". In an MCP Apps host, it shows the page of the tool result. The caller
// must not modify the returned bytes.
func Placeholder() []byte { return placeholder() }
