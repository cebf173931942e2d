package web

import (
	"html/template"
	"slices"

	"placard/internal/release"
	"placard/internal/taxonomy"
)

// contextData is the question that each use of an element answers.
type contextData struct {
	Name, Description Text
	Values            []contextValue
}

type contextValue struct {
	ID                 string
	Icon               template.HTML
	Label, Description Text
	Color              string // empty if the icon has no colour of its own
	Limit              string // a sentence; may be empty
}

func (q *request) elementContext(r *release.Release, n int) *contextData {
	e := &r.Taxonomy.Elements[n]
	c := e.EffectiveContext(categoryOf(r, e))
	if c == nil || len(c.Values) == 0 {
		return nil
	}
	data := &contextData{Name: q.text(r, c.Name), Description: q.text(r, c.Description)}
	for _, v := range c.Values[:min(len(c.Values), maxNeighbours)] {
		value := contextValue{ID: v.ID, Label: q.label(r, v), Description: q.text(r, v.Description)}
		value.Icon = inlineIcon(r, n, taxonomy.VariantDefault)
		if v.Tinted {
			value.Color, value.Icon = v.Color, inlineIcon(r, n, v.ID)
		}
		if v.MaxPlacements > 0 {
			value.Limit = q.ui.count("element.value-at-most", v.MaxPlacements)
		}
		data.Values = append(data.Values, value)
	}
	return data
}

func (q *request) label(r *release.Release, v taxonomy.ContextValue) Text {
	if t := q.text(r, v.Label); t.Value != "" {
		return t
	}
	return Text{Value: v.ID}
}

// variant is one drawing of an icon.
type variant struct {
	ID    string
	Icon  template.HTML
	Names []Text // of all variants with this drawing
	SVG   string
	File  string // name of downloaded files, without the extension
	PNG   []pngFile
}

type pngFile struct {
	Path string
	Size int
}

// variants returns the drawings of the icon of the n-th element of r.
func (q *request) variants(r *release.Release, n int) []variant {
	e := &r.Taxonomy.Elements[n]
	all := []variant{
		q.variant(r, n, taxonomy.VariantDefault, Text{Value: q.ui.get("element.variant-default")}),
		q.variant(r, n, taxonomy.VariantDark, Text{Value: q.ui.get("element.variant-dark")}),
	}
	for _, v := range contextValues(r, n)[:min(len(contextValues(r, n)), maxNeighbours)] {
		switch {
		case v.ID == taxonomy.VariantDefault || v.ID == taxonomy.VariantDark || !slices.Contains(e.IconVariants, v.ID):
		case v.Tinted:
			all = append(all, q.variant(r, n, v.ID, q.label(r, v)))
		default:
			all[0].Names = append(all[0].Names, q.label(r, v))
		}
	}
	return all
}

func (q *request) variant(r *release.Release, n int, id string, name Text) variant {
	e := &r.Taxonomy.Elements[n]
	v := variant{ID: id, Names: []Text{name}, SVG: "/api/v2/schemas/" + r.Name() + "/elements/" + e.ID + "/icon." + id + ".svg", File: e.ID + "." + id}
	if svg, _, ok := r.Icon(n, id); ok {
		v.Icon = inline(svg, false) // with its own colours, as in the file
	}
	for _, size := range pngSizes {
		v.PNG = append(v.PNG, pngFile{pngPath(r.Name(), e.ID, id, size), size})
	}
	return v
}
