package view

import (
	"cmp"
	"slices"
	"strings"

	"placard/internal/datachain"
	"placard/internal/icon"
	"placard/internal/taxonomy"
)

// section draws placements of one category. What was given a priority comes
// first, the smallest number before the others.
func (b *builder) section(c *category, placements []int, level int) Section {
	s := Section{
		Category: c.ID, Level: level, Shape: c.shape,
		Name: b.named(c.Name, c.ID), Prompt: b.text(c.Prompt),
	}
	b.spend(len(s.Shape.SVG) + len(s.Shape.Dark))
	placements = slices.Clone(placements)
	slices.SortStableFunc(placements, func(x, y int) int {
		p, q := b.doc.Elements[x].Priority, b.doc.Elements[y].Priority
		return cmp.Or(boolCompare(p == 0, q == 0), cmp.Compare(p, q))
	})
	for _, i := range placements {
		if b.full() {
			break
		}
		s.Placements = append(s.Placements, b.placement(&b.doc.Elements[i], b.placed[i]))
	}
	return s
}

// boolCompare orders false before true.
func boolCompare(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

func (b *builder) placement(p *datachain.Placement, e *element) Placement {
	entries := newEntries(p)
	drawn := Placement{
		Icon:        b.icon(p, e),
		Label:       b.label(p),
		Title:       b.title(p, e),
		Description: b.fill(e.Description, e, entries),
		Notes:       b.placementNotes(p, e),
	}
	if value := b.contextValue(p, e); value != nil {
		drawn.Context = &Context{Name: b.text(e.context.Name), Value: b.named(value.Label, value.ID)}
		if tinted(value) {
			drawn.Context.Color = strings.ToUpper(value.Color)
		}
	}
	if e.suggested {
		drawn.Proposed = b.said(b.labels.proposed)
	}
	drawn.Values = b.unshown(e, entries)
	for i := range p.Actions {
		if a := b.action(&p.Actions[i]); !a.Target.IsZero() {
			drawn.Actions = append(drawn.Actions, a)
		}
	}
	b.spend(len(drawn.Icon.SVG) + len(drawn.Icon.Dark))
	return drawn
}

func (b *builder) action(a *datachain.Action) Action {
	drawn := Action{Label: b.text(a.Label), Href: actionLink(a)}
	switch {
	case a.Type == "postal":
		drawn.Target = b.plain(a.Target)
	case drawn.Href == "":
		drawn.Target = b.address(a.Target)
	default:
		drawn.Target = b.address(a.Target)
		drawn.Target.Dir = leftToRight
	}
	return drawn
}

func (b *builder) label(p *datachain.Placement) Text {
	if label := b.text(p.LocalizedLabel); !label.IsZero() {
		return label
	}
	return b.plain(p.Label)
}

// title is the element's title with p's values in it.
func (b *builder) title(p *datachain.Placement, e *element) Text {
	if title := b.fill(e.Title, e, newEntries(p)); !title.IsZero() {
		return title
	}
	return b.named(nil, e.ID)
}

// tinted reports whether a context value has a colour of its own. Snapshots that
// others made say so only by having one.
func tinted(v *taxonomy.ContextValue) bool {
	color, ok := icon.ParseColor(v.Color)
	return ok && (v.Tinted || color != icon.Color{})
}

// contextValue is what p answers to the question of its context, or nil.
func (b *builder) contextValue(p *datachain.Placement, e *element) *taxonomy.ContextValue {
	if e.context == nil {
		return nil
	}
	values := b.values[e.context]
	if values == nil {
		values = make(map[string]*taxonomy.ContextValue, len(e.context.Values))
		for i := range e.context.Values {
			v := &e.context.Values[i]
			if values[v.ID] == nil {
				values[v.ID] = v
			}
		}
		b.values[e.context] = values
	}
	return values[p.ContextTypeID]
}

// icon returns the icon of e in the variant that p's context asks for.
func (b *builder) icon(p *datachain.Placement, e *element) Icon {
	var variant string
	value := b.contextValue(p, e)
	if value != nil && tinted(value) {
		variant = value.ID
	}
	if drawn, ok := e.icons[variant]; ok {
		return drawn
	}
	var drawn Icon
	if variant != "" {
		drawn.SVG = b.draw(e, variant, value)
	} else {
		drawn.SVG = b.draw(e, taxonomy.VariantDefault, nil)
		drawn.Dark = b.draw(e, taxonomy.VariantDark, nil)
	}
	if e.icons == nil {
		e.icons = make(map[string]Icon)
	}
	e.icons[variant] = drawn
	return drawn
}

func (b *builder) draw(e *element, variant string, value *taxonomy.ContextValue) string {
	if e.baked {
		if svg, _, ok := b.release.Icon(e.number, variant); ok {
			return string(svg)
		}
	}
	var context *taxonomy.Context
	if value != nil {
		context = &taxonomy.Context{Values: []taxonomy.ContextValue{{ID: value.ID, Color: value.Color, Tinted: true}}}
	}
	paint, _ := icon.PaintFor(variant, context)
	return string(icon.Compose(e.shape(), b.symbol(e), paint))
}

// symbol returns the symbol of e, or nil where there is none to be had.
func (b *builder) symbol(e *element) *icon.Symbol {
	if b.release == nil || e.suggested {
		return nil
	}
	svg, ok := b.release.Symbol(e.SymbolID)
	if !ok {
		return nil
	}
	symbol, _ := icon.ParseSymbol(svg)
	return symbol
}

// shape is the outline of e's icons: its category's or, where that has none,
// its own.
func (e *element) shape() taxonomy.Shape {
	return cmp.Or(e.category.Shape, e.Shape, taxonomy.Circle)
}

// shapeIcon draws a bare shape.
func shapeIcon(s taxonomy.Shape) Icon {
	if icon.ShapeSVG(s) == nil {
		return Icon{}
	}
	dark, _ := icon.PaintFor(taxonomy.VariantDark, nil)
	return Icon{SVG: string(icon.ShapeSVG(s)), Dark: string(icon.Compose(s, nil, dark))}
}
