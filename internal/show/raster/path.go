package raster

import (
	"math"

	"placard/internal/core/icon"
)

type (
	point  = icon.Point
	matrix = icon.Matrix
)

// tolerance is the maximum distance in pixels between a curve and the line
// segments that replace it.
const tolerance = 0.02

// strokeTolerance is the tolerance of curves that are stroked. At the ends of a wide
// stroke, the difference between the directions of the curve and of a segment is visible.
const strokeTolerance = tolerance / 8

// polyline is a subpath whose curves are replaced by line segments.
type polyline struct {
	points []point
	closed bool
	drawn  bool // has a segment, perhaps of length zero
}

func (p *polyline) add(at point) { p.points = append(p.points, at) }

// flattener is an [icon.PathSink] that replaces curves by line segments.
type flattener struct {
	tolerance float64
	lines     []polyline
	start     point
}

func (f *flattener) MoveTo(p point) {
	f.start = p
	f.lines = append(f.lines, polyline{})
	f.last().add(p)
}

func (f *flattener) last() *polyline { return &f.lines[len(f.lines)-1] }

// segment returns the subpath to which a segment is added. After Close, a new
// subpath starts where the closed one did.
func (f *flattener) segment() *polyline {
	if len(f.lines) == 0 || f.last().closed {
		f.MoveTo(f.start)
	}
	line := f.last()
	line.drawn = true
	return line
}

func (f *flattener) LineTo(p point) { f.segment().add(p) }

func (f *flattener) CurveTo(a, b, p point) {
	line := f.segment()
	from := line.points[len(line.points)-1]
	// The distance of the curve from n segments is at most 6d/8n².
	d := max(math.Hypot(from.X-2*a.X+b.X, from.Y-2*a.Y+b.Y), math.Hypot(a.X-2*b.X+p.X, a.Y-2*b.Y+p.Y))
	n := math.Sqrt(0.75 * d / f.tolerance)
	const maxSegments = 256
	count := int(min(max(1, math.Ceil(n)), maxSegments))
	for i := 1; i < count; i++ {
		line.add(icon.CurvePoint(from, a, b, p, float64(i)/float64(count)))
	}
	line.add(p)
}

func (f *flattener) Close() {
	line := f.segment()
	line.closed = true
}

// outline draws the outline of a basic shape in user units. Other elements have none.
func outline(n *node, view point, sink icon.PathSink) {
	width, height, diagonal := view.X, view.Y, math.Hypot(view.X, view.Y)/math.Sqrt2
	switch n.name {
	case "path":
		icon.DrawPath(n.attrs["d"], sink)
	case "polygon", "polyline":
		points := icon.ParsePoints(n.attrs["points"])
		if len(points) == 0 {
			return
		}
		sink.MoveTo(points[0])
		for _, p := range points[1:] {
			sink.LineTo(p)
		}
		if n.name == "polygon" {
			sink.Close()
		}
	case "line":
		sink.MoveTo(point{X: n.length("x1", width, 0), Y: n.length("y1", height, 0)})
		sink.LineTo(point{X: n.length("x2", width, 0), Y: n.length("y2", height, 0)})
	case "circle":
		r := n.length("r", diagonal, 0)
		ellipse(point{X: n.length("cx", width, 0), Y: n.length("cy", height, 0)}, r, r, sink)
	case "ellipse":
		rx, ry := n.length("rx", width, math.NaN()), n.length("ry", height, math.NaN())
		rx, ry = radii(rx, ry)
		ellipse(point{X: n.length("cx", width, 0), Y: n.length("cy", height, 0)}, rx, ry, sink)
	case "rect":
		w, h := n.length("width", width, 0), n.length("height", height, 0)
		rx, ry := radii(n.length("rx", width, math.NaN()), n.length("ry", height, math.NaN()))
		rectangle(point{X: n.length("x", width, 0), Y: n.length("y", height, 0)}, w, h, min(rx, w/2), min(ry, h/2), sink)
	}
}

// radii returns the radii of a rectangle or ellipse. A missing or negative one,
// which may be NaN, is the same as the other.
func radii(rx, ry float64) (float64, float64) {
	if !(rx >= 0) {
		rx = ry
	}
	if !(ry >= 0) {
		ry = rx
	}
	if !(rx >= 0) {
		return 0, 0
	}
	return rx, ry
}

// arcHandle is the length of the handles of a cubic curve that replaces a quarter
// of a unit circle.
const arcHandle = 0.5522847498307936

func ellipse(center point, rx, ry float64, sink icon.PathSink) {
	if !(rx > 0 && ry > 0) {
		return
	}
	at := func(x, y float64) point { return point{X: center.X + rx*x, Y: center.Y + ry*y} }
	const h = arcHandle
	sink.MoveTo(at(1, 0))
	sink.CurveTo(at(1, h), at(h, 1), at(0, 1))
	sink.CurveTo(at(-h, 1), at(-1, h), at(-1, 0))
	sink.CurveTo(at(-1, -h), at(-h, -1), at(0, -1))
	sink.CurveTo(at(h, -1), at(1, -h), at(1, 0))
	sink.Close()
}

func rectangle(at point, w, h, rx, ry float64, sink icon.PathSink) {
	if !(w > 0 && h > 0) {
		return
	}
	if rx == 0 || ry == 0 {
		sink.MoveTo(at)
		sink.LineTo(point{X: at.X + w, Y: at.Y})
		sink.LineTo(point{X: at.X + w, Y: at.Y + h})
		sink.LineTo(point{X: at.X, Y: at.Y + h})
		sink.Close()
		return
	}
	left, right, top, bottom := at.X, at.X+w, at.Y, at.Y+h
	cx, cy := rx*(1-arcHandle), ry*(1-arcHandle)
	sink.MoveTo(point{X: left + rx, Y: top})
	sink.LineTo(point{X: right - rx, Y: top})
	sink.CurveTo(point{X: right - cx, Y: top}, point{X: right, Y: top + cy}, point{X: right, Y: top + ry})
	sink.LineTo(point{X: right, Y: bottom - ry})
	sink.CurveTo(point{X: right, Y: bottom - cy}, point{X: right - cx, Y: bottom}, point{X: right - rx, Y: bottom})
	sink.LineTo(point{X: left + rx, Y: bottom})
	sink.CurveTo(point{X: left + cx, Y: bottom}, point{X: left, Y: bottom - cy}, point{X: left, Y: bottom - ry})
	sink.LineTo(point{X: left, Y: top + ry})
	sink.CurveTo(point{X: left, Y: top + cy}, point{X: left + cx, Y: top}, point{X: left + rx, Y: top})
	sink.Close()
}
