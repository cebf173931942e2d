package raster

import (
	"image"
	"math"

	"placard/internal/core/icon"
)

// painter draws a drawing at one size.
type painter struct {
	drawing  *Drawing
	size     int
	step     func() error
	err      error // of step; ends drawing
	coverage coverage
	depth    int // number of nested elements, with references expanded
	layers   int // number of nested layers
	// isClipping is set inside clip paths: only basic shapes, and references to them, are
	// drawn, as opaque areas.
	isClipping bool
}

// Package icon limits the number of elements that a symbol draws, but not how
// deeply references nest. Each layer takes the memory of an image.
const (
	maxDepth  = 512
	maxLayers = 64
)

func (p *painter) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// hidden holds the elements that are drawn only where they are referred to.
var hidden = map[string]bool{
	"defs": true, "mask": true, "clipPath": true, "linearGradient": true, "radialGradient": true, "stop": true, "title": true, "desc": true,
}

// children draws the children of an element with the style s.
func (p *painter) children(n *node, s style, m matrix, view point, dst *image.RGBA) {
	for _, child := range n.children {
		if !hidden[child.name] {
			p.node(child, s, m, view, dst)
		}
	}
}

// node draws an element whose parent has the style s and the transform m.
func (p *painter) node(n *node, s style, m matrix, view point, dst *image.RGBA) {
	if p.depth == maxDepth {
		p.fail(errTooDeep)
	}
	if p.err == nil {
		p.fail(p.step())
	}
	if p.err != nil || n.attrs["display"] == "none" {
		return
	}
	p.depth++
	defer func() { p.depth-- }()
	s = s.inherit(n)
	m = m.Multiply(icon.ParseTransform(n.attrs["transform"]))
	opacity := n.opacity("opacity")
	if p.isClipping {
		opacity = 1
	}
	if opacity == 1 && n.attrs["clip-path"] == "" && n.attrs["mask"] == "" {
		p.content(n, s, m, view, dst)
		return
	}
	layer := p.layer(func(layer *image.RGBA) {
		p.content(n, s, m, view, layer)
		p.restrict(layer, n, n, m, view)
	})
	if p.err == nil {
		composite(dst, layer, uint32(math.Round(opacity*255)))
	}
}

// layer returns an image on which draw has drawn.
func (p *painter) layer(draw func(*image.RGBA)) *image.RGBA {
	layer := image.NewRGBA(image.Rect(0, 0, p.size, p.size))
	if p.layers == maxLayers {
		p.fail(errTooDeep)
		return layer
	}
	p.layers++
	defer func() { p.layers-- }()
	draw(layer)
	return layer
}

// content draws an element without its opacity, clip path and mask.
func (p *painter) content(n *node, s style, m matrix, view point, dst *image.RGBA) {
	switch n.name {
	case "g":
		if !p.isClipping {
			p.children(n, s, m, view, dst)
		}
	case "svg":
		// Package icon writes nested svg elements without a position.
		inner := viewBox(n, point{X: n.length("width", view.X, view.X), Y: n.length("height", view.Y, view.Y)})
		p.children(n, s, m.Multiply(inner.matrix), inner.size, dst)
	case "use":
		target := p.drawing.reference(n.attrs["href"])
		if target != nil && !hidden[target.name] {
			p.node(target, s, m.Multiply(useOffset(n, view)), view, dst)
		}
	default:
		if !s.hidden {
			p.shape(n, s, m, view, dst)
		}
	}
}

// useOffset returns the position of a use element.
func useOffset(n *node, view point) matrix {
	return matrix{A: 1, D: 1, E: n.length("x", view.X, 0), F: n.length("y", view.Y, 0)}
}

// shape draws the fill and the stroke of a basic shape.
func (p *painter) shape(n *node, s style, m matrix, view point, dst *image.RGBA) {
	if p.isClipping {
		s = style{fill: paint{color: rgba{A: 255}}, fillOpacity: 1, evenOdd: s.clipEvenOdd}
	}
	if shader := p.shader(s.fill, s.fillOpacity, n, m, view); shader != nil && n.name != "line" {
		lines := flattener{tolerance: tolerance}
		outline(n, view, &transformer{m, &lines})
		p.polygons(lines.lines)
		p.sweep(s.evenOdd, shader, dst)
	}
	if shader := p.shader(s.stroke, s.strokeOpacity, n, m, view); shader != nil {
		p.stroke(n, &s, m, view)
		p.sweep(false, shader, dst)
	}
}

// polygons adds closed polygons to the coverage.
func (p *painter) polygons(lines []polyline) {
	for _, line := range lines {
		p.coverage.polygon(line.points)
	}
}

// transformer is an [icon.PathSink] that transforms a path.
type transformer struct {
	matrix matrix
	sink   icon.PathSink
}

func (t *transformer) MoveTo(p point) { t.sink.MoveTo(t.matrix.Apply(p)) }
func (t *transformer) LineTo(p point) { t.sink.LineTo(t.matrix.Apply(p)) }
func (t *transformer) Close()         { t.sink.Close() }

func (t *transformer) CurveTo(a, b, p point) {
	t.sink.CurveTo(t.matrix.Apply(a), t.matrix.Apply(b), t.matrix.Apply(p))
}

// stroke adds the stroke of a basic shape to the coverage.
func (p *painter) stroke(n *node, s *style, m matrix, view point) {
	diagonal := math.Hypot(view.X, view.Y) / math.Sqrt2
	width, _ := icon.ParseLength(s.strokeWidth, diagonal) // the style has a valid one
	if width == 0 {
		return
	}
	scale := math.Max(math.Hypot(m.A, m.B), math.Hypot(m.C, m.D))
	if !(scale > 0) {
		return
	}
	lines := flattener{tolerance: strokeTolerance / scale}
	outline(n, view, &lines)
	pen := stroker{
		radius: width / 2, lineCap: s.lineCap, lineJoin: s.lineJoin, miterLimit: s.miterLimit,
		turn: 2 * math.Acos(1-math.Min(1, tolerance/(scale*width/2))),
		emit: func(polygon []point) {
			for i := range polygon {
				polygon[i] = m.Apply(polygon[i])
			}
			p.coverage.oriented(polygon)
		},
	}
	dash, dashed := s.parseDash(diagonal)
	for _, line := range lines.lines {
		if p.err == nil {
			p.fail(p.step())
		}
		if !dashed || !line.drawn {
			pen.draw(line)
			continue
		}
		for _, part := range dash.split(line) {
			pen.draw(part)
		}
	}
}

// sweep paints the covered pixels.
func (p *painter) sweep(evenOdd bool, s shader, dst *image.RGBA) {
	if p.err != nil {
		return
	}
	p.fail(p.coverage.sweep(evenOdd, p.step, func(y int, alpha []uint8) {
		for x, a := range alpha {
			if a != 0 {
				blend(dst.Pix[dst.PixOffset(x, y):], s.at(x, y), uint32(a))
			}
		}
	}))
}
