package icon

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"placard/internal/core/taxonomy"
)

func TestContrastFollowsWCAG(t *testing.T) {
	tests := []struct {
		a, b string
		want float64
	}{
		{"#000000", "#FFFFFF", 21},
		{"#FFFFFF", "#000000", 21},
		{"#123456", "#123456", 1},
		{"#777777", "#FFFFFF", 4.48},
		{"#767676", "#FFFFFF", 4.54},
		{"#949494", "#FFFFFF", 3.03},
		{"#FF0000", "#FFFFFF", 4.00},
		{"#0000FF", "#FFFFFF", 8.59},
		{"#FFD700", "#FFFFFF", 1.40},
	}
	for _, test := range tests {
		a, ok1 := ParseColor(test.a)
		b, ok2 := ParseColor(test.b)
		if got := Contrast(a, b); !ok1 || !ok2 || math.Abs(got-test.want) >= 0.005 {
			t.Errorf("Contrast(%s, %s) = %.3f, want %.2f", test.a, test.b, got, test.want)
		}
	}
}

func TestDifferenceIsTheOKLabDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want float64
	}{
		{"#123456", "#123456", 0},
		{"#000000", "#FFFFFF", 1},
		{"#FF0000", "#00FF00", 0.520},
		{"#FF0000", "#FF0100", 0.000},
		{"#4A90D9", "#4A90E2", 0.014},
	}
	for _, test := range tests {
		a, _ := ParseColor(test.a)
		b, _ := ParseColor(test.b)
		if got := Difference(a, b); math.Abs(got-test.want) >= 0.0015 || got != Difference(b, a) {
			t.Errorf("Difference(%s, %s) = %.4f, want %.3f", test.a, test.b, got, test.want)
		}
	}
}

func TestParseColorAcceptsOnlySixDigits(t *testing.T) {
	for _, s := range []string{"", "#FFF", "#FFFFFFFF", "FFFFFF", "#GGGGGG", "white", "#12345", "#12345é"} {
		if c, ok := ParseColor(s); ok {
			t.Errorf("ParseColor(%q) = %v, true, want false", s, c)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := Color{rapid.Byte().Draw(t, "r"), rapid.Byte().Draw(t, "g"), rapid.Byte().Draw(t, "b")}
		if got, ok := ParseColor(c.String()); !ok || got != c {
			t.Fatalf("ParseColor(%q) = %v, %t, want %v, true", c.String(), got, ok, c)
		}
	})
}

func TestPaintFor(t *testing.T) {
	context := &taxonomy.Context{Values: []taxonomy.ContextValue{
		{ID: "light", Color: "#FFD700", Tinted: true},
		{ID: "deep", Color: "#1A237E", Tinted: true},
		{ID: "plain", Color: "#000000"},
		{ID: "odd", Color: "gold", Tinted: true},
	}}
	tests := []struct {
		variant string
		context *taxonomy.Context
		want    Paint
		ok      bool
	}{
		{"default", nil, Paint{Ink: black}, true},
		{"dark", context, Paint{Ink: white, Outline: white, Background: black, Filled: true}, true},
		{"light", context, Paint{Ink: black, Outline: Color{0xFF, 0xD7, 0x00}, Background: Color{0xFF, 0xD7, 0x00}, Filled: true}, true},
		{"deep", context, Paint{Ink: white, Outline: Color{0x1A, 0x23, 0x7E}, Background: Color{0x1A, 0x23, 0x7E}, Filled: true}, true},
		{"plain", context, Paint{Ink: black}, true},
		{"odd", context, Paint{Ink: black}, true},
		{"light", nil, Paint{}, false},
		{"Default", context, Paint{}, false},
		{"", context, Paint{}, false},
	}
	for _, test := range tests {
		if got, ok := PaintFor(test.variant, test.context); got != test.want || ok != test.ok {
			t.Errorf("PaintFor(%q) = %v, %v, want %v, %v", test.variant, got, ok, test.want, test.ok)
		}
	}
}

func TestInkContrastsWithTheBackground(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Color{rapid.Byte().Draw(t, "r"), rapid.Byte().Draw(t, "g"), rapid.Byte().Draw(t, "b")}
		paint, _ := PaintFor("v", &taxonomy.Context{Values: []taxonomy.ContextValue{{ID: "v", Color: c.String(), Tinted: true}}})
		if ratio := Contrast(paint.Ink, paint.Background); ratio < 4.5 {
			t.Fatalf("contrast of the ink with background %v: got %.2f, want at least 4.5", c, ratio)
		}
	})
}
