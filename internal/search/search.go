// Package search finds documents by the words of their titles and
// descriptions: analysis by locale, an inverted index, ranking. It knows
// neither what the documents are nor where an index is kept.
//
// # Ranking
//
// Documents are ranked by BM25, summed over the fields:
//
//	score(q, d) = Σ idf(t) · (3 · part(title) + part(description))   for the words t of q
//	part(f)     = tf · (k1 + 1) / (tf + k1 · (1 - b + b · |f| / avg|f|))
//	idf(t)      = ln(1 + (N - n(t) + 0.5) / (n(t) + 0.5))
//
// with k1 = 1.2 and b = 0.75; tf counts t in the field f of d, |f| is the
// length of that field in words and avg|f| its average, N the number of
// documents and n(t) of those that have t in any field. This is then weighted:
//
//   - A word of a query also matches words that it is a prefix of and, from
//     four letters on, words that are one typing error away (two from eight),
//     at a part of their score and never as if they were rarer than the word
//     itself. Of all the ways in which a document has a word the best counts.
//   - Half of the sum counts whatever else the query asks for, and the other
//     half as far as a document has all that it asks for.
//   - Function words ("who", "is", "the") count an eighth, and only in
//     documents that have another word of the query, unless it has no others.
//   - A document whose whole title is the query comes first, whatever else.
//
// What a query may cost is bounded: its first 12 words count, 48 characters of
// scripts without spaces, and a megabyte of postings of words that resemble its
// own. Scores are integers inside, so that they are the same on every machine.
// Equal ones keep the order of the documents.
//
// # Analysis
//
// Texts are cut at Unicode word boundaries (UAX 29), after compatible forms
// have been made one and letters small. Words are looked up without their
// accents, and belong with the other words of the same stem where there is a
// stemmer for the language; the parts of a compound count, and so does the
// compound written as one word. Runs of Chinese, Japanese, Korean, Thai, Lao,
// Khmer and Burmese characters, which have no spaces to be cut at, are indexed
// by single characters and by pairs. Queries are read in the same way.
package search

import "sort"

// Index finds documents. It never changes and may be used by any number of
// goroutines at once.
type Index struct {
	data     []byte // all that follows refers to it
	lang     *language
	docs     int
	words    dictionary // folded words and grams
	stems    dictionary // folded stems that are not words of their class
	ends     []byte     // for each class, a uint32
	postings []byte
	titles   []byte // titleSize each, by key
}

// Hit is a document that matches a query. Scores are comparable within the
// answer to one query only.
type Hit struct {
	Doc   int
	Score float64
}

// Search returns the documents that match query and that accept does not
// refuse, best first, and in document order where they are equally good. A nil
// accept refuses none.
func (ix *Index) Search(query string, accept func(doc int) bool) []Hit {
	normalized := normalize(query)
	s := newSearcher(ix)
	s.read(normalized)
	for n := range s.units {
		s.match(n)
	}
	s.matchTitle(titleKey(s.folded, normalized)) // which no unit needs any more
	hits := s.hits(accept)
	// Not deferred: after a panic, the scratch memory must not return to the pool.
	s.release()
	return hits
}

// titleSize is how many bytes a title takes: its key and its document.
const titleSize = 12

// title returns the n-th title's key and document.
func (ix *Index) title(n int) (key uint64, doc int) {
	t := ix.titles[n*titleSize:]
	return little.Uint64(t), int(little.Uint32(t[8:]))
}

// matchTitle marks the documents whose whole title has this key.
func (s *searcher) matchTitle(key uint64) {
	if key == 0 {
		return
	}
	count := len(s.ix.titles) / titleSize
	first := sort.Search(count, func(n int) bool {
		k, _ := s.ix.title(n)
		return k >= key
	})
	for n := first; n < count; n++ {
		k, doc := s.ix.title(n)
		if k != key {
			return
		}
		s.find(doc)
		s.cells[doc].titled = true
	}
}
