package icon

import (
	"strings"

	"placard/internal/core/problem"
)

// Rules holds the rules for symbols. Each example is a complete SVG document.
// ruleTooLarge has no example, because it would be too long.
var Rules = []problem.Rule{
	ruleTooLarge, ruleMalformed, ruleEntity, ruleEncoding, ruleDoctype, ruleProcessingInstruction, ruleNotSVG,
	ruleViewBoxMissing, ruleViewBoxInvalid,
	ruleScript, ruleForeignObject, ruleStyle, ruleAnimation, ruleElementNotAllowed, ruleTooDeep, ruleText,
	ruleEventAttribute, ruleAttributeNotAllowed, ruleValueNotAllowed, ruleGeometryInvalid,
	ruleExternalReference, ruleReferenceUnknown, ruleReferenceCycle, ruleIDDuplicate, ruleTooComplex,
	ruleEmpty, ruleFixedColor, rulePoorFit,
}

const (
	svgStart    = `<svg xmlns="` + svgNamespace + `" viewBox="0 0 36 36">` + "\n"
	svgEnd      = "\n</svg>"
	examplePath = `<path d="M9 9h18v18H9z"/>`
)

var ruleTooLarge = problem.Rule{
	Code:     "SYMBOL_TOO_LARGE",
	Severity: problem.Error,
	Title:    "A symbol must not be larger than 64 KiB.",
	Why:      "Every icon contains its whole symbol, and a page may show hundreds of icons.",
}

var ruleMalformed = problem.Rule{
	Code:     "SYMBOL_MALFORMED",
	Severity: problem.Error,
	Title:    "A symbol must be well-formed XML.",
	Why:      "Browsers do not draw an SVG image that is not well-formed.",
	Example:  svgStart + `<path d="M9 9h18v18H9z">` + svgEnd,
}

var ruleEntity = problem.Rule{
	Code:     "SYMBOL_ENTITY",
	Severity: problem.Error,
	Title:    "A symbol must use no entities other than the five predefined in XML.",
	Why:      "Any other entity must be defined in a DOCTYPE, which can make a small file expand without limit.",
	Example:  svgStart + `<title>Fish&nbsp;market</title>` + examplePath + svgEnd,
}

var ruleEncoding = problem.Rule{
	Code:     "SYMBOL_ENCODING",
	Severity: problem.Error,
	Title:    "A symbol must be encoded in UTF-8.",
	Why:      "Icons are encoded in UTF-8 and contain the symbol.",
	Example:  `<?xml version="1.0" encoding="ISO-8859-1"?>` + "\n" + svgStart + examplePath + svgEnd,
}

var ruleDoctype = problem.Rule{
	Code:     "SYMBOL_DOCTYPE",
	Severity: problem.Error,
	Title:    "A symbol must not have a DOCTYPE or a similar declaration.",
	Why:      "A DOCTYPE can load external files and define entities that expand without limit.",
	Example:  "<!DOCTYPE svg>\n" + svgStart + examplePath + svgEnd,
}

var ruleProcessingInstruction = problem.Rule{
	Code:     "SYMBOL_PROCESSING_INSTRUCTION",
	Severity: problem.Error,
	Title:    "A symbol must not have processing instructions.",
	Why:      "An instruction such as xml-stylesheet loads an external file.",
	Example:  `<?xml-stylesheet href="#look"?>` + "\n" + svgStart + examplePath + svgEnd,
}

var ruleNotSVG = problem.Rule{
	Code:     "SYMBOL_NOT_SVG",
	Severity: problem.Error,
	Title:    "The root of a symbol must be an svg element in the SVG namespace.",
	Why:      "Without the namespace, browsers show the file as text instead of drawing it.",
	Example:  `<svg viewBox="0 0 36 36">` + "\n" + examplePath + svgEnd,
}

var ruleViewBoxMissing = problem.Rule{
	Code:     "SYMBOL_VIEWBOX_MISSING",
	Severity: problem.Error,
	Title:    "A symbol must have a viewBox.",
	Why:      "Without a viewBox, the size of the drawing is unknown, so it cannot be fitted into a shape.",
	Example:  `<svg xmlns="` + svgNamespace + `" width="36" height="36">` + "\n" + examplePath + svgEnd,
}

var ruleViewBoxInvalid = problem.Rule{
	Code:     "SYMBOL_VIEWBOX_INVALID",
	Severity: problem.Error,
	Title:    "A viewBox must be four numbers with a width and height greater than zero.",
	Why:      "Browsers ignore any other viewBox or draw nothing.",
	Example:  `<svg xmlns="` + svgNamespace + `" viewBox="0 0 36 0">` + "\n" + examplePath + svgEnd,
}

var ruleScript = problem.Rule{
	Code:     "SYMBOL_SCRIPT",
	Severity: problem.Error,
	Title:    "A symbol must not contain a script.",
	Why:      "Icons are embedded in other websites' pages, where the script would run as part of the page.",
	Example:  svgStart + examplePath + `<script>alert(1)</script>` + svgEnd,
}

var ruleForeignObject = problem.Rule{
	Code:     "SYMBOL_FOREIGN_OBJECT",
	Severity: problem.Error,
	Title:    "A symbol must not contain a foreignObject element.",
	Why:      "It can contain any HTML, and many programs that draw SVG ignore it.",
	Example:  svgStart + examplePath + `<foreignObject width="9" height="9"><p xmlns="http://www.w3.org/1999/xhtml">9</p></foreignObject>` + svgEnd,
}

var ruleStyle = problem.Rule{
	Code:     "SYMBOL_STYLE",
	Severity: problem.Error,
	Title:    "A symbol must not have style sheets, and its style attributes must set only properties that are allowed as attributes.",
	Why:      "A style sheet would apply to the whole page that embeds the icon, and other properties can load external files.",
	Example:  svgStart + `<path style="filter:blur(2px)" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleAnimation = problem.Rule{
	Code:     "SYMBOL_ANIMATION",
	Severity: problem.Error,
	Title:    "A symbol must not be animated.",
	Why:      "Signs are printed as well as shown on screens, and an animation can change attributes after they were checked.",
	Example:  svgStart + `<path d="M9 9h18v18H9z"><animate attributeName="opacity" to="0" dur="1s"/></path>` + svgEnd,
}

var ruleElementNotAllowed = problem.Rule{
	Code:     "SYMBOL_ELEMENT_NOT_ALLOWED",
	Severity: problem.Error,
	Title:    "A symbol must be drawn only with basic shapes, groups, masks, clip paths and gradients.",
	Why:      "Other elements need fonts, images or programs that may be missing where an icon is shown.",
	Example:  svgStart + examplePath + `<text x="9" y="9">9</text>` + svgEnd,
}

var ruleTooDeep = problem.Rule{
	Code:     "SYMBOL_TOO_DEEP",
	Severity: problem.Error,
	Title:    "The elements of a symbol must not be nested more than 32 levels deep.",
	Why:      "No drawing needs deeper nesting, and it breaks programs that read the icon.",
	Example:  svgStart + strings.Repeat("<g>", maxDepth) + examplePath + strings.Repeat("</g>", maxDepth) + svgEnd,
}

var ruleText = problem.Rule{
	Code:     "SYMBOL_TEXT",
	Severity: problem.Error,
	Title:    "A symbol must not have text outside title and desc.",
	Why:      "Text between shapes is not drawn, so it is probably a mistake.",
	Example:  svgStart + examplePath + `fish` + svgEnd,
}

var ruleEventAttribute = problem.Rule{
	Code:     "SYMBOL_EVENT_ATTRIBUTE",
	Severity: problem.Error,
	Title:    "A symbol must not have event attributes such as onclick.",
	Why:      "They contain scripts, which would run in the pages that embed the icon.",
	Example:  svgStart + `<path onclick="alert(1)" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleAttributeNotAllowed = problem.Rule{
	Code:     "SYMBOL_ATTRIBUTE_NOT_ALLOWED",
	Severity: problem.Error,
	Title:    "The elements of a symbol must have only attributes that position, shape and paint them.",
	Why:      "Other attributes affect a program or a page, not the drawing.",
	Example:  svgStart + `<path class="wide" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleValueNotAllowed = problem.Rule{
	Code:     "SYMBOL_VALUE_NOT_ALLOWED",
	Severity: problem.Error,
	Title:    "An attribute value must consist of numbers, words, colours, transforms and references.",
	Why:      "Other functions and CSS escapes can load external files or depend on the page around the icon.",
	Example:  svgStart + `<path fill="image-set(#fish 1x)" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleGeometryInvalid = problem.Rule{
	Code:     "SYMBOL_GEOMETRY_INVALID",
	Severity: problem.Error,
	Title:    "Path data, points, lengths and transforms must follow the grammar of SVG.",
	Why:      "Browsers draw a path only up to its first error and ignore other values that they cannot read.",
	Example:  svgStart + `<path d="M9 9h18v18Lhello"/>` + svgEnd,
}

var ruleExternalReference = problem.Rule{
	Code:     "SYMBOL_EXTERNAL_REFERENCE",
	Severity: problem.Error,
	Title:    "A symbol must refer only to its own parts, as #id.",
	Why:      "Anything else is loaded from the network, reveals who views the icon, and may disappear.",
	Example:  svgStart + `<use href="https://example.org/fish.svg#fish"/>` + svgEnd,
}

var ruleReferenceUnknown = problem.Rule{
	Code:     "SYMBOL_REFERENCE_UNKNOWN",
	Severity: problem.Error,
	Title:    "Every reference must name an id in the same symbol.",
	Why:      "Programs handle a missing target differently: some draw nothing, others draw everything.",
	Example:  svgStart + `<path fill="url(#fish)" d="M9 9h18v18H9z"/>` + svgEnd,
}

var ruleReferenceCycle = problem.Rule{
	Code:     "SYMBOL_REFERENCE_CYCLE",
	Severity: problem.Error,
	Title:    "A part of a symbol must not refer to itself, directly or indirectly.",
	Why:      "Such a drawing never ends, so programs reject it or hang.",
	Example:  svgStart + `<g id="fish"><use href="#fish"/></g>` + svgEnd,
}

var ruleIDDuplicate = problem.Rule{
	Code:     "SYMBOL_ID_DUPLICATE",
	Severity: problem.Error,
	Title:    "An id must be unique within a symbol.",
	Why:      "Programs disagree on which element a duplicate id refers to.",
	Example:  svgStart + `<path id="fish" d="M9 9h18v18H9z"/><path id="fish" d="M0 0h9v9H0z"/>` + svgEnd,
}

var ruleTooComplex = problem.Rule{
	Code:     "SYMBOL_TOO_COMPLEX",
	Severity: problem.Error,
	Title:    "With all references expanded, a symbol must not draw more than 16384 elements.",
	Why:      "References to references multiply: a few lines can keep a browser busy for minutes.",
	Example: svgStart + `<g id="a">` + strings.Repeat(examplePath, 16) + `</g>` +
		`<g id="b">` + strings.Repeat(`<use href="#a"/>`, 32) + `</g>` +
		`<g id="c">` + strings.Repeat(`<use href="#b"/>`, 32) + `</g>` + svgEnd,
}

var ruleEmpty = problem.Rule{
	Code:     "SYMBOL_EMPTY",
	Severity: problem.Warning,
	Title:    "A symbol should draw something.",
	Why:      "The icon would be an empty shape.",
	Example:  svgStart + `<g/>` + svgEnd,
}

var ruleFixedColor = problem.Rule{
	Code:     "SYMBOL_FIXED_COLOR",
	Severity: problem.Warning,
	Title:    "A symbol should be drawn in currentColor.",
	Why:      "A fixed colour is the same in every variant and may be invisible on some backgrounds.",
	Example:  svgStart + `<path fill="navy" d="M9 9h18v18H9z"/>` + svgEnd,
}

var rulePoorFit = problem.Rule{
	Code:     "SYMBOL_POOR_FIT",
	Severity: problem.Warning,
	Title:    "A drawing should fill the middle of its viewBox without reaching the edges.",
	Why:      "The viewBox is scaled to the size of the icon, so a small drawing on a large page is hardly visible, and one that reaches the edges crosses the outline.",
	Example:  `<svg xmlns="` + svgNamespace + `" viewBox="0 0 210 297">` + "\n" + examplePath + svgEnd,
}
