package raster

import "image"

// color is a premultiplied colour.
type color [4]uint8

var opaque = color{3: 255}

// premultiply returns a colour with its alpha multiplied by opacity.
func premultiply(c rgba, opacity float64) color {
	alpha := float64(c.A) / 255 * opacity
	return color{clampByte(float64(c.R) * alpha), clampByte(float64(c.G) * alpha), clampByte(float64(c.B) * alpha), clampByte(255 * alpha)}
}

// divide255 returns v/255, rounded, for products of two bytes.
func divide255(v uint32) uint32 {
	v += 128
	return (v + v>>8) >> 8
}

// blend draws a colour with the given alpha over a pixel.
func blend(pixel []uint8, c color, alpha uint32) {
	if alpha == 255 && c[3] == 255 {
		copy(pixel, c[:])
		return
	}
	rest := 255 - divide255(uint32(c[3])*alpha)
	for i := range c {
		pixel[i] = uint8(min(255, divide255(uint32(c[i])*alpha)+divide255(uint32(pixel[i])*rest)))
	}
}

// composite draws a layer with the given opacity over dst.
func composite(dst, layer *image.RGBA, opacity uint32) {
	for i := 0; i < len(layer.Pix); i += 4 {
		if c := color(layer.Pix[i : i+4]); c[3] != 0 {
			blend(dst.Pix[i:i+4], c, opacity)
		}
	}
}

// multiply multiplies a layer by the alpha of each pixel of another one.
func multiply(layer, by *image.RGBA) {
	for i := range layer.Pix {
		layer.Pix[i] = uint8(divide255(uint32(layer.Pix[i]) * uint32(by.Pix[i|3])))
	}
}
