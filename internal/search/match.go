package search

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Qualities of a match, in percent. A prefix is worth the more the less of the
// word is missing, and never less than a typing error.
const (
	exactQuality     = 100
	prefixQuality    = 60
	completion       = 20 // what a prefix gains as it becomes the whole word
	characterQuality = 60 // a lone character may stand in any word
	oneTypoQuality   = 40
	twoTyposQuality  = 20
)

// worth is what a match of some quality counts where best is the best there
// is: little beside a much better one, and a good deal if nothing comes nearer
// to what was asked for.
func worth(quality, best uint8) uint8 {
	ratio := float64(quality) / float64(best)
	return uint8(10 * math.Sqrt(float64(best)) * ratio * ratio)
}

// match adds what one unit of the query is worth to the documents it occurs in.
func (s *searcher) match(n int) {
	u := &s.units[n]
	switch {
	case u.script == spaced:
		s.matchWord(n)
	case len(u.text) == cluster(u.text):
		s.matchCharacter(u)
	default:
		s.matchRun(u)
	}
}

// matchWord finds a word as it is or in another form, as the beginning of a
// longer one, with typing errors, and as a part of a compound.
func (s *searcher) matchWord(n int) {
	u := &s.units[n]
	asked, known := s.ix.words.find(u.folded, u.letters)
	stemmed := false
	if !known {
		asked, stemmed = s.ix.stemmed(u)
	}
	if known || stemmed {
		if slices.Contains(s.asked, asked) {
			return
		}
		s.asked = append(s.asked, asked)
	}
	s.compounds(n)
	begun := false // the word may be the beginning of one that is not a form of it
	if !u.function {
		s.ix.words.prefixed(u.folded, u.letters, func(class, letters int) {
			begun = begun || class != asked
			s.candidate(class, uint8(prefixQuality+completion*u.letters/letters))
		})
		if limit := u.typos(); limit > 0 {
			s.ix.words.misspelt(u.folded, u.letters, limit, func(class, errors int) {
				s.candidate(class, [...]uint8{1: oneTypoQuality, 2: twoTyposQuality}[errors])
			})
		}
	}
	rarest := uint32(math.MaxUint16)
	switch {
	case known:
		s.candidate(asked, exactQuality)
		rarest = s.ix.idf(asked)
	case stemmed && !begun:
		s.candidate(asked, exactQuality)
	case stemmed:
		s.candidate(asked, prefixQuality)
	}
	s.countBest(u, rarest)
}

// stemmed returns the class of other forms of a word.
func (ix *Index) stemmed(u *unit) (class int, ok bool) {
	if ix.lang.stemmer == nil {
		return 0, false
	}
	var buf [64]byte
	stem, letters := clip(ix.lang.appendStem(buf[:0], u.text))
	if class, ok = ix.stems.find(stem, letters); ok {
		return class, true
	}
	return ix.words.find(stem, letters)
}

// compounds notes the words that the n-th unit makes with its neighbours:
// "touch screen" asks for "touchscreen" too.
func (s *searcher) compounds(n int) {
	for _, pair := range [...][2]int{{n - 1, n}, {n, n + 1}} {
		if pair[0] < 0 || pair[1] == len(s.units) {
			continue
		}
		a, b := &s.units[pair[0]], &s.units[pair[1]]
		if a.script != spaced || b.script != spaced || a.position+1 != b.position {
			continue
		}
		var buf [2 * longestWord]byte
		word, letters := clip(append(append(buf[:0], a.folded...), b.folded...))
		if class, ok := s.ix.words.find(word, letters); ok {
			s.candidate(class, exactQuality)
		}
	}
}

// typos returns how many typing errors are forgiven in a word. A number is
// none.
func (u *unit) typos() int {
	if strings.ContainsFunc(u.text, unicode.IsNumber) {
		return 0
	}
	return typos(u.letters)
}

// matchCharacter finds a lone character of a script without spaces in any
// word, and better with the ending it was written with.
func (s *searcher) matchCharacter(u *unit) {
	if s.lookups == maxGrams {
		return
	}
	s.lookups++
	if class := s.ix.gram(u.text); class != unknown {
		s.candidate(class, characterQuality)
	}
	if class := s.ix.gram(u.inflected); class != unknown {
		s.candidate(class, exactQuality)
	}
	s.countBest(u, math.MaxUint16)
}

// candidate notes that a class of words matches the current unit.
func (s *searcher) candidate(class int, quality uint8) {
	if s.qualities[class] == 0 {
		s.candidates = append(s.candidates, class)
	}
	s.qualities[class] = max(s.qualities[class], quality)
}

// countBest counts for each document the best of the current unit's candidates
// that it has. None of them is taken to be rarer than rarest: words that only
// resemble the one that was asked for tell no more than it does.
func (s *searcher) countBest(u *unit, rarest uint32) {
	var best uint8
	for _, class := range s.candidates {
		best = max(best, s.qualities[class])
	}
	for _, class := range s.candidates {
		exact := s.qualities[class] == exactQuality
		quality := worth(s.qualities[class], best)
		s.qualities[class] = 0
		if !exact && !s.affords(class) {
			continue
		}
		weight := min(s.ix.idf(class), rarest) * uint32(quality) / 100
		if u.function {
			weight /= 8
		}
		s.count(class, max(1, weight), quality, 0)
	}
	s.candidates = s.candidates[:0]
	if !u.function {
		s.wanted += exactQuality
	}
	for _, doc := range s.touched {
		c := &s.cells[doc]
		if !u.function {
			c.matched = true
			c.covered += uint16(c.quality)
		}
		c.finish()
	}
	s.touched = s.touched[:0]
}

// affords reports whether a class that only resembles what was asked for can
// still be looked at. Only queries of many very short words run out.
func (s *searcher) affords(class int) bool {
	s.spent += s.ix.end(class) - s.ix.start(class)
	return s.spent <= maxSpent
}

// matchRun adds up the pairs of characters that a document shares with a run.
// In a script that spells sounds, a pair occurs in many words, so that a
// document needs two that follow one another, or the whole run, to match.
func (s *searcher) matchRun(u *unit) {
	s.grams = s.grams[:0]
	run := u.text
	for first := cluster(run); first < len(run) && s.lookups < maxGrams; s.lookups++ {
		second := cluster(run[first:])
		s.grams = append(s.grams, s.ix.gram(run[:first+second]))
		run, first = run[first:], second
	}
	if len(s.grams) == 0 {
		return
	}
	// A long run says more than a word, but not as much more as it has pairs.
	scale := 1 / math.Sqrt(float64(len(s.grams)))
	for i, class := range s.grams {
		if class != unknown && !slices.Contains(s.grams[:i], class) {
			s.count(class, max(1, uint32(scale*float64(s.ix.idf(class)))), 0, uint8(i+1))
		}
	}
	s.wanted += exactQuality
	pairs := u.script.spellsSounds() && len(s.grams) > 1
	for _, doc := range s.touched {
		c := &s.cells[doc]
		if c.paired || !pairs {
			c.matched = true
			c.covered += uint16(exactQuality * int(c.quality) / len(s.grams))
		}
		c.finish()
	}
	s.touched = s.touched[:0]
}

// unknown is the class of what no document has.
const unknown = -1

// gram returns the class of one or two characters.
func (ix *Index) gram(text string) int {
	var buf [64]byte
	gram, letters := clip(appendFolded(buf[:0], text))
	if class, ok := ix.words.find(gram, letters); ok {
		return class
	}
	return unknown
}
