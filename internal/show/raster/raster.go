// Package raster draws icons as images. It knows the subset of SVG that package
// icon accepts in symbols and writes into icons, and nothing about where icons
// come from.
//
// Points are rounded to 1/256 of a pixel before coverage is computed with integers,
// so that images do not depend on how a processor rounds intermediate results.
package raster

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"

	"placard/internal/core/icon"
)

// The smallest and largest width of an image in pixels.
const (
	MinSize = 8
	MaxSize = 2048
)

// Drawing is a parsed icon, from which images of any size can be drawn.
type Drawing struct {
	root *node
	ids  map[string]*node
}

// PNG returns the drawing as a square PNG image of size by size pixels. It calls
// step, which may be nil, while it draws, and stops with its error.
func (d *Drawing) PNG(size int, step func() error) ([]byte, error) {
	img, err := d.Image(size, step)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Image returns the drawing as a square image of size by size pixels. It calls
// step, which may be nil, while it draws, and stops with its error.
func (d *Drawing) Image(size int, step func() error) (*image.RGBA, error) {
	if size < MinSize || size > MaxSize {
		return nil, fmt.Errorf("%d is not a size from %d to %d pixels", size, MinSize, MaxSize)
	}
	if step == nil {
		step = func() error { return nil }
	}
	p := painter{drawing: d, size: size, step: step, coverage: coverage{size: size}}
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	view := viewBox(d.root, icon.Point{X: float64(size), Y: float64(size)})
	p.children(d.root, rootStyle.inherit(d.root), view.matrix, view.size, img)
	if p.err != nil {
		return nil, p.err
	}
	return img, nil
}

var errTooDeep = errors.New("the icon nests too many groups and references")
