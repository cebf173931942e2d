package raster

import (
	"math"
	"strconv"
	"strings"

	"placard/internal/core/icon"
)

// style holds the properties that elements inherit.
type style struct {
	color         rgba
	fill, stroke  paint
	fillOpacity   float64
	strokeOpacity float64
	evenOdd       bool // fill-rule
	clipEvenOdd   bool // clip-rule
	strokeWidth   string
	lineCap       string
	lineJoin      string
	miterLimit    float64
	dashes        string
	dashOffset    string
	hidden        bool
}

// paint is the value of fill or stroke. The zero paint paints nothing.
type paint struct {
	reference string // url(#id) of a gradient, or empty
	color     rgba   // without a reference, or if the gradient cannot paint
}

// property is an inherited property. Values that are not valid have no effect, as
// in browsers.
type property struct {
	initial string
	set     func(s *style, value string)
}

var properties = map[string]property{
	"fill":              {"black", func(s *style, v string) { s.fill = s.parsePaint(v, s.fill) }},
	"stroke":            {"none", func(s *style, v string) { s.stroke = s.parsePaint(v, s.stroke) }},
	"fill-opacity":      {"1", func(s *style, v string) { s.fillOpacity = parseFraction(v, s.fillOpacity) }},
	"stroke-opacity":    {"1", func(s *style, v string) { s.strokeOpacity = parseFraction(v, s.strokeOpacity) }},
	"fill-rule":         {"nonzero", func(s *style, v string) { s.evenOdd = parseSwitch(v, "evenodd", "nonzero", s.evenOdd) }},
	"clip-rule":         {"nonzero", func(s *style, v string) { s.clipEvenOdd = parseSwitch(v, "evenodd", "nonzero", s.clipEvenOdd) }},
	"stroke-dasharray":  {"none", func(s *style, v string) { s.dashes = v }},
	"stroke-dashoffset": {"0", func(s *style, v string) { s.dashOffset = v }},
	"visibility":        {"visible", func(s *style, v string) { s.hidden = v != "visible" }},
	"stroke-width": {"1", func(s *style, v string) {
		if w, ok := icon.ParseLength(v, 1); ok && w >= 0 {
			s.strokeWidth = v
		}
	}},
	"stroke-linecap": {"butt", func(s *style, v string) {
		if v == "butt" || v == "round" || v == "square" {
			s.lineCap = v
		}
	}},
	// Browsers do not support the joins miter-clip and arcs.
	"stroke-linejoin": {"miter", func(s *style, v string) {
		if v == "miter" || v == "round" || v == "bevel" {
			s.lineJoin = v
		}
	}},
	"stroke-miterlimit": {"4", func(s *style, v string) {
		if limit, err := strconv.ParseFloat(v, 64); err == nil && limit >= 0 {
			s.miterLimit = limit
		}
	}},
}

// rootStyle is the style outside the root element.
var rootStyle = func() style {
	s := style{color: rgba{A: 255}}
	for _, p := range properties {
		p.set(&s, p.initial)
	}
	return s
}()

// inherit returns the style of an element whose parent has the style s.
func (s style) inherit(n *node) style {
	if c, ok := parseColor(strings.ToLower(n.attrs["color"]), s.color); ok {
		s.color = c
	}
	for name, value := range n.attrs {
		p, inherited := properties[name]
		if !inherited {
			continue
		}
		switch value = lower(value); value {
		case "inherit", "unset":
		case "initial":
			p.set(&s, p.initial)
		default:
			p.set(&s, value)
		}
	}
	return s
}

// lower returns a value in lower case, except for the id in a reference.
func lower(value string) string {
	if strings.Contains(value, "#") && strings.Contains(value, "(") {
		return value
	}
	return strings.ToLower(value)
}

func (s *style) parsePaint(value string, otherwise paint) paint {
	if strings.HasPrefix(value, "url(") {
		reference, fallback, _ := strings.Cut(value, ")")
		color, _ := parseColor(strings.ToLower(strings.TrimSpace(fallback)), s.color)
		return paint{reference + ")", color}
	}
	if value == "none" {
		return paint{}
	}
	if color, ok := parseColor(value, s.color); ok {
		return paint{color: color}
	}
	return otherwise
}

// parseFraction parses a number from 0 to 1 or a percentage.
func parseFraction(value string, otherwise float64) float64 {
	number, percent := strings.CutSuffix(value, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) {
		return otherwise
	}
	if percent {
		v /= 100
	}
	return min(max(v, 0), 1)
}

func parseSwitch(value, yes, no string, otherwise bool) bool {
	switch value {
	case yes:
		return true
	case no:
		return false
	}
	return otherwise
}

// styleOf returns the style of an element that is drawn because it is referred
// to, which it inherits from the elements around it.
func styleOf(n *node) style {
	if n == nil {
		return rootStyle
	}
	return styleOf(n.parent).inherit(n)
}

// opacity returns the value of an opacity property that is not inherited.
func (n *node) opacity(name string) float64 { return parseFraction(n.attrs[name], 1) }
