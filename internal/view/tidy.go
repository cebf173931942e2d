package view

import "strings"

// Characters that set the direction of the text after them.
const (
	lre, rle, pdf, lro, rlo = '\u202A', '\u202B', '\u202C', '\u202D', '\u202E'
	lri, rli, fsi, pdi      = '\u2066', '\u2067', '\u2068', '\u2069'
)

// tidy makes a text safe to stand beside others. Line ends become those that
// browsers keep, control characters go, and what it says about direction ends
// where the text does: an override left open, or a mark that closes more than
// the text opened, would reorder its surroundings.
func tidy(s string) string {
	s = strings.TrimSpace(s)
	if !strings.ContainsFunc(s, untidy) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	var open []rune // the marks that close what is open, innermost last
	for _, r := range s {
		switch {
		case r == '\r':
			r = '\n'
		case isControl(r):
			continue
		case r == lri || r == rli || r == fsi:
			open = append(open, pdi)
		case r == lre || r == rle || r == lro || r == rlo:
			open = append(open, pdf)
		case r == pdi || r == pdf:
			if len(open) == 0 || open[len(open)-1] != r {
				continue
			}
			open = open[:len(open)-1]
		}
		b.WriteRune(r)
	}
	for i := len(open) - 1; i >= 0; i-- {
		b.WriteRune(open[i])
	}
	return strings.TrimSpace(b.String())
}

// straight returns s without characters that say something about direction, for
// addresses, which must look like what they are.
func straight(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if isControl(r) || isDirection(r) || r == '\r' || r == '\n' || r == '\u200E' || r == '\u200F' || r == '\u061C' {
			return -1
		}
		return r
	}, s))
}

func untidy(r rune) bool { return r == '\r' || isControl(r) || isDirection(r) }

func isDirection(r rune) bool { return lre <= r && r <= rlo || lri <= r && r <= pdi }

// isControl reports whether r is one of the control characters, other than
// line ends and tabs, or is no character at all.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || 0x7F <= r && r <= 0x9F || r&0xFFFE == 0xFFFE || 0xFDD0 <= r && r <= 0xFDEF
}
