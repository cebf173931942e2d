package view

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/datachain"
	"placard/internal/core/icon"
	"placard/internal/core/taxonomy"
)

// section returns the placements of one category, sorted by priority. Placements
// without a priority are last.
func (b *builder) section(c *category, placements []int) Section {
	s := Section{Category: c.ID, Anchor: b.anchor(), Name: b.nameOrID(c.Name, c.ID), Prompt: b.text(c.Prompt)}
	placements = slices.Clone(placements)
	slices.SortStableFunc(placements, b.comparePriority)
	for _, i := range placements {
		if b.err != nil {
			break
		}
		s.Placements = append(s.Placements, *b.placement(i))
	}
	return s
}

// anchor returns a name that is unique in the model.
func (b *builder) anchor() string {
	b.anchors++
	return b.locale + "." + strconv.Itoa(b.anchors)
}

// comparePriority orders two placements by priority. Those without one are last.
func (b *builder) comparePriority(x, y int) int {
	p, q := b.doc.Elements[x].Priority, b.doc.Elements[y].Priority
	return cmp.Or(compareBools(p == 0, q == 0), cmp.Compare(p, q))
}

// compareBools orders false before true.
func compareBools(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// placement returns placement i of the document.
func (b *builder) placement(i int) *Placement {
	if b.placements[i] == nil {
		b.placements[i] = b.newPlacement(i)
	}
	return b.placements[i]
}

func (b *builder) newPlacement(i int) *Placement {
	p, e := &b.doc.Elements[i], b.placed[i]
	assigned := newAssignments(p)
	placement := &Placement{
		ElementID:   e.ID,
		InstanceID:  p.ElementInstanceID,
		Icon:        b.icon(p, e),
		Description: b.expand(e.Description, e, assigned),
		Notes:       b.placementNotes(p, e),
	}
	named := b.name(placement, i)
	if value := b.contextValue(p, e); value != nil {
		placement.Context = &Context{Name: b.text(e.context.Name), Value: b.nameOrID(value.Label, value.ID), Explanation: b.text(value.Description)}
		if hasColor(value) {
			placement.Context.Color = strings.ToUpper(value.Color)
			placement.Context.Scale = scale(e.context, value)
		}
	}
	if e.suggested {
		placement.Proposed = b.labelText(b.labels.proposed)
	}
	placement.Values = b.facts(e, assigned, named)
	for i := range p.Actions {
		if a := b.action(&p.Actions[i]); !a.Target.IsZero() {
			placement.Actions = append(placement.Actions, a)
		}
	}
	b.add(len(placement.Icon.SVG))
	return placement
}

// name sets the names of p, which is placement i. It returns the variable whose value is
// the heading, or nil.
func (b *builder) name(p *Placement, i int) *taxonomy.Variable {
	e, placed := b.placed[i], &b.doc.Elements[i]
	title, label := b.title(placed, e), b.label(placed.Label)
	name, variable := b.nameOf(e, newAssignments(placed))
	p.Answer, p.Detail = title, label
	// Other placements of the element have the same title, unless it contains values.
	if !label.IsZero() && e.uses > 1 && len(title.Parts) == 0 {
		p.Answer, p.Detail, p.IsNamed = label, title, true
	}
	if variable != nil {
		p.Answer, p.Detail, p.IsNamed = name, label, true
	}
	switch {
	case !label.IsZero():
		p.Heading, p.Caption = label, title
		return nil
	case variable != nil:
		p.Heading, p.Caption, p.Detail = name, title, title
	default:
		p.Heading = title
	}
	return variable
}

func (b *builder) action(a *datachain.Action) Action {
	action := Action{Label: b.text(a.Label), Href: a.Link()}
	switch {
	case a.Type == "postal":
		action.Target = b.untagged(a.Target)
	case action.Href == "":
		action.Target = b.address(a.Target)
	default:
		action.Target = b.linkText(a.Target)
	}
	return action
}

// linkText returns the text of an address that is a link.
func (b *builder) linkText(address string) Text {
	t := b.address(address)
	t.Dir = LeftToRight
	return t
}

func (b *builder) label(l datachain.Label) Text {
	if label := b.text(l.Localized); !label.IsZero() {
		return label
	}
	return b.untagged(l.Text)
}

// title returns the title of e with the values of p.
func (b *builder) title(p *datachain.Placement, e *element) Text {
	if title := b.expand(e.Title, e, newAssignments(p)); !title.IsZero() {
		return title
	}
	return b.nameOrID(nil, e.ID)
}

// hasColor reports whether a context value has a colour. In snapshots by other
// publishers, a colour other than black implies that the value is tinted.
func hasColor(v *taxonomy.ContextValue) bool {
	color, ok := icon.ParseColor(v.Color)
	return ok && (v.Tinted || color != icon.Color{})
}

// A scale has minScale to maxScale steps. Two values are alternatives, not a scale.
const minScale, maxScale = 3, 6

// scale returns the steps of a value of c. The values of a context with colours are a
// scale; its first value weighs most.
func scale(c *taxonomy.Context, value *taxonomy.ContextValue) []bool {
	if len(c.Values) < minScale || len(c.Values) > maxScale {
		return nil
	}
	steps := make([]bool, len(c.Values))
	reached := false
	for i := range c.Values {
		if !hasColor(&c.Values[i]) {
			return nil
		}
		reached = reached || &c.Values[i] == value
		steps[len(steps)-1-i] = reached
	}
	return steps
}

// contextValue returns the context value of p, or nil.
func (b *builder) contextValue(p *datachain.Placement, e *element) *taxonomy.ContextValue {
	if i, ok := b.contextIndex(p, e); ok {
		return &e.context.Values[i]
	}
	return nil
}

// contextIndex returns the position of the context value of p in the context of e.
func (b *builder) contextIndex(p *datachain.Placement, e *element) (i int, ok bool) {
	if e.context == nil {
		return 0, false
	}
	values := b.values[e.context]
	if values == nil {
		values = make(map[string]int, len(e.context.Values))
		for i, v := range e.context.Values {
			if _, ok := values[v.ID]; !ok {
				values[v.ID] = i
			}
		}
		b.values[e.context] = values
	}
	i, ok = values[p.ContextTypeID]
	return i, ok
}

// icon returns the icon of e in the variant for the context of p.
func (b *builder) icon(p *datachain.Placement, e *element) Icon {
	var variant string
	value := b.contextValue(p, e)
	if value != nil && hasColor(value) {
		variant = value.ID
	}
	if cached, ok := e.icons[variant]; ok {
		return cached
	}
	var result Icon
	if variant != "" {
		result = Icon{SVG: b.iconSVG(e, variant, value), Tinted: true}
	} else {
		result.SVG = b.iconSVG(e, taxonomy.VariantDefault, nil)
	}
	if e.icons == nil {
		e.icons = make(map[string]Icon)
	}
	e.icons[variant] = result
	return result
}

func (b *builder) iconSVG(e *element, variant string, value *taxonomy.ContextValue) string {
	if e.inRelease {
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

// symbol returns the symbol of e, or nil if it is not available.
func (b *builder) symbol(e *element) *icon.Symbol {
	if b.release == nil || e.suggested {
		return nil
	}
	symbol, _ := b.release.ParseSymbol(e.SymbolID)
	return symbol
}

// shape returns the shape of e's icons: that of its category, its own, or a
// circle.
func (e *element) shape() taxonomy.Shape {
	return cmp.Or(e.category.Shape, e.Shape, taxonomy.Circle)
}
