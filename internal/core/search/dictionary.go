package search

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
)

// dictionary is a sorted set of words, each of which belongs to one class of
// equivalent words. It points into the encoded index. Words are grouped by
// length, so that they need no offsets and the candidates for a misspelt word
// are contiguous.
type dictionary struct {
	buckets    []bucket // sorted by letters, then width
	text       []byte   // the words of all buckets, concatenated
	classes    []byte   // the class of each word, as a uint32
	signatures []uint64 // the signature of each word; nil for stems
}

// bucket is the sorted list of words with the same number of letters and bytes.
type bucket struct {
	letters, width int // length of each word in letters and in bytes
	first          int // index of the first word in the dictionary
	count          int // number of words
	offset         int // offset of the words in dictionary.text
}

func (d *dictionary) class(word int) int {
	return int(byteOrder.Uint32(d.classes[4*word:]))
}

// word returns the i-th word of a bucket.
func (d *dictionary) word(b *bucket, i int) []byte {
	start := b.offset + i*b.width
	return d.text[start : start+b.width]
}

// find returns the class of a word with the given number of letters.
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

// visitPrefixed calls visit for each longer word that starts with prefix.
func (d *dictionary) visitPrefixed(prefix []byte, letters int, visit func(word []byte, class, letters int)) {
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
			visit(d.word(b, i), d.class(b.first+i), b.letters)
		}
	}
}

// visitMisspelt calls visit for each word that is one to limit typing errors
// away from word.
func (d *dictionary) visitMisspelt(word []byte, letters, limit int, visit func(other []byte, class, typos int)) {
	want := signature(word)
	var wordBuf, otherBuf [maxWordLetters]rune
	wordRunes := decodeRunes(wordBuf[:], word)
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
			typos := distance(wordRunes, decodeRunes(otherBuf[:], other), limit)
			if 0 < typos && typos <= limit {
				visit(other, d.class(b.first+i), typos)
			}
		}
	}
}
