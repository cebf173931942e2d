package diffview

import (
	"bytes"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"placard/internal/core/compat"
	"placard/internal/core/icon"
	"placard/internal/core/taxonomy"
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
func (b *builder) icons(c *compat.Change) (current, old template.HTML) {
	var before, after []byte
	switch c.Subject.Kind {
	case compat.Element:
		oldElement, newElement := b.elements(c.Subject)
		before, after = b.old.elementIcon(oldElement), b.new.elementIcon(newElement)
	case compat.Category:
		before, after = b.old.shape(c.Subject.ID), b.new.shape(c.Subject.ID)
	default:
		return "", ""
	}
	if c.Kind == compat.Removed {
		return b.inline(before), ""
	}
	// Other changes of an item whose icon changed are shown with the new icon only.
	redraws := c.Kind == compat.Renamed || c.Kind == compat.Redrawn || c.Field == "category_id" || c.Field == "symbol_id" || c.Field == "shape"
	if !redraws || bytes.Equal(before, after) {
		return b.inline(after), ""
	}
	return b.inline(after), b.inline(before)
}

// elementIcon returns the icon of e, which may be nil.
func (v *version) elementIcon(e *taxonomy.Element) []byte {
	if e == nil {
		return nil
	}
	symbol, parsed := v.symbols[e.SymbolID]
	if !parsed {
		symbol, _ = icon.ParseSymbol(v.taxonomy.Symbols[e.SymbolID])
		v.symbols[e.SymbolID] = symbol
	}
	if symbol == nil {
		return nil
	}
	paint, _ := icon.PaintFor(taxonomy.VariantDefault, nil)
	return icon.Compose(e.Shape, symbol, paint)
}

// shape returns the outline of a category's icons.
func (v *version) shape(category string) []byte {
	c := v.categories[category]
	if c == nil {
		return nil
	}
	return icon.ShapeSVG(c.Shape)
}

// inline returns an icon, which may be nil, as a part of a page. The style sheet draws
// it in the colour of the text around it. The ids in it are unique in the report.
func (b *builder) inline(svg []byte) template.HTML {
	if svg == nil {
		return ""
	}
	if found := idPrefix.FindSubmatch(svg); found != nil {
		prefix := string(found[1])
		b.copies[prefix]++
		if n := b.copies[prefix]; n > 1 {
			svg = bytes.ReplaceAll(svg, found[1], []byte(prefix+strconv.Itoa(n)+"-"))
		}
	}
	return template.HTML(`<svg class="icon plain" aria-hidden="true" ` + strings.TrimPrefix(string(svg), "<svg "))
}

// idPrefix matches the prefix that all ids in an icon have.
var idPrefix = regexp.MustCompile(` id="(p[0-9a-z]+-)`)
