package search

import (
	"strings"
	"unicode/utf8"
)

// Limits on the work done for one query.
const (
	maxWords = 12 // words, or runs of a script without spaces
	maxGrams = 48 // gram lookups, over all runs

	maxInexactBytes = 1 << 20 // bytes of postings read for inexact matches
)

// queryTerm is a word of a query, or a run of a script without spaces.
type queryTerm struct {
	script   script
	position int    // position among the tokens of the query
	text     string // normalized, with accents
	folded   []byte // for a word: the clipped text without accents
	letters  int    // number of letters in folded
	function bool   // whether it is a function word

	inflected string // for a lone character: the character and its inflection

	// Set by [searcher.lookUp].
	class   int    // for a word or a lone character: its class, or notFound
	indexed bool   // whether the word itself is in the index, and not only its stem
	key     uint64 // a hash of its classes, or 0 if it is not in the index
	idf     uint32 // of an exact match
}

// foldsKana reports whether t may be written in the other kana. Shorter parts of a
// query are usually the rest of an inflected word, not a word.
func (t *queryTerm) foldsKana() bool {
	const minKana = 3
	return (t.script == hiragana || t.script == katakana) && utf8.RuneCountInString(t.text) >= minKana
}

// parse splits a normalized query into terms. A query of function words alone
// is parsed without regard to grammar, so that it still has content.
func (s *searcher) parse(normalized string) {
	s.parseTerms(normalized, true)
	for _, t := range s.terms {
		if !t.function {
			return
		}
	}
	s.terms, s.folded = s.terms[:0], s.folded[:0]
	s.parseTerms(normalized, false)
}

func (s *searcher) parseTerms(normalized string, grammar bool) {
	tokens := s.ix.lang.tokenize(normalized)
	var prev token
	for position := range maxWords {
		tok, ok := tokens.next()
		if !ok {
			return
		}
		t := queryTerm{script: tok.script, position: position, text: tok.text}
		switch {
		case tok.script == spaced:
			start := len(s.folded)
			s.folded = appendFolded(s.folded, tok.text)
			t.folded, t.letters = clip(s.folded[start:])
			t.function = grammar && s.ix.lang.functionWords[string(t.folded)]
			s.addTerm(t)
		case grammar:
			s.setInflected(prev, tok)
			s.ix.lang.visitContent(tok, func(text string) {
				t.text = text
				s.addTerm(t)
			})
		default:
			s.addTerm(t)
		}
		prev = tok
	}
}

// setInflected records the inflection of a word of one Chinese character.
func (s *searcher) setInflected(word, inflection token) {
	if n := len(s.terms); n > 0 && inflection.inflects(word) {
		if t := &s.terms[n-1]; strings.HasSuffix(word.text, t.text) {
			t.inflected = t.text + inflection.text[:clusterLen(inflection.text)]
		}
	}
}

// addTerm adds t unless the query already has a term with the same text.
func (s *searcher) addTerm(t queryTerm) {
	for _, u := range s.terms {
		if u.text == t.text {
			return
		}
	}
	s.terms = append(s.terms, t)
}

// visitContent calls visit for the parts of a run that are not function words.
func (l *language) visitContent(run token, visit func(text string)) {
	switch {
	case run.script == han && l.functionChars != "":
		isFunction := func(r rune) bool { return strings.ContainsRune(l.functionChars, r) }
		for part := range strings.FieldsFuncSeq(run.text, isFunction) {
			visit(part)
		}
	case run.script == hiragana && l.endings != nil:
		l.visitHiragana(run, visit)
	default:
		visit(run.text)
	}
}

// visitHiragana calls visit for the parts of a run of hiragana between endings
// and particles. It skips single kana: they are usually the rest of an inflected
// word.
func (l *language) visitHiragana(run token, visit func(text string)) {
	rest := run.text
	if first := clusterLen(rest); run.adjacent && strings.Contains(japaneseParticles, rest[:first]) {
		rest = rest[first:]
	}
	start := 0 // start of the current part
	flush := func(end int) {
		word := rest[start:end]
		_, last := utf8.DecodeLastRuneInString(word)
		if head := word[:len(word)-last]; clusterLen(head) < len(head) && strings.Contains(japaneseParticles, word[len(head):]) {
			word = head
		}
		if clusterLen(word) < len(word) {
			visit(word)
		}
	}
	for i := 0; i < len(rest); {
		if n := l.endingLen(rest[i:]); n > 0 {
			flush(i)
			i += n
			start = i
			continue
		}
		_, size := utf8.DecodeRuneInString(rest[i:])
		i += size
	}
	flush(len(rest))
}

// endingLen returns the length in bytes of the ending that kana starts with, or 0.
func (l *language) endingLen(kana string) int {
	for _, ending := range l.endings {
		if strings.HasPrefix(kana, ending) {
			return len(ending)
		}
	}
	return 0
}
