package iconpack

import (
	"bytes"
	_ "embed" // for the page
	"html/template"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/style.css
	pageCSS string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(pageCSS) },
	}).Parse(pageHTML))
)

// pageData is the data of the page.
type pageData struct {
	Locale, Version, Hash     string
	Title, Description, Notes string
	Facts                     string
	Sources                   []taxonomy.Source
	Categories                []pageCategory
}

type pageCategory struct {
	Heading  string // the question that the category answers, or its name
	Name     string
	Shape    taxonomy.Shape
	ShapeSVG template.HTML
	Elements []pageElement
}

type pageElement struct {
	Title, ID string
	Icons     []pageIcon
}

type pageIcon struct {
	File, Label string
	Filled      bool // the shape has a background
}

// page returns the content of [PageFile].
func (p *Pack) page(func() error) ([]byte, error) {
	t := p.release.Taxonomy
	data := pageData{
		Locale: p.release.DefaultLocale(), Version: p.release.Name(), Hash: p.release.Hash(),
		Title: p.text(t.Title), Description: p.text(t.Description), Notes: t.Notes, Sources: t.Type.Sources,
	}
	icons := 0
	for i := range t.Categories {
		c := &t.Categories[i]
		category := pageCategory{
			Heading: p.text(c.Prompt), Name: p.text(c.Name), Shape: c.Shape,
			ShapeSVG: template.HTML(icon.ShapeSVG(c.Shape)),
		}
		if category.Heading == "" {
			category.Heading = category.Name
		}
		first, count := p.release.CategoryRun(c.ID)
		for j := first; j < first+count; j++ {
			e := &t.Elements[j]
			element := pageElement{Title: p.text(e.Title), ID: e.ID}
			for _, packed := range p.elements[j].icons {
				element.Icons = append(element.Icons, p.pageIcon(&p.elements[j], packed))
				icons++
			}
			category.Elements = append(category.Elements, element)
		}
		if count > 0 {
			data.Categories = append(data.Categories, category)
		}
	}
	data.Facts = problem.Count(len(t.Elements), "element") + ", " + problem.Count(icons, "icon")
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, data); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (p *Pack) pageIcon(e *element, packed packedIcon) pageIcon {
	context := p.release.Taxonomy.Elements[e.number].EffectiveContext(e.category)
	paint, _ := icon.PaintFor(packed.variant, context) // the element has the variant
	shown := pageIcon{File: packed.svg(), Label: packed.variant, Filled: paint.Filled}
	if value, ok := context.Value(packed.variant); ok {
		shown.Label = p.text(value.Label)
	}
	return shown
}

// text returns a localized string in the default locale of the release, or in any
// other.
func (p *Pack) text(l taxonomy.Localized) string {
	if value, ok := l.Get(p.release.DefaultLocale()); ok {
		return value
	}
	if len(l) > 0 {
		return l[0].Value
	}
	return ""
}
