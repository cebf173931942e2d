package search

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
)

// dictionary is a sorted set of words, each in one class of words that count
// as the same. It refers to the bytes it was decoded from. Words of the same
// length stand together, so that they need no offsets and the candidates for a
// misspelt word are next to one another.
type dictionary struct {
	buckets    []bucket // by letters, then width
	text       []byte   // bucket after bucket
	classes    []byte   // a uint32 for each word
	signatures []uint64 // of each word; none where typing errors are not looked for
}

// bucket holds the words of so many letters and bytes, sorted.
type bucket struct {
	letters, width int
	first, count   int // of its words, counted over all buckets
	offset         int // of its text
}

func (d *dictionary) class(word int) int {
	return int(little.Uint32(d.classes[4*word:]))
}

// word returns the i-th word of a bucket.
func (d *dictionary) word(b *bucket, i int) []byte {
	start := b.offset + i*b.width
	return d.text[start : start+b.width]
}

// find returns the class of a word.
func (d *dictionary) find(word []byte, letters int) (class int, ok bool) {
	n, ok := slices.BinarySearchFunc(d.buckets, bucket{letters: letters, width: len(word)}, bucket.compare)
	if !ok {
		return 0, false
	}
	b := &d.buckets[n]
	i, ok := sort.Find(b.count, func(i int) int { return bytes.Compare(word, d.word(b, i)) })
	if !ok {
		return 0, false
	}
	return d.class(b.first + i), true
}

func (b bucket) compare(c bucket) int {
	if b.letters != c.letters {
		return b.letters - c.letters
	}
	return b.width - c.width
}

// prefixed calls visit for each longer word that starts with prefix.
func (d *dictionary) prefixed(prefix []byte, letters int, visit func(class, letters int)) {
	for n := range d.buckets {
		b := &d.buckets[n]
		if b.letters <= letters || b.width <= len(prefix) {
			continue
		}
		text := d.text[b.offset : b.offset+b.count*b.width]
		low, high := 0, b.count
		for low < high {
			middle := (low + high) / 2
			if bytes.Compare(text[middle*b.width:][:len(prefix)], prefix) < 0 {
				low = middle + 1
			} else {
				high = middle
			}
		}
		for i := low; i < b.count && bytes.Equal(text[i*b.width:][:len(prefix)], prefix); i++ {
			visit(d.class(b.first+i), b.letters)
		}
	}
}

// misspelt calls visit for each word that is between one and limit typing
// errors away from word.
func (d *dictionary) misspelt(word []byte, letters, limit int, visit func(class, errors int)) {
	want := signature(word)
	var wordBuf, otherBuf [longestWord]rune
	var wordRunes []rune
	for n := range d.buckets {
		b := &d.buckets[n]
		if b.letters < letters-limit || b.letters > letters+limit {
			continue
		}
		for i, s := range d.signatures[b.first : b.first+b.count] {
			if bits.OnesCount64(want^s) > 2*limit {
				continue
			}
			other := d.word(b, i)
			var errors int
			if len(word) == letters && b.width == b.letters {
				errors = distance(word, other, limit)
			} else {
				if wordRunes == nil {
					wordRunes = runes(wordBuf[:], word)
				}
				errors = distance(wordRunes, runes(otherBuf[:], other), limit)
			}
			if 0 < errors && errors <= limit {
				visit(d.class(b.first+i), errors)
			}
		}
	}
}
