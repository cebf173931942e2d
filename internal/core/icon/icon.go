// Package icon draws the icons of a taxonomy: the shape of a category, the
// symbol of an element inside it, and the colours of a variant. It also checks
// which SVG documents are safe to use as symbols. It does not know where symbols
// are stored or how icons are served.
//
// The same shape, symbol and paint always produce the same bytes. Any number of
// icons can be inlined in one page without conflicting ids.
package icon

import (
	"hash/fnv"
	"strconv"

	"placard/internal/core/taxonomy"
)

const (
	svgNamespace = "http://www.w3.org/2000/svg"
	svgOpen      = `<svg xmlns="` + svgNamespace + `" viewBox="0 0 36 36" width="36" height="36">`
	svgClose     = `</svg>`
)

// outlines holds the start of each shape's tag. Compose adds the paint and closes
// the tag. The edges of straight lines are at multiples of 1.5, which is one pixel
// of an icon of 24 pixels, so that they are sharp at that size and at 48 pixels.
var outlines = map[taxonomy.Shape]string{
	taxonomy.Circle:        `<circle cx="18" cy="18" r="15.75"`,
	taxonomy.Hexagon:       `<polygon points="18,1.5 32.25,9.75 32.25,26.25 18,34.5 3.75,26.25 3.75,9.75"`,
	taxonomy.Octagon:       `<polygon points="11.25,2.25 24.75,2.25 33.75,11.25 33.75,24.75 24.75,33.75 11.25,33.75 2.25,24.75 2.25,11.25"`,
	taxonomy.RoundedSquare: `<rect x="3.75" y="3.75" width="28.5" height="28.5" rx="6"`,
}

var emptyShapes = func() map[taxonomy.Shape][]byte {
	empty := make(map[taxonomy.Shape][]byte, len(taxonomy.Shapes))
	for _, shape := range taxonomy.Shapes {
		empty[shape] = Compose(shape, nil, blackOnTransparent)
	}
	return empty
}()

// ShapeSVG returns the shape without a symbol as an SVG document of 36 by 36
// units, or nil if the shape is unknown. The caller must not modify the bytes.
func ShapeSVG(shape taxonomy.Shape) []byte { return emptyShapes[shape] }

// Compose returns the icon of symbol in shape. If symbol is nil, the shape is
// empty. If the shape is unknown, the icon has no outline.
func Compose(shape taxonomy.Shape, symbol *Symbol, paint Paint) []byte {
	outline, background := paint.Outline.String(), "none"
	if paint.Filled {
		background = paint.Background.String()
	}
	size := 256
	if symbol != nil {
		size += symbol.size
	}
	b := make([]byte, 0, size)
	b = append(b, svgOpen...)
	if open, ok := outlines[shape]; ok {
		b = append(b, open...)
		b = append(b, ` fill="`...)
		b = append(b, background...)
		b = append(b, `" stroke="`...)
		b = append(b, outline...)
		b = append(b, `" stroke-width="1.5"/>`...)
	}
	if symbol != nil {
		b = symbol.append(b, paint)
	}
	return append(b, svgClose...)
}

// append appends the symbol to b, filling in its placeholders from paint.
func (s *Symbol) append(b []byte, paint Paint) []byte {
	var prefix string
	if s.ids > 0 {
		colors := []Color{paint.Ink, paint.Background}
		if !paint.Filled {
			colors = colors[:1]
		}
		prefix = s.idPrefix(colors...)
	}
	for _, p := range s.pieces {
		b = append(b, p.text...)
		switch p.placeholder {
		case inkPlaceholder:
			b = append(b, paint.Ink.String()...)
		case backgroundPlaceholder:
			if paint.Filled {
				b = append(b, paint.Background.String()...)
			} else {
				b = append(b, p.fallback...)
			}
		case idPlaceholder:
			b = append(b, prefix...)
			b = strconv.AppendInt(b, int64(p.id), 10)
		}
	}
	return b
}

// idPrefix returns the prefix of the ids in an icon with these colours, or in the
// symbol's own document, which has none. Icons of the same symbol in different
// colours must not share gradients.
func (s *Symbol) idPrefix(colors ...Color) string {
	h := fnv.New64a()
	h.Write(s.digest[:])
	for _, c := range colors {
		h.Write([]byte(c.String()))
	}
	const bits = 40
	return "p" + strconv.FormatUint(h.Sum64()&(1<<bits-1), 36) + "-"
}
