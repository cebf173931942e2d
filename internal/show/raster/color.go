package raster

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

// rgba is a colour that is not premultiplied.
type rgba struct{ R, G, B, A uint8 }

// parseColor parses a colour in lower case. current is the value of currentColor.
func parseColor(s string, current rgba) (rgba, bool) {
	switch {
	case s == "currentcolor":
		return current, true
	case s == "transparent":
		return rgba{}, true
	case strings.HasPrefix(s, "#"):
		return parseHex(s[1:])
	case strings.HasSuffix(s, ")"):
		return parseFunction(s)
	}
	if hex, ok := namedColors[s]; ok {
		return parseHex(hex)
	}
	return rgba{}, false
}

// parseHex parses a colour of 3, 4, 6 or 8 hexadecimal digits.
func parseHex(digits string) (rgba, bool) {
	if len(digits) == 3 || len(digits) == 4 {
		var long strings.Builder
		for _, c := range digits {
			long.WriteString(string([]rune{c, c}))
		}
		digits = long.String()
	}
	if len(digits) == 6 {
		digits += "ff"
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) != 8 {
		return rgba{}, false
	}
	return rgba{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}, true
}

// parseFunction parses rgb() and hsl(), with commas or spaces.
func parseFunction(s string) (rgba, bool) {
	name, rest, _ := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	fields := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == '/' })
	if len(fields) != 3 && len(fields) != 4 {
		return rgba{}, false
	}
	var values [4]float64
	values[3] = 1
	for i, f := range fields {
		number, percent := strings.CutSuffix(f, "%")
		v, err := strconv.ParseFloat(strings.TrimSuffix(number, "deg"), 64)
		if err != nil {
			return rgba{}, false
		}
		if percent {
			v /= 100
		}
		if percent && i < 3 && strings.HasPrefix(name, "rgb") {
			v *= 255
		}
		values[i] = v
	}
	alpha := clampByte(values[3] * 255)
	switch name {
	case "rgb", "rgba":
		return rgba{clampByte(values[0]), clampByte(values[1]), clampByte(values[2]), alpha}, true
	case "hsl", "hsla":
		c := fromHSL(values[0], min(max(values[1], 0), 1), min(max(values[2], 0), 1))
		c.A = alpha
		return c, true
	}
	return rgba{}, false
}

func fromHSL(hue, saturation, lightness float64) rgba {
	channel := func(n float64) uint8 {
		k := math.Mod(math.Mod(n+hue/30, 12)+12, 12)
		a := saturation * min(lightness, 1-lightness)
		return clampByte(255 * (lightness - a*max(-1, min(k-3, 9-k, 1))))
	}
	return rgba{R: channel(0), G: channel(8), B: channel(4)}
}

func clampByte(v float64) uint8 { return uint8(min(max(math.Round(v), 0), 255)) }

// colorTable contains a line for each colour that CSS names.
//
//go:embed colors.txt
var colorTable string

// namedColors holds the colours of colorTable.
var namedColors = func() map[string]string {
	named := make(map[string]string)
	fields := strings.Fields(colorTable)
	for i := 0; i < len(fields); i += 2 {
		named[fields[i]] = fields[i+1]
	}
	return named
}()
