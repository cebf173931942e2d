package raster

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"

	"placard/scripts/envtest"
)

func TestNamedColorsAreThoseOfChromium(t *testing.T) {
	ctx := envtest.Browser(t)
	names := slices.Sorted(maps.Keys(namedColors))
	encoded, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	const script = `%s.map((name) => {
	const element = document.body.appendChild(document.createElement("p"))
	element.style.color = name
	return element.style.color === name ? getComputedStyle(element).color : ""
})`
	colors, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](fmt.Sprintf(script, encoded)))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		c, _ := parseColor(name, rgba{})
		if got := fmt.Sprintf("rgb(%d, %d, %d)", c.R, c.G, c.B); got != colors[i] || c.A != 255 {
			t.Errorf("%s: got %s, want %s", name, got, colors[i])
		}
	}
	if len(names) != 148 {
		t.Errorf("got %d names, want the 148 of CSS", len(names))
	}
}
