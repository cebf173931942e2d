package icon

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"placard/internal/core/problem"
)

func TestGeometryFollowsTheGrammar(t *testing.T) {
	for _, test := range []struct {
		name, value string
		offset      int // of the error, or -1
	}{
		{"d", "", -1},
		{"d", "none", -1},
		{"d", " M9 9 ", -1},
		{"d", "m9,9,1 1L1-1.5.5 1e-1-2E+1-1z", -1},
		{"d", "M9 9H9V9h1 2v3,4C1 1 2 2 3 3S1 1 2 2Q1 1 2 2T3 3z", -1},
		{"d", "M9 9a1 1 0 011 1A1,1,0,1,0,9,9a1 1 0 1 0.5.5", -1},
		{"d", "M9 9zM1. 1z", -1},
		{"d", "M9 9\n\tL\r\n1\f1", -1},
		{"d", "L9 9", 0},
		{"d", "9 9", 0},
		{"d", "M9 9 Lhello", 6},
		{"d", "M9", 2},
		{"d", "M9 9 9", 6},
		{"d", "M9 9L", 5},
		{"d", "M9,,9", 3},
		{"d", "M9 9,", 5},
		{"d", "M9 9h", 5},
		{"d", "M9 9B1 1", 4},
		{"d", "M9 9z 4", 6},
		{"d", "M9 9a1 1 0 2 0 1 1", 11},
		{"d", "M9 9h1e999", 5},
		{"d", "M9 9 #", 5},
		{"d", "M- 9", 1},
		{"points", "", -1},
		{"points", "1,2 3,4", -1},
		{"points", "1-2-3.5.5", -1},
		{"points", "1 2 3", 5},
		{"points", "1 2 fish", 4},
		{"transform", "", -1},
		{"transform", "none", -1},
		{"transform", "translate(1) translate(1,2),scale(2)rotate( 45 )rotate(4 1 1) skewX(1)skewY(2)matrix(1 0 0 1 0 0)", -1},
		{"transform", "translate(1", 11},
		{"transform", "translate()", 10},
		{"transform", "rotate(1 2)", 10},
		{"transform", "rotate(1,)", 9},
		{"transform", "rotate(1,,2,3)", 9},
		{"transform", "rotate(1),", 10},
		{"transform", "matrix(1 0 0 1 0 0 0)", 19},
		{"transform", "spin(45)", 0},
		{"transform", "translate 4", 10},
		{"transform", "translate(fish)", 10},
		{"transform", "scale(1) 4", 9},
		{"gradientTransform", "spin(45)", 0},
		{"r", "1.5", -1},
		{"r", " 12mm ", -1},
		{"rx", "auto", -1},
		{"width", "50%", -1},
		{"width", "1em", -1},
		{"r", "", 0},
		{"r", "fish", 0},
		{"r", "12 12", 2},
		{"r", "12fish", 2},
		{"fill", "fish", -1},
	} {
		got := -1
		err := checkGeometry(test.name, test.value)
		if err != nil {
			got = err.offset
			if !strings.HasSuffix(err.message, ".") {
				t.Errorf("%s=%q: %q does not end in a period", test.name, test.value, err.message)
			}
		}
		if got != test.offset {
			t.Errorf("%s=%q: got an error %v at %d, want %d", test.name, test.value, err, got, test.offset)
		}
	}
}

func TestGeometryErrorsHavePositions(t *testing.T) {
	for svg, want := range map[string]string{
		in(`<path d="M9 9 Lhello"/>`):                      `2:16: SYMBOL_GEOMETRY_INVALID: The attribute "d" of <path> cannot be read. "hello" is not a number.`,
		in("<path d='M9 9\nL9'/>"):                         `3:3: SYMBOL_GEOMETRY_INVALID: The attribute "d" of <path> cannot be read. The value ends where a number is expected.`,
		in(`<path d="M9 9&#32;Lhello"/>`):                  `2:10: SYMBOL_GEOMETRY_INVALID: The attribute "d" of <path> cannot be read. "hello" is not a number.`,
		in(`<circle cx="18" cy="18" r="big"/>`):            `2:28: SYMBOL_GEOMETRY_INVALID: The attribute "r" of <circle> cannot be read. "big" is not a number.`,
		in(`<path style="fill-rule:odd" d="M9 9h18v18"/>`): `2:14: SYMBOL_VALUE_NOT_ALLOWED: "odd" is not a value of the attribute "fill-rule".`,
	} {
		_, found := ParseSymbol([]byte(svg))
		if len(found) != 1 || !strings.Contains(fmt.Sprint(found), want) {
			t.Errorf("%s: got %v, want %s", svg, found, want)
		}
	}
}

func TestExtents(t *testing.T) {
	for content, want := range map[string]box{
		`<path d="M9 9h18v-2l1 9z"/>`:                                                   {Point{9, 7}, Point{28, 16}},
		`<path d="m9 9 1 1M20 20m1 1z h4"/>`:                                            {Point{9, 9}, Point{25, 21}},
		`<path d="M0 0C0 8 8 8 8 0"/>`:                                                  {Point{0, 0}, Point{8, 6}},
		`<path d="M0 0C0 4 4 4 4 0S8-4 8 0"/>`:                                          {Point{0, -3}, Point{8, 3}},
		`<path d="M0 0Q4 8 8 0T16 0"/>`:                                                 {Point{0, -4}, Point{16, 4}},
		`<path d="M10 18a8 8 0 0 1 16 0"/>`:                                             {Point{10, 10}, Point{26, 18}},
		`<path d="M10 18a8 8 0 0 0 16 0"/>`:                                             {Point{10, 18}, Point{26, 26}},
		`<path d="M10 18A2 2 0 1 1 26 18"/>`:                                            {Point{10, 10}, Point{26, 18}},
		`<circle cx="18" cy="17" r="8"/>`:                                               {Point{10, 9}, Point{26, 25}},
		`<ellipse cx="18" cy="17" rx="8" ry="4"/>`:                                      {Point{10, 13}, Point{26, 21}},
		`<rect x="1" y="2" width="3" height="4"/>`:                                      {Point{1, 2}, Point{4, 6}},
		`<line x1="9" y1="1" x2="3" y2="4"/>`:                                           {Point{3, 1}, Point{9, 4}},
		`<polygon points="1,2 3,4 0,9"/>`:                                               {Point{0, 2}, Point{3, 9}},
		`<g transform="translate(1 2)scale(2)"><path d="M1 1h1v1"/></g>`:                {Point{3, 4}, Point{5, 6}},
		`<path transform="rotate(90 4 4)" d="M4 4h4"/>`:                                 {Point{4, 4}, Point{4, 8}},
		`<path transform="skewX(45)" d="M0 0v4"/>`:                                      {Point{0, 0}, Point{4, 4}},
		`<path transform="matrix(0 1 1 0 0 0)" d="M1 2h4"/>`:                            {Point{2, 1}, Point{2, 5}},
		`<defs><path id="a" d="M0 0h2v2"/></defs><use href="#a" x="3"/>`:                {Point{3, 0}, Point{5, 2}},
		`<g id="a"><path d="M0 0h2v2"/></g><use href="#a" transform="scale(2)" x="1"/>`: {Point{0, 0}, Point{6, 4}},
		`<path d="M0 0h24v24H0z" fill="none"/><path d="M9 9h1v1"/>`:                     {Point{9, 9}, Point{10, 10}},
	} {
		symbol, found := ParseSymbol([]byte(in(content)))
		if symbol == nil {
			t.Fatalf("%s: %v", content, found)
		}
		ids := map[string]*node{}
		var visit func(n *node)
		visit = func(n *node) {
			ids[n.reference("id")] = n
			for _, child := range n.children {
				visit(child)
			}
		}
		visit(symbol.root)
		m := measurer{ids: ids, extents: map[*node]box{}}
		got := m.extent(symbol.root)
		for _, d := range []float64{got.min.X - want.min.X, got.min.Y - want.min.Y, got.max.X - want.max.X, got.max.Y - want.max.Y} {
			if !(math.Abs(d) < .1) {
				t.Errorf("%s: got %v, want %v", content, got, want)
				break
			}
		}
	}
}

func TestPoorFit(t *testing.T) {
	const a4 = `<svg xmlns="` + svgNamespace + `" viewBox="0 0 210 297">` + "\n"
	for svg, want := range map[string]string{
		in(examplePath): "",
		a4 + `<path d="M9 9h18v18H9z"/>` + svgEnd:                                                           "nearly empty",
		a4 + `<path d="M50 90h110v110H50z"/>` + svgEnd:                                                      "",
		a4 + `<rect width="10%" height="10%"/>` + svgEnd:                                                    "far from square",
		in(`<rect width="10%" height="10%"/>`):                                                              "",
		in(`<path d="M0 18h36"/>`):                                                                          "cross the outline",
		in(`<path d="M-9 18h18"/>`):                                                                         "cross the outline",
		in(`<path d="M3 3h10v10"/>`):                                                                        "far from the middle",
		in(`<path d="M16 16h4v4"/>`):                                                                        "nearly empty",
		in(`<path d="M18 18h.01" stroke-width="12"/>`):                                                      "",
		in(`<path d="M18 18h.01" stroke="currentColor"/>`):                                                  "nearly empty",
		in(`<path d="M0 0h36v36H0z" fill="none"/>` + examplePath):                                           "",
		in(`<g stroke="currentColor"><path d="M0 0h36v36H0z" fill="none"/></g>`):                            "cross the outline",
		in(`<clipPath id="a">` + examplePath + `</clipPath><path clip-path="url(#a)" d="M0 0h36v36H0z"/>`):  "",
		strings.Replace(in(`<path d="M0 18h36"/>`), "viewBox", `preserveAspectRatio="xMinYMid" viewBox`, 1): "",
		in(`<rect transform="rotate(45 18 18)" x="6" y="6" width="24" height="24"/>`):                       "",
		in(`<rect x="1e300" width="1e300" height="9"/>`):                                                    "cross the outline",
	} {
		_, found := ParseSymbol([]byte(svg))
		got := ""
		for _, p := range found {
			if p.Code != rulePoorFit.Code || p.Severity != problem.Warning || p.Pos.Line != 1 {
				t.Errorf("%s: got %+v", svg, p)
			}
			got += p.Message
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", svg, got, want)
		}
	}
}

// A use of uses draws the same elements many times, but they are measured once.
func TestNestedReferencesAreMeasuredOnce(t *testing.T) {
	symbol := in(`<path id="a" d="M9 9` + strings.Repeat("h18v18H9V9", 1000) + strings.Repeat("t9 9-9-9", 6000) + `"/>` +
		`<g id="b">` + strings.Repeat(`<use href="#a"/>`, 80) + `</g>` + strings.Repeat(`<use href="#b"/>`, 80))
	start := time.Now()
	if _, found := ParseSymbol([]byte(symbol)); found.HasErrors() {
		t.Errorf("got %v, want no errors", found)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("got %v, want at most 5 seconds", took)
	}
}
