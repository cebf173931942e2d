package search

import (
	"slices"
	"sync"
)

// searcher is the scratch memory of one search. In the pool, all accumulators
// and qualities are zero.
type searcher struct {
	ix     *Index
	terms  []queryTerm
	folded []byte // backing array of queryTerm.folded

	accumulators []accumulator // by document
	found        []uint32      // documents matched by any term
	touched      []uint32      // documents matched by the current term

	qualities  []uint8 // by class: the quality of its match with the current term
	candidates []int   // classes with a non-zero quality
	exact      []int   // classes that earlier words matched exactly
	grams      []int   // classes of the current run
	lookups    int     // gram lookups so far
	bytesRead  int     // bytes of postings read for inexact matches

	maxCoverage int // coverage of a document that matches every term exactly
	phraseTerms []phraseTerm
	keys        []uint64

	step      func() error // may be nil
	sinceStep int          // bytes processed since the last call to step
	err       error        // error from step; stops the search
}

// accumulator collects the score of one document.
type accumulator struct {
	total        uint32 // sum over the terms before the current one
	termScore    uint32 // score of the current term
	coverage     uint16 // sum of the qualities of the matched terms
	quality      uint8  // quality of the current word's match; for a run, the number of its grams found
	lastGram     uint8  // last gram found, counted from 1
	consecutive  bool   // two consecutive grams were found
	contentMatch bool   // matches a term that is not a function word
	titleMatch   bool   // the whole title is the query
	inFound      bool   // the document is in searcher.found
}

// endTerm adds the score of the current term to the total.
func (a *accumulator) endTerm() {
	a.total += a.termScore
	a.termScore, a.quality, a.lastGram, a.consecutive = 0, 0, 0, false
}

var searchers = sync.Pool{New: func() any { return new(searcher) }}

func newSearcher(ix *Index) *searcher {
	s := searchers.Get().(*searcher)
	s.ix = ix
	if len(s.accumulators) < ix.docs {
		s.accumulators = make([]accumulator, ix.docs)
	}
	if classes := len(ix.ends) / 4; len(s.qualities) < classes {
		s.qualities = make([]uint8, classes)
	}
	return s
}

// release resets s and returns it to the pool.
func (s *searcher) release() {
	s.reset()
	s.ix, s.step, s.err = nil, nil, nil
	searchers.Put(s)
}

// reset prepares s for another query.
func (s *searcher) reset() {
	for _, doc := range s.found {
		s.accumulators[doc] = accumulator{}
	}
	clear(s.terms)
	s.terms, s.folded = s.terms[:0], s.folded[:0]
	s.found, s.exact = s.found[:0], s.exact[:0]
	s.lookups, s.bytesRead, s.maxCoverage = 0, 0, 0
	s.sinceStep = 0
}

// stepBytes is the number of bytes processed between two calls to step. It
// takes well under a millisecond, and searches of small indexes never call step.
const stepBytes = 16 << 10

// stepDocuments is the number of documents ranked between two calls to step.
const stepDocuments = 4 << 10

// spend records that n bytes are about to be processed and reports whether the
// search may continue.
func (s *searcher) spend(n int) bool {
	s.sinceStep += n
	if s.sinceStep >= stepBytes && s.step != nil && s.err == nil {
		s.sinceStep = 0
		s.err = s.step()
	}
	return s.err == nil
}

// addPostings adds the postings of a class to the accumulators. For a word
// (gram 0), only the best score of a document counts. The scores of the grams
// of a run, numbered from 1, add up.
func (s *searcher) addPostings(class int, weight uint32, quality, gram uint8) {
	list := s.ix.postings[s.ix.start(class)+2 : s.ix.end(class)]
	doc := -1
	for i := 0; i < len(list); {
		end := min(i+stepBytes, len(list))
		if !s.spend(end - i) {
			return
		}
		for i < end {
			gap := int(list[i] & 0x7F)
			for shift := 7; list[i] >= 0x80; shift += 7 {
				i++
				gap |= int(list[i]&0x7F) << shift
			}
			doc += gap
			score := weight * (uint32(list[i+1]) | uint32(list[i+2])<<8) / idfUnit
			i += 3

			a := &s.accumulators[doc]
			if a.quality == 0 {
				s.touch(doc)
			}
			if gram > 0 {
				a.termScore += score
				a.quality++
				a.consecutive = a.consecutive || a.lastGram+1 == gram && gram > 1
				a.lastGram = gram
			} else if score > a.termScore || a.quality == 0 {
				a.termScore, a.quality = score, quality
			}
		}
	}
}

func (s *searcher) touch(doc int) {
	s.touched = append(s.touched, uint32(doc))
	s.addFound(doc)
}

func (s *searcher) addFound(doc int) {
	if a := &s.accumulators[doc]; !a.inFound {
		a.inFound = true
		s.found = append(s.found, uint32(doc))
	}
}

// idf returns the inverse document frequency of a class, in units of 1/idfUnit.
func (ix *Index) idf(class int) uint32 {
	return uint32(byteOrder.Uint16(ix.postings[ix.start(class):]))
}

func (ix *Index) start(class int) int {
	if class == 0 {
		return 0
	}
	return ix.end(class - 1)
}

func (ix *Index) end(class int) int { return int(byteOrder.Uint32(ix.ends[4*class:])) }

// titleBonus is set in the score of a document whose whole title is the query.
// It is far above any other score.
const titleBonus = 1 << 31

// hits returns the matching documents for which accept returns true, best first,
// or nil if the search was stopped.
func (s *searcher) hits(accept func(doc int) bool) []Hit {
	if s.err != nil {
		return nil
	}
	s.keys = slices.Grow(s.keys[:0], len(s.found))
	// Half of the score is scaled by the coverage:
	// total · (maxCoverage + coverage) / (2 · maxCoverage).
	// The reciprocal is computed once, with 32 fractional bits.
	reciprocal := 1 << 32 / uint64(2*max(s.maxCoverage, 1))
	for i, doc := range s.found {
		if (i+1)%stepDocuments == 0 && !s.spend(stepBytes) {
			return nil
		}
		a := &s.accumulators[doc]
		if !a.contentMatch && !a.titleMatch || accept != nil && !accept(int(doc)) {
			continue
		}
		score := uint64(a.total) * uint64(s.maxCoverage+int(a.coverage)) * reciprocal >> 32
		if a.titleMatch {
			score |= titleBonus
		}
		s.keys = append(s.keys, uint64(^uint32(score))<<32|uint64(doc))
	}
	slices.Sort(s.keys)
	if len(s.keys) == 0 {
		return nil
	}
	hits := make([]Hit, len(s.keys))
	for i, key := range s.keys {
		hits[i] = Hit{Doc: int(uint32(key)), Score: float64(^uint32(key>>32)) / impactUnit}
	}
	return hits
}
