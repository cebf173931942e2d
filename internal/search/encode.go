package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Format is the number of the binary form. It changes with the layout and with
// anything that makes other bytes of the same documents, such as a stemmer: an
// index of another number has to be built again.
const Format = 1

// An encoded index, all numbers little-endian and 32 bits wide unless said:
//
//	magic      "psx" and the format as a byte
//	sizes      documents, buckets of words, buckets of stems, classes,
//	           bytes of postings, titles, bytes of the locale
//	locale
//	words      buckets (letters, width, count), text, classes, signatures (64 bits)
//	stems      buckets, text, classes
//	classes    for each, where its postings end
//	postings   for each class: its idf (16 bits), then for each document the
//	           distance from the one before as a varint, and its impact (16 bits)
//	titles     for each: its key (64 bits), document; sorted
const magic = "psx" + string(rune(Format))

// The fixed point of an idf and of an impact. The largest impact is
// (1+titleBoost)·(k1+1), the idf of four thousand million documents 23.
const (
	idfUnit    = 1 << 11
	impactUnit = 1 << 12
)

var (
	little     = binary.LittleEndian
	errDamaged = errors.New("search: the index is damaged")
)

// AppendBinary appends the binary form of ix to data. It never fails.
func (ix *Index) AppendBinary(data []byte) ([]byte, error) {
	return append(data, ix.data...), nil
}

func (b *builder) encode(locale string) []byte {
	words, stems, lists := b.classes()
	ends, postings := b.postings(lists)
	slices.SortFunc(b.titles, titleEntry.compare)

	data := []byte(magic)
	for _, n := range []int{
		len(b.lengths), countBuckets(words), countBuckets(stems), len(lists), len(postings), len(b.titles), len(locale),
	} {
		data = little.AppendUint32(data, uint32(n))
	}
	data = append(data, locale...)
	data = appendEntries(data, words)
	for _, w := range words {
		data = little.AppendUint64(data, signature(w.text))
	}
	data = appendEntries(data, stems)
	for _, end := range ends {
		data = little.AppendUint32(data, uint32(end))
	}
	data = append(data, postings...)
	for _, t := range b.titles {
		data = little.AppendUint64(data, t.key)
		data = little.AppendUint32(data, uint32(t.doc))
	}
	return slices.Clip(data)
}

func (b *builder) postings(lists [][]occurrence) (ends []int, postings []byte) {
	average := b.averages()
	for _, list := range lists {
		rarity := max(1, math.Round(idf(len(b.lengths), len(list))*idfUnit))
		postings = little.AppendUint16(postings, uint16(rarity))
		last := -1
		for _, o := range list {
			postings = binary.AppendUvarint(postings, uint64(o.doc-last))
			postings = little.AppendUint16(postings, uint16(math.Round(impact(o.times, b.lengths[o.doc], average)*impactUnit)))
			last = o.doc
		}
		ends = append(ends, len(postings))
	}
	return ends, postings
}

func countBuckets(entries []entry) int {
	n := 0
	for i, e := range entries {
		if i == 0 || !e.sameBucket(entries[i-1]) {
			n++
		}
	}
	return n
}

func (e entry) sameBucket(f entry) bool {
	return e.letters == f.letters && len(e.text) == len(f.text)
}

func appendEntries(data []byte, entries []entry) []byte {
	for i := 0; i < len(entries); {
		first := i
		for i < len(entries) && entries[i].sameBucket(entries[first]) {
			i++
		}
		data = little.AppendUint32(data, uint32(entries[first].letters))
		data = little.AppendUint32(data, uint32(len(entries[first].text)))
		data = little.AppendUint32(data, uint32(i-first))
	}
	for _, e := range entries {
		data = append(data, e.text...)
	}
	for _, e := range entries {
		data = little.AppendUint32(data, uint32(e.class))
	}
	return data
}

// Decode returns the index that data is the binary form of. The index goes on
// referring to data, which must not change. Whatever the bytes are, an index
// that Decode returns can be searched.
func Decode(data []byte) (*Index, error) {
	if len(data) < len(magic) || string(data[:3]) != magic[:3] {
		return nil, errors.New("search: not an index")
	}
	if data[3] != Format {
		return nil, fmt.Errorf("search: the index has format %d, not %d", data[3], Format)
	}
	r := reader{rest: data[len(magic):]}
	docs, words, stems, classes := r.number(), r.number(), r.number(), r.number()
	postings, titles, locale := r.number(), r.number(), r.number()
	ix := &Index{
		data: data,
		docs: docs,
		lang: languageOf(string(r.take(locale, 1))),
	}
	ix.words = r.dictionary(words, classes, true)
	ix.stems = r.dictionary(stems, classes, false)
	ix.ends = r.take(classes, 4)
	ix.postings = r.take(postings, 1)
	ix.titles = r.take(titles, titleSize)
	if r.failed || len(r.rest) > 0 || docs > maxDocs || !ix.sound(classes, titles) {
		return nil, errDamaged
	}
	return ix, nil
}

// maxDocs keeps what a search sets aside for each document within reason,
// also where the number of documents is damaged.
const maxDocs = 1 << 20

// sound reports whether all postings and titles are of documents that exist.
func (ix *Index) sound(classes, titles int) bool {
	start := 0
	for c := range classes {
		end := int(little.Uint32(ix.ends[4*c:]))
		if end < start+2 || end > len(ix.postings) {
			return false
		}
		list := ix.postings[start+2 : end]
		doc := -1
		for len(list) > 0 {
			gap, n := binary.Uvarint(list)
			if n <= 0 || len(list) < n+2 || gap == 0 || gap > uint64(ix.docs) {
				return false
			}
			doc += int(gap)
			if doc >= ix.docs {
				return false
			}
			list = list[n+2:]
		}
		start = end
	}
	for t := range titles {
		if _, doc := ix.title(t); uint(doc) >= uint(ix.docs) {
			return false
		}
	}
	return start == len(ix.postings)
}

// reader takes an encoded index apart.
type reader struct {
	rest   []byte
	failed bool
}

// take returns the next n items of size bytes.
func (r *reader) take(n, size int) []byte {
	if n > len(r.rest)/size {
		r.failed, r.rest = true, nil
		return nil
	}
	taken := r.rest[: n*size : n*size]
	r.rest = r.rest[n*size:]
	return taken
}

// number returns the next number, at most MaxInt32 so that it is one anywhere.
func (r *reader) number() int {
	b := r.take(1, 4)
	if b == nil {
		return 0
	}
	n := little.Uint32(b)
	if n > math.MaxInt32 {
		r.failed = true
		return 0
	}
	return int(n)
}

func (r *reader) dictionary(buckets, classes int, signed bool) dictionary {
	var d dictionary
	if buckets > len(r.rest)/12 {
		r.failed = true
		return d
	}
	d.buckets = make([]bucket, buckets)
	words, size := 0, 0
	for i := range d.buckets {
		b := &d.buckets[i]
		*b = bucket{letters: r.number(), width: r.number(), count: r.number(), first: words, offset: size}
		if b.letters > longestWord || b.width < b.letters || b.width == 0 || b.count > len(r.rest)/b.width {
			r.failed = true
			return d
		}
		words += b.count
		size += b.count * b.width
		if size > len(r.rest) {
			r.failed = true
			return d
		}
	}
	d.text = r.take(size, 1)
	d.classes = r.take(words, 4)
	if signed {
		d.signatures = make([]uint64, words)
		if _, err := binary.Decode(r.take(words, 8), little, d.signatures); err != nil {
			r.failed = true
			return d
		}
	}
	for i := 0; i < len(d.classes); i += 4 {
		if little.Uint32(d.classes[i:]) >= uint32(classes) {
			r.failed = true
			return d
		}
	}
	return d
}
