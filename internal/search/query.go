package search

import (
	"strings"
	"unicode/utf8"
)

// How much of a query counts.
const (
	maxWords = 12 // words, or runs of a script without spaces
	maxGrams = 48 // characters and pairs of them, over all runs

	maxSpent = 1 << 20 // bytes of postings read for words that resemble others
)

// unit is one word of a query, or one run of a script without spaces.
type unit struct {
	script   script
	position int    // among the tokens of the query
	text     string // normalized, with its accents
	folded   []byte // of a word: what of it is looked up
	letters  int    // of folded
	function bool   // says how others belong together

	inflected string // of a lone character: with the ending it was written with
}

// read takes a normalized query apart. Words that say nothing by themselves
// are function words beside others, and count as others do where there are
// none.
func (s *searcher) read(normalized string) {
	s.readUnits(normalized, true)
	for _, u := range s.units {
		if !u.function {
			return
		}
	}
	s.units, s.folded = s.units[:0], s.folded[:0]
	s.readUnits(normalized, false)
}

func (s *searcher) readUnits(normalized string, grammar bool) {
	tokens := s.ix.lang.tokenize(normalized)
	var before token
	for position := range maxWords {
		tok, ok := tokens.next()
		if !ok {
			return
		}
		u := unit{script: tok.script, position: position, text: tok.text}
		switch {
		case tok.script == spaced:
			start := len(s.folded)
			s.folded = appendFolded(s.folded, tok.text)
			u.folded, u.letters = clip(s.folded[start:])
			u.function = grammar && s.ix.lang.function[string(u.folded)]
			s.ask(u)
		case grammar:
			s.inflect(before, tok)
			s.ix.lang.content(tok, func(text string) {
				u.text = text
				s.ask(u)
			})
		default:
			s.ask(u)
		}
		before = tok
	}
}

// inflect notes the ending of a word of one Chinese character.
func (s *searcher) inflect(word, ending token) {
	if n := len(s.units); n > 0 && ending.inflects(word) {
		if u := &s.units[n-1]; strings.HasSuffix(word.text, u.text) {
			u.inflected = u.text + ending.text[:cluster(ending.text)]
		}
	}
}

// ask adds u, unless the query has asked for it already.
func (s *searcher) ask(u unit) {
	for _, v := range s.units {
		if v.text == u.text {
			return
		}
	}
	s.units = append(s.units, u)
}

// content calls visit for the parts of a run that say what a query is about.
func (l *language) content(run token, visit func(text string)) {
	switch {
	case run.script == han && l.breaks != "":
		for part := range strings.FieldsFuncSeq(run.text, func(r rune) bool { return strings.ContainsRune(l.breaks, r) }) {
			visit(part)
		}
	case run.script == hiragana && l.grammar != nil:
		l.kana(run, visit)
	default:
		visit(run.text)
	}
}

// kana leaves out the endings and particles of a run of hiragana. One kana
// alone is what is left of a word before, and too little to go by.
func (l *language) kana(run token, visit func(text string)) {
	rest := run.text
	if first := cluster(rest); run.follows && strings.Contains(japaneseParticles, rest[:first]) {
		rest = rest[first:]
	}
	start := 0 // of what may be a word
	flush := func(end int) {
		word := rest[start:end]
		_, last := utf8.DecodeLastRuneInString(word)
		if before := word[:len(word)-last]; cluster(before) < len(before) && strings.Contains(japaneseParticles, word[len(before):]) {
			word = before
		}
		if cluster(word) < len(word) {
			visit(word)
		}
	}
	for i := 0; i < len(rest); {
		if ending := l.ending(rest[i:]); ending > 0 {
			flush(i)
			i += ending
			start = i
			continue
		}
		_, size := utf8.DecodeRuneInString(rest[i:])
		i += size
	}
	flush(len(rest))
}

// ending returns how many bytes of kana the ending has that it starts with.
func (l *language) ending(kana string) int {
	for _, e := range l.grammar {
		if strings.HasPrefix(kana, e) {
			return len(e)
		}
	}
	return 0
}
