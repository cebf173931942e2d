package raster

import (
	"image"
	"math"
	"strings"

	"placard/internal/core/icon"
)

// clip returns an image whose alpha is that of the pixels inside a clip path of the
// element target, which has the transform m.
func (p *painter) clip(n, target *node, m matrix, view point) *image.RGBA {
	inside := m.Multiply(icon.ParseTransform(n.attrs["transform"]))
	if n.attrs["clipPathUnits"] == boundingBoxUnits {
		inside = inside.Multiply(p.bounds(target, icon.Identity, view, 0).matrix())
	}
	return p.layer(func(layer *image.RGBA) {
		outer := p.isClipping
		p.isClipping = true
		p.children(n, styleOf(n), inside, view, layer)
		p.isClipping = outer
		p.restrict(layer, n, target, m, view)
	})
}

// mask returns an image whose alpha is that of the pixels inside a mask of the element
// target, which has the transform m.
func (p *painter) mask(n, target *node, m matrix, view point) *image.RGBA {
	region, content, whole := m, m, view
	box := p.bounds(target, icon.Identity, view, 0).matrix()
	if n.attrs["maskUnits"] != "userSpaceOnUse" {
		region, whole = m.Multiply(box), point{X: 1, Y: 1}
	}
	if n.attrs["maskContentUnits"] == boundingBoxUnits {
		content = m.Multiply(box)
	}
	useAlpha := strings.EqualFold(n.attrs["mask-type"], "alpha")
	return p.layer(func(layer *image.RGBA) {
		outer := p.isClipping
		p.isClipping = false
		p.children(n, styleOf(n), content, view, layer)
		p.isClipping = outer
		for i := 0; i < len(layer.Pix) && !useAlpha; i += 4 {
			layer.Pix[i+3] = luminance(layer.Pix[i : i+4])
		}
		multiply(layer, p.layer(func(visible *image.RGBA) {
			lines := flattener{tolerance: tolerance}
			at := point{X: n.length("x", whole.X, -0.1*whole.X), Y: n.length("y", whole.Y, -0.1*whole.Y)}
			w, h := n.length("width", whole.X, 1.2*whole.X), n.length("height", whole.Y, 1.2*whole.Y)
			rectangle(at, w, h, 0, 0, &transformer{region, &lines})
			p.polygons(lines.lines)
			p.sweep(false, opaque, visible)
		}))
		p.restrict(layer, n, target, m, view)
	})
}

// restrict multiplies a layer by the clip path and the mask of n. They are in the
// coordinates of the element target, which has the transform m.
func (p *painter) restrict(layer *image.RGBA, n, target *node, m matrix, view point) {
	if clip := p.drawing.reference(n.attrs["clip-path"], "clipPath"); clip != nil && p.err == nil {
		multiply(layer, p.clip(clip, target, m, view))
	}
	if mask := p.drawing.reference(n.attrs["mask"], "mask"); mask != nil && p.err == nil && !p.isClipping {
		multiply(layer, p.mask(mask, target, m, view))
	}
}

// luminance returns the luminance of a premultiplied colour.
func luminance(pixel []uint8) uint8 {
	return uint8(math.Round(0.2126*float64(pixel[0]) + 0.7152*float64(pixel[1]) + 0.0722*float64(pixel[2])))
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
