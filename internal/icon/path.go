package icon

import "math"

// pathArguments holds the number of arguments of each path command.
var pathArguments = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7, 'Z': 0}

// curveSamples is the number of points computed on each curve.
const curveSamples = 8

// path reads path data and calls draw for the vertices of the path and for some
// points on its curves.
func (s *scanner) path(draw func(point)) {
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
			pen.draw(command, relative, args, draw)
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
	start, at point
	control   point // the last control point, or the current point after other commands
	last      byte  // the last command
}

// draw executes a command.
func (p *pen) draw(command byte, relative bool, args [7]float64, draw func(point)) {
	var origin point
	if relative {
		origin = p.at
	}
	abs := func(i int) point { return point{origin.x + args[i], origin.y + args[i+1]} }
	reflected := func(after string) point {
		if p.last != after[0] && p.last != after[1] {
			return p.at
		}
		return point{2*p.at.x - p.control.x, 2*p.at.y - p.control.y}
	}
	from, to := p.at, p.at
	control := p.at
	switch command {
	case 'M', 'L':
		to = abs(0)
	case 'H':
		to.x = origin.x + args[0]
	case 'V':
		to.y = origin.y + args[0]
	case 'C':
		control, to = abs(2), abs(4)
		cubic(from, abs(0), control, to, draw)
	case 'S':
		first := reflected("CS")
		control, to = abs(0), abs(2)
		cubic(from, first, control, to, draw)
	case 'Q':
		control, to = abs(0), abs(2)
		quadratic(from, control, to, draw)
	case 'T':
		control, to = reflected("QT"), abs(0)
		quadratic(from, control, to, draw)
	case 'A':
		to = abs(5)
		arc(from, to, args[0], args[1], args[2]*math.Pi/180, args[3] != 0, args[4] != 0, draw)
	}
	p.at, p.last = to, command
	p.control = control
	if command == 'M' {
		p.start = to
	}
	draw(to)
}

func cubic(a, b, c, d point, draw func(point)) {
	for i := 1; i < curveSamples; i++ {
		t := float64(i) / curveSamples
		u := 1 - t
		draw(point{
			u*u*u*a.x + 3*u*u*t*b.x + 3*u*t*t*c.x + t*t*t*d.x,
			u*u*u*a.y + 3*u*u*t*b.y + 3*u*t*t*c.y + t*t*t*d.y,
		})
	}
}

func quadratic(a, b, c point, draw func(point)) {
	for i := 1; i < curveSamples; i++ {
		t := float64(i) / curveSamples
		u := 1 - t
		draw(point{u*u*a.x + 2*u*t*b.x + t*t*c.x, u*u*a.y + 2*u*t*b.y + t*t*c.y})
	}
}

// arc draws an elliptical arc as described in the implementation notes of SVG.
func arc(from, to point, rx, ry, angle float64, large, sweep bool, draw func(point)) {
	rx, ry = math.Abs(rx), math.Abs(ry)
	if rx == 0 || ry == 0 || from == to {
		return
	}
	sin, cos := math.Sincos(angle)
	dx, dy := (from.x-to.x)/2, (from.y-to.y)/2
	x, y := cos*dx+sin*dy, cos*dy-sin*dx
	if scale := x*x/(rx*rx) + y*y/(ry*ry); scale > 1 {
		rx, ry = rx*math.Sqrt(scale), ry*math.Sqrt(scale)
	}
	factor := math.Sqrt(max(0, rx*rx*ry*ry/(rx*rx*y*y+ry*ry*x*x)-1))
	if large == sweep {
		factor = -factor
	}
	centerX, centerY := factor*rx*y/ry, -factor*ry*x/rx
	center := point{cos*centerX - sin*centerY + (from.x+to.x)/2, sin*centerX + cos*centerY + (from.y+to.y)/2}
	begin := math.Atan2((y-centerY)/ry, (x-centerX)/rx)
	delta := math.Atan2((-y-centerY)/ry, (-x-centerX)/rx) - begin
	switch {
	case sweep && delta < 0:
		delta += 2 * math.Pi
	case !sweep && delta > 0:
		delta -= 2 * math.Pi
	}
	for i := 1; i < 2*curveSamples; i++ {
		s, c := math.Sincos(begin + delta*float64(i)/(2*curveSamples))
		draw(point{center.x + cos*rx*c - sin*ry*s, center.y + sin*rx*c + cos*ry*s})
	}
}
