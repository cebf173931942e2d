package icon

import (
	"strings"
	"testing"
)

func TestEachFixedColorIsReportedOnce(t *testing.T) {
	for content, want := range map[string]string{
		strings.Repeat(`<path fill="#000000" d="M9 9h18v18"/>`, 10): `"#000000" in 10 places`,
		`<path fill="red" d="M9 9h18v18"/>`:                         `<path> has the fixed colour "red"`,
		`<path style="fill:#ffffff;stroke:#000" d="M9 9h18v18"/>`:   `"#ffffff"; "#000"`,
		`<path stop-color="red" d="M9 9h18v18"/>`:                   "",
		`<line fill="red" x1="9" x2="27" y1="18" y2="18"/>`:         "",
		`<linearGradient id="a" fill="red"><stop fill="red" stop-color="currentColor"/></linearGradient><path fill="url(#a)" d="M9 9h18v18"/>`: "",
	} {
		_, found := ParseSymbol([]byte(in(content)))
		wants := strings.Split(want, "; ")
		if want == "" {
			wants = nil
		}
		if len(found) != len(wants) {
			t.Errorf("%s: got %v, want %d findings", content, found, len(wants))
			continue
		}
		for i, p := range found {
			if !strings.Contains(p.Message, wants[i]) {
				t.Errorf("%s: got %q, want %q", content, p.Message, wants[i])
			}
		}
	}
}

func TestHintsForFixedColorsKeepTheDrawing(t *testing.T) {
	for color, want := range map[string]string{
		"white": "var(--symbol-bg)", "#FFF": "var(--symbol-bg)", "#ffffff": "var(--symbol-bg)", "rgb(255, 255, 255)": "var(--symbol-bg)",
		"black": "currentColor", "#fffffe": "currentColor",
	} {
		_, found := ParseSymbol([]byte(in(`<path fill="` + color + `" d="M9 9h18v18"/>`)))
		if len(found) != 1 || !strings.Contains(found[0].FixHint, want) {
			t.Errorf("%s: got %v, want a hint with %s", color, found, want)
		}
	}
}
