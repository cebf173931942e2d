package icon

import (
	"fmt"
	"math"

	"placard/internal/taxonomy"
)

// Color is an opaque sRGB colour.
type Color struct{ R, G, B uint8 }

var (
	black = Color{}
	white = Color{0xFF, 0xFF, 0xFF}
)

// ParseColor reads a colour written #RRGGBB, in either case.
func ParseColor(s string) (Color, bool) {
	if len(s) != len("#RRGGBB") || s[0] != '#' {
		return Color{}, false
	}
	var rgb [3]uint8
	for i := range rgb {
		high, ok1 := hexDigit(s[1+2*i])
		low, ok2 := hexDigit(s[2+2*i])
		if !ok1 || !ok2 {
			return Color{}, false
		}
		rgb[i] = high<<4 | low
	}
	return Color{rgb[0], rgb[1], rgb[2]}, true
}

func hexDigit(c byte) (uint8, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// String writes the colour as #RRGGBB.
func (c Color) String() string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// luminance is the relative luminance of WCAG 2.
func (c Color) luminance() float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// Contrast returns the contrast ratio of WCAG 2 between two colours, from 1
// for the same colour to 21 for black on white.
func Contrast(a, b Color) float64 {
	light, dark := a.luminance(), b.luminance()
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

// Difference returns how far apart two colours look: their distance in the
// OKLab space, in which black and white are 1 apart and a difference that a
// careful eye just notices is about 0.02.
func Difference(a, b Color) float64 {
	p, q := a.oklab(), b.oklab()
	return math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
}

func (c Color) oklab() [3]float64 {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// Paint is what a variant colours: the ink draws everything in the symbol that
// asks for currentColor, the outline goes around the shape, and the ground
// fills it where it is filled at all.
type Paint struct {
	Ink     Color
	Outline Color
	Ground  Color
	Filled  bool
}

var (
	blackOnNothing = Paint{Ink: black, Outline: black}
	// The outline lets the icon stand on any page, dark ones included.
	whiteOnBlack = Paint{Ink: white, Outline: white, Ground: black, Filled: true}
)

// PaintFor returns the paint of an icon variant: default, dark, or the id of a
// value of context, which may be nil. It is false for any other name. A value
// that has no colour of its own is painted as default.
func PaintFor(variant string, context *taxonomy.Context) (Paint, bool) {
	switch variant {
	case taxonomy.VariantDefault:
		return blackOnNothing, true
	case taxonomy.VariantDark:
		return whiteOnBlack, true
	}
	value, ok := context.Value(variant)
	if !ok {
		return Paint{}, false
	}
	ground, ok := ParseColor(value.Color)
	if !ok || !value.Tinted {
		return blackOnNothing, true
	}
	ink := black
	if Contrast(white, ground) > Contrast(black, ground) {
		ink = white
	}
	// An outline in the ink would vanish on a page of that colour and leave
	// shapes of different sizes.
	return Paint{Ink: ink, Outline: ground, Ground: ground, Filled: true}, true
}
