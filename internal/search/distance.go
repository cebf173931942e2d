package search

import "unicode/utf8"

// A signature tells most words that are more than a typing error or two apart
// without comparing them: one bit for each kind of letter (modulo 32) that a
// word has, another for those it has twice. Leaving out or adding a letter
// changes one bit at most, replacing one two, and swapping neighbours none.
func signature(word []byte) uint64 {
	var s uint64
	for _, r := range string(word) {
		kind := uint64(r) % 32
		s |= 1 << (kind + 32*(s>>kind&1))
	}
	return s
}

// typos returns how many typing errors a word of so many letters may have.
func typos(letters int) int {
	switch {
	case letters < 4:
		return 0
	case letters < 8:
		return 1
	}
	return 2
}

// distance counts the letters left out, added or replaced and the neighbours
// swapped between a and b, which are words of at most [longestWord] letters.
// It gives up with limit+1 once it is past limit.
func distance[T byte | rune](a, b []T, limit int) int {
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
	var rows [3][longestWord + 1]uint8
	before, prev, row := &rows[0], &rows[1], &rows[2]
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
					d = min(d, 1+before[j-2])
				}
			}
			row[j] = d
			best = min(best, d)
		}
		if int(best) > limit {
			return limit + 1
		}
		before, prev, row = prev, row, before
	}
	return min(int(prev[len(b)]), limit+1)
}

// runes decodes a word into buf and returns as much of it as fits.
func runes(buf []rune, word []byte) []rune {
	n := 0
	for len(word) > 0 && n < len(buf) {
		r, size := utf8.DecodeRune(word)
		buf[n] = r
		word = word[size:]
		n++
	}
	return buf[:n]
}
