package web

import (
	"bytes"
	"html/template"

	"placard/internal/core/icon"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
)

// inlineShape returns the outline of a shape as markup.
func inlineShape(s taxonomy.Shape) template.HTML { return inline(icon.ShapeSVG(s), true) }

var svgStart = []byte("<svg ")

// inline returns an SVG document that package icon has written as markup: it contains
// nothing but shapes, and its ids are unique.
func inline(svg []byte, isPlain bool) template.HTML {
	class := `<svg class="icon" aria-hidden="true" `
	if isPlain {
		class = `<svg class="icon plain" aria-hidden="true" `
	}
	return template.HTML(class) + template.HTML(bytes.TrimPrefix(svg, svgStart))
}

// iconSet returns the icons of a release for one page. It limits their total size:
// browsers load further icons when they come into view.
type iconSet struct {
	release *release.Release
	budget  int // in bytes
}

// icon returns the icon of the n-th element. The style sheet draws it in the colour of
// the text around it.
func (s *iconSet) icon(n int) template.HTML { return s.draw(n, taxonomy.VariantDefault, true) }

// variant returns the icon of the n-th element in the colours of a variant.
func (s *iconSet) variant(n int, variant string) template.HTML { return s.draw(n, variant, false) }

func (s *iconSet) draw(n int, variant string, isPlain bool) template.HTML {
	svg, _, ok := s.release.Icon(n, variant)
	if !ok {
		return ""
	}
	if s.budget -= len(svg); s.budget >= 0 {
		return inline(svg, isPlain)
	}
	address := "/api/v2/schemas/" + s.release.Name() + "/elements/" + s.release.Taxonomy.Elements[n].ID + "/icon." + variant + ".svg"
	return template.HTML(`<img class="icon" src="` + template.HTMLEscapeString(address) + `" alt="" width="44" height="44" loading="lazy">`)
}
