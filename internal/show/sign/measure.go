package sign

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// weight is the weight of a font.
type weight int

const (
	regular weight = iota
	bold
)

// widthTable contains a line for each character of Liberation Sans, whose widths are
// those of Helvetica and Arial: the character, and its regular and bold widths in
// thousandths of an em, rounded up.
//
//go:embed widths.txt
var widthTable string

// knownWidths are the widths of [widthTable] in em.
var knownWidths = sync.OnceValue(func() map[rune][2]float64 {
	widths := make(map[rune][2]float64)
	for line := range strings.Lines(widthTable) {
		hex, values, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, second, _ := strings.Cut(values, " ")
		r, _ := strconv.ParseUint(hex, 16, 32) // a test reads every line
		w, _ := strconv.ParseFloat(first, 64)
		b, _ := strconv.ParseFloat(second, 64)
		widths[rune(r)] = [2]float64{w / 1000, b / 1000}
	}
	return widths
})

// estimates are the widths, in em, of characters of other scripts. Signs may be
// printed with any font that has them, so the widths are averages with a reserve.
var estimates = []struct {
	table *unicode.RangeTable
	width float64
}{
	{unicode.Mn, 0.1}, // no width of its own, but another font may be used for the letter
	{unicode.Me, 0},
	{unicode.Cf, 0},
	{unicode.Arabic, 0.72},
	{unicode.Hebrew, 0.75},
	{unicode.Thai, 0.75},
	{unicode.Armenian, 0.8},
	{unicode.Georgian, 0.8},
	{unicode.Latin, 0.8},
	{unicode.Greek, 0.85},
	{unicode.Cyrillic, 0.9},
	{unicode.Zs, 0.5},
	{halfWidth, 0.5},
	{unicode.So, 1.4},
}

// halfWidth contains the narrow forms of Japanese and Korean characters.
var halfWidth = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0xFF61, Hi: 0xFFDC, Stride: 1}}}

// widthOf returns the width of a character in em, and whether it is exact.
func widthOf(r rune, w weight) (width float64, exact bool) {
	if known, ok := knownWidths()[r]; ok {
		return known[w], true
	}
	// An accent does not change the width of a letter, but another font may.
	if base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r))); base != r {
		if known, ok := knownWidths()[base]; ok {
			return known[w] * 1.15, false
		}
	}
	for _, e := range estimates {
		if unicode.Is(e.table, r) {
			return e.width, false
		}
	}
	return 1, false // a square, as in Chinese, Japanese and Korean
}
