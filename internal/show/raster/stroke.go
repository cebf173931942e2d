package raster

import (
	"math"
	"strings"

	"placard/internal/core/icon"
)

// stroker draws the stroke of polylines as polygons, one for each segment, join
// and cap.
type stroker struct {
	radius     float64
	lineCap    string
	lineJoin   string
	miterLimit float64
	turn       float64 // maximum angle between the points of an arc
	emit       func(polygon []point)
}

func add(p, d point, length float64) point { return point{X: p.X + d.X*length, Y: p.Y + d.Y*length} }

// direction returns the unit vector from p to q, or false if they are the same.
func direction(p, q point) (point, bool) {
	dx, dy := q.X-p.X, q.Y-p.Y
	length := math.Hypot(dx, dy)
	if length < 1e-9 {
		return point{}, false
	}
	return point{X: dx / length, Y: dy / length}, true
}

// normal returns the direction to the left of d.
func normal(d point) point { return point{X: -d.Y, Y: d.X} }

// draw draws the stroke of a polyline.
func (s *stroker) draw(line polyline) {
	if !line.drawn {
		return
	}
	points := distinct(line)
	if len(points) == 1 {
		s.dot(points[0])
		return
	}
	count := len(points) - 1
	if line.closed {
		count++
	}
	directions := make([]point, count)
	for i := range directions {
		directions[i], _ = direction(points[i], points[(i+1)%len(points)])
	}
	for i, d := range directions {
		p, q := points[i], points[(i+1)%len(points)]
		n := normal(d)
		s.emit([]point{add(p, n, s.radius), add(q, n, s.radius), add(q, n, -s.radius), add(p, n, -s.radius)})
		switch {
		case i > 0:
			s.join(p, directions[i-1], d)
		case line.closed:
			s.join(p, directions[count-1], d)
		}
	}
	if !line.closed {
		first, last := directions[0], directions[count-1]
		s.end(points[0], point{X: -first.X, Y: -first.Y})
		s.end(points[len(points)-1], last)
	}
}

// distinct returns the points of a polyline without repetitions.
func distinct(line polyline) []point {
	var points []point
	for _, p := range line.points {
		if len(points) > 0 {
			if _, ok := direction(points[len(points)-1], p); !ok {
				continue
			}
		}
		points = append(points, p)
	}
	if line.closed && len(points) > 1 {
		if _, ok := direction(points[len(points)-1], points[0]); !ok {
			points = points[:len(points)-1]
		}
	}
	return points
}

// dot draws a subpath of length zero, which is visible only with caps.
func (s *stroker) dot(p point) {
	right, left := point{X: 1}, point{X: -1}
	s.end(p, right)
	s.end(p, left)
}

// end draws the cap at p, where a line ends in the direction d.
func (s *stroker) end(p, d point) {
	n := normal(d)
	a, b := add(p, n, s.radius), add(p, n, -s.radius)
	switch s.lineCap {
	case "square":
		s.emit([]point{a, add(a, d, s.radius), add(b, d, s.radius), b})
	case "round":
		s.emit(s.arc(p, n, -math.Pi))
	}
}

// maxArcSegments limits the points of a cap or join, which increase with the width
// of the stroke. It is enough for the largest images.
const maxArcSegments = 1024

// arc returns the points of an arc around p that starts in the direction from and
// turns by an angle.
func (s *stroker) arc(p, from point, angle float64) []point {
	count := int(min(max(1, math.Ceil(math.Abs(angle)/s.turn)), maxArcSegments))
	points := make([]point, 0, count+2)
	for i := range count + 1 {
		sin, cos := math.Sincos(angle * float64(i) / float64(count))
		points = append(points, add(p, point{X: from.X*cos - from.Y*sin, Y: from.X*sin + from.Y*cos}, s.radius))
	}
	return points
}

// minCorner is the cosine of the smallest angle that is a corner. Others are in curves,
// or look the same with any join.
const minCorner = 0.97

// join draws the join at p between lines in the directions d and e.
func (s *stroker) join(p, d, e point) {
	cross, dot := d.X*e.Y-d.Y*e.X, d.X*e.X+d.Y*e.Y
	if math.Abs(cross) < 1e-12 && dot > 0 {
		return
	}
	side := 1.0 // of the outer edge
	if cross > 0 {
		side = -1
	}
	n, o := normal(d), normal(e)
	n, o = point{X: n.X * side, Y: n.Y * side}, point{X: o.X * side, Y: o.Y * side}
	a, b := add(p, n, s.radius), add(p, o, s.radius)
	switch {
	case s.lineJoin == "round" || dot > minCorner:
		s.emit(append(s.arc(p, n, math.Atan2(cross, dot)), p))
	case s.lineJoin == "miter" && math.Sqrt(2/(1+dot)) <= s.miterLimit:
		tip := add(p, point{X: n.X + o.X, Y: n.Y + o.Y}, s.radius/(1+dot))
		s.emit([]point{p, a, tip, b})
	default:
		s.emit([]point{p, a, b})
	}
}

// dash is a pattern of dashes and gaps.
type dash struct {
	lengths []float64
	offset  float64
}

// parseDash returns the pattern of a style, or false if lines are solid.
func (s *style) parseDash(diagonal float64) (dash, bool) {
	var d dash
	total := 0.0
	for _, f := range strings.FieldsFunc(s.dashes, func(r rune) bool { return r == ' ' || r == ',' }) {
		length, ok := icon.ParseLength(f, diagonal)
		if !ok || length < 0 {
			return dash{}, false
		}
		d.lengths = append(d.lengths, length)
		total += length
	}
	if !(total > 0) {
		return dash{}, false
	}
	if len(d.lengths)%2 == 1 {
		d.lengths = append(d.lengths, d.lengths...)
		total *= 2
	}
	offset, _ := icon.ParseLength(s.dashOffset, diagonal)
	d.offset = math.Mod(math.Mod(offset, total)+total, total)
	return d, true
}

// maxDashes limits the dashes of one subpath. Shorter dashes are drawn solid.
const maxDashes = 1 << 14

// split returns the dashes of a polyline.
func (d dash) split(line polyline) []polyline {
	points := distinct(line)
	if len(points) < 2 {
		return []polyline{line}
	}
	if line.closed {
		points = append(points, points[0])
	}
	length, total := 0.0, 0.0
	for i := range points[1:] {
		length += math.Hypot(points[i+1].X-points[i].X, points[i+1].Y-points[i].Y)
	}
	for _, l := range d.lengths {
		total += l
	}
	if length/total*float64(len(d.lengths)) > maxDashes {
		return []polyline{line}
	}
	index, rest := 0, d.offset
	for rest >= d.lengths[index] {
		rest -= d.lengths[index]
		index = (index + 1) % len(d.lengths)
	}
	rest = d.lengths[index] - rest
	var dashes []polyline
	on := func() bool { return index%2 == 0 }
	begin := func(p point) {
		dashes = append(dashes, polyline{drawn: true})
		dashes[len(dashes)-1].add(p)
	}
	startsOn := on()
	if startsOn {
		begin(points[0])
	}
	for i := range points[1:] {
		p, q := points[i], points[i+1]
		along, ok := direction(p, q)
		if !ok {
			continue
		}
		left := math.Hypot(q.X-p.X, q.Y-p.Y)
		for left > rest {
			p = add(p, along, rest)
			left -= rest
			if on() {
				dashes[len(dashes)-1].add(p)
			}
			index = (index + 1) % len(d.lengths)
			rest = d.lengths[index]
			if on() {
				begin(p)
			}
		}
		rest -= left
		if on() {
			dashes[len(dashes)-1].add(q)
		}
	}
	// The last dash of a closed subpath continues in the first one.
	if n := len(dashes); line.closed && startsOn && on() && n > 1 {
		first := dashes[0]
		dashes[n-1].points = append(dashes[n-1].points, first.points[1:]...)
		dashes = dashes[1:]
	}
	return dashes
}
