package icon

import "math"

// box is a bounding box. It is empty if min exceeds max.
type box struct{ min, max Point }

var emptyBox = box{Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}}

func (b *box) add(p Point) {
	b.min = Point{min(b.min.X, p.X), min(b.min.Y, p.Y)}
	b.max = Point{max(b.max.X, p.X), max(b.max.Y, p.Y)}
}

func (b *box) addBox(other box) {
	if !other.isEmpty() {
		b.add(other.min)
		b.add(other.max)
	}
}

func (b box) isEmpty() bool { return !(b.min.X <= b.max.X && b.min.Y <= b.max.Y) }

func (b box) width() float64  { return b.max.X - b.min.X }
func (b box) height() float64 { return b.max.Y - b.min.Y }

// transform returns the bounding box of the transformed corners.
func (b box) transform(m Matrix) box {
	if b.isEmpty() {
		return b
	}
	transformed := emptyBox
	for _, p := range []Point{b.min, b.max, {b.min.X, b.max.Y}, {b.max.X, b.min.Y}} {
		transformed.add(m.Apply(p))
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
	at := Identity
	switch n.name {
	case "path":
		(&scanner{text: n.value("d")}).path(&sampler{draw: b.add})
	case "polyline", "polygon":
		(&scanner{text: n.value("points")}).points(b.add)
	case "line":
		b.add(Point{m.length(n, "x1"), m.length(n, "y1")})
		b.add(Point{m.length(n, "x2"), m.length(n, "y2")})
	case "rect":
		from := Point{m.length(n, "x"), m.length(n, "y")}
		b.add(from)
		b.add(Point{from.X + m.length(n, "width"), from.Y + m.length(n, "height")})
	case "circle", "ellipse":
		rx, ry := m.length(n, "r"), m.length(n, "r")
		if n.name == "ellipse" {
			rx, ry = m.length(n, "rx"), m.length(n, "ry")
		}
		cx, cy := m.length(n, "cx"), m.length(n, "cy")
		b.add(Point{cx - rx, cy - ry})
		b.add(Point{cx + rx, cy + ry})
	case "use":
		at.E, at.F = m.length(n, "x"), m.length(n, "y")
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
		at = (&scanner{text: t}).transform().Multiply(at)
	}
	if (at.A != 0 || at.D != 0) && (at.B != 0 || at.C != 0) || n.has("clip-path") || n.has("mask") {
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
	icon := drawing.transform(Matrix{scale, 0, 0, scale, 18 - scale*(view[0]+width/2), 18 - scale*(view[1]+height/2)})
	offCenter := max(math.Abs(icon.min.X+icon.max.X-36), math.Abs(icon.min.Y+icon.max.Y-36)) / 2
	switch {
	case max(icon.width(), icon.height())+scale*stroke < minExtent:
		report("Set the page to 36 by 36, and scale the drawing to about 20 by 20 in its middle.",
			"The drawing is only %.3g by %.3g in a viewBox of %.4g by %.4g, so the icon would be nearly empty.", drawing.width(), drawing.height(), width, height)
	case m.loose || r.frame.aspectRatio != "":
	case min(icon.min.X, icon.min.Y) < outlineEdge || max(icon.max.X, icon.max.Y) > 36-outlineEdge:
		report("Keep the drawing within the middle of the page: from 8 to 28 in a viewBox of 36 by 36.",
			"The drawing extends to the edge of its viewBox, so it would cross the outline of the icon.")
	case offCenter > maxOffCenter:
		report("Move the drawing to the middle of the page, or fit the page to the drawing with a margin.",
			"The drawing is far from the middle of its viewBox.")
	}
}
