package search

import "unicode/utf8"

// signature returns a bit set of the letters of a word: one bit for each letter
// (modulo 32) that occurs, another for each that occurs more than once. Omitting
// or adding a letter changes at most one bit, replacing one at most two, and
// swapping neighbours none. Words whose signatures differ in more than two bits
// per allowed error need not be compared.
func signature(word []byte) uint64 {
	var s uint64
	for _, r := range string(word) {
		letter := uint64(r) % 32
		s |= 1 << (letter + 32*(s>>letter&1))
	}
	return s
}

// maxTypos returns the number of typing errors allowed in a word of the given
// length.
func maxTypos(letters int) int {
	switch {
	case letters < 4:
		return 0
	case letters < 8:
		return 1
	}
	return 2
}

// distance returns the number of typing errors between a and b, or limit+1 if
// there are more than limit. An error is a letter that is omitted, added, replaced
// or swapped with its neighbour. Neither word may be longer than maxWordLetters.
func distance(a, b []rune, limit int) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	switch {
	case len(b)-len(a) > limit:
		return limit + 1
	case len(a) == 0:
		return len(b)
	case len(b) == 1, len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]:
		return 1
	case limit == 1:
		return 2
	}
	var rows [3][maxWordLetters + 1]uint8
	prev2, prev, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = uint8(j)
	}
	for i := 1; i <= len(a); i++ {
		row[0] = uint8(i)
		best := row[0]
		for j := 1; j <= len(b); j++ {
			d := prev[j-1]
			if a[i-1] != b[j-1] {
				d = 1 + min(d, prev[j], row[j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d = min(d, 1+prev2[j-2])
				}
			}
			row[j] = d
			best = min(best, d)
		}
		if int(best) > limit {
			return limit + 1
		}
		prev2, prev, row = prev, row, prev2
	}
	return min(int(prev[len(b)]), limit+1)
}

// decodeRunes decodes a word into buf, up to the length of buf.
func decodeRunes(buf []rune, word []byte) []rune {
	n := 0
	for len(word) > 0 && n < len(buf) {
		r, size := utf8.DecodeRune(word)
		buf[n] = r
		word = word[size:]
		n++
	}
	return buf[:n]
}
