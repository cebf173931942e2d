// Package icon draws the icons of a taxonomy: a category's shape, an element's
// symbol in it, and the paint of a variant over both. It also decides which
// SVG documents are clean enough to be symbols. It does not know where symbols
// come from or where icons go.
//
// The same shape, symbol and paint always give the same bytes, and any number
// of icons may stand inline in one page without their ids clashing.
package icon

import (
	"hash/fnv"
	"strconv"

	"placard/internal/taxonomy"
)

const (
	svgNamespace = "http://www.w3.org/2000/svg"
	svgOpen      = `<svg xmlns="` + svgNamespace + `" viewBox="0 0 36 36" width="36" height="36">`
	svgClose     = `</svg>`
)

// outlines holds the start of each shape's element, up to its paint.
var outlines = map[taxonomy.Shape]string{
	taxonomy.Circle:        `<circle cx="18" cy="18" r="16.5"`,
	taxonomy.Hexagon:       `<polygon points="18,1.5 32.289,9.75 32.289,26.25 18,34.5 3.711,26.25 3.711,9.75"`,
	taxonomy.Octagon:       `<polygon points="11.166,1.5 24.834,1.5 34.5,11.166 34.5,24.834 24.834,34.5 11.166,34.5 1.5,24.834 1.5,11.166"`,
	taxonomy.RoundedSquare: `<rect x="3" y="3" width="30" height="30" rx="6"`,
}

var bareShapes = func() map[taxonomy.Shape][]byte {
	bare := make(map[taxonomy.Shape][]byte, len(taxonomy.Shapes))
	for _, shape := range taxonomy.Shapes {
		bare[shape] = Compose(shape, nil, blackOnNothing)
	}
	return bare
}()

// ShapeSVG returns the bare shape as a document of 36 by 36, nil for a shape
// that does not exist. The bytes are shared: do not change them.
func ShapeSVG(shape taxonomy.Shape) []byte { return bareShapes[shape] }

// Compose returns the icon of symbol in shape, painted. A nil symbol gives the
// bare shape, an unknown shape a symbol without outline.
func Compose(shape taxonomy.Shape, symbol *Symbol, paint Paint) []byte {
	outline, ground := paint.Outline.String(), "none"
	if paint.Filled {
		ground = paint.Ground.String()
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
		b = append(b, ground...)
		b = append(b, `" stroke="`...)
		b = append(b, outline...)
		b = append(b, `" stroke-width="1.5"/>`...)
	}
	if symbol != nil {
		b = symbol.append(b, paint)
	}
	return append(b, svgClose...)
}

// append draws the symbol, in place of whose ids and holes for the ground
// colour it puts what fits this paint.
func (s *Symbol) append(b []byte, paint Paint) []byte {
	var prefix string
	if s.ids > 0 {
		prefix = s.idPrefix(paint)
	}
	for _, p := range s.pieces {
		b = append(b, p.text...)
		switch p.hole {
		case holeInk:
			b = append(b, paint.Ink.String()...)
		case holeGround:
			if paint.Filled {
				b = append(b, paint.Ground.String()...)
			} else {
				b = append(b, p.fallback...)
			}
		case holeID:
			b = append(b, prefix...)
			b = strconv.AppendInt(b, int64(p.id), 10)
		}
	}
	return b
}

// idPrefix starts the ids of everything the symbol refers to. It depends on
// the paint too: a gradient drawn in one icon must not serve another icon of
// the same symbol and a different colour.
func (s *Symbol) idPrefix(paint Paint) string {
	h := fnv.New64a()
	h.Write(s.digest[:])
	h.Write([]byte(paint.Ink.String()))
	if paint.Filled {
		h.Write([]byte(paint.Ground.String()))
	}
	const bits = 40
	return "p" + strconv.FormatUint(h.Sum64()&(1<<bits-1), 36) + "-"
}
