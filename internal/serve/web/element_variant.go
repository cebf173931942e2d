package web

import (
	"html/template"
	"slices"
	"strings"

	"placard/internal/core/taxonomy"
)

// contextData is the question that each use of an element answers.
type contextData struct {
	Name, Description Text
	Values            []contextValue
}

type contextValue struct {
	ID                 string
	Icon               template.HTML // empty if no value has a colour
	Label, Description Text
	Color              string // empty if the icon has no colour of its own
	Limit              string // a sentence; may be empty
}

func (b *elementBuilder) context() *contextData {
	c := b.element.EffectiveContext(b.category)
	if c == nil || len(c.Values) == 0 {
		return nil
	}
	data := &contextData{Name: b.text(b.release, c.Name), Description: b.text(b.release, c.Description)}
	hasColors := slices.ContainsFunc(c.Values, func(v taxonomy.ContextValue) bool { return v.Tinted })
	for _, v := range c.Values[:min(len(c.Values), maxNeighbours)] {
		value := contextValue{ID: v.ID, Label: b.local(v.Label, v.ID), Description: b.text(b.release, v.Description)}
		switch {
		case v.Tinted:
			value.Color, value.Icon = v.Color, b.icons.variant(b.n, v.ID)
		case hasColors:
			value.Icon = b.icons.icon(b.n)
		}
		if v.MaxPlacements > 0 {
			value.Limit = b.ui.count("element.value-at-most", v.MaxPlacements)
		}
		data.Values = append(data.Values, value)
	}
	return data
}

// variant is one drawing of an icon.
type variant struct {
	ID   string
	Icon template.HTML
	Name Text
	Also string // names of context values with the same drawing
	SVG  string
	File string // name of downloaded files, without the extension
	PNG  []pngFile
}

type pngFile struct {
	Path string
	Size int
}

// variants returns the drawings of the element's icon.
func (b *elementBuilder) variants() []variant {
	var plain []string // context values without a colour
	all := []variant{
		b.variant(taxonomy.VariantDefault, Text{Value: b.ui.get("element.variant-default")}),
		b.variant(taxonomy.VariantDark, Text{Value: b.ui.get("element.variant-dark")}),
	}
	values := contextValues(b.release, b.n)
	for _, v := range values[:min(len(values), maxNeighbours)] {
		if v.Tinted {
			all = append(all, b.variant(v.ID, b.local(v.Label, v.ID)))
		} else {
			plain = append(plain, b.local(v.Label, v.ID).Value)
		}
	}
	all[0].Also = strings.Join(plain, b.ui.get("list.separator"))
	return all
}

// variant returns a drawing in its own colours, as in the file.
func (b *elementBuilder) variant(id string, name Text) variant {
	v := variant{ID: id, Icon: b.icons.variant(b.n, id), Name: name, SVG: b.apiPath() + "/icon." + id + ".svg", File: b.element.ID + "." + id}
	if b.handler.Static {
		return v
	}
	for _, size := range pngSizes {
		v.PNG = append(v.PNG, pngFile{pngPath(b.release.Name(), b.element.ID, id, size), size})
	}
	return v
}
