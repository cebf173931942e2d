package sign

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"testing"

	"placard/scripts/envtest"
)

var update = flag.Bool("update", false, "rewrite widths.txt and the golden files")

func TestWidthsAreThoseOfTheFont(t *testing.T) {
	regular, bold := fontWidths(t, "LiberationSans-Regular.ttf"), fontWidths(t, "LiberationSans-Bold.ttf")
	var b bytes.Buffer
	for r := rune(' '); r < 0x3000; r++ {
		if regular[r] > 0 && bold[r] > 0 {
			fmt.Fprintf(&b, "%04X %d %d\n", r, regular[r], bold[r])
		}
	}
	if *update {
		if err := os.WriteFile("widths.txt", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if widthTable != b.String() {
		t.Error("widths.txt differs from the installed font; run the test with -update")
	}
}

// fontWidths returns the widths of the characters of a TrueType font in thousandths
// of an em, rounded up.
func fontWidths(t *testing.T, name string) map[rune]int {
	t.Helper()
	data := envtest.Font(t, name)
	u16 := func(at int) int { return int(binary.BigEndian.Uint16(data[at:])) }
	u32 := func(at int) int { return int(binary.BigEndian.Uint32(data[at:])) }
	tables := make(map[string]int)
	for i := range u16(4) {
		record := 12 + 16*i
		tables[string(data[record:record+4])] = u32(record + 8)
	}
	em, metrics := u16(tables["head"]+18), u16(tables["hhea"]+34)
	widths := make(map[rune]int)
	cmap := tables["cmap"]
	for i := range u16(cmap + 2) {
		sub := cmap + u32(cmap+4+8*i+4)
		if u16(sub) != 4 {
			continue
		}
		segments := u16(sub+6) / 2
		for s := range segments {
			end, start := u16(sub+14+2*s), u16(sub+16+2*segments+2*s)
			delta, at := u16(sub+16+4*segments+2*s), sub+16+6*segments+2*s
			for c := start; c <= end && c != 0xFFFF; c++ {
				glyph := c + delta
				if offset := u16(at); offset != 0 {
					if glyph = u16(at + offset + 2*(c-start)); glyph != 0 {
						glyph += delta
					}
				}
				if glyph &= 0xFFFF; glyph != 0 {
					advance := u16(tables["hmtx"] + 4*min(glyph, metrics-1))
					widths[rune(c)] = (advance*1000 + em - 1) / em
				}
			}
		}
	}
	return widths
}
