package raster_test

import (
	"fmt"
	"testing"
	"time"

	"placard/internal/core/icon"
	"placard/internal/core/taxonomy"
	"placard/internal/show/raster"
)

func TestIconsWithExtremeNumbersAreDrawnQuickly(t *testing.T) {
	const limit = 2 * time.Second // for an image that takes about a millisecond
	numbers := []string{"0", "-1", "1e-300", "1e-20", "1e9", "1e14", "1e17", "1e30", "1e150", "1e300", "-1e300", "1.7e308", "-1.7e308"}
	shapes := []string{
		`<path d="M1 1L%s 9M9 9" stroke="red"/>`,
		`<path d="M%[1]s -%[1]sL-%[1]s %[1]sL3 %[1]sz" stroke="red"/>`,
		`<path d="M1 1C%[1]s 0 0 %[1]s 9 9" stroke="red" stroke-dasharray="1 2"/>`,
		`<path d="M1 1A%[1]s %[1]s 0 0 1 9 9" stroke="red"/>`,
		`<path d="M1 1L9 9L9 1" stroke="red" stroke-width="%s" stroke-linecap="round" stroke-linejoin="round"/>`,
		`<path d="M1 1L9 9L9 1" stroke="red" stroke-width="%s" stroke-linecap="square" stroke-miterlimit="%[1]s"/>`,
		`<path d="M1 1L9 9L9 1" stroke="red" stroke-dasharray="%s 1" stroke-dashoffset="%[1]s"/>`,
		`<path d="M1 1L9 9L9 1" stroke="red" stroke-dasharray="%s" pathLength="%[1]s"/>`,
		`<path d="M1 1L9 9L9 1" stroke="red" stroke-dasharray="1" pathLength="%[1]s"/>`,
		`<g transform="scale(%s)"><path d="M1 1C5 5 9 1 9 9" stroke="red" stroke-linecap="round"/></g>`,
		`<g transform="translate(%s %[1]s) rotate(%[1]s) skewX(%[1]s)"><circle r="3" stroke="red"/></g>`,
		`<g transform="matrix(%s 1 2 %[1]s 3 4)"><rect width="3" height="3" rx="1" stroke="red"/></g>`,
		`<circle cx="%s" cy="3" r="%[1]s" stroke="red"/>`,
		`<rect x="%s" y="-%[1]s" width="%[1]s" height="%[1]s" rx="%[1]s" stroke="red"/>`,
		`<linearGradient id="g" x1="%s" x2="1" gradientTransform="scale(%[1]s)" spreadMethod="repeat"><stop offset="0"/><stop offset="1" stop-color="red"/></linearGradient><rect width="9" height="9" fill="url(#g)"/>`,
		`<radialGradient id="g" r="%s" fr="%[1]s" fx="%[1]s" spreadMethod="reflect"><stop offset="0"/><stop offset="1" stop-color="red"/></radialGradient><rect width="9" height="9" fill="url(#g)"/>`,
		`<mask id="m" x="%s" width="%[1]s" maskContentUnits="objectBoundingBox"><rect width="%[1]s" height="1" fill="white"/></mask><rect width="9" height="9" mask="url(#m)"/>`,
		`<path d="M1 1L9 9L9 1" stroke="hsl(%s 10%% 10%%)" fill="rgb(%[1]s, %[1]s%%, 0)"/>`,
	}
	refused := 0
	paint, _ := icon.PaintFor(taxonomy.VariantDark, nil)
	for _, shape := range shapes {
		for _, number := range numbers {
			svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">`+shape+`</svg>`, number)
			symbol, _ := icon.ParseSymbol([]byte(svg))
			if symbol == nil {
				refused++
				continue
			}
			drawing, err := raster.Parse(icon.Compose(taxonomy.Shapes[0], symbol, paint))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if _, err := drawing.Image(48, nil); err != nil {
				t.Errorf("%s: %v", svg, err)
			}
			if took := time.Since(start); took > limit {
				t.Errorf("%s took %v, want at most %v", svg, took, limit)
			}
		}
	}
	if refused > len(shapes)*len(numbers)/4 {
		t.Errorf("%d of %d symbols are refused, so that the test draws too few", refused, len(shapes)*len(numbers))
	}
}
