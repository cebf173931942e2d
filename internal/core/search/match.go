package search

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Match qualities, in percent. The quality of a prefix grows with the
// fraction of the word that it covers and is never below that of a typing error.
const (
	exactQuality     = 100
	prefixQuality    = 60
	prefixGain       = 20 // added to prefixQuality in proportion to the fraction covered
	characterQuality = 60 // a lone character, which may be part of any word
	oneTypoQuality   = 40
	twoTyposQuality  = 20
)

// relativeQuality scales the quality of a match by the best quality that the
// term reaches in the index. A poor match counts little beside a much better
// one, and considerably more if there is none.
func relativeQuality(quality, best uint8) uint8 {
	ratio := float64(quality) / float64(best)
	return uint8(10 * math.Sqrt(float64(best)) * ratio * ratio)
}

// match adds the score of the n-th term to the documents it occurs in.
func (s *searcher) match(n int) {
	t := &s.terms[n]
	if !s.lookUp(t) {
		return
	}
	switch {
	case t.script == spaced:
		s.matchWord(n)
	case t.isCharacter():
		s.matchCharacter(t)
	default:
		s.matchRun(t)
	}
}

// isCharacter reports whether t is a lone character of a script without spaces.
func (t *queryTerm) isCharacter() bool {
	return t.script != spaced && len(t.text) == clusterLen(t.text)
}

// lookUp finds the classes of a term. Those of a run are in s.grams. It returns false
// after maxGrams lookups.
func (s *searcher) lookUp(t *queryTerm) bool {
	switch {
	case t.script == spaced:
		t.class, t.indexed = s.ix.findWord(t)
	case s.lookups == maxGrams:
		return false
	case t.isCharacter():
		s.lookups++
		t.class = s.ix.findGram(t.text)
	default:
		s.lookUpRun(t)
		return true
	}
	if t.class != notFound {
		t.key, t.idf = uint64(emptyHash.addNumber(t.class)), s.ix.idf(t.class)
	}
	return true
}

// lookUpRun finds the pairs of characters of a run.
func (s *searcher) lookUpRun(t *queryTerm) {
	s.grams = s.grams[:0]
	run, h, found := t.text, emptyHash, true
	first := clusterLen(run)
	foldsKana := s.ix.keywords.len() > 0 && t.foldsKana()
	for ; first < len(run) && s.lookups < maxGrams; s.lookups++ {
		second := clusterLen(run[first:])
		class := s.ix.findGram(run[:first+second])
		if class == notFound && foldsKana {
			class = s.ix.findGram(otherKana(run[:first+second]))
		}
		s.grams = append(s.grams, class)
		if class != notFound {
			t.idf += s.ix.idf(class)
		}
		h, found = h.addNumber(class), found && class != notFound
		run, first = run[first:], second
	}
	if found && first == len(run) {
		t.key = uint64(h)
	}
	if len(s.grams) > 0 {
		t.idf = uint32(float64(t.idf) * gramScale(len(s.grams)))
	}
}

// gramScale returns the weight of each pair of characters of a run. The weight of a
// run grows with the square root of its length.
func gramScale(grams int) float64 { return 1 / math.Sqrt(float64(grams)) }

// matchWord matches a word exactly, by its stem, as a prefix, with typing
// errors and as part of a compound.
func (s *searcher) matchWord(n int) {
	t := &s.terms[n]
	class, stemmed := t.class, t.class != notFound && !t.indexed
	if class != notFound {
		if slices.Contains(s.exact, class) {
			return
		}
		s.exact = append(s.exact, class)
	}
	s.addCompounds(n)
	isPrefix := false // whether the term is a prefix of a word in another class
	if !t.function {
		s.ix.words.visitPrefixed(t.folded, t.letters, func(_ []byte, c, letters int) {
			isPrefix = isPrefix || c != class
			s.addCandidate(c, uint8(prefixQuality+prefixGain*t.letters/letters))
		})
		if limit := t.maxTypos(); limit > 0 {
			s.ix.words.visitMisspelt(t.folded, t.letters, limit, func(_ []byte, c, typos int) {
				s.addCandidate(c, [...]uint8{1: oneTypoQuality, 2: twoTyposQuality}[typos])
			})
		}
	}
	maxIDF := uint32(math.MaxUint16)
	switch {
	case t.indexed:
		s.addCandidate(class, exactQuality)
		maxIDF = t.idf
	case stemmed && !isPrefix:
		s.addCandidate(class, exactQuality)
	case stemmed:
		s.addCandidate(class, prefixQuality)
	}
	s.scoreCandidates(t, maxIDF)
}

// findWord returns the class of t, or of the words that have the same stem, and
// whether t itself is in the index.
func (ix *Index) findWord(t *queryTerm) (class int, indexed bool) {
	class, indexed = ix.words.find(t.folded, t.letters)
	if indexed {
		return class, true
	}
	if ix.lang.stemmer == nil {
		return notFound, false
	}
	var buf [64]byte
	stem, letters := clip(ix.lang.appendStem(buf[:0], t.text))
	class, ok := ix.stems.find(stem, letters)
	if !ok {
		class, ok = ix.words.find(stem, letters)
	}
	if !ok {
		return notFound, false
	}
	return class, false
}

// addCompounds adds the words that the n-th term forms with its neighbours as
// candidates: "touch screen" matches "touchscreen".
func (s *searcher) addCompounds(n int) {
	for _, pair := range [...][2]int{{n - 1, n}, {n, n + 1}} {
		if pair[0] < 0 || pair[1] == len(s.terms) {
			continue
		}
		a, b := &s.terms[pair[0]], &s.terms[pair[1]]
		if a.script != spaced || b.script != spaced || a.position+1 != b.position {
			continue
		}
		var buf [2 * maxWordLetters]byte
		word, letters := clip(append(append(buf[:0], a.folded...), b.folded...))
		if class, ok := s.ix.words.find(word, letters); ok {
			s.addCandidate(class, exactQuality)
		}
	}
}

// maxTypos returns the number of typing errors allowed in t. Words with digits
// allow none.
func (t *queryTerm) maxTypos() int {
	if strings.ContainsFunc(t.text, unicode.IsNumber) {
		return 0
	}
	return maxTypos(t.letters)
}

// matchCharacter matches a lone character of a script without spaces, which may
// be part of any word. A match that includes its inflection is exact.
func (s *searcher) matchCharacter(t *queryTerm) {
	if t.class != notFound {
		s.addCandidate(t.class, characterQuality)
	}
	if class := s.ix.findGram(t.inflected); class != notFound {
		s.addCandidate(class, exactQuality)
	}
	s.scoreCandidates(t, math.MaxUint16)
}

// addCandidate records that a class matches the current term.
func (s *searcher) addCandidate(class int, quality uint8) {
	if s.qualities[class] == 0 {
		s.candidates = append(s.candidates, class)
	}
	s.qualities[class] = max(s.qualities[class], quality)
}

// scoreCandidates adds the score of the best candidate of the current term to
// each document. The idf of a candidate is capped at maxIDF, so that a rare
// word that resembles the query word does not outweigh the word itself.
func (s *searcher) scoreCandidates(t *queryTerm, maxIDF uint32) {
	var best uint8
	for _, class := range s.candidates {
		best = max(best, s.qualities[class])
	}
	for _, class := range s.candidates {
		exact := s.qualities[class] == exactQuality
		quality := relativeQuality(s.qualities[class], best)
		s.qualities[class] = 0
		if !exact && !s.withinBudget(class) {
			continue
		}
		weight := min(s.ix.idf(class), maxIDF) * uint32(quality) / 100
		if t.function {
			weight /= 8
		}
		s.addPostings(class, max(1, weight), quality, 0)
	}
	s.candidates = s.candidates[:0]
	if !t.function {
		s.maxCoverage += exactQuality
	}
	for _, doc := range s.touched {
		a := &s.accumulators[doc]
		if !t.function {
			a.contentMatch = true
			a.coverage += uint16(a.quality)
		}
		a.endTerm()
	}
	s.touched = s.touched[:0]
}

// withinBudget reports whether the postings of an inexact match may still be
// read. Only queries of many very short words exceed the budget.
func (s *searcher) withinBudget(class int) bool {
	s.bytesRead += s.ix.end(class) - s.ix.start(class)
	return s.bytesRead <= maxInexactBytes
}

// matchRun scores documents by the pairs of characters they share with a run.
// In scripts where a pair occurs in many words, a document must contain two
// consecutive pairs, or the whole run, to match.
func (s *searcher) matchRun(t *queryTerm) {
	if len(s.grams) == 0 {
		return
	}
	scale := gramScale(len(s.grams))
	for i, class := range s.grams {
		if class != notFound && !slices.Contains(s.grams[:i], class) {
			s.addPostings(class, max(1, uint32(scale*float64(s.ix.idf(class)))), 0, uint8(i+1))
		}
	}
	s.maxCoverage += exactQuality
	needConsecutive := !t.script.pairIsWord() && len(s.grams) > 1
	for _, doc := range s.touched {
		a := &s.accumulators[doc]
		if a.consecutive || !needConsecutive {
			a.contentMatch = true
			a.coverage += uint16(exactQuality * int(a.quality) / len(s.grams))
		}
		a.endTerm()
	}
	s.touched = s.touched[:0]
}

// notFound is the class of a gram that is not in the index.
const notFound = -1

// findGram returns the class of one or two characters.
func (ix *Index) findGram(text string) int {
	var buf [64]byte
	gram, letters := clip(appendFolded(buf[:0], text))
	if class, ok := ix.words.find(gram, letters); ok {
		return class
	}
	return notFound
}
