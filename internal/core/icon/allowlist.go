package icon

import (
	"maps"
	"slices"
	"strings"
)

// allowedElements maps each element that a symbol may contain to the attributes
// that it may have in addition to commonAttributes.
var allowedElements = map[string]map[string]bool{
	"g":              {},
	"defs":           {},
	"title":          {},
	"desc":           {},
	"path":           wordSet("d pathLength"),
	"circle":         wordSet("cx cy r pathLength"),
	"ellipse":        wordSet("cx cy rx ry pathLength"),
	"line":           wordSet("x1 y1 x2 y2 pathLength"),
	"polyline":       wordSet("points pathLength"),
	"polygon":        wordSet("points pathLength"),
	"rect":           wordSet("x y width height rx ry pathLength"),
	"use":            wordSet("href x y width height"),
	"mask":           wordSet("x y width height maskUnits maskContentUnits"),
	"clipPath":       wordSet("clipPathUnits"),
	"linearGradient": wordSet("href x1 y1 x2 y2 gradientUnits gradientTransform spreadMethod"),
	"radialGradient": wordSet("href cx cy r fx fy fr gradientUnits gradientTransform spreadMethod"),
	"stop":           wordSet("offset"),
}

// commonAttributes holds the attributes that any element may have; the root must
// not have transform. The attribute color is not allowed, so that only the paint
// determines currentColor.
var commonAttributes = wordSet("id transform " +
	"clip-path clip-rule color-interpolation display fill fill-opacity fill-rule mask mask-type opacity paint-order " +
	"shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin " +
	"stroke-miterlimit stroke-opacity stroke-width vector-effect visibility")

// styleProperties holds the commonAttributes that are also CSS properties with the
// same values. A transform is written differently in CSS.
var styleProperties = slices.DeleteFunc(slices.Sorted(maps.Keys(commonAttributes)), func(name string) bool {
	return name == "id" || name == "transform"
})

func isProperty(name string) bool {
	_, found := slices.BinarySearch(styleProperties, name)
	return found
}

// editorNamespaces holds the namespaces in which drawing programs store their own
// data. Nothing in them is drawn, so it is omitted from icons.
var editorNamespaces = wordSet("http://www.inkscape.org/namespaces/inkscape http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd " +
	"http://www.bohemiancoding.com/sketch/ns http://www.figma.com/figma/ns http://www.serif.com/ https://vecta.io/nano " +
	"http://ns.adobe.com/AdobeIllustrator/10.0/ http://ns.adobe.com/AdobeSVGViewerExtensions/3.0/ http://ns.adobe.com/Extensibility/1.0/ " +
	"http://ns.adobe.com/Graphs/1.0/ http://ns.adobe.com/ImageReplacement/1.0/ http://ns.adobe.com/SaveForWeb/1.0/ " +
	"http://ns.adobe.com/Variables/1.0/ http://ns.adobe.com/Flows/1.0/ http://ns.adobe.com/GenericCustomNamespace/1.0/ " +
	"http://ns.adobe.com/XPath/1.0/ http://www.w3.org/1999/02/22-rdf-syntax-ns# http://purl.org/dc/elements/1.1/ http://creativecommons.org/ns#")

// rootAttributes holds the attributes of the root element that describe the
// document as a whole. Only those in frame affect the output.
var rootAttributes = wordSet("version baseProfile x y width height viewBox preserveAspectRatio")

// nonFixedColors holds the lower-case values of colour attributes that are not
// fixed colours.
var nonFixedColors = wordSet("none currentcolor inherit transparent")

// keywords holds the values of the attributes that accept only keywords.
var keywords = map[string][]string{
	"clip-rule": {"nonzero", "evenodd"}, "fill-rule": {"nonzero", "evenodd"},
	"color-interpolation": {"auto", "sRGB", "linearRGB"},
	"stroke-linecap":      {"butt", "round", "square"},
	"stroke-linejoin":     {"miter", "miter-clip", "round", "bevel", "arcs"},
	"mask-type":           {"luminance", "alpha"},
	"visibility":          {"visible", "hidden", "collapse"},
	"shape-rendering":     {"auto", "optimizeSpeed", "crispEdges", "geometricPrecision"},
	"spreadMethod":        {"pad", "reflect", "repeat"},
	"gradientUnits":       unitSystems, "maskUnits": unitSystems, "maskContentUnits": unitSystems, "clipPathUnits": unitSystems,
}

var unitSystems = []string{"userSpaceOnUse", "objectBoundingBox"}

// isKeyword reports whether value is one of the keywords of an attribute, or one
// that all properties accept.
func isKeyword(value string, known []string) bool {
	return slices.ContainsFunc(slices.Concat(known, []string{"inherit", "initial", "unset"}), func(k string) bool {
		return strings.EqualFold(k, value)
	})
}

// allowedFunctions holds the functions that attribute values may call, in
// addition to url and var.
var allowedFunctions = wordSet("rgb rgba hsl hsla matrix translate scale rotate skewx skewy")

// animationElements holds the lower-case names of animation elements.
var animationElements = wordSet("animate animatecolor animatemotion animatetransform discard mpath set")

// hiddenElements holds the elements that are drawn only where they are
// referenced, if at all.
var hiddenElements = wordSet("defs mask clipPath linearGradient radialGradient title desc")

var elementNames = slices.Sorted(maps.Keys(allowedElements))

// attributeNames returns the attributes that an element may have.
func attributeNames(element string) []string {
	specific, common := allowedElements[element], slices.Sorted(maps.Keys(commonAttributes))
	if element == "svg" {
		specific = rootAttributes
		common = slices.DeleteFunc(common, func(name string) bool { return name == "transform" })
	}
	return slices.Concat(slices.Sorted(maps.Keys(specific)), common)
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
