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

// language is what the analysis of a text depends on. The zero language knows
// nothing of grammar and works for all.
type language struct {
	stemmer    func(*snowballstem.Env) bool
	elides     bool // an apostrophe ends a word, as in l'air
	possessive bool // 's is an ending, as in operator's

	function map[string]bool // words that say how the others belong together, folded
	grammar  []string        // kana endings and particles of the same kind, longest first
	breaks   string          // Chinese characters of the same kind
}

var (
	norwegianLanguage = &language{stemmer: norwegian.Stem}

	languages = map[string]*language{
		"ar": {stemmer: arabic.Stem},
		"ca": {elides: true},
		"da": {stemmer: danish.Stem},
		"de": {stemmer: german.Stem, function: wordSet(germanWords)},
		"en": {stemmer: english.Stem, possessive: true, function: wordSet(englishWords)},
		"es": {stemmer: spanish.Stem, function: wordSet(spanishWords)},
		"fi": {stemmer: finnish.Stem},
		"fr": {stemmer: french.Stem, elides: true, function: wordSet(frenchWords)},
		"ga": {stemmer: irish.Stem},
		"hu": {stemmer: hungarian.Stem},
		"it": {stemmer: italian.Stem, elides: true, function: wordSet(italianWords)},
		"ja": {grammar: longestFirst(japaneseEndings), breaks: japaneseBreaks},
		"nb": norwegianLanguage,
		"nl": {stemmer: dutch.Stem, function: wordSet(dutchWords)},
		"nn": norwegianLanguage,
		"no": norwegianLanguage,
		"pt": {stemmer: portuguese.Stem, function: wordSet(portugueseWords)},
		"ro": {stemmer: romanian.Stem},
		"ru": {stemmer: russian.Stem},
		"sv": {stemmer: swedish.Stem},
		"ta": {stemmer: tamil.Stem},
		"tr": {stemmer: turkish.Stem, elides: true},
		"zh": {breaks: chineseBreaks},
	}
)

// Languages returns the languages whose inflected words are found by one
// another, as lower-case primary subtags, sorted. Texts in any other locale are
// searchable too, word by word.
func Languages() []string {
	var tags []string
	for tag, l := range languages {
		if l.stemmer != nil {
			tags = append(tags, tag)
		}
	}
	slices.Sort(tags)
	return tags
}

// languageOf returns how to read texts in a BCP 47 locale.
func languageOf(locale string) *language {
	tag, _, _ := strings.Cut(strings.ToLower(locale), "-")
	if l := languages[tag]; l != nil {
		return l
	}
	return &language{}
}

// longestWord is how many characters of a word count.
const longestWord = 48

// clip returns what counts of a word, and how many characters that is.
func clip(word []byte) (clipped []byte, runes int) {
	for i := range string(word) {
		if runes == longestWord {
			return word[:i], runes
		}
		runes++
	}
	return word, runes
}

// appendStem appends the folded stem of a normalized word, which is the word
// itself where there is no stemmer or it leaves nothing.
func (l *language) appendStem(b []byte, word string) []byte {
	if l.stemmer == nil || len(word) > longestWord*utf8.UTFMax || strings.ContainsFunc(word, isNoLetter) {
		return appendFolded(b, word)
	}
	env := snowballstem.NewEnv(word)
	l.stemmer(env)
	return appendFolded(b, cmp.Or(env.Current(), word))
}

func isNoLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

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
