package icon

import "math"

// pathArguments holds the number of arguments of each path command.
var pathArguments = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7, 'Z': 0}

// curveSamples is the number of points computed on each curve.
const curveSamples = 8

// PathSink receives the segments of a path. Quadratic curves and arcs are
// converted to cubic curves.
type PathSink interface {
	MoveTo(p Point)
	LineTo(p Point)
	CurveTo(a, b, p Point)
	Close()
}

// DrawPath draws the data of a path. It stops at the first error, as browsers do.
func DrawPath(data string, sink PathSink) { (&scanner{text: data}).path(sink) }

// sampler is a PathSink that calls draw for the vertices of a path and for some
// points on its curves.
type sampler struct {
	draw func(Point)
	at   Point
}

func (s *sampler) MoveTo(p Point) { s.LineTo(p) }
func (s *sampler) Close()         {}

func (s *sampler) LineTo(p Point) {
	s.draw(p)
	s.at = p
}

func (s *sampler) CurveTo(a, b, p Point) {
	for i := 1; i < curveSamples; i++ {
		s.draw(CurvePoint(s.at, a, b, p, float64(i)/curveSamples))
	}
	s.LineTo(p)
}

// CurvePoint returns the point of a cubic curve at t, from 0 to 1.
func CurvePoint(from, a, b, to Point, t float64) Point {
	u := 1 - t
	return Point{
		u*u*u*from.X + 3*u*u*t*a.X + 3*u*t*t*b.X + t*t*t*to.X,
		u*u*u*from.Y + 3*u*u*t*a.Y + 3*u*t*t*b.Y + t*t*t*to.Y,
	}
}

// path reads path data and draws it.
func (s *scanner) path(sink PathSink) {
	s.skipSpace()
	if s.text[s.offset:] == "none" {
		return
	}
	var pen pen
	for first := true; !s.done(); first = false {
		command := s.text[s.offset]
		relative := 'a' <= command && command <= 'z'
		if relative {
			command -= 'a' - 'A'
		}
		count, known := pathArguments[command]
		switch {
		case !known:
			s.failExpecting("a path command")
			return
		case first && command != 'M':
			s.fail("A path must begin with M or m.")
			return
		}
		s.offset++
		s.skipSpace()
		if command == 'Z' {
			pen.at, pen.control = pen.start, pen.start
			sink.Close()
			continue
		}
		for more := true; more && s.err == nil; {
			var args [7]float64
			for i := range count {
				if i > 0 {
					s.skipSeparator()
				}
				if command == 'A' && (i == 3 || i == 4) {
					args[i] = s.flag()
				} else {
					args[i] = s.number()
				}
			}
			if s.err != nil {
				return
			}
			pen.draw(command, relative, args, sink)
			if command == 'M' {
				command = 'L'
			}
			comma := s.skipSeparator()
			if more = s.startsNumber(); comma && !more {
				s.failExpecting("a number")
			}
		}
	}
}

// flag reads a flag of an arc.
func (s *scanner) flag() float64 {
	if s.err != nil {
		return 0
	}
	if s.offset == len(s.text) || s.text[s.offset] != '0' && s.text[s.offset] != '1' {
		s.failExpecting("a flag, which is 0 or 1")
		return 0
	}
	s.offset++
	return float64(s.text[s.offset-1] - '0')
}

// pen is the state of a path that is being drawn.
type pen struct {
	start, at Point
	control   Point // the last control point, or the current point after other commands
	last      byte  // the last command
}

// draw executes a command.
func (p *pen) draw(command byte, relative bool, args [7]float64, sink PathSink) {
	var origin Point
	if relative {
		origin = p.at
	}
	abs := func(i int) Point { return Point{origin.X + args[i], origin.Y + args[i+1]} }
	reflected := func(after string) Point {
		if p.last != after[0] && p.last != after[1] {
			return p.at
		}
		return Point{2*p.at.X - p.control.X, 2*p.at.Y - p.control.Y}
	}
	from, to := p.at, p.at
	control := p.at
	switch command {
	case 'M':
		to = abs(0)
		p.start = to
		sink.MoveTo(to)
	case 'L':
		to = abs(0)
		sink.LineTo(to)
	case 'H':
		to.X = origin.X + args[0]
		sink.LineTo(to)
	case 'V':
		to.Y = origin.Y + args[0]
		sink.LineTo(to)
	case 'C':
		control, to = abs(2), abs(4)
		sink.CurveTo(abs(0), control, to)
	case 'S':
		first := reflected("CS")
		control, to = abs(0), abs(2)
		sink.CurveTo(first, control, to)
	case 'Q':
		control, to = abs(0), abs(2)
		quadratic(from, control, to, sink)
	case 'T':
		control, to = reflected("QT"), abs(0)
		quadratic(from, control, to, sink)
	case 'A':
		to = abs(5)
		arc(from, to, args[0], args[1], args[2]*math.Pi/180, args[3] != 0, args[4] != 0, sink)
	}
	p.at, p.last = to, command
	p.control = control
}

func quadratic(a, b, c Point, sink PathSink) {
	sink.CurveTo(Point{(a.X + 2*b.X) / 3, (a.Y + 2*b.Y) / 3}, Point{(c.X + 2*b.X) / 3, (c.Y + 2*b.Y) / 3}, c)
}

// arc draws an elliptical arc as described in the implementation notes of SVG.
func arc(from, to Point, rx, ry, angle float64, large, sweep bool, sink PathSink) {
	rx, ry = math.Abs(rx), math.Abs(ry)
	if from == to {
		return
	}
	if rx == 0 || ry == 0 {
		sink.LineTo(to)
		return
	}
	sin, cos := math.Sincos(angle)
	dx, dy := (from.X-to.X)/2, (from.Y-to.Y)/2
	x, y := cos*dx+sin*dy, cos*dy-sin*dx
	if scale := x*x/(rx*rx) + y*y/(ry*ry); scale > 1 {
		rx, ry = rx*math.Sqrt(scale), ry*math.Sqrt(scale)
	}
	factor := math.Sqrt(max(0, rx*rx*ry*ry/(rx*rx*y*y+ry*ry*x*x)-1))
	if large == sweep {
		factor = -factor
	}
	centerX, centerY := factor*rx*y/ry, -factor*ry*x/rx
	begin := math.Atan2((y-centerY)/ry, (x-centerX)/rx)
	delta := math.Atan2((-y-centerY)/ry, (-x-centerX)/rx) - begin
	switch {
	case sweep && delta < 0:
		delta += 2 * math.Pi
	case !sweep && delta > 0:
		delta -= 2 * math.Pi
	}
	// onto maps the unit circle onto the ellipse.
	onto := Matrix{cos * rx, sin * rx, -sin * ry, cos * ry, cos*centerX - sin*centerY + (from.X+to.X)/2, sin*centerX + cos*centerY + (from.Y+to.Y)/2}
	count := max(1, int(math.Ceil(math.Abs(delta)/(math.Pi/2)-1e-9)))
	part := delta / float64(count)
	handle := 4. / 3 * math.Tan(part/4)
	for i := range count {
		s0, c0 := math.Sincos(begin + part*float64(i))
		s1, c1 := math.Sincos(begin + part*float64(i+1))
		end := onto.Apply(Point{c1, s1})
		if i == count-1 {
			end = to
		}
		sink.CurveTo(onto.Apply(Point{c0 - handle*s0, s0 + handle*c0}), onto.Apply(Point{c1 + handle*s1, s1 - handle*c1}), end)
	}
}
