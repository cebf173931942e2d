package icon

import (
	"maps"
	"slices"
	"strings"
)

// allowed holds, for each element a symbol may have, the attributes of its own
// that it may carry beside the common ones.
var allowed = map[string]map[string]bool{
	"g":              {},
	"defs":           {},
	"title":          {},
	"desc":           {},
	"path":           words("d pathLength"),
	"circle":         words("cx cy r pathLength"),
	"ellipse":        words("cx cy rx ry pathLength"),
	"line":           words("x1 y1 x2 y2 pathLength"),
	"polyline":       words("points pathLength"),
	"polygon":        words("points pathLength"),
	"rect":           words("x y width height rx ry pathLength"),
	"use":            words("href x y width height"),
	"mask":           words("x y width height maskUnits maskContentUnits"),
	"clipPath":       words("clipPathUnits"),
	"linearGradient": words("href x1 y1 x2 y2 gradientUnits gradientTransform spreadMethod"),
	"radialGradient": words("href cx cy r fx fy fr gradientUnits gradientTransform spreadMethod"),
	"stop":           words("offset"),
}

// common are the attributes that any element may carry. There is no color
// among them: what is drawn in currentColor is the paint's alone.
var common = words("id transform " +
	"clip-path clip-rule color-interpolation display fill fill-opacity fill-rule mask mask-type opacity paint-order " +
	"shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin " +
	"stroke-miterlimit stroke-opacity stroke-width vector-effect visibility")

// placing are the attributes of a root that say how large it is drawn by
// itself, or nothing at all. They have no place in an icon and are left out.
var placing = words("version baseProfile x y width height viewBox preserveAspectRatio")

// paints are the attributes whose value is a colour.
var paints = words("fill stroke stop-color")

// unpainted are the values of paints that do not fix a colour.
var unpainted = words("none currentcolor inherit transparent")

// functions may be called in the value of an attribute, beside url and var.
var functions = words("rgb rgba hsl hsla matrix translate scale rotate skewx skewy")

// animations are the elements that change others with time.
var animations = words("animate animatecolor animatemotion animatetransform discard mpath set")

// unseen are the elements whose content is drawn only where it is referred to.
var unseen = words("defs mask clipPath linearGradient radialGradient title desc")

var elementNames = slices.Sorted(maps.Keys(allowed))

// attributeNames lists what an element may carry.
func attributeNames(element string) []string {
	own := allowed[element]
	if element == "svg" {
		own = placing
	}
	return slices.Concat(slices.Sorted(maps.Keys(own)), slices.Sorted(maps.Keys(common)))
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}
