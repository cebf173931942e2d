package raster

import (
	"image"
	"math"
	"strings"

	"placard/internal/core/icon"
)

// opaque returns an alpha of 255 for each pixel.
func (p *painter) opaque() []uint8 {
	alpha := make([]uint8, p.size*p.size)
	for i := range alpha {
		alpha[i] = 255
	}
	return alpha
}

// intersect multiplies alpha by other.
func intersect(alpha, other []uint8) {
	for i := range alpha {
		alpha[i] = uint8(divide255(uint32(alpha[i]) * uint32(other[i])))
	}
}

// clip returns the alpha of the pixels inside a clip path of the element target,
// which has the transform m.
func (p *painter) clip(n, target *node, m matrix, view point) []uint8 {
	if n.name != "clipPath" {
		return p.opaque()
	}
	alpha := make([]uint8, p.size*p.size)
	if p.layers == maxLayers {
		p.fail(errTooDeep)
		return alpha
	}
	p.layers++
	defer func() { p.layers-- }()
	inside := m.Multiply(icon.ParseTransform(n.attrs["transform"]))
	if n.attrs["clipPathUnits"] == boundingBoxUnits {
		box := p.bounds(target, icon.Identity, view, 0)
		inside = inside.Multiply(box.matrix())
	}
	s := styleOf(n)
	for _, child := range n.children {
		p.clipChild(child, s, inside, view, alpha)
	}
	if outer := p.drawing.reference(n.attrs["clip-path"]); outer != nil && p.err == nil {
		intersect(alpha, p.clip(outer, target, m, view))
	}
	return alpha
}

// clipChild adds a child of a clip path to alpha. Only basic shapes, and references
// to them, clip.
func (p *painter) clipChild(n *node, s style, m matrix, view point, alpha []uint8) {
	if p.err == nil {
		p.fail(p.step())
	}
	if p.err != nil || n.attrs["display"] == "none" {
		return
	}
	s = s.inherit(n)
	m = m.Multiply(icon.ParseTransform(n.attrs["transform"]))
	if n.name == "use" {
		target := p.drawing.reference(n.attrs["href"])
		if target != nil && target.name != "use" && !hidden[target.name] {
			p.clipUse(n, target, s, m, view, alpha)
		}
		return
	}
	if s.hidden || !p.fill(n, m, view) {
		return
	}
	own := make([]uint8, len(alpha))
	p.coverage.sweep(s.clipEvenOdd, s.aliased, func(x, y int, covered []uint8) { copy(own[y*p.size+x:], covered) })
	if clip := p.drawing.reference(n.attrs["clip-path"]); clip != nil {
		intersect(own, p.clip(clip, n, m, view))
	}
	unite(alpha, own)
}

// clipUse adds the basic shape that a use element in a clip path refers to.
func (p *painter) clipUse(n, target *node, s style, m matrix, view point, alpha []uint8) {
	own := make([]uint8, len(alpha))
	p.clipChild(target, s, m.Multiply(useOffset(n, view)), view, own)
	if clip := p.drawing.reference(n.attrs["clip-path"]); clip != nil && p.err == nil {
		intersect(own, p.clip(clip, n, m, view))
	}
	unite(alpha, own)
}

// unite adds the pixels of other to alpha.
func unite(alpha, other []uint8) {
	for i, a := range other {
		alpha[i] += uint8(divide255(uint32(a) * uint32(255-alpha[i])))
	}
}

// mask returns the alpha of the pixels inside a mask of the element target, which
// has the transform m.
func (p *painter) mask(n, target *node, m matrix, view point) []uint8 {
	if n.name != "mask" {
		return p.opaque()
	}
	region, content := m, m
	x, y, w, h := n.length("x", view.X, -0.1*view.X), n.length("y", view.Y, -0.1*view.Y), n.length("width", view.X, 1.2*view.X), n.length("height", view.Y, 1.2*view.Y)
	if n.attrs["maskUnits"] != "userSpaceOnUse" || n.attrs["maskContentUnits"] == boundingBoxUnits {
		box := p.bounds(target, icon.Identity, view, 0).matrix()
		if n.attrs["maskUnits"] != "userSpaceOnUse" {
			region = m.Multiply(box)
			x, y, w, h = n.length("x", 1, -0.1), n.length("y", 1, -0.1), n.length("width", 1, 1.2), n.length("height", 1, 1.2)
		}
		if n.attrs["maskContentUnits"] == boundingBoxUnits {
			content = m.Multiply(box)
		}
	}
	alpha := make([]uint8, p.size*p.size)
	s := styleOf(n)
	layer := p.layer(func(layer *image.RGBA) { p.children(n, s, content, view, layer) })
	if p.err != nil {
		return alpha
	}
	lines := flattener{tolerance: tolerance}
	rectangle(point{X: x, Y: y}, w, h, 0, 0, &transformer{region, &lines})
	for _, line := range lines.lines {
		p.coverage.polygon(line.points)
	}
	useAlpha := strings.EqualFold(n.attrs["mask-type"], "alpha")
	p.coverage.sweep(false, false, func(x, y int, covered []uint8) {
		for i, c := range covered {
			pixel := color(layer.Pix[layer.PixOffset(x+i, y):])
			value := uint32(pixel[3])
			if !useAlpha {
				value = luminance(pixel, s.linear)
			}
			alpha[y*p.size+x+i] = uint8(divide255(value * uint32(c)))
		}
	})
	if clip := p.drawing.reference(n.attrs["clip-path"]); clip != nil && p.err == nil {
		intersect(alpha, p.clip(clip, target, m, view))
	}
	if outer := p.drawing.reference(n.attrs["mask"]); outer != nil && p.err == nil {
		intersect(alpha, p.mask(outer, target, m, view))
	}
	return alpha
}

// luminance returns the luminance of a premultiplied colour.
func luminance(c color, linear bool) uint32 {
	r, g, b := float64(c[0]), float64(c[1]), float64(c[2])
	if linear && c[3] > 0 {
		alpha := float64(c[3])
		r, g, b = alpha*toLinear(r/alpha), alpha*toLinear(g/alpha), alpha*toLinear(b/alpha)
	}
	return uint32(math.Round(0.2126*r + 0.7152*g + 0.0722*b))
}

// toLinear converts a channel from sRGB to linear RGB.
func toLinear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

const boundingBoxUnits = "objectBoundingBox"

// bounds is a bounding box. It is empty if min exceeds max.
type bounds struct{ min, max point }

var noBounds = bounds{point{X: math.Inf(1), Y: math.Inf(1)}, point{X: math.Inf(-1), Y: math.Inf(-1)}}

func (b *bounds) add(p point) {
	b.min = point{X: min(b.min.X, p.X), Y: min(b.min.Y, p.Y)}
	b.max = point{X: max(b.max.X, p.X), Y: max(b.max.Y, p.Y)}
}

// matrix returns the transform of the unit square onto b. Nothing is visible in an
// empty box.
func (b bounds) matrix() matrix {
	if !(b.min.X <= b.max.X) {
		return matrix{}
	}
	return matrix{A: b.max.X - b.min.X, D: b.max.Y - b.min.Y, E: b.min.X, F: b.min.Y}
}

// bounds returns the bounding box of an element without strokes, in the
// coordinates inside the element. m is the transform of its content.
func (p *painter) bounds(n *node, m matrix, view point, depth int) bounds {
	b := noBounds
	if depth > maxDepth {
		return b
	}
	inner := func(child *node, m matrix, view point) {
		if hidden[child.name] || child.attrs["display"] == "none" {
			return
		}
		box := p.bounds(child, m.Multiply(icon.ParseTransform(child.attrs["transform"])), view, depth+1)
		if box.min.X <= box.max.X {
			b.add(box.min)
			b.add(box.max)
		}
	}
	switch n.name {
	case "use":
		if target := p.drawing.reference(n.attrs["href"]); target != nil {
			inner(target, m.Multiply(useOffset(n, view)), view)
		}
	case "g", "svg":
		if n.name == "svg" {
			v := viewBox(n, point{X: n.length("width", view.X, view.X), Y: n.length("height", view.Y, view.Y)})
			m, view = m.Multiply(v.matrix), v.size
		}
		for _, child := range n.children {
			inner(child, m, view)
		}
	default:
		lines := flattener{tolerance: tolerance / 10}
		outline(n, view, &transformer{m, &lines})
		for _, line := range lines.lines {
			for _, at := range line.points {
				b.add(at)
			}
		}
	}
	return b
}
