package diffview

import (
	"fmt"
	"strings"
)

// english has the words of reports in English.
var english = map[string]string{
	"title":         "What changed",
	"old":           "Old",
	"new":           "New",
	"sections":      "Kinds of changes",
	"equal":         "No differences.",
	"before":        "before",
	"after":         "after",
	"none":          "none",
	"hint":          "What to do:",
	"untranslated":  "Not retranslated: {locales}.",
	"also":          "Also changed in",
	"separator":     ", ",
	"shown":         "The first {n} of {count} are shown.",
	"noun.of":       "{noun} of {id}",
	"breaking":      "Breaking",
	"breaking.note": "Documents that are valid against the old version can be invalid against the new one.",

	"added":             "Added",
	"added.note":        "Only the new version has these.",
	"removed":           "Removed",
	"removed.note":      "Only the old version has these.",
	"renamed":           "Renamed",
	"renamed.note":      "The same statements under other ids.",
	"moved":             "Moved",
	"moved.note":        "In another category or at another place in their list.",
	"reworded":          "Reworded",
	"reworded.note":     "Texts whose words changed.",
	"retranslated":      "Retranslated",
	"retranslated.note": "Translations that changed although the original did not.",
	"redrawn":           "Redrawn",
	"redrawn.note":      "Elements and symbols with another drawing.",
	"changed":           "Changed",
	"changed.note":      "Other properties.",

	"noun.version":       "version",
	"noun.type":          "type",
	"noun.locale":        "locale",
	"noun.subchain":      "subchain",
	"noun.category":      "category",
	"noun.context":       "context",
	"noun.context_value": "context value",
	"noun.variable":      "variable",
	"noun.option":        "option",
	"noun.element":       "element",
	"noun.symbol":        "symbol",
}

// englishWord returns a word of a report in English. Pairs of names and values replace
// placeholders such as {name}.
func englishWord(key string, pairs ...any) string {
	word := english[key]
	for i := 0; i+1 < len(pairs); i += 2 {
		word = strings.ReplaceAll(word, "{"+pairs[i].(string)+"}", fmt.Sprint(pairs[i+1]))
	}
	return word
}
