package icon

import (
	"fmt"
	"math"

	"placard/internal/core/taxonomy"
)

// Color is an opaque sRGB colour.
type Color struct{ R, G, B uint8 }

var (
	black = Color{}
	white = Color{0xFF, 0xFF, 0xFF}
)

// ParseColor parses a colour of the form #RRGGBB, in upper or lower case.
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

// String returns the colour in the form #RRGGBB.
func (c Color) String() string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// luminance returns the relative luminance defined by WCAG 2.
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

// Contrast returns the contrast ratio between two colours as defined by WCAG 2,
// from 1 for equal colours to 21 for black and white.
func Contrast(a, b Color) float64 {
	light, dark := a.luminance(), b.luminance()
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

// Difference returns the distance between two colours in the OKLab colour space.
// It is 1 for black and white and about 0.02 for a just noticeable difference.
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

// Paint holds the colours of an icon variant.
type Paint struct {
	Ink        Color // replaces currentColor in the symbol
	Outline    Color // colour of the shape's outline
	Background Color // fills the shape if Filled is set
	Filled     bool
}

var (
	blackOnTransparent = Paint{Ink: black, Outline: black}
	// The outline keeps the icon visible on any page, including black ones.
	whiteOnBlack = Paint{Ink: white, Outline: white, Background: black, Filled: true}
)

// PaintFor returns the paint of an icon variant: default, dark, or the id of a
// value of context, which may be nil. It returns false for any other variant. A
// value without a colour has the paint of the default variant.
func PaintFor(variant string, context *taxonomy.Context) (Paint, bool) {
	switch variant {
	case taxonomy.VariantDefault:
		return blackOnTransparent, true
	case taxonomy.VariantDark:
		return whiteOnBlack, true
	}
	value, ok := context.Value(variant)
	if !ok {
		return Paint{}, false
	}
	background, ok := ParseColor(value.Color)
	if !ok || !value.Tinted {
		return blackOnTransparent, true
	}
	ink := black
	if Contrast(white, background) > Contrast(black, background) {
		ink = white
	}
	// An outline in the ink colour would be invisible on a page of that colour,
	// making the shape look smaller.
	return Paint{Ink: ink, Outline: background, Background: background, Filled: true}, true
}
