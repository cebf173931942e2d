package icon

import (
	"strings"

	"placard/internal/problem"
)

// Rules are the rows of what a symbol must keep to. The example of each is a
// whole SVG document; the rule on size has none, as it would be too long to show.
var Rules = []problem.Rule{
	ruleTooLarge, ruleMalformed, ruleEntity, ruleEncoding, ruleDoctype, ruleProcessingInstruction, ruleNotSVG,
	ruleViewBoxMissing, ruleViewBoxInvalid,
	ruleScript, ruleForeignObject, ruleStyle, ruleAnimation, ruleElementNotAllowed, ruleTooDeep, ruleText,
	ruleEventAttribute, ruleAttributeNotAllowed, ruleValueNotAllowed,
	ruleExternalReference, ruleReferenceUnknown, ruleReferenceCycle, ruleIDDuplicate, ruleTooComplex,
	ruleEmpty, ruleFixedColor,
}

const (
	svgStart = `<svg xmlns="` + svgNamespace + `" viewBox="0 0 36 36">` + "\n"
	svgEnd   = "\n</svg>"
	drawn    = `<path d="M9 9h18v18H9z"/>`
)

var ruleTooLarge = problem.Rule{
	Code:     "SYMBOL_TOO_LARGE",
	Severity: problem.Error,
	Title:    "A symbol is at most 64 KiB.",
	Why:      "Every icon of the symbol carries all of it, and a page may show hundreds of icons.",
}

var ruleMalformed = problem.Rule{
	Code:     "SYMBOL_MALFORMED",
	Severity: problem.Error,
	Title:    "A symbol is well-formed XML.",
	Why:      "Browsers draw nothing at all of an SVG image that is not well-formed.",
	Example:  svgStart + `<path d="M9 9h18v18H9z">` + svgEnd,
}

var ruleEntity = problem.Rule{
	Code:     "SYMBOL_ENTITY",
	Severity: problem.Error,
	Title:    "A symbol uses no entities but the five of XML.",
	Why:      "Any other entity needs a DOCTYPE to define it, and a DOCTYPE can make a small file expand without end.",
	Example:  svgStart + `<title>Fish&nbsp;market</title>` + drawn + svgEnd,
}

var ruleEncoding = problem.Rule{
	Code:     "SYMBOL_ENCODING",
	Severity: problem.Error,
	Title:    "A symbol is encoded in UTF-8.",
	Why:      "Icons are UTF-8, and a symbol becomes part of them.",
	Example:  `<?xml version="1.0" encoding="ISO-8859-1"?>` + "\n" + svgStart + drawn + svgEnd,
}

var ruleDoctype = problem.Rule{
	Code:     "SYMBOL_DOCTYPE",
	Severity: problem.Error,
	Title:    "A symbol has no DOCTYPE and no other declaration of that kind.",
	Why:      "A DOCTYPE can load files from elsewhere and define entities that expand without end.",
	Example:  "<!DOCTYPE svg>\n" + svgStart + drawn + svgEnd,
}

var ruleProcessingInstruction = problem.Rule{
	Code:     "SYMBOL_PROCESSING_INSTRUCTION",
	Severity: problem.Error,
	Title:    "A symbol has no processing instructions.",
	Why:      "An instruction such as xml-stylesheet loads what is not part of the symbol.",
	Example:  `<?xml-stylesheet href="#look"?>` + "\n" + svgStart + drawn + svgEnd,
}

var ruleNotSVG = problem.Rule{
	Code:     "SYMBOL_NOT_SVG",
	Severity: problem.Error,
	Title:    "A symbol's root is an svg element in the SVG namespace.",
	Why:      "Without its namespace a browser shows the file as text.",
	Example:  `<svg viewBox="0 0 36 36">` + "\n" + drawn + svgEnd,
}

var ruleViewBoxMissing = problem.Rule{
	Code:     "SYMBOL_VIEWBOX_MISSING",
	Severity: problem.Error,
	Title:    "A symbol has a viewBox.",
	Why:      "Without one there is no telling how large the drawing is, so it cannot be fitted into a shape.",
	Example:  `<svg xmlns="` + svgNamespace + `" width="36" height="36">` + "\n" + drawn + svgEnd,
}

var ruleViewBoxInvalid = problem.Rule{
	Code:     "SYMBOL_VIEWBOX_INVALID",
	Severity: problem.Error,
	Title:    "A viewBox is four numbers, of which width and height are above zero.",
	Why:      "Browsers ignore any other viewBox or draw nothing.",
	Example:  `<svg xmlns="` + svgNamespace + `" viewBox="0 0 36 0">` + "\n" + drawn + svgEnd,
}

var ruleScript = problem.Rule{
	Code:     "SYMBOL_SCRIPT",
	Severity: problem.Error,
	Title:    "A symbol has no script.",
	Why:      "An icon stands inside other people's pages, where its script would run as theirs.",
	Example:  svgStart + drawn + `<script>alert(1)</script>` + svgEnd,
}

var ruleForeignObject = problem.Rule{
	Code:     "SYMBOL_FOREIGN_OBJECT",
	Severity: problem.Error,
	Title:    "A symbol has no foreignObject.",
	Why:      "It can hold any HTML, and many programs that draw SVG leave it out.",
	Example:  svgStart + drawn + `<foreignObject width="9" height="9"><p xmlns="http://www.w3.org/1999/xhtml">9</p></foreignObject>` + svgEnd,
}

var ruleStyle = problem.Rule{
	Code:     "SYMBOL_STYLE",
	Severity: problem.Error,
	Title:    "A symbol has no style sheets and no style attributes.",
	Why:      "The rules of a style sheet would apply to the whole page an icon stands in, and can load things from elsewhere.",
	Example:  svgStart + `<path style="fill:none" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleAnimation = problem.Rule{
	Code:     "SYMBOL_ANIMATION",
	Severity: problem.Error,
	Title:    "A symbol does not move.",
	Why:      "Signs are printed as well as shown, and an animation can change any attribute after it was checked.",
	Example:  svgStart + `<path d="M9 9h18v18H9z"><animate attributeName="opacity" to="0" dur="1s"/></path>` + svgEnd,
}

var ruleElementNotAllowed = problem.Rule{
	Code:     "SYMBOL_ELEMENT_NOT_ALLOWED",
	Severity: problem.Error,
	Title:    "A symbol is drawn with plain shapes, groups, masks, clip paths and gradients only.",
	Why:      "Other elements need fonts, images or programs that are not there wherever an icon is shown.",
	Example:  svgStart + drawn + `<text x="9" y="9">9</text>` + svgEnd,
}

var ruleTooDeep = problem.Rule{
	Code:     "SYMBOL_TOO_DEEP",
	Severity: problem.Error,
	Title:    "The elements of a symbol are nested at most 32 deep.",
	Why:      "Deeper nesting serves no drawing and breaks programs that read the icon.",
	Example:  svgStart + strings.Repeat("<g>", maxDepth) + drawn + strings.Repeat("</g>", maxDepth) + svgEnd,
}

var ruleText = problem.Rule{
	Code:     "SYMBOL_TEXT",
	Severity: problem.Error,
	Title:    "A symbol has no text outside title and desc.",
	Why:      "Text between shapes is not drawn, so it is there by mistake.",
	Example:  svgStart + drawn + `fish` + svgEnd,
}

var ruleEventAttribute = problem.Rule{
	Code:     "SYMBOL_EVENT_ATTRIBUTE",
	Severity: problem.Error,
	Title:    "A symbol has no event attributes such as onclick.",
	Why:      "They hold script, which would run inside other people's pages.",
	Example:  svgStart + `<path onclick="alert(1)" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleAttributeNotAllowed = problem.Rule{
	Code:     "SYMBOL_ATTRIBUTE_NOT_ALLOWED",
	Severity: problem.Error,
	Title:    "The elements of a symbol have only attributes that place, shape and paint them.",
	Why:      "Other attributes mean something to a program or a page, not to the drawing.",
	Example:  svgStart + `<path class="wide" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleValueNotAllowed = problem.Rule{
	Code:     "SYMBOL_VALUE_NOT_ALLOWED",
	Severity: problem.Error,
	Title:    "An attribute's value is plain: numbers, words, colours, transforms and references.",
	Why:      "Other functions and CSS escapes can load things from elsewhere or depend on the page around the icon.",
	Example:  svgStart + `<path fill="image-set(#fish 1x)" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleExternalReference = problem.Rule{
	Code:     "SYMBOL_EXTERNAL_REFERENCE",
	Severity: problem.Error,
	Title:    "A symbol refers only to its own parts, as #id.",
	Why:      "Anything else is fetched from the network, tells others who looks at the icon, and may be gone tomorrow.",
	Example:  svgStart + `<use href="https://example.org/fish.svg#fish"/>` + svgEnd,
}

var ruleReferenceUnknown = problem.Rule{
	Code:     "SYMBOL_REFERENCE_UNKNOWN",
	Severity: problem.Error,
	Title:    "Every reference names an id of the same symbol.",
	Why:      "Programs disagree on what a reference to nothing looks like: some draw nothing, some draw all.",
	Example:  svgStart + `<path fill="url(#fish)" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleReferenceCycle = problem.Rule{
	Code:     "SYMBOL_REFERENCE_CYCLE",
	Severity: problem.Error,
	Title:    "No part of a symbol refers to itself, directly or through others.",
	Why:      "Such a drawing has no end; programs refuse it or hang.",
	Example:  svgStart + `<g id="fish"><use href="#fish"/></g>` + svgEnd,
}

var ruleIDDuplicate = problem.Rule{
	Code:     "SYMBOL_ID_DUPLICATE",
	Severity: problem.Error,
	Title:    "An id stands once in a symbol.",
	Why:      "A reference to an id that stands twice is drawn differently from program to program.",
	Example:  svgStart + `<path id="fish" d="M9 9h18v18H9z"/><path id="fish" d="M0 0h9v9H0z"/>` + svgEnd,
}

var ruleTooComplex = problem.Rule{
	Code:     "SYMBOL_TOO_COMPLEX",
	Severity: problem.Error,
	Title:    "With every reference followed, a symbol draws at most 16384 elements.",
	Why:      "References to references multiply: a few lines can keep a browser busy for minutes.",
	Example: svgStart + `<g id="a">` + strings.Repeat(drawn, 16) + `</g>` +
		`<g id="b">` + strings.Repeat(`<use href="#a"/>`, 32) + `</g>` +
		`<g id="c">` + strings.Repeat(`<use href="#b"/>`, 32) + `</g>` + svgEnd,
}

var ruleEmpty = problem.Rule{
	Code:     "SYMBOL_EMPTY",
	Severity: problem.Warning,
	Title:    "A symbol draws something.",
	Why:      "The icon would be a bare shape.",
	Example:  svgStart + `<g/>` + svgEnd,
}

var ruleFixedColor = problem.Rule{
	Code:     "SYMBOL_FIXED_COLOR",
	Severity: problem.Warning,
	Title:    "A symbol is drawn in currentColor.",
	Why:      "A colour of its own stays the same in every variant, and may vanish on the ground of one of them.",
	Example:  svgStart + `<path fill="navy" d="M9 9h18v18H9z"/>` + svgEnd,
}
