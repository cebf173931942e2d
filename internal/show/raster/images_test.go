package raster_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"placard/internal/core/icon"
	"placard/internal/core/taxonomy"
	"placard/internal/show/raster"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestImagesAreTheSameEverywhere(t *testing.T) {
	const golden = "testdata/images.txt"
	icons := symbolIcons(t)
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(icons)) {
		img, err := parse(t, icons[name]).Image(48, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(img.Pix), name)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(sums.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), sums.String()); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}

func parse(t *testing.T, svg []byte) *raster.Drawing {
	t.Helper()
	drawing, err := raster.Parse(svg)
	if err != nil {
		t.Fatal(err)
	}
	return drawing
}

func TestPNGHasTheRequestedSize(t *testing.T) {
	drawing := parse(t, icon.ShapeSVG(taxonomy.Hexagon))
	for _, size := range []int{raster.MinSize, 37, raster.MaxSize} {
		data, err := drawing.PNG(size, nil)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Bounds().Size(); got.X != size || got.Y != size {
			t.Errorf("got an image of %v, want %d by %[2]d", got, size)
		}
		if _, _, _, alpha := img.At(0, 0).RGBA(); alpha != 0 {
			t.Errorf("at %d pixels: the corner has alpha %d, want 0", size, alpha)
		}
	}
	for _, size := range []int{-1, 0, raster.MinSize - 1, raster.MaxSize + 1} {
		if _, err := drawing.PNG(size, nil); err == nil {
			t.Errorf("size %d: got no error", size)
		}
	}
}

func TestStraightOutlinesAreSharpInSmallIcons(t *testing.T) {
	for _, size := range []int{24, 48} {
		for _, shape := range []taxonomy.Shape{taxonomy.Hexagon, taxonomy.Octagon, taxonomy.RoundedSquare} {
			img, err := parse(t, icon.ShapeSVG(shape)).Image(size, nil)
			if err != nil {
				t.Fatal(err)
			}
			var row, column []uint8
			for i := range size {
				row = append(row, img.RGBAAt(i, size/2).A)
				column = append(column, img.RGBAAt(size/2, i).A)
			}
			isBlurred := func(alpha uint8) bool { return alpha != 0 && alpha != 0xFF }
			if slices.ContainsFunc(row, isBlurred) {
				t.Errorf("%s at %d pixels: the vertical lines are blurred: got alpha %v, want only 0 and 255", shape, size, row)
			}
			if shape != taxonomy.Hexagon && slices.ContainsFunc(column, isBlurred) {
				t.Errorf("%s at %d pixels: the horizontal lines are blurred: got alpha %v, want only 0 and 255", shape, size, column)
			}
		}
	}
}

func TestDrawingStopsWithTheErrorOfStep(t *testing.T) {
	icons := symbolIcons(t)
	stop := errors.New("stop")
	for name, svg := range icons {
		steps := 0
		if _, err := parse(t, svg).Image(96, func() error { steps++; return nil }); err != nil {
			t.Fatal(err)
		}
		for last := range steps {
			calls := 0
			_, err := parse(t, svg).Image(96, func() error {
				if calls++; calls > last {
					return stop
				}
				return nil
			})
			if !errors.Is(err, stop) || calls != last+1 {
				t.Errorf("%s: after an error in step %d of %d, got %v and %d calls, want the error and no other call", name, last+1, steps, err, calls)
			}
		}
	}
}

func TestInvalidIconsAreErrors(t *testing.T) {
	for _, svg := range []string{"", "<svg", "<g/>", "<svg/><svg/>", "<svg><g></svg>"} {
		if _, err := raster.Parse([]byte(svg)); err == nil {
			t.Errorf("%q: got no error", svg)
		}
	}
	nested := "<svg>" + strings.Repeat(`<g opacity=".5">`, 100) + strings.Repeat("</g>", 100) + "</svg>"
	if _, err := parse(t, []byte(nested)).Image(8, nil); err == nil {
		t.Error("100 nested layers: got no error")
	}
	cycle := `<svg><g id="a"><use href="#a"/></g></svg>`
	if _, err := parse(t, []byte(cycle)).Image(8, nil); err == nil {
		t.Error("a reference to itself: got no error")
	}
}

func FuzzImage(f *testing.F) {
	for _, content := range []string{
		`<path d="M8 8h20v20z" stroke="red" stroke-dasharray="1e-9 1" stroke-linejoin="round"/>`,
		`<path d="M-1e300 1e300L1e30 5A1e-30 1e30 9 0 1 4 4z" stroke-width="1e9" stroke="currentColor"/>`,
		`<radialGradient id="g" r="1e-30" fx="4" fr="9"><stop/><stop offset="1"/></radialGradient><rect width="1e20" height="9" rx="1e9" fill="url(#g)"/>`,
		`<mask id="m"><use href="#u"/></mask><clipPath id="c" clipPathUnits="objectBoundingBox"><path id="u" d="M0 0h1"/></clipPath><g mask="url(#m)" clip-path="url(#c)" transform="scale(0)"><path d="M9 9l1e9 4" stroke="red"/></g>`,
	} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content string) {
		symbol, _ := icon.ParseSymbol([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">` + content + `</svg>`))
		if symbol == nil {
			return
		}
		paint, _ := icon.PaintFor(taxonomy.VariantDark, nil)
		drawing, err := raster.Parse(icon.Compose(taxonomy.Circle, symbol, paint))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = drawing.Image(16, nil) // it may nest too deeply
	})
}

// symbolIcons returns the icons of the symbols in testdata.
func symbolIcons(t *testing.T) map[string][]byte {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/symbols.txtar")
	if err != nil {
		t.Fatal(err)
	}
	paint, _ := icon.PaintFor(taxonomy.VariantDark, nil)
	icons := make(map[string][]byte)
	for _, f := range archive.Files {
		svg := f.Data
		if !bytes.HasPrefix(svg, []byte("<svg")) {
			svg = fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">%s</svg>`, svg)
		}
		symbol, found := icon.ParseSymbol(svg)
		if symbol == nil {
			t.Fatalf("%s: %v", f.Name, found)
		}
		name := strings.TrimSuffix(f.Name, ".svg")
		shape := taxonomy.Shapes[len(icons)%len(taxonomy.Shapes)]
		icons[name] = icon.Compose(shape, symbol, paint)
	}
	return icons
}
