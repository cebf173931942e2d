package raster

import (
	"math"

	"placard/internal/core/icon"
)

// shader returns the colour of each pixel.
type shader interface {
	at(x, y int) color
}

func (c color) at(int, int) color { return c }

// shader returns the shader of a paint for the element n, which has the transform
// m, or nil if nothing is painted.
func (p *painter) shader(paint paint, opacity float64, n *node, m matrix, view point) shader {
	if paint.reference != "" {
		if g := p.drawing.reference(paint.reference, "linearGradient", "radialGradient"); g != nil {
			if s, ok := p.gradient(g, opacity, n, m, view); ok {
				return s
			}
		}
	}
	if c := premultiply(paint.color, opacity); c[3] > 0 {
		return c
	}
	return nil
}

// stop is a colour of a gradient.
type stop struct {
	offset float64
	color  [4]float64 // red, green and blue from 0 to 255, alpha from 0 to 1
}

// gradient is the shader of a gradient.
type gradient struct {
	stops   []stop
	spread  string
	inverse matrix // from pixels to the coordinates of the gradient
	ratio   func(point) (float64, bool)
}

// gradient returns the shader of the gradient g. It reports false if the gradient
// cannot paint n. The shader is nil if the gradient paints nothing.
func (p *painter) gradient(g *node, opacity float64, n *node, m matrix, view point) (s shader, ok bool) {
	chain := p.templates(g)
	attr := func(name string) string {
		for _, t := range chain {
			if v, ok := t.attrs[name]; ok {
				return v
			}
		}
		return ""
	}
	stops := stopsOf(chain, opacity)
	if len(stops) == 0 {
		return nil, true
	}
	whole := view
	if attr("gradientUnits") != "userSpaceOnUse" {
		box := p.bounds(n, icon.Identity, view, 0)
		if !(box.max.X > box.min.X && box.max.Y > box.min.Y) {
			return nil, false
		}
		m = m.Multiply(box.matrix())
		whole = point{X: 1, Y: 1}
	}
	m = m.Multiply(icon.ParseTransform(attr("gradientTransform")))
	inverse, ok := invert(m)
	if !ok {
		return nil, true
	}
	diagonal := math.Hypot(whole.X, whole.Y) / math.Sqrt2
	length := func(name string, whole float64, missing string) float64 {
		if v, ok := icon.ParseLength(attr(name), whole); ok {
			return v
		}
		v, _ := icon.ParseLength(missing, whole)
		return v
	}
	result := &gradient{stops: stops, spread: attr("spreadMethod"), inverse: inverse}
	last := stops[len(stops)-1]
	if g.name == "linearGradient" {
		from := point{X: length("x1", whole.X, "0%"), Y: length("y1", whole.Y, "0%")}
		to := point{X: length("x2", whole.X, "100%"), Y: length("y2", whole.Y, "0%")}
		if from == to {
			return toColor(last.color), true
		}
		result.ratio = linearRatio(from, to)
		return result, true
	}
	center := point{X: length("cx", whole.X, "50%"), Y: length("cy", whole.Y, "50%")}
	radius := length("r", diagonal, "50%")
	if radius <= 0 {
		return toColor(last.color), true
	}
	focus := center
	if v, ok := icon.ParseLength(attr("fx"), whole.X); ok {
		focus.X = v
	}
	if v, ok := icon.ParseLength(attr("fy"), whole.Y); ok {
		focus.Y = v
	}
	result.ratio = radialRatio(focus, center, radius)
	return result, true
}

// templates returns a gradient and the gradients from which it takes missing
// attributes and stops.
func (p *painter) templates(g *node) []*node {
	var chain []*node
	for g != nil && len(chain) < maxDepth {
		chain = append(chain, g)
		g = p.drawing.reference(g.attrs["href"])
	}
	return chain
}

func stopsOf(chain []*node, opacity float64) []stop {
	var stops []stop
	for _, g := range chain {
		for _, n := range g.children {
			if n.name != "stop" {
				continue
			}
			s := styleOf(n)
			c, ok := parseColor(lower(n.attrs["stop-color"]), s.color)
			if !ok {
				c = rgba{A: 255}
			}
			offset := parseFraction(n.attrs["offset"], 0)
			if len(stops) > 0 {
				offset = math.Max(offset, stops[len(stops)-1].offset)
			}
			alpha := float64(c.A) / 255 * n.opacity("stop-opacity") * opacity
			stops = append(stops, stop{offset, [4]float64{float64(c.R), float64(c.G), float64(c.B), alpha}})
		}
		if len(stops) > 0 {
			break
		}
	}
	return stops
}

func toColor(c [4]float64) color {
	return color{clampByte(c[0] * c[3]), clampByte(c[1] * c[3]), clampByte(c[2] * c[3]), clampByte(255 * c[3])}
}

func (g *gradient) at(x, y int) color {
	t, ok := g.ratio(g.inverse.Apply(point{X: float64(x) + 0.5, Y: float64(y) + 0.5}))
	if !ok {
		return color{}
	}
	switch g.spread {
	case "repeat":
		t -= math.Floor(t)
	case "reflect":
		t = math.Abs(t - 2*math.Floor((t+1)/2))
	}
	for i, s := range g.stops {
		if t >= s.offset {
			continue
		}
		if i == 0 {
			return toColor(s.color)
		}
		before := g.stops[i-1]
		f := (t - before.offset) / (s.offset - before.offset)
		var mixed [4]float64
		for j := range mixed {
			mixed[j] = before.color[j] + f*(s.color[j]-before.color[j])
		}
		return toColor(mixed)
	}
	return toColor(g.stops[len(g.stops)-1].color)
}

// linearRatio returns the function that projects a point on a line.
func linearRatio(from, to point) func(point) (float64, bool) {
	dx, dy := to.X-from.X, to.Y-from.Y
	square := dx*dx + dy*dy
	return func(p point) (float64, bool) { return ((p.X-from.X)*dx + (p.Y-from.Y)*dy) / square, true }
}

// radialRatio returns the function that finds the largest circle through a point
// between the focus and the circle around center.
func radialRatio(focus, center point, radius float64) func(point) (float64, bool) {
	cx, cy := center.X-focus.X, center.Y-focus.Y
	a := cx*cx + cy*cy - radius*radius
	return func(p point) (float64, bool) {
		px, py := p.X-focus.X, p.Y-focus.Y
		b, c := px*cx+py*cy, px*px+py*py
		if math.Abs(a) < 1e-9 {
			return c / (2 * b), b > 0
		}
		root := math.Sqrt(b*b - a*c)
		t := max((b+root)/a, (b-root)/a)
		return t, t >= 0 // false if there is no root
	}
}

func invert(m matrix) (matrix, bool) {
	d := m.A*m.D - m.B*m.C
	if math.Abs(d) < 1e-12 || math.IsNaN(d) {
		return matrix{}, false
	}
	inverse := matrix{A: m.D / d, B: -m.B / d, C: -m.C / d, D: m.A / d}
	origin := inverse.Apply(point{X: m.E, Y: m.F})
	inverse.E, inverse.F = -origin.X, -origin.Y
	return inverse, true
}
