package diffview

import (
	"placard/internal/compat"
	"placard/internal/icon"
	"placard/internal/taxonomy"
)

// version finds the items and draws the icons of one version.
type version struct {
	taxonomy   *taxonomy.Taxonomy
	categories map[string]*taxonomy.Category
	elements   map[string]*taxonomy.Element
	symbols    map[string]*icon.Symbol // parsed so far
}

func newVersion(t *taxonomy.Taxonomy) *version {
	v := &version{
		taxonomy:   t,
		categories: make(map[string]*taxonomy.Category, len(t.Categories)),
		elements:   make(map[string]*taxonomy.Element, len(t.Elements)),
		symbols:    make(map[string]*icon.Symbol),
	}
	for i := range t.Categories {
		v.categories[t.Categories[i].ID] = &t.Categories[i]
	}
	for i := range t.Elements {
		v.elements[t.Elements[i].ID] = &t.Elements[i]
	}
	return v
}

// elements returns the element that s is, in both versions. It is nil in a version
// that does not have it.
func (b *builder) elements(s compat.Subject) (before, after *taxonomy.Element) {
	oldID := s.OldID
	if oldID == "" {
		oldID = s.ID
	}
	return b.old.elements[oldID], b.new.elements[s.ID]
}

// icons returns the icon of an element or category in the new version, or in the
// old one if it was removed, and the old icon if the change shows another.
func (b *builder) icons(c *compat.Change) (current, old Icon) {
	switch c.Subject.Kind {
	case compat.Element:
		before, after := b.elements(c.Subject)
		old, current = b.old.elementIcon(before), b.new.elementIcon(after)
	case compat.Category:
		old, current = b.old.shape(c.Subject.ID), b.new.shape(c.Subject.ID)
	default:
		return Icon{}, Icon{}
	}
	if c.Kind == compat.Removed {
		return old, Icon{}
	}
	// Other changes of an item whose icon changed are shown with the new icon only.
	redraws := c.Kind == compat.Renamed || c.Kind == compat.Redrawn || c.Field == "category_id" || c.Field == "symbol_id" || c.Field == "shape"
	if !redraws || old == current {
		return current, Icon{}
	}
	return current, old
}

// elementIcon returns the icon of e, which may be nil.
func (v *version) elementIcon(e *taxonomy.Element) Icon {
	if e == nil {
		return Icon{}
	}
	symbol, parsed := v.symbols[e.SymbolID]
	if !parsed {
		symbol, _ = icon.ParseSymbol(v.taxonomy.Symbols[e.SymbolID])
		v.symbols[e.SymbolID] = symbol
	}
	if symbol == nil {
		return Icon{}
	}
	return draw(e.Shape, symbol)
}

// shape returns the outline of a category's icons.
func (v *version) shape(category string) Icon {
	c := v.categories[category]
	if c == nil || icon.ShapeSVG(c.Shape) == nil {
		return Icon{}
	}
	return draw(c.Shape, nil)
}

func draw(shape taxonomy.Shape, symbol *icon.Symbol) Icon {
	light, _ := icon.PaintFor(taxonomy.VariantDefault, nil)
	dark, _ := icon.PaintFor(taxonomy.VariantDark, nil)
	return Icon{SVG: string(icon.Compose(shape, symbol, light)), Dark: string(icon.Compose(shape, symbol, dark))}
}
