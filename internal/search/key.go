package search

import (
	"iter"
	"sort"
)

// keyTable maps keys of texts to documents. It points into the encoded index: for
// each entry, the key and the document, sorted by key.
type keyTable []byte

// keySize is the size of an entry of a keyTable.
const keySize = 12

func (t keyTable) len() int { return len(t) / keySize }

func (t keyTable) entry(n int) (key uint64, doc int) {
	e := t[n*keySize:]
	return byteOrder.Uint64(e), int(byteOrder.Uint32(e[8:]))
}

// docs yields the documents with the given key.
func (t keyTable) docs(key uint64) iter.Seq[int] {
	return func(yield func(doc int) bool) {
		first := sort.Search(t.len(), func(n int) bool {
			k, _ := t.entry(n)
			return k >= key
		})
		for n := first; n < t.len(); n++ {
			if k, doc := t.entry(n); k != key || !yield(doc) {
				return
			}
		}
	}
}

// hash is a 64-bit FNV-1a hash.
type hash uint64

const emptyHash hash = 14695981039346656037

func (h hash) add(c byte) hash { return (h ^ hash(c)) * 1099511628211 }

// addNumber adds a 32-bit number.
func (h hash) addNumber(n int) hash {
	return h.add(byte(n)).add(byte(n >> 8)).add(byte(n >> 16)).add(byte(n >> 24))
}

// matchTitle marks the documents whose whole title has the given key.
func (s *searcher) matchTitle(key uint64) {
	if key == 0 {
		return
	}
	for doc := range s.ix.titles.docs(key) {
		s.addFound(doc)
		s.accumulators[doc].titleMatch = true
	}
}

// keywordBonus is the impact of each word of a query that is a keyword, in addition
// to that of the words themselves. With it, no document that matches only in its
// description ranks above: a word has an impact of 1 in keywords, and of at most
// termSaturation+1 in a description.
const keywordBonus = 1.5

// matchKeyword adds a bonus to the documents that have the whole query as a keyword.
func (s *searcher) matchKeyword() {
	if s.ix.keywords.len() == 0 || s.err != nil {
		return
	}
	key, idf := s.phrase()
	if key == 0 {
		return
	}
	const impact = keywordBonus * impactUnit
	bonus := uint32(uint64(idf) * impact / idfUnit)
	for doc := range s.ix.keywords.docs(key) {
		s.addFound(doc)
		a := &s.accumulators[doc]
		a.contentMatch = true
		a.total += bonus
	}
}

// phrase returns a key of the terms after they have been looked up, and the sum of
// their idfs. Function words and repeated words are ignored, and words with the same
// stem are equal. The key is 0 if a term is not in the index.
func (s *searcher) phrase() (key uint64, idf uint32) {
	h := emptyHash
	for n := range s.terms {
		t := &s.terms[n]
		switch {
		case t.function || t.key != 0 && s.isRepeated(n):
			continue
		case t.key == 0 && t.script == hiragana:
			continue // usually an ending
		case t.key == 0:
			return 0, 0
		}
		h = h.addNumber(int(t.key)).addNumber(int(t.key >> 32))
		idf += t.idf
	}
	if h == emptyHash {
		return 0, 0
	}
	return uint64(h), idf
}

// isRepeated reports whether an earlier term has the same key.
func (s *searcher) isRepeated(n int) bool {
	for i := range n {
		if s.terms[i].key == s.terms[n].key {
			return true
		}
	}
	return false
}
