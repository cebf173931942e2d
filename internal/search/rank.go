package search

import (
	"slices"
	"sync"
)

// searcher is the state of one search. Between searches it is kept with all
// cells and qualities zero.
type searcher struct {
	ix     *Index
	units  []unit
	folded []byte // what units refer to

	cells   []cell   // for each document
	found   []uint32 // the documents that have been touched by any unit
	touched []uint32 // those that the current unit occurs in

	qualities  []uint8 // for each class, of its match with the current word
	candidates []int   // classes with a quality that is not zero
	asked      []int   // classes that earlier words asked for exactly
	grams      []int   // classes of the current run
	lookups    int     // of grams so far
	spent      int     // bytes of postings read for what resembles a word

	wanted int // the coverage of a document that has all units as they are asked for
	keys   []uint64
	spare  []uint64
}

// cell is what a search knows of one document.
type cell struct {
	total   uint32 // sum over the units before the current one
	unit    uint32 // of the current unit
	covered uint16 // the qualities of the units that are matched, added up
	quality uint8  // of the current word's match; of a run, how many grams
	gram    uint8  // the last gram found, counted from 1
	paired  bool   // two grams that follow one another were found
	matched bool   // something other than a function word was
	titled  bool   // the whole title is the query
	known   bool   // the document is in found
}

// finish ends the current unit.
func (c *cell) finish() {
	c.total += c.unit
	c.unit, c.quality, c.gram, c.paired = 0, 0, 0, false
}

var searchers = sync.Pool{New: func() any { return new(searcher) }}

func newSearcher(ix *Index) *searcher {
	s := searchers.Get().(*searcher)
	s.ix = ix
	if len(s.cells) < ix.docs {
		s.cells = make([]cell, ix.docs)
	}
	if classes := len(ix.ends) / 4; len(s.qualities) < classes {
		s.qualities = make([]uint8, classes)
	}
	return s
}

func (s *searcher) release() {
	for _, doc := range s.found {
		s.cells[doc] = cell{}
	}
	clear(s.units)
	s.ix, s.units, s.folded = nil, s.units[:0], s.folded[:0]
	s.found, s.asked = s.found[:0], s.asked[:0]
	s.lookups, s.spent, s.wanted = 0, 0, 0
	searchers.Put(s)
}

// count counts a class of words in the documents that have it. For a word, the
// best of its matches counts; the grams of a run, numbered from 1, add up.
func (s *searcher) count(class int, weight uint32, quality, gram uint8) {
	list := s.ix.postings[s.ix.start(class)+2 : s.ix.end(class)]
	doc := -1
	for i := 0; i < len(list); {
		gap := int(list[i] & 0x7F)
		for shift := 7; list[i] >= 0x80; shift += 7 {
			i++
			gap |= int(list[i]&0x7F) << shift
		}
		doc += gap
		score := weight * (uint32(list[i+1]) | uint32(list[i+2])<<8) / idfUnit
		i += 3

		c := &s.cells[doc]
		if c.quality == 0 {
			s.touch(doc)
		}
		if gram > 0 {
			c.unit += score
			c.quality++
			c.paired = c.paired || c.gram+1 == gram && gram > 1
			c.gram = gram
		} else if score > c.unit || c.quality == 0 {
			c.unit, c.quality = score, quality
		}
	}
}

func (s *searcher) touch(doc int) {
	s.touched = append(s.touched, uint32(doc))
	s.find(doc)
}

func (s *searcher) find(doc int) {
	if c := &s.cells[doc]; !c.known {
		c.known = true
		s.found = append(s.found, uint32(doc))
	}
}

// idf returns how rare a class of words is.
func (ix *Index) idf(class int) uint32 {
	return uint32(little.Uint16(ix.postings[ix.start(class):]))
}

func (ix *Index) start(class int) int {
	if class == 0 {
		return 0
	}
	return ix.end(class - 1)
}

func (ix *Index) end(class int) int { return int(little.Uint32(ix.ends[4*class:])) }

// titleBonus is added to the score of a document whose whole title is the
// query. No other score comes near it.
const titleBonus = 1 << 31

// hits returns the documents that match and are accepted, best first.
func (s *searcher) hits(accept func(doc int) bool) []Hit {
	s.keys = slices.Grow(s.keys[:0], len(s.found))
	// One half of a score counts whatever else the query asks for, the other
	// half as far as the document has it: total · (wanted + covered) / 2·wanted,
	// the division done once with 32 bits after the point.
	share := 1 << 32 / uint64(2*max(s.wanted, 1))
	for _, doc := range s.found {
		c := &s.cells[doc]
		if !c.matched && !c.titled || accept != nil && !accept(int(doc)) {
			continue
		}
		score := uint64(c.total) * uint64(s.wanted+int(c.covered)) * share >> 32
		if c.titled {
			score |= titleBonus
		}
		s.keys = append(s.keys, uint64(^uint32(score))<<32|uint64(doc))
	}
	s.sort()
	if len(s.keys) == 0 {
		return nil
	}
	hits := make([]Hit, len(s.keys))
	for i, key := range s.keys {
		hits[i] = Hit{Doc: int(uint32(key)), Score: float64(^uint32(key>>32)) / impactUnit}
	}
	return hits
}

// sort orders keys: where there are many, byte by byte with the least first.
func (s *searcher) sort() {
	if len(s.keys) < 128 {
		slices.Sort(s.keys)
		return
	}
	var differing uint64
	for _, key := range s.keys {
		differing |= key ^ s.keys[0]
	}
	s.spare = slices.Grow(s.spare[:0], len(s.keys))[:len(s.keys)]
	for shift := 0; shift < 64; shift += 8 {
		if byte(differing>>shift) == 0 {
			continue
		}
		var places [256]int
		for _, key := range s.keys {
			places[byte(key>>shift)]++
		}
		place := 0
		for digit, count := range places {
			places[digit] = place
			place += count
		}
		for _, key := range s.keys {
			digit := byte(key >> shift)
			s.spare[places[digit]] = key
			places[digit]++
		}
		s.keys, s.spare = s.spare, s.keys
	}
}
