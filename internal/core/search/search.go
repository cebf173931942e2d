// Package search finds documents by the words of their titles, descriptions and
// keywords. It does not know what the documents describe or where an index is
// stored.
//
// # Ranking
//
// Documents are ranked by BM25, summed over the fields:
//
//	score(q, d) = Σ idf(t) · (3 · part(title) + part(description) + part(keywords))   for the words t of q
//	part(f)     = tf · (k1 + 1) / (tf + k1 · (1 - b + b · |f| / avg|f|))
//	idf(t)      = ln(1 + (N - n(t) + 0.5) / (n(t) + 0.5))
//
// where k1 = 1.2, b = 0.75 (0 for keywords, so that long lists are not penalized),
// tf is the number of times t occurs in field f of d, |f| is the length of the
// field in words, avg|f| is the average length of that field, N is the number of
// documents, and n(t) is the number of documents that contain t in any field. The
// score is then adjusted:
//
//   - A query word also matches words that start with it. A word of four letters
//     or more matches words with one typing error, a word of eight or more those
//     with two. Such a match earns a fraction of the score and is never treated
//     as rarer than the query word itself. Only the best match of a word in a
//     document counts.
//   - Half of the score is scaled by the fraction of the query that the
//     document matches.
//   - Function words ("who", "is", "the") count an eighth, and only in documents
//     that match another word of the query. In a query made of function words
//     alone, they count in full.
//   - If the query contains a keyword of a document, each word of the keyword
//     counts 1.5 more. If the whole query is a keyword, the document ranks above
//     those that mention the words only in their descriptions. Function words and
//     inflections make no difference.
//   - Hiragana that are not in the index match katakana, and the reverse, if
//     documents have keywords.
//   - Documents whose whole title is the query rank above all others.
//
// Without keywords, scores are those of titles and descriptions alone.
//
// The cost of a query is bounded: it reads at most 12 words, 48 characters of
// scripts without spaces, and one megabyte of postings for inexact matches.
// Scores are computed with integers, so they are the same on every machine.
// Documents with equal scores keep their order.
//
// # Analysis
//
// Text is normalized (NFKC, lower case) and split at Unicode word boundaries
// (UAX 29). Words are looked up without accents. Words with the same stem match
// one another if the language has a stemmer. A compound such as "touch-screen"
// is indexed by its parts and as one word. Runs of Chinese, Japanese, Korean,
// Thai, Lao, Khmer and Burmese characters, which have no spaces to split at, are
// indexed by single characters and by pairs. Queries are analysed in the same
// way.
package search

// Index is an immutable search index. It is safe for concurrent use.
type Index struct {
	data     []byte // the encoded index; the other slices point into it
	lang     *language
	docs     int
	words    dictionary // folded words and grams
	stems    dictionary // folded stems that are not words of their class
	ends     []byte     // the end of each class's postings, as a uint32
	postings []byte
	titles   keyTable
	keywords keyTable
}

// Hit is a document that matches a query. Scores are comparable only within
// the results of one query.
type Hit struct {
	Doc   int
	Score float64
}

// Search returns the documents that match query and for which accept returns
// true, best first. Documents with equal scores are in document order. A nil
// accept accepts every document.
func (ix *Index) Search(query string, accept func(doc int) bool) []Hit {
	hits, _ := ix.SearchStep(query, accept, nil) // without a step, searches cannot fail
	return hits
}

// SearchStep is like [Index.Search], but long searches call step every few
// milliseconds and stop with its error. The step function may be nil.
func (ix *Index) SearchStep(query string, accept func(doc int) bool, step func() error) ([]Hit, error) {
	normalized := normalize(query)
	s := newSearcher(ix)
	s.step = step
	s.parse(normalized)
	for n := range s.terms {
		if s.err != nil {
			break
		}
		s.match(n)
	}
	if s.err == nil {
		s.matchKeywords()
	}
	s.matchTitle(titleKey(s.folded, normalized)) // the terms no longer need s.folded
	hits, err := s.hits(accept), s.err
	// Not deferred: after a panic, the scratch memory must not return to the pool.
	s.release()
	return hits, err
}
