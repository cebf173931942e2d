package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Format is the version of the binary format. It changes with the layout and
// with anything that produces different bytes for the same documents, such as a
// new stemmer. An index with another version must be rebuilt.
const Format = 2

// Layout of an encoded index. Numbers are little-endian and have 32 bits unless
// noted otherwise.
//
//	magic      "psx" and the format as a byte
//	sizes      documents, buckets of words, buckets of stems, classes,
//	           bytes of postings, titles, keywords, bytes of the locale
//	locale
//	words      buckets (letters, width, count), text, classes, signatures (64 bits)
//	stems      buckets, text, classes
//	classes    for each class, the end of its postings
//	postings   for each class, its idf (16 bits) and, for each document, the
//	           difference from the previous document (varint) and the impact (16 bits)
//	titles     for each title, its key (64 bits) and its document; sorted by key
//	keywords   the same for each keyword
const magic = "psx" + string(rune(Format))

// Fixed-point units of an idf and an impact. The largest impact is
// (titleBoost+2)·(termSaturation+1); the idf for 1<<32 documents is below 23.
const (
	idfUnit    = 1 << 11
	impactUnit = 1 << 12
)

var (
	byteOrder  = binary.LittleEndian
	errCorrupt = errors.New("search: index is corrupt")
)

// AppendBinary implements [encoding.BinaryAppender]. It never fails.
func (ix *Index) AppendBinary(data []byte) ([]byte, error) {
	return append(data, ix.data...), nil
}

func (b *builder) encode(locale string) []byte {
	words, stems, lists := b.classes()
	ends, postings := b.postings(lists)
	slices.SortFunc(b.titles, keyEntry.compare)

	data := []byte(magic)
	for _, n := range []int{
		len(b.lengths), countBuckets(words), countBuckets(stems), len(lists), len(postings), len(b.titles), 0, len(locale),
	} {
		data = byteOrder.AppendUint32(data, uint32(n))
	}
	data = append(data, locale...)
	data = appendEntries(data, words)
	for _, w := range words {
		data = byteOrder.AppendUint64(data, signature(w.text))
	}
	data = appendEntries(data, stems)
	for _, end := range ends {
		data = byteOrder.AppendUint32(data, uint32(end))
	}
	data = append(data, postings...)
	return slices.Clip(appendKeys(data, b.titles))
}

func appendKeys(data []byte, entries []keyEntry) []byte {
	for _, e := range entries {
		data = byteOrder.AppendUint64(data, e.key)
		data = byteOrder.AppendUint32(data, uint32(e.doc))
	}
	return data
}

// appendKeywords returns a copy of an encoded index without keywords, with the given
// ones.
func appendKeywords(data []byte, keywords []keyEntry) []byte {
	const countOffset = len(magic) + 6*4 // of the number of keywords
	data = appendKeys(slices.Grow(slices.Clone(data), len(keywords)*keySize), keywords)
	byteOrder.PutUint32(data[countOffset:], uint32(len(keywords)))
	return data
}

// postingSize is the approximate number of bytes of a posting.
const postingSize = 4

func (b *builder) postings(lists [][]place) (ends []int, postings []byte) {
	averages := b.averageLengths()
	ends, postings = make([]int, 0, len(lists)), make([]byte, 0, len(b.occurrences)*postingSize)
	for _, list := range lists {
		start := len(postings)
		postings = byteOrder.AppendUint16(postings, 0) // the idf, which depends on the number of documents
		docs, prev := 0, -1
		for len(list) > 0 {
			doc := list[0].doc()
			var counts [numFields]int
			for len(list) > 0 && list[0].doc() == doc {
				counts[list[0].field()]++
				list = list[1:]
			}
			postings = binary.AppendUvarint(postings, uint64(doc-prev))
			postings = byteOrder.AppendUint16(postings, uint16(math.Round(impact(counts, b.lengths[doc], averages)*impactUnit)))
			docs, prev = docs+1, doc
		}
		scaled := max(1, math.Round(idf(len(b.lengths), docs)*idfUnit))
		byteOrder.PutUint16(postings[start:], uint16(scaled))
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
		data = byteOrder.AppendUint32(data, uint32(entries[first].letters))
		data = byteOrder.AppendUint32(data, uint32(len(entries[first].text)))
		data = byteOrder.AppendUint32(data, uint32(i-first))
	}
	for _, e := range entries {
		data = append(data, e.text...)
	}
	for _, e := range entries {
		data = byteOrder.AppendUint32(data, uint32(e.class))
	}
	return data
}

// Decode decodes an index encoded by [Index.AppendBinary]. The index retains
// data, which must not be modified. Decode validates data, so that searching
// the returned index never panics.
func Decode(data []byte) (*Index, error) {
	if len(data) < len(magic) || string(data[:3]) != magic[:3] {
		return nil, errors.New("search: not an index")
	}
	if data[3] != Format {
		return nil, fmt.Errorf("search: index has format %d, want %d", data[3], Format)
	}
	r := reader{rest: data[len(magic):]}
	docs, words, stems, classes := r.number(), r.number(), r.number(), r.number()
	postings, titles, keywords, locale := r.number(), r.number(), r.number(), r.number()
	ix := &Index{
		data: data,
		docs: docs,
		lang: languageOf(string(r.take(locale, 1))),
	}
	ix.words = r.dictionary(words, classes, true)
	ix.stems = r.dictionary(stems, classes, false)
	ix.ends = r.take(classes, 4)
	ix.postings = r.take(postings, 1)
	ix.titles = r.take(titles, keySize)
	ix.keywords = r.take(keywords, keySize)
	if r.failed || len(r.rest) > 0 || docs > maxDocs || !ix.valid(classes) {
		return nil, errCorrupt
	}
	return ix, nil
}

// maxDocs limits the memory of a search, which is proportional to the number of
// documents, in case that number is corrupt.
const maxDocs = 1 << 20

// valid reports whether the postings are well-formed and all postings, titles and
// keywords refer to existing documents.
func (ix *Index) valid(classes int) bool {
	start := 0
	for c := range classes {
		end := int(byteOrder.Uint32(ix.ends[4*c:]))
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
	for _, keys := range []keyTable{ix.titles, ix.keywords} {
		for n := range keys.len() {
			if _, doc := keys.entry(n); uint(doc) >= uint(ix.docs) {
				return false
			}
		}
	}
	return start == len(ix.postings)
}

// reader reads the parts of an encoded index.
type reader struct {
	rest   []byte
	failed bool
}

// take returns the next n items of size bytes each.
func (r *reader) take(n, size int) []byte {
	if n > len(r.rest)/size {
		r.failed, r.rest = true, nil
		return nil
	}
	taken := r.rest[: n*size : n*size]
	r.rest = r.rest[n*size:]
	return taken
}

// number returns the next number. It must fit in an int on every platform.
func (r *reader) number() int {
	b := r.take(1, 4)
	if b == nil {
		return 0
	}
	n := byteOrder.Uint32(b)
	if n > math.MaxInt32 {
		r.failed = true
		return 0
	}
	return int(n)
}

func (r *reader) dictionary(buckets, classes int, withSignatures bool) dictionary {
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
		if b.letters > maxWordLetters || b.width < b.letters || b.width == 0 || b.count > len(r.rest)/b.width {
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
	if withSignatures {
		d.signatures = make([]uint64, words)
		if _, err := binary.Decode(r.take(words, 8), byteOrder, d.signatures); err != nil {
			r.failed = true
			return d
		}
	}
	for i := 0; i < len(d.classes); i += 4 {
		if byteOrder.Uint32(d.classes[i:]) >= uint32(classes) {
			r.failed = true
			return d
		}
	}
	return d
}
