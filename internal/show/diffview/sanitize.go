package diffview

import "strings"

// sanitize replaces control characters, which could manipulate a terminal, and
// normalizes line endings.
func sanitize(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, s)
}

func sanitizeAll(list []string) []string {
	clean := make([]string, len(list))
	for i, s := range list {
		clean[i] = sanitize(s)
	}
	return clean
}
