// Package worddiff compares two texts word by word, in any language. It knows
// nothing about taxonomies or how differences are shown.
package worddiff

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
)

// Op says which of two texts a span is in.
type Op uint8

const (
	Equal  Op = iota // in both texts
	Delete           // only in the old text
	Insert           // only in the new text
	Omit             // in both texts, but omitted by [Excerpt]
)

// Span is a part of one text or both.
type Span struct {
	Op   Op
	Text string // empty if Op is Omit
}

// Compare returns the differences between two texts. The texts of the equal and
// deleted spans form the old text, and those of the equal and inserted spans the
// new one. Adjacent spans have different ops, and a deleted span comes before an
// inserted one.
//
// Words are divided as in Unicode Standard Annex 29. Scripts without spaces are
// compared by character, except Katakana. A few common words between longer changes
// count as changed, because a phrase is easier to read than fragments of it.
//
// The time is proportional to the length of the texts, for any texts. If they
// have more than a thousand differences, the rest is one difference.
func Compare(before, after string) []Span {
	c := comparison{numbers: make(map[string]int)}
	c.divide(&c.old, before)
	c.divide(&c.new, after)
	return c.spans(c.join(commonRanges(c.old.numbers, c.new.numbers)))
}

// comparison holds two texts divided into segments: words, white space and
// punctuation.
type comparison struct {
	old, new sequence
	numbers  map[string]int // by segment
	isWord   []bool         // by number
}

// sequence is a text divided into segments. Equal segments have equal numbers.
type sequence struct {
	text    string
	numbers []int
	starts  []int // starts[i] is the position of segment i, or the length of the text
	words   []int // words[i] is the number of words before segment i
}

func (c *comparison) divide(s *sequence, text string) {
	s.text = text
	segments := words.FromString(text)
	count := 0
	for segments.Next() {
		value := segments.Value()
		n, ok := c.numbers[value]
		if !ok {
			n = len(c.isWord)
			c.numbers[value] = n
			c.isWord = append(c.isWord, strings.ContainsFunc(value, isWordRune))
		}
		s.numbers = append(s.numbers, n)
		s.starts = append(s.starts, segments.Start())
		s.words = append(s.words, count)
		if c.isWord[n] {
			count++
		}
	}
	s.starts = append(s.starts, len(text))
	s.words = append(s.words, count)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// slice returns the text of the segments from i up to j.
func (s *sequence) slice(i, j int) string { return s.text[s.starts[i]:s.starts[j]] }

// wordsIn returns the number of words in the segments from i up to j.
func (s *sequence) wordsIn(i, j int) int { return s.words[j] - s.words[i] }

// match is a range of segments that both texts have.
type match struct{ old, new, length int }

// join removes the matches that would divide a phrase into fragments: those
// without words, and those with fewer words than the changes on both sides.
func (c *comparison) join(matches []match) []match {
	end := match{len(c.old.numbers), len(c.new.numbers), 0}
	var kept []match
	var last match // in kept
	for i, m := range matches {
		next := end
		if i+1 < len(matches) {
			next = matches[i+1]
		}
		changedBefore, sizeBefore := c.change(last, m)
		changedAfter, sizeAfter := c.change(m, next)
		common := c.old.wordsIn(m.old, m.old+m.length)
		if changedBefore && changedAfter && (common == 0 || common < min(sizeBefore, sizeAfter)) {
			continue
		}
		kept = append(kept, m)
		last = m
	}
	return kept
}

// change reports whether there is a change between two matches, and the number of
// its words in the text that has more of them.
func (c *comparison) change(m, next match) (exists bool, size int) {
	oldEnd, newEnd := m.old+m.length, m.new+m.length
	return oldEnd < next.old || newEnd < next.new,
		max(c.old.wordsIn(oldEnd, next.old), c.new.wordsIn(newEnd, next.new))
}

func (c *comparison) spans(matches []match) []Span {
	var spans []Span
	add := func(op Op, text string) {
		n := len(spans)
		switch {
		case text == "":
		case n > 0 && spans[n-1].Op == op:
			spans[n-1].Text += text
		default:
			spans = append(spans, Span{op, text})
		}
	}
	var last match
	for _, m := range append(matches, match{len(c.old.numbers), len(c.new.numbers), 0}) {
		// Joined changes can start or end alike, usually with a space.
		oldStart, newStart := last.old+last.length, last.new+last.length
		prefix := commonPrefix(c.old.numbers[oldStart:m.old], c.new.numbers[newStart:m.new])
		oldStart, newStart = oldStart+prefix, newStart+prefix
		suffix := commonSuffix(c.old.numbers[oldStart:m.old], c.new.numbers[newStart:m.new])

		add(Equal, c.old.slice(oldStart-prefix, oldStart))
		add(Delete, c.old.slice(oldStart, m.old-suffix))
		add(Insert, c.new.slice(newStart, m.new-suffix))
		add(Equal, c.old.slice(m.old-suffix, m.old+m.length))
		last = m
	}
	return spans
}

// CompareItems returns the differences between two lists, with one span for each
// item.
func CompareItems(before, after []string) []Span {
	numbers := make(map[string]int)
	number := func(items []string) []int {
		all := make([]int, len(items))
		for i, item := range items {
			n, ok := numbers[item]
			if !ok {
				n = len(numbers)
				numbers[item] = n
			}
			all[i] = n
		}
		return all
	}
	var spans []Span
	add := func(op Op, items []string) {
		for _, item := range items {
			spans = append(spans, Span{op, item})
		}
	}
	var last match
	for _, m := range append(commonRanges(number(before), number(after)), match{len(before), len(after), 0}) {
		add(Delete, before[last.old+last.length:m.old])
		add(Insert, after[last.new+last.length:m.new])
		add(Equal, before[m.old:m.old+m.length])
		last = m
	}
	return spans
}
