package icon

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"placard/internal/core/problem"
)

// geometryError is a syntax error in the geometry of an element.
type geometryError struct {
	offset  int // in the value
	message string
}

// checkGeometry returns an error if value does not follow the grammar of the
// attribute called name. It accepts all values of other attributes.
func checkGeometry(name, value string) *geometryError {
	s := scanner{text: value}
	switch {
	case name == "d":
		s.path(&sampler{draw: func(Point) {}})
	case name == "points":
		s.points(func(Point) {})
	case name == "transform" || name == "gradientTransform":
		s.transform()
	case lengthAttributes[name]:
		s.length()
	}
	return s.err
}

// lengthAttributes holds the attributes whose value is a length.
var lengthAttributes = wordSet("cx cy r rx ry x y x1 y1 x2 y2 width height fx fy fr")

// units holds the length of each unit in user units. The units that depend on the
// viewport or a font have no fixed length.
var units = map[string]float64{
	"": 1, "px": 1, "pt": 4. / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "Q": 96 / 101.6,
	"%": math.NaN(), "em": math.NaN(), "ex": math.NaN(), "rem": math.NaN(), "ch": math.NaN(),
}

// scanner reads the geometry of an element. After an error, it reads nothing more.
type scanner struct {
	text   string
	offset int
	err    *geometryError
}

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = &geometryError{s.offset, fmt.Sprintf(format, args...)}
	}
}

// failExpecting reports that the text at the current offset is not the expected one.
func (s *scanner) failExpecting(expected string) {
	if s.offset == len(s.text) {
		s.fail("The value ends where %s is expected.", expected)
		return
	}
	found, _, _ := strings.Cut(s.text[s.offset:], " ")
	if word := leadingWord(found); word != "" {
		found = word
	}
	s.fail("%q is not %s.", problem.Clip(found), expected)
}

func (s *scanner) done() bool { return s.err != nil || s.offset == len(s.text) }

func (s *scanner) skipSpace() {
	for s.offset < len(s.text) && strings.IndexByte(" \t\r\n\f", s.text[s.offset]) >= 0 {
		s.offset++
	}
}

// skipSeparator skips white space and at most one comma.
func (s *scanner) skipSeparator() (comma bool) {
	s.skipSpace()
	if comma = strings.HasPrefix(s.text[s.offset:], ","); comma {
		s.offset++
		s.skipSpace()
	}
	return comma
}

// number reads a number at the current offset, without white space before it.
func (s *scanner) number() float64 {
	if s.err != nil {
		return 0
	}
	end := s.offset
	digits := func() (found bool) {
		for end < len(s.text) && '0' <= s.text[end] && s.text[end] <= '9' {
			end++
			found = true
		}
		return found
	}
	skip := func(set string) bool {
		if end < len(s.text) && strings.IndexByte(set, s.text[end]) >= 0 {
			end++
			return true
		}
		return false
	}
	skip("+-")
	valid := digits()
	if skip(".") {
		valid = digits() || valid
	}
	if mantissa := end; valid && skip("eE") {
		skip("+-")
		if !digits() {
			end = mantissa // The e begins a unit such as em.
		}
	}
	v, err := strconv.ParseFloat(s.text[s.offset:end], 64)
	if !valid || err != nil {
		s.failExpecting("a number")
		return 0
	}
	s.offset = end
	return v
}

// startsNumber reports whether a number starts at the current offset.
func (s *scanner) startsNumber() bool {
	return !s.done() && strings.IndexByte("0123456789+-.", s.text[s.offset]) >= 0
}

// length reads a length with an optional unit. The result is NaN if it depends on
// the viewport or a font.
func (s *scanner) length() float64 {
	s.skipSpace()
	if s.text[s.offset:] == "auto" {
		return math.NaN()
	}
	v := s.number()
	unit, known := units[strings.TrimSpace(s.text[s.offset:])]
	if s.err == nil && !known {
		s.failExpecting("a unit of length")
	}
	return v * unit
}

// ParsePoints returns the points of a polygon or polyline. It stops at the first
// error.
func ParsePoints(list string) []Point {
	var all []Point
	s := scanner{text: list}
	s.points(func(p Point) {
		if s.err == nil {
			all = append(all, p)
		}
	})
	return all
}

// ParseLength returns a length in user units. Percentages refer to whole, and
// units of fonts to a font of 16 pixels. It reports false if text is not a length.
func ParseLength(text string, whole float64) (length float64, ok bool) {
	s := scanner{text: text}
	s.skipSpace()
	length = s.number()
	if s.err != nil {
		return 0, false
	}
	switch unit := strings.TrimSpace(text[s.offset:]); unit {
	case "%":
		return length * whole / 100, true
	case "em", "rem":
		return length * 16, true
	case "ex", "ch":
		return length * 8, true
	default:
		factor, known := units[unit]
		return length * factor, known
	}
}

// points calls draw for each point of a polygon or polyline.
func (s *scanner) points(draw func(Point)) {
	s.skipSpace()
	for !s.done() {
		x := s.number()
		s.skipSeparator()
		draw(Point{x, s.number()})
		s.skipSeparator()
	}
}

// arities holds the numbers of arguments that each transform function accepts.
var arities = map[string][]int{
	"matrix": {6}, "translate": {1, 2}, "scale": {1, 2}, "rotate": {1, 3}, "skewX": {1}, "skewY": {1},
}

// transform reads a list of transforms and returns their product.
func (s *scanner) transform() Matrix {
	m := Identity
	s.skipSpace()
	if s.text[s.offset:] == "none" {
		return m
	}
	for !s.done() {
		name := leadingWord(s.text[s.offset:])
		arity := arities[name]
		if arity == nil {
			s.failExpecting("a transform such as rotate(45)")
			return m
		}
		s.offset += len(name)
		s.skipSpace()
		if s.done() || s.text[s.offset] != '(' {
			s.failExpecting("the opening parenthesis of a transform")
			return m
		}
		s.offset++
		s.skipSpace()
		var args []float64
		comma := false
		for s.startsNumber() && len(args) < 6 {
			args = append(args, s.number())
			comma = s.skipSeparator()
		}
		switch {
		case comma && !s.startsNumber():
			s.failExpecting("a number")
		case s.err == nil && !slices.Contains(arity, len(args)):
			s.fail("%s has the wrong number of arguments: %d.", name, len(args))
		}
		if s.done() || s.text[s.offset] != ')' {
			s.failExpecting("the closing parenthesis of a transform")
			return m
		}
		s.offset++
		if s.skipSeparator() && s.done() {
			s.failExpecting("a transform")
		}
		m = m.Multiply(newMatrix(name, args))
	}
	return m
}
