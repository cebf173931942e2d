package icon

import "math"

// Point is a point in user units.
type Point struct{ X, Y float64 }

// Matrix is an affine transform: x' = Ax + Cy + E, y' = Bx + Dy + F.
type Matrix struct{ A, B, C, D, E, F float64 }

// Identity is the transform that changes nothing.
var Identity = Matrix{A: 1, D: 1}

// newMatrix returns the matrix of a transform function.
func newMatrix(name string, args []float64) Matrix {
	arg := func(i int, missing float64) float64 {
		if i < len(args) {
			return args[i]
		}
		return missing
	}
	x := arg(0, 0)
	switch name {
	case "matrix":
		return Matrix{x, arg(1, 0), arg(2, 0), arg(3, 0), arg(4, 0), arg(5, 0)}
	case "translate":
		return Matrix{1, 0, 0, 1, x, arg(1, 0)}
	case "scale":
		return Matrix{x, 0, 0, arg(1, x), 0, 0}
	case "rotate":
		sin, cos := math.Sincos(x * math.Pi / 180)
		around := Point{arg(1, 0), arg(2, 0)}
		m := Matrix{cos, sin, -sin, cos, around.X, around.Y}
		return m.Multiply(Matrix{1, 0, 0, 1, -around.X, -around.Y})
	case "skewX":
		return Matrix{1, 0, math.Tan(x * math.Pi / 180), 1, 0, 0}
	case "skewY":
		return Matrix{1, math.Tan(x * math.Pi / 180), 0, 1, 0, 0}
	}
	return Identity
}

// Apply returns the transformed point.
func (m Matrix) Apply(p Point) Point {
	return Point{m.A*p.X + m.C*p.Y + m.E, m.B*p.X + m.D*p.Y + m.F}
}

// Multiply returns the transform that applies n first, then m.
func (m Matrix) Multiply(n Matrix) Matrix {
	origin := m.Apply(Point{n.E, n.F})
	return Matrix{m.A*n.A + m.C*n.B, m.B*n.A + m.D*n.B, m.A*n.C + m.C*n.D, m.B*n.C + m.D*n.D, origin.X, origin.Y}
}

// ParseTransform returns the product of a list of transforms. It stops at the
// first error.
func ParseTransform(list string) Matrix { return (&scanner{text: list}).transform() }
