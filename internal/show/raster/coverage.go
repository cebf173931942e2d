package raster

import (
	"image"
	"math"
)

// coverage computes which part of each pixel a set of polygons covers. For each
// pixel, it adds up the heights of the edges in it and the areas to the left of
// them; the sum of the heights along a row is the winding number, and the areas
// correct it for the pixels that an edge divides. Coordinates are rounded to 1/256
// of a pixel, and the rest of the computation is exact.
type coverage struct {
	size  int
	cells []cell // by row; the last cell of a row is to the right of the image
	dirty image.Rectangle
}

type cell struct{ height, area int32 }

const (
	subpixelBits = 8
	subpixel     = 1 << subpixelBits
)

func newCoverage(size int) *coverage {
	return &coverage{size: size, cells: make([]cell, size*(size+1))}
}

// polygon adds a closed polygon in pixels.
func (c *coverage) polygon(points []point) {
	for i, p := range points {
		c.edge(p, points[(i+1)%len(points)])
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
	for i, p := range points {
		q := points[(i+1)%len(points)]
		if area < 0 {
			p, q = q, p
		}
		c.edge(p, q)
	}
}

// edge adds an edge, clipped to the image. The part to the left of the image is
// moved to its border, because it still changes the winding number.
func (c *coverage) edge(p, q point) {
	limit := float64(c.size)
	p, q = bounded(p), bounded(q)
	if isNaN(p) || isNaN(q) || p.Y == q.Y || max(p.Y, q.Y) <= 0 || min(p.Y, q.Y) >= limit {
		return
	}
	at := func(y float64) float64 { return p.X + (y-p.Y)*(q.X-p.X)/(q.Y-p.Y) }
	clip := func(r point) point {
		if y := min(max(r.Y, 0), limit); y != r.Y {
			return point{X: at(y), Y: y}
		}
		return r
	}
	from, to := clip(p), clip(q)
	// Split the edge where it crosses the left and right borders.
	cuts := [4]point{from, from, to, to}
	crossing := func(x float64) (point, bool) {
		if (from.X < x) == (to.X < x) {
			return point{}, false
		}
		t := (x - from.X) / (to.X - from.X)
		return point{X: x, Y: from.Y + t*(to.Y-from.Y)}, true
	}
	left, okLeft := crossing(0)
	right, okRight := crossing(limit)
	if okLeft && okRight && from.X > to.X {
		left, right = right, left
	}
	switch {
	case okLeft && okRight:
		cuts[1], cuts[2] = left, right
	case okLeft:
		cuts[1], cuts[2] = left, left
	case okRight:
		cuts[1], cuts[2] = right, right
	}
	for i := range 3 {
		c.line(c.fixed(cuts[i]), c.fixed(cuts[i+1]))
	}
}

// maxCoordinate is far outside of any image. The products of two coordinates and
// the differences between them are finite.
const maxCoordinate = 1e9

// bounded moves a point that is too far away.
func bounded(p point) point {
	return point{X: min(max(p.X, -maxCoordinate), maxCoordinate), Y: min(max(p.Y, -maxCoordinate), maxCoordinate)}
}

func isNaN(p point) bool { return math.IsNaN(p.X) || math.IsNaN(p.Y) }

// fixedPoint is a point in subpixels.
type fixedPoint struct{ x, y int }

// fixed rounds a point to subpixels inside the image or on its borders.
func (c *coverage) fixed(p point) fixedPoint {
	limit := float64(c.size)
	return fixedPoint{int(math.Round(min(max(p.X, 0), limit) * subpixel)), int(math.Round(min(max(p.Y, 0), limit) * subpixel))}
}

// line adds a line inside the image, one row after the other.
func (c *coverage) line(p, q fixedPoint) {
	if p.y == q.y {
		return
	}
	c.dirty = c.dirty.Union(image.Rect(min(p.x, q.x)>>subpixelBits, min(p.y, q.y)>>subpixelBits,
		max(p.x, q.x)>>subpixelBits+1, (max(p.y, q.y)+subpixel-1)>>subpixelBits))
	sign := int32(1)
	if p.y > q.y {
		p, q = q, p
		sign = -1
	}
	for y, x := p.y, p.x; y < q.y; {
		row := y >> subpixelBits
		nextY := min((row+1)<<subpixelBits, q.y)
		nextX := q.x
		if nextY < q.y {
			nextX = p.x + divide((nextY-p.y)*(q.x-p.x), q.y-p.y)
		}
		c.row(row, fixedPoint{x, y}, fixedPoint{nextX, nextY}, sign)
		x, y = nextX, nextY
	}
}

// row adds a line inside one row of pixels, one pixel after the other from left to
// right.
func (c *coverage) row(row int, p, q fixedPoint, sign int32) {
	cells := c.cells[row*(c.size+1) : (row+1)*(c.size+1)]
	if p.x > q.x {
		p, q = q, p
		sign = -sign
	}
	for at := p; ; {
		column := at.x >> subpixelBits
		next := q
		if border := (column + 1) << subpixelBits; q.x > border {
			next = fixedPoint{border, p.y + divide((border-p.x)*(q.y-p.y), q.x-p.x)}
		}
		height := int32(next.y-at.y) * sign
		cells[column].height += height
		cells[column].area += height * int32(at.x+next.x-2*(column<<subpixelBits))
		if next == q {
			return
		}
		at = next
	}
}

// divide returns the quotient rounded towards negative infinity.
func divide(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// sweep calls span for each row that polygons touch, with the coverage of the
// pixels from x on, and clears the polygons.
func (c *coverage) sweep(evenOdd, aliased bool, span func(x, y int, alpha []uint8)) {
	dirty := c.dirty.Intersect(image.Rect(0, 0, c.size, c.size))
	alpha := make([]uint8, dirty.Dx())
	for y := dirty.Min.Y; y < dirty.Max.Y; y++ {
		cells := c.cells[y*(c.size+1) : (y+1)*(c.size+1)]
		height, touched := int32(0), false
		for x := dirty.Min.X; x < dirty.Max.X; x++ {
			height += cells[x].height
			covered := (height*2*subpixel - cells[x].area) >> (subpixelBits + 1)
			cells[x] = cell{}
			alpha[x-dirty.Min.X] = toAlpha(covered, evenOdd, aliased)
			touched = touched || alpha[x-dirty.Min.X] != 0
		}
		cells[c.size] = cell{}
		if touched {
			span(dirty.Min.X, y, alpha)
		}
	}
	c.dirty = image.Rectangle{}
}

// toAlpha applies a fill rule to a coverage in subpixels, which exceeds one pixel
// where polygons overlap.
func toAlpha(covered int32, evenOdd, aliased bool) uint8 {
	if covered < 0 {
		covered = -covered
	}
	if evenOdd {
		if covered %= 2 * subpixel; covered > subpixel {
			covered = 2*subpixel - covered
		}
	}
	if aliased {
		covered = covered / (subpixel / 2) * subpixel
	}
	return uint8(min(covered, subpixel-1))
}
