package icon

import "math"

type point struct{ x, y float64 }

// matrix is an affine transform: x' = ax + cy + e, y' = bx + dy + f.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// newMatrix returns the matrix of a transform function.
func newMatrix(name string, args []float64) matrix {
	arg := func(i int, missing float64) float64 {
		if i < len(args) {
			return args[i]
		}
		return missing
	}
	x := arg(0, 0)
	switch name {
	case "matrix":
		return matrix{x, arg(1, 0), arg(2, 0), arg(3, 0), arg(4, 0), arg(5, 0)}
	case "translate":
		return matrix{1, 0, 0, 1, x, arg(1, 0)}
	case "scale":
		return matrix{x, 0, 0, arg(1, x), 0, 0}
	case "rotate":
		sin, cos := math.Sincos(x * math.Pi / 180)
		around := point{arg(1, 0), arg(2, 0)}
		m := matrix{cos, sin, -sin, cos, around.x, around.y}
		return m.multiply(matrix{1, 0, 0, 1, -around.x, -around.y})
	case "skewX":
		return matrix{1, 0, math.Tan(x * math.Pi / 180), 1, 0, 0}
	case "skewY":
		return matrix{1, math.Tan(x * math.Pi / 180), 0, 1, 0, 0}
	}
	return identity
}

func (m matrix) apply(p point) point {
	return point{m.a*p.x + m.c*p.y + m.e, m.b*p.x + m.d*p.y + m.f}
}

// multiply returns the transform that applies n first, then m.
func (m matrix) multiply(n matrix) matrix {
	origin := m.apply(point{n.e, n.f})
	return matrix{m.a*n.a + m.c*n.b, m.b*n.a + m.d*n.b, m.a*n.c + m.c*n.d, m.b*n.c + m.d*n.d, origin.x, origin.y}
}

// box is a bounding box. It is empty if min exceeds max.
type box struct{ min, max point }

var emptyBox = box{point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}}

func (b *box) add(p point) {
	b.min = point{min(b.min.x, p.x), min(b.min.y, p.y)}
	b.max = point{max(b.max.x, p.x), max(b.max.y, p.y)}
}

func (b *box) addBox(other box) {
	if !other.isEmpty() {
		b.add(other.min)
		b.add(other.max)
	}
}

func (b box) isEmpty() bool { return !(b.min.x <= b.max.x && b.min.y <= b.max.y) }

func (b box) width() float64  { return b.max.x - b.min.x }
func (b box) height() float64 { return b.max.y - b.min.y }

// transform returns the bounding box of the transformed corners.
func (b box) transform(m matrix) box {
	if b.isEmpty() {
		return b
	}
	transformed := emptyBox
	for _, p := range []point{b.min, b.max, {b.min.x, b.max.y}, {b.max.x, b.min.y}} {
		transformed.add(m.apply(p))
	}
	return transformed
}

// measurer computes the extents of the elements of a symbol whose references have
// been checked.
type measurer struct {
	ids     map[string]*node
	stroked bool          // an element of the symbol has a stroke
	extents map[*node]box // in the coordinates of the parent
	unknown bool          // a length depends on the viewport or a font
	loose   bool          // some extents are larger than the elements
}

// extent returns the bounding box of n without its stroke. It is exact only up to
// the sampling of curves, and ignores clip paths and masks.
func (m *measurer) extent(n *node) box {
	if b, ok := m.extents[n]; ok {
		return b
	}
	if !m.isPainted(n) {
		return emptyBox
	}
	b := emptyBox
	at := identity
	switch n.name {
	case "path":
		(&scanner{text: n.value("d")}).path(b.add)
	case "polyline", "polygon":
		(&scanner{text: n.value("points")}).points(b.add)
	case "line":
		b.add(point{m.length(n, "x1"), m.length(n, "y1")})
		b.add(point{m.length(n, "x2"), m.length(n, "y2")})
	case "rect":
		from := point{m.length(n, "x"), m.length(n, "y")}
		b.add(from)
		b.add(point{from.x + m.length(n, "width"), from.y + m.length(n, "height")})
	case "circle", "ellipse":
		rx, ry := m.length(n, "r"), m.length(n, "r")
		if n.name == "ellipse" {
			rx, ry = m.length(n, "rx"), m.length(n, "ry")
		}
		cx, cy := m.length(n, "cx"), m.length(n, "cy")
		b.add(point{cx - rx, cy - ry})
		b.add(point{cx + rx, cy + ry})
	case "use":
		at.e, at.f = m.length(n, "x"), m.length(n, "y")
		if target := m.ids[n.reference("href")]; target != nil {
			b = m.extent(target)
		}
	default:
		for _, child := range n.children {
			if !hiddenElements[child.name] {
				b.addBox(m.extent(child))
			}
		}
	}
	if t := n.value("transform"); t != "" {
		at = (&scanner{text: t}).transform().multiply(at)
	}
	if (at.a != 0 || at.d != 0) && (at.b != 0 || at.c != 0) || n.has("clip-path") || n.has("mask") {
		m.loose = true
	}
	b = b.transform(at)
	m.extents[n] = b
	return b
}

// length returns the length in an attribute, or 0 if n does not have it.
func (m *measurer) length(n *node, name string) float64 {
	text := n.value(name)
	if text == "" {
		return 0
	}
	v := (&scanner{text: text}).length()
	m.unknown = m.unknown || math.IsNaN(v)
	return v
}

// value returns the value of an attribute without references, or "".
func (n *node) value(name string) string {
	for _, a := range n.attrs {
		if a.name == name {
			return a.parts[0].text
		}
	}
	return ""
}

// reference returns the id that an attribute refers to, or "".
func (n *node) reference(name string) string {
	for _, a := range n.attrs {
		if a.name == name {
			return a.parts[0].ref
		}
	}
	return ""
}

// isPainted reports whether n may be painted. Icon sets add a frame without fill
// and stroke to every drawing.
func (m *measurer) isPainted(n *node) bool {
	return n.value("display") != "none" &&
		(n.value("fill") != "none" || m.stroked && n.value("stroke") != "none" || len(n.children) > 0 || n.name == "use")
}

// strokeWidth returns the largest stroke width of n and the elements in it.
func strokeWidth(n *node) float64 {
	width := 0.0
	if text := n.value("stroke-width"); text != "" {
		width = (&scanner{text: text}).length()
	} else if n.has("stroke") && n.value("stroke") != "none" {
		width = 1
	}
	for _, child := range n.children {
		width = max(width, strokeWidth(child)) // NaN if any is
	}
	return width
}

const (
	// minExtent is the minimum width or height of a drawing in an icon of 36 by 36.
	minExtent = 9
	// outlineEdge is the distance of the largest outline from the edges of an icon.
	outlineEdge = 1.5
	// maxOffCenter is the maximum distance of the middle of a drawing from the middle
	// of the icon.
	maxOffCenter = 8
	// maxAspect is the maximum ratio of the sides of a viewBox if the extent of the
	// drawing is unknown.
	maxAspect = 4. / 3
)

// checkFit reports a drawing that does not fit its viewBox, so that its icon is
// nearly empty or crosses the outline.
func (r *reader) checkFit(root *node) {
	view := r.frame.viewBox
	width, height := view[2], view[3]
	stroke := strokeWidth(root)
	m := measurer{ids: r.ids, stroked: stroke > 0, extents: map[*node]box{}}
	drawing := m.extent(root)
	report := func(hint, format string, args ...any) {
		r.report(r.viewBoxAt, rulePoorFit.Found(format, args...).Hint("%s", hint))
	}
	if m.unknown || math.IsNaN(stroke) {
		if max(width/height, height/width) > maxAspect {
			report("Set the page to 36 by 36 and put the drawing in its middle.", "The viewBox is %.4g by %.4g, which is far from square.", width, height)
		}
		return
	}
	if drawing.isEmpty() {
		return
	}
	// The drawing in an icon of 36 by 36.
	scale := 36 / max(width, height)
	icon := drawing.transform(matrix{scale, 0, 0, scale, 18 - scale*(view[0]+width/2), 18 - scale*(view[1]+height/2)})
	offCenter := max(math.Abs(icon.min.x+icon.max.x-36), math.Abs(icon.min.y+icon.max.y-36)) / 2
	switch {
	case max(icon.width(), icon.height())+scale*stroke < minExtent:
		report("Set the page to 36 by 36, and scale the drawing to about 20 by 20 in its middle.",
			"The drawing is only %.3g by %.3g in a viewBox of %.4g by %.4g, so the icon would be nearly empty.", drawing.width(), drawing.height(), width, height)
	case m.loose || r.frame.aspectRatio != "":
	case min(icon.min.x, icon.min.y) < outlineEdge || max(icon.max.x, icon.max.y) > 36-outlineEdge:
		report("Keep the drawing within the middle of the page: from 8 to 28 in a viewBox of 36 by 36.",
			"The drawing extends to the edge of its viewBox, so it would cross the outline of the icon.")
	case offCenter > maxOffCenter:
		report("Move the drawing to the middle of the page, or fit the page to the drawing with a margin.",
			"The drawing is far from the middle of its viewBox.")
	}
}
