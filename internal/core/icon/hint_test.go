package icon

import (
	"strings"
	"testing"

	"placard/internal/core/problem"
)

func TestHintsNameTheCause(t *testing.T) {
	for svg, want := range map[string]string{
		svgStart + `<path d="M9 9h`:                                          "Export the drawing again",
		svgStart + `<g><path d="M9 9h18"`:                                    "Export the drawing again",
		svgStart + `<g>` + examplePath:                                       "Close it with </g>.",
		strings.Replace(in(examplePath), ` xmlns="`+svgNamespace+`"`, "", 1): `Add xmlns="http://www.w3.org/2000/svg" to <svg>.`,
		strings.Replace(in(examplePath), svgNamespace, "urn:x", 1):           `Change its xmlns to "http://www.w3.org/2000/svg".`,
		`<drawing/>`:                             "Start the file with",
		in(`<filter id="a"/>` + examplePath):     "Remove the effect",
		in(`<path color="red" d="M9 9h18v18"/>`): "Remove the attribute.",
	} {
		_, found := ParseSymbol([]byte(svg))
		if len(found) != 1 || !strings.Contains(found[0].FixHint, want) {
			t.Errorf("%s: got %+v, want the hint %q", svg, []problem.Problem(found), want)
		}
	}
}
