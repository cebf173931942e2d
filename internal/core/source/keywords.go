package source

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// Limits on the keywords of one element in one locale. They are far above what
// a search needs.
const (
	maxKeywords       = 50
	maxKeywordLetters = 60
)

// keywords reads lists of search words, written as a mapping from locale to list or
// as a list of locales and lists. The result has the manifest's order and spelling of
// locales and is the same for both notations. Keywords need not be in every locale.
func (f *fields) keywords(n *yaml.Node) taxonomy.Keywords {
	if n == nil {
		return nil
	}
	var keywords taxonomy.Keywords
	lines := map[string]int{}
	add := func(locale, value *yaml.Node) {
		if locale == nil || value == nil {
			return
		}
		tag, ok := f.locale(locale)
		if !ok {
			return
		}
		if line, duplicate := lines[tag]; duplicate {
			f.report(localeDuplicate, nodePos(f.file, locale), "The keywords for %q appear here and on line %d.", tag, line).FixHint = "Write them as one list."
			return
		}
		lines[tag] = locale.Line
		if words := f.words(value); len(words) > 0 {
			keywords = append(keywords, taxonomy.KeywordList{Locale: tag, Value: taxonomy.NewWords(words...)})
		}
	}
	switch {
	case n.Kind == yaml.MappingNode:
		seen := map[string]bool{}
		for key, value := range members(n) {
			if !seen[key.Value] && !isNull(value) {
				add(key, value)
			}
			seen[key.Value] = true
		}
	case n.Kind == yaml.SequenceNode && !slices.ContainsFunc(f.items(n), func(item *yaml.Node) bool { return item.Kind != yaml.MappingNode }):
		for _, item := range f.items(n) {
			inner := f.mapping(item)
			add(inner.required("locale"), inner.required("value"))
			inner.reportUnknown()
		}
	default:
		f.reportWrongKind(f.file, n, "a list of words for each locale, such as "+f.exampleLocale()+": [CCTV, surveillance camera]")
		return nil
	}
	slices.SortStableFunc(keywords, func(a, b taxonomy.KeywordList) int {
		return f.localeIndex[strings.ToLower(a.Locale)] - f.localeIndex[strings.ToLower(b.Locale)]
	})
	return keywords
}

// words reads the keywords in one locale. A blank word, which is reported, remains in
// the result, so that indexes in the result match those in the file.
func (f *fields) words(n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode {
		f.reportWrongKind(f.file, n, "a list such as [CCTV, surveillance camera]")
		return nil
	}
	var words []string
	for _, item := range f.items(n) {
		f.checkCurlyQuotes(item)
		words = append(words, f.text(item))
	}
	return words
}

// exampleLocale returns the first locale of the release, for hints.
func (f *fields) exampleLocale() string {
	if len(f.locales) == 0 {
		return "en"
	}
	return f.locales[0]
}

// keywordLists yields the keywords of every element in every locale.
func (t *tree) keywordLists(yield func(words []string, pos locator) bool) {
	for _, e := range t.elements {
		for _, list := range e.Keywords {
			if !yield(list.Value.List(), e.locator("keywords", list.Locale)) {
				return
			}
		}
	}
}

var keywordDuplicate = rule{
	Rule: problem.Rule{
		Code:     "KEYWORD_DUPLICATE",
		Severity: problem.Warning,
		Title:    "Keywords should contain each word once.",
		Why:      "The second mention has no effect; another word may have been meant.",
		Example:  minimalElement + "keywords: {en: [road, Road]}\n",
	},
	check: func(t *tree, report reportFunc) {
		for words, pos := range t.keywordLists {
			seen := map[string]bool{}
			for i, word := range words {
				folded := strings.Join(strings.Fields(strings.ToLower(word)), " ")
				if folded != "" && seen[folded] {
					report(pos(i), "The keywords already contain %q.", problem.Clip(word)).FixHint = "Remove it, or write the word that was meant."
				}
				seen[folded] = true
			}
		}
	},
}

var keywordTooLong = rule{
	Rule: problem.Rule{
		Code:     "KEYWORD_TOO_LONG",
		Severity: problem.Error,
		Title:    "A keyword must not have more than " + strconv.Itoa(maxKeywordLetters) + " characters.",
		Why:      "Keywords are words that people type. Sentences belong in the description.",
		Example:  minimalElement + "keywords: {en: [a place between the houses of a town for walking and for driving]}\n",
	},
	check: func(t *tree, report reportFunc) {
		for words, pos := range t.keywordLists {
			for i, word := range words {
				if n := utf8.RuneCountInString(word); n > maxKeywordLetters {
					report(pos(i), "The keyword has %d characters.", n).FixHint = "Write the words that people search for, each as one item of the list."
				}
			}
		}
	},
}

var keywordsTooMany = rule{
	Rule: problem.Rule{
		Code:     "KEYWORDS_TOO_MANY",
		Severity: problem.Error,
		Title:    "An element must not have more than " + strconv.Itoa(maxKeywords) + " keywords in a locale.",
		Why:      "With so many, it is found by words that are about other elements.",
		Example:  minimalElement + "keywords: {en: [" + manyWords(maxKeywords+1) + "]}\n",
	},
	check: func(t *tree, report reportFunc) {
		for words, pos := range t.keywordLists {
			if len(words) > maxKeywords {
				report(pos(), "The list has %d keywords.", len(words)).FixHint = "Keep the words that fit no other element better."
			}
		}
	},
}

// manyWords returns a list of different words.
func manyWords(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = "road " + strconv.Itoa(i+1)
	}
	return strings.Join(words, ", ")
}
