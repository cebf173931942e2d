package raster

import (
	"cmp"
	"math"
	"slices"
)

// coverage computes which part of each pixel a set of polygons covers. It divides each
// row of pixels into lines, finds where the edges cross the middle of each line, and
// adds up the parts of the lines that are inside. Coordinates are rounded to 1/256 of a
// pixel, and the rest of the computation is exact.
type coverage struct {
	size  int
	edges []edge
}

// edge is an edge of a polygon in subpixels, from top to bottom.
type edge struct {
	top, bottom fixedPoint
	winding     int // 1 if the polygon is drawn downwards here, or else -1
}

// fixedPoint is a point in subpixels.
type fixedPoint struct{ x, y int }

// crossing is the position at which an edge crosses a line.
type crossing struct{ x, winding int }

const (
	subpixel    = 256
	linesPerRow = 16
	lineHeight  = subpixel / linesPerRow
)

// polygon adds a closed polygon in pixels.
func (c *coverage) polygon(points []point) {
	for i, p := range points {
		c.add(p, points[(i+1)%len(points)])
	}
}

// oriented adds a closed polygon, reversed if it is not drawn clockwise, so that
// overlapping polygons do not cancel each other.
func (c *coverage) oriented(points []point) {
	area := 0.0
	for i, p := range points {
		q := points[(i+1)%len(points)]
		area += p.X*q.Y - q.X*p.Y
	}
	if area < 0 {
		slices.Reverse(points)
	}
	c.polygon(points)
}

// add adds an edge, unless it is above or below the image.
func (c *coverage) add(p, q point) {
	if math.IsNaN(p.X) || math.IsNaN(p.Y) || math.IsNaN(q.X) || math.IsNaN(q.Y) {
		return
	}
	e := edge{fixed(p), fixed(q), 1}
	if e.top.y > e.bottom.y {
		e = edge{e.bottom, e.top, -1}
	}
	if e.top.y < e.bottom.y && e.bottom.y > 0 && e.top.y < c.size*subpixel {
		c.edges = append(c.edges, e)
	}
}

// maxCoordinate is far outside of any image. The product of two coordinates in
// subpixels fits into 64 bits.
const maxCoordinate = 1e6

// fixed rounds a point to subpixels. It moves a point that is too far away.
func fixed(p point) fixedPoint {
	round := func(v float64) int { return int(math.Round(min(max(v, -maxCoordinate), maxCoordinate) * subpixel)) }
	return fixedPoint{round(p.X), round(p.Y)}
}

// at returns the position of the edge at the height y, which is not above its top.
func (e edge) at(y int) int {
	dx, dy := int64(e.bottom.x-e.top.x), int64(e.bottom.y-e.top.y)
	return e.top.x + int(math.Floor(float64(int64(y-e.top.y)*dx)/float64(dy)))
}

// stepCrossings is the number of crossings between two calls of step.
const stepCrossings = 1 << 14

// sweep calls span for each row with the coverage of its pixels, and clears the
// polygons. It calls step during long work, and stops with its error.
func (c *coverage) sweep(evenOdd bool, step func() error, span func(y int, alpha []uint8)) error {
	waiting := c.edges
	c.edges = c.edges[:0]
	if len(waiting) == 0 {
		return nil
	}
	slices.SortFunc(waiting, func(a, b edge) int { return cmp.Compare(a.top.y, b.top.y) })
	var active []edge
	var crossings []crossing
	covered, alpha := make([]int, c.size+2), make([]uint8, c.size) // covered has the differences between pixels
	work := 0
	for y := max(0, waiting[0].top.y/subpixel); y < c.size && len(waiting)+len(active) > 0; y++ {
		for middle := y*subpixel + lineHeight/2; middle < (y+1)*subpixel; middle += lineHeight {
			for len(waiting) > 0 && waiting[0].top.y <= middle {
				active = append(active, waiting[0])
				waiting = waiting[1:]
			}
			active = slices.DeleteFunc(active, func(e edge) bool { return e.bottom.y <= middle })
			crossings = crossings[:0]
			for _, e := range active {
				crossings = append(crossings, crossing{min(max(e.at(middle), 0), c.size*subpixel), e.winding})
			}
			slices.SortFunc(crossings, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
			coverLine(covered, crossings, evenOdd)
			if work += len(crossings); work > stepCrossings {
				work = 0
				if err := step(); err != nil {
					return err
				}
			}
		}
		sum := 0
		for x := range alpha {
			sum += covered[x]
			alpha[x] = uint8(min(sum/linesPerRow, 255))
		}
		clear(covered)
		span(y, alpha)
	}
	return nil
}

// coverLine adds the parts of a line that are inside, given its crossings from left to
// right.
func coverLine(covered []int, crossings []crossing, evenOdd bool) {
	winding := 0
	isInside := func() bool { return winding != 0 && (!evenOdd || winding%2 != 0) }
	for _, cross := range crossings {
		wasInside := isInside()
		winding += cross.winding
		if isInside() == wasInside {
			continue
		}
		sign := 1
		if wasInside {
			sign = -1
		}
		column, left := cross.x/subpixel, cross.x%subpixel
		covered[column] += sign * (subpixel - left)
		covered[column+1] += sign * left
	}
}
