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

// find returns the first entry whose key is not less than the given one.
func (t keyTable) find(key uint64) int {
	return sort.Search(t.len(), func(n int) bool {
		k, _ := t.entry(n)
		return k >= key
	})
}

// has reports whether there is an entry with the given key.
func (t keyTable) has(key uint64) bool {
	n := t.find(key)
	if n == t.len() {
		return false
	}
	k, _ := t.entry(n)
	return k == key
}

// docs yields the documents with the given key.
func (t keyTable) docs(key uint64) iter.Seq[int] {
	return func(yield func(doc int) bool) {
		for n := t.find(key); n < t.len(); n++ {
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

// addKey adds a 64-bit key.
func (h hash) addKey(key uint64) hash {
	return h.addNumber(int(key)).addNumber(int(key >> 32))
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

// keywordBonus is the impact of each word of a keyword in the query, in addition to
// that of the words themselves. If the whole query is a keyword, no document that
// matches only in its description ranks above: a word has an impact of 1 in keywords,
// and of at most termSaturation+1 in a description.
const keywordBonus = 1.5

// matchKeywords adds a bonus to the documents that have a part of the query as a
// keyword. The longest keyword counts where several start at the same word, and
// keywords that count do not overlap.
func (s *searcher) matchKeywords() {
	if s.ix.keywords.len() == 0 {
		return
	}
	const impact = keywordBonus * impactUnit
	for phrase := s.phrase(); len(phrase) > 0; {
		n, key, idf := s.ix.longestKeyword(phrase)
		phrase = phrase[max(n, 1):]
		if n == 0 {
			continue
		}
		bonus := uint32(uint64(idf) * impact / idfUnit)
		for doc := range s.ix.keywords.docs(key) {
			if !s.spend(keySize) {
				return
			}
			s.addFound(doc)
			a := &s.accumulators[doc]
			a.contentMatch = true
			a.total += bonus
		}
	}
}

// longestKeyword returns the number of terms of the longest keyword that phrase starts
// with, its key and the sum of the idfs of the terms.
func (ix *Index) longestKeyword(phrase []phraseTerm) (n int, key uint64, idf uint32) {
	h, sum := emptyHash, uint32(0)
	for i, t := range phrase[:min(len(phrase), maxWords)] {
		if t.key == 0 {
			break
		}
		h, sum = h.addKey(t.key), sum+t.idf
		if ix.keywords.has(uint64(h)) {
			n, key, idf = i+1, uint64(h), sum
		}
	}
	return n, key, idf
}

// phraseTerm is a term of a keyword.
type phraseTerm struct {
	key uint64 // of [queryTerm], 0 if it is not in the index
	idf uint32
}

// phrase returns the terms that can be part of a keyword, after all terms have been
// looked up. Function words and repeated words are left out, and so are kana that are
// not in the index, because they are usually endings. Words with the same stem are
// equal. The next call overwrites the result.
func (s *searcher) phrase() []phraseTerm {
	s.phraseTerms = s.phraseTerms[:0]
	for n := range s.terms {
		t := &s.terms[n]
		if t.function || t.key == 0 && t.script == hiragana || t.key != 0 && s.isRepeated(n) {
			continue
		}
		s.phraseTerms = append(s.phraseTerms, phraseTerm{t.key, t.idf})
	}
	return s.phraseTerms
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

// phraseKey returns the key of a keyword, or 0 if it is empty or a term is not in the
// index.
func phraseKey(phrase []phraseTerm) uint64 {
	h := emptyHash
	for _, t := range phrase {
		if t.key == 0 {
			return 0
		}
		h = h.addKey(t.key)
	}
	if h == emptyHash {
		return 0
	}
	return uint64(h)
}
