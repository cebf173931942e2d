package raster

import (
	"image"
	"math"
	"strings"

	"placard/internal/core/icon"
)

// painter draws a drawing at one size.
type painter struct {
	drawing  *Drawing
	size     int
	step     func() error
	err      error // of step; ends drawing
	coverage *coverage
	depth    int // number of nested elements, with references expanded
	layers   int // number of nested layers
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
	clip, mask := p.drawing.reference(n.attrs["clip-path"]), p.drawing.reference(n.attrs["mask"])
	if opacity == 1 && clip == nil && mask == nil {
		p.content(n, s, m, view, dst)
		return
	}
	layer := p.layer(func(layer *image.RGBA) { p.content(n, s, m, view, layer) })
	if p.err != nil {
		return
	}
	if clip != nil {
		multiply(layer, p.clip(clip, n, m, view))
	}
	if mask != nil {
		multiply(layer, p.mask(mask, n, m, view))
	}
	if p.err == nil {
		composite(dst, layer, uint32(math.Round(opacity*255)))
	}
}

// layer returns an image on which draw has drawn.
func (p *painter) layer(draw func(*image.RGBA)) *image.RGBA {
	if p.layers == maxLayers {
		p.fail(errTooDeep)
		return nil
	}
	p.layers++
	defer func() { p.layers-- }()
	layer := image.NewRGBA(image.Rect(0, 0, p.size, p.size))
	draw(layer)
	return layer
}

// content draws an element without its opacity, clip path and mask.
func (p *painter) content(n *node, s style, m matrix, view point, dst *image.RGBA) {
	switch n.name {
	case "g":
		p.children(n, s, m, view, dst)
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
	fill := func() {
		shader := p.shader(s.fill, s.fillOpacity, n, m, view)
		if shader == nil || n.name == "line" {
			return
		}
		if p.fill(n, m, view) {
			p.sweep(s.evenOdd, s.aliased, shader, dst)
		}
	}
	stroke := func() {
		shader := p.shader(s.stroke, s.strokeOpacity, n, m, view)
		if shader == nil {
			return
		}
		p.stroke(n, &s, m, view)
		p.sweep(false, s.aliased, shader, dst)
	}
	if s.strokeFirst {
		stroke()
		fill()
	} else {
		fill()
		stroke()
	}
}

// fill adds the area of a basic shape to the coverage. It reports false if n is not
// a basic shape.
func (p *painter) fill(n *node, m matrix, view point) bool {
	lines := flattener{tolerance: tolerance}
	if !outline(n, view, &transformer{m, &lines}) {
		return false
	}
	for _, line := range lines.lines {
		p.coverage.polygon(line.points)
	}
	return true
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
	onto := icon.Identity // transforms the outline before the stroke is drawn
	if strings.EqualFold(n.attrs["vector-effect"], "non-scaling-stroke") {
		onto, m = m, icon.Identity
	}
	scale := math.Max(math.Hypot(m.A, m.B), math.Hypot(m.C, m.D))
	if !(scale > 0) {
		return
	}
	lines := flattener{tolerance: tolerance / scale, radius: width / 2}
	if !outline(n, view, &transformer{onto, &lines}) {
		return
	}
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
	dash, dashed := s.parseDash(diagonal, pathScale(n, lines.lines))
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

// pathScale returns the factor by which pathLength scales dashes.
func pathScale(n *node, lines []polyline) float64 {
	given := n.length("pathLength", 1, 0)
	if given <= 0 {
		return 1
	}
	length := 0.0
	for _, line := range lines {
		points := line.points
		if line.closed {
			points = append(points[:len(points):len(points)], points[0])
		}
		for i := range points[1:] {
			length += math.Hypot(points[i+1].X-points[i].X, points[i+1].Y-points[i].Y)
		}
	}
	return length / given
}

// stepRows is the number of rows painted between two calls of step.
const stepRows = 64

// sweep paints the covered pixels.
func (p *painter) sweep(evenOdd, aliased bool, s shader, dst *image.RGBA) {
	p.coverage.sweep(evenOdd, aliased, func(x, y int, alpha []uint8) {
		if y%stepRows == 0 && p.err == nil {
			p.fail(p.step())
		}
		if p.err != nil {
			return
		}
		for i, a := range alpha {
			if a != 0 {
				blend(dst.Pix[dst.PixOffset(x+i, y):], s.at(x+i, y), uint32(a))
			}
		}
	})
}
