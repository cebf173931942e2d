package view

import (
	"slices"
	"strings"
)

// Bidirectional formatting characters.
const (
	lre, rle, pdf, lro, rlo = '\u202A', '\u202B', '\u202C', '\u202D', '\u202E'
	lri, rli, fsi, pdi      = '\u2066', '\u2067', '\u2068', '\u2069'
)

// sanitize makes a text safe to show beside others. It normalizes line endings,
// removes control characters and balances bidirectional formatting: an unclosed
// override, or an extra closing character, would reorder the surrounding text.
func sanitize(s string) string {
	s = strings.TrimSpace(s)
	if !strings.ContainsFunc(s, needsSanitizing) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	var closers []rune // closing characters of open embeddings and isolates
	for _, r := range s {
		switch {
		case r == '\r':
			r = '\n'
		case isControl(r):
			continue
		case r == lri || r == rli || r == fsi:
			closers = append(closers, pdi)
		case r == lre || r == rle || r == lro || r == rlo:
			closers = append(closers, pdf)
		case r == pdi || r == pdf:
			if len(closers) == 0 || closers[len(closers)-1] != r {
				continue
			}
			closers = closers[:len(closers)-1]
		}
		b.WriteRune(r)
	}
	for _, r := range slices.Backward(closers) {
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

func needsSanitizing(r rune) bool { return r == '\r' || isControl(r) || isBidiFormat(r) }

func isBidiFormat(r rune) bool { return lre <= r && r <= rlo || lri <= r && r <= pdi }

// isControl reports whether r is a noncharacter or a control character other than
// a line ending or tab.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || 0x7F <= r && r <= 0x9F || r&0xFFFE == 0xFFFE || 0xFDD0 <= r && r <= 0xFDEF
}
