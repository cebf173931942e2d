package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// language holds the rules for analysing text in one language. The zero value
// works for any language, without regard to grammar.
type language struct {
	stemmer    func(*snowballstem.Env) bool
	prefixes   bool // the stemmer also removes prefixes, so the first letter may change
	elides     bool // an apostrophe ends a word, as in l'air
	possessive bool // 's is a possessive ending, as in operator's

	functionWords map[string]bool // folded
	functionChars string          // Chinese characters that act as function words
	endings       []string        // kana endings and particles, longest first
}

var (
	norwegianLanguage = &language{stemmer: norwegian.Stem}

	languages = map[string]*language{
		"ar": {stemmer: arabic.Stem, prefixes: true},
		"ca": {elides: true},
		"da": {stemmer: danish.Stem},
		"de": {stemmer: german.Stem, functionWords: wordSet(germanWords)},
		"en": {stemmer: english.Stem, possessive: true, functionWords: wordSet(englishWords)},
		"es": {stemmer: spanish.Stem, functionWords: wordSet(spanishWords)},
		"fi": {stemmer: finnish.Stem},
		"fr": {stemmer: french.Stem, elides: true, functionWords: wordSet(frenchWords)},
		"ga": {stemmer: irish.Stem, prefixes: true},
		"hu": {stemmer: hungarian.Stem},
		"it": {stemmer: italian.Stem, elides: true, functionWords: wordSet(italianWords)},
		"ja": {functionChars: japaneseFunctionChars, endings: longestFirst(japaneseEndings)},
		"nb": norwegianLanguage,
		"nl": {stemmer: dutch.Stem, functionWords: wordSet(dutchWords)},
		"nn": norwegianLanguage,
		"no": norwegianLanguage,
		"pt": {stemmer: portuguese.Stem, functionWords: wordSet(portugueseWords)},
		"ro": {stemmer: romanian.Stem},
		"ru": {stemmer: russian.Stem},
		"sv": {stemmer: swedish.Stem},
		"ta": {stemmer: tamil.Stem, prefixes: true},
		"tr": {stemmer: turkish.Stem, elides: true},
		"zh": {functionChars: chineseFunctionChars},
	}
)

// languageOf returns the language of a BCP 47 locale.
func languageOf(locale string) *language {
	tag, _, _ := strings.Cut(strings.ToLower(locale), "-")
	if l := languages[tag]; l != nil {
		return l
	}
	return &language{}
}

// maxWordLetters is the length, in letters, to which words are truncated.
const maxWordLetters = 48

// clip truncates a word to maxWordLetters and returns its length in letters.
func clip(word []byte) (clipped []byte, letters int) {
	for i := range string(word) {
		if letters == maxWordLetters {
			return word[:i], letters
		}
		letters++
	}
	return word, letters
}

// appendStem appends the folded stem of a normalized word. If there is no
// stemmer or the stem is empty, it appends the folded word.
func (l *language) appendStem(b []byte, word string) []byte {
	if l.stemmer == nil || len(word) > maxWordLetters*utf8.UTFMax || strings.ContainsFunc(word, isNotLetter) {
		return appendFolded(b, word)
	}
	env := snowballstem.NewEnv(word)
	l.stemmer(env)
	return appendFolded(b, cmp.Or(env.Current(), word))
}

func isNotLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

func wordSet(s string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

func longestFirst(s string) []string {
	list := strings.Fields(s)
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}
