package raster_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"

	"placard/internal/core/release"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/show/raster"
	"placard/scripts/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// builtinIcons returns the icons of the built-in taxonomy in the variants default
// and dark.
func builtinIcons(t *testing.T) map[string][]byte {
	t.Helper()
	icons := make(map[string][]byte)
	ids, _ := source.Releases(envtest.BuiltinTree())
	tax, found := source.Load(envtest.BuiltinTree(), ids[len(ids)-1])
	if found.HasErrors() {
		t.Fatal(found)
	}
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	for n, e := range tax.Elements {
		for _, variant := range []string{taxonomy.VariantDefault, taxonomy.VariantDark} {
			icons[e.ID+"."+variant], _, _ = r.Icon(n, variant)
		}
	}
	return icons
}

// chromium draws icons with Chromium.
type chromium struct {
	t   *testing.T
	ctx context.Context
}

// images draws icons at one size. The images are in the order of the icons.
func (c chromium) images(icons [][]byte, size int) []image.Image {
	c.t.Helper()
	var texts []string
	for _, svg := range icons {
		// As an img element of this size does.
		texts = append(texts, strings.Replace(string(svg), `width="36" height="36"`, fmt.Sprintf(`width="%d" height="%[1]d"`, size), 1))
	}
	encoded, err := json.Marshal(texts)
	if err != nil {
		c.t.Fatal(err)
	}
	const script = `(async (icons, size) => {
	const columns = 20
	const canvas = new OffscreenCanvas(columns * size, Math.ceil(icons.length / columns) * size)
	const context = canvas.getContext("2d")
	for (const [i, svg] of icons.entries()) {
		const image = new Image()
		image.src = "data:image/svg+xml;base64," + btoa(svg)
		await image.decode()
		context.drawImage(image, (i %% columns) * size, Math.floor(i / columns) * size)
	}
	const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())
	let text = ""
	for (let i = 0; i < bytes.length; i += 4096) {
		text += String.fromCharCode(...bytes.subarray(i, i + 4096))
	}
	return btoa(text)
})(%s, %d)`
	result, err := chromedp.Run(c.ctx, chromedp.Evaluate[string](fmt.Sprintf(script, encoded, size), chromedp.EvalAwaitPromise))
	if err != nil {
		c.t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(result)
	if err != nil {
		c.t.Fatal(err)
	}
	sheet, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		c.t.Fatal(err)
	}
	images := make([]image.Image, len(icons))
	for i := range images {
		img := image.NewRGBA(image.Rect(0, 0, size, size))
		draw.Draw(img, img.Rect, sheet, image.Pt(i%20*size, i/20*size), draw.Src)
		images[i] = img
	}
	return images
}

// difference returns the mean difference between the premultiplied channels of two
// images, from 0 to 255, and the largest mean difference of a square whose side is
// a twelfth of that of the image.
func difference(a, b image.Image) (mean, worst float64) {
	size := a.Bounds().Dx()
	side := size / 12
	squares := make([]int, 12*12)
	sum := 0
	for y := range size {
		for x := range size {
			p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B), int(p.A) - int(q.A)} {
				sum += max(d, -d)
				squares[y/side*12+x/side] += max(d, -d)
			}
		}
	}
	return float64(sum) / float64(4*size*size), float64(slices.Max(squares)) / float64(4*side*side)
}

func TestImagesLookLikeThoseOfChromium(t *testing.T) {
	icons := symbolIcons(t)
	maps.Copy(icons, builtinIcons(t))
	names := slices.Sorted(maps.Keys(icons))
	var svgs [][]byte
	for _, name := range names {
		svgs = append(svgs, icons[name])
	}
	c := chromium{t, envtest.Browser(t)}
	for _, test := range []struct {
		size              int
		maxMean, maxWorst float64
	}{
		// Chromium draws strokes of one pixel, such as the outlines at this size,
		// less exactly than wider ones.
		{24, 11, 60},
		{48, 3.5, 25},
		{96, 2.2, 20},
	} {
		for i, want := range c.images(svgs, test.size) {
			drawing, err := raster.Parse(svgs[i])
			if err != nil {
				t.Fatalf("%s: %v", names[i], err)
			}
			got, err := drawing.Image(test.size, nil)
			if err != nil {
				t.Fatalf("%s: %v", names[i], err)
			}
			if mean, worst := difference(want, got); mean > test.maxMean || worst > test.maxWorst {
				t.Errorf("%s at %d pixels: got a difference of %.1f, and %.1f in one part, want at most %.1f and %.1f", names[i], test.size, mean, worst, test.maxMean, test.maxWorst)
			}
		}
	}
}
