package release

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstSentence returns the first sentence of text. A sentence of more than limit
// characters is cut at the end of a clause or of a word. An ellipsis at the end
// marks that text is longer. Characters of scripts without spaces count twice,
// because they carry more meaning.
func firstSentence(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	var before rune // the character before the current one
	clause, word, characters := 0, 0, 0
	for i, c := range text {
		switch {
		case isFullStop(before) && before > unicode.MaxLatin1:
			return text[:i] + "…"
		case isFullStop(before) && c == ' ' && startsSentence(text[i+1:]):
			return text[:i] + " …"
		case c == ' ' && isClauseEnd(before), before > unicode.MaxLatin1 && isClauseEnd(before):
			clause = i
		}
		// Scripts without spaces may break between any two characters; a
		// combining mark belongs to the character before it.
		unspaced := c > unicode.MaxLatin1 && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
		if c == ' ' || unspaced {
			word = i
		}
		if characters >= limit {
			end := word
			if clause > word/2 {
				end = clause
			}
			if end == 0 {
				end = i
			}
			return strings.TrimRightFunc(text[:end], isClauseEndOrSpace) + "…"
		}
		before = c
		if characters++; unspaced {
			characters++
		}
	}
	return text
}

func isFullStop(c rune) bool { return strings.ContainsRune(".!?。！？", c) && c != 0 }

func isClauseEnd(c rune) bool { return strings.ContainsRune(",;:、，；：", c) && c != 0 }

func isClauseEndOrSpace(c rune) bool { return isClauseEnd(c) || unicode.IsSpace(c) }

// startsSentence reports whether text can be the start of a sentence. A full stop
// before a lower-case letter, as in "e.g. a camera", ends an abbreviation.
func startsSentence(text string) bool {
	c, _ := utf8.DecodeRuneInString(text)
	return !unicode.IsLower(c) && !unicode.IsDigit(c)
}
