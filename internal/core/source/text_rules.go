package source

import (
	"slices"
	"strings"

	"placard/internal/core/problem"
)

var textRules = []rule{
	textBlank, textUnquoted, textComment, textCurlyQuotes, localeMalformed, localeDuplicate, localeUnlisted, translationMissing, translationNotIndented, localesMissing, localesDisagree,
	variableReferenceMalformed, variableReferenceUnknown, variableReferenceDiffers,
}

var textBlank = rule{Rule: problem.Rule{
	Code:     "TEXT_BLANK",
	Severity: problem.Error,
	Title:    "Text must not be blank.",
	Why:      "Readers of that language would see an empty line.",
	Example:  replace(minimalElement, "fr: Rue", "fr: ''"),
}}

var textUnquoted = rule{Rule: problem.Rule{
	Code:     "TEXT_UNQUOTED",
	Severity: problem.Error,
	Title:    "Text that YAML would cut or read as something else must be in quotes.",
	Why:      "A comma ends a text in braces, and a word after & or ! at its start is not read, so part of the text would be lost.",
	Example:  replace(minimalElement, "en: Street", "en: Street, road or path"),
}}

var textComment = rule{errorInStable: true, Rule: problem.Rule{
	Code:     "TEXT_COMMENT",
	Severity: problem.Warning,
	ErrorIf:  stableRelease,
	Title:    "A comment after a text should have a space after the #.",
	Why:      "Without it, the comment may be meant as part of the text, such as a number. A # in a text must be in quotes.",
	Example:  replace(minimalElement, "{en: Street, fr: Rue}", "\n  en: Street #1\n  fr: 'Rue #1'"),
}}

var textCurlyQuotes = rule{Rule: problem.Rule{
	Code:     "TEXT_CURLY_QUOTES",
	Severity: problem.Warning,
	Title:    "A text should be in straight quotes, not in curly ones.",
	Why:      "Curly quotes are part of the text, so readers see them.",
	Example:  replace(minimalElement, "en: Street", "en: “Street”"),
}}

var localeMalformed = rule{oneCause: true, Rule: problem.Rule{
	Code:     "LOCALE_MALFORMED",
	Severity: problem.Error,
	Title:    "A locale must be a BCP 47 language tag.",
	Why:      "Readers and browsers request a language by its tag, so text under any other name is never found.",
	Example:  replace(minimalElement, "fr: Rue", "fr: Rue, pt_BR: Rua"),
}}

var localeDuplicate = rule{Rule: problem.Rule{
	Code:     "LOCALE_DUPLICATE",
	Severity: problem.Error,
	Title:    "A locale must appear only once in a text or in a list of locales.",
	Why:      "Only one of two texts in the same language would be used.",
	Example:  replace(minimalElement, "fr: Rue", "fr: Rue, FR: Voie"),
}}

var localeUnlisted = rule{oneCause: true, Rule: problem.Rule{
	Code:     "LOCALE_UNLISTED",
	Severity: problem.Error,
	Title:    "Texts must use only the locales of the release.",
	Why:      "Text in an unlisted locale can be neither requested nor searched.",
	Example:  replace(minimalElement, "fr: Rue", "fr: Rue, de: Straße"),
}}

// CodeTranslationMissing is the code of findings about missing translations.
const CodeTranslationMissing problem.Code = "TRANSLATION_MISSING"

var translationMissing = rule{errorInStable: true, Rule: problem.Rule{
	Code:     CodeTranslationMissing,
	Severity: problem.Warning,
	ErrorIf:  stableRelease,
	Title:    "Every text should be translated into every locale of the release.",
	Why:      "Readers of that language would not see the text.",
	Example:  replace(minimalElement, "en: Street, fr: Rue", "en: Street"),
}}

var translationNotIndented = rule{Rule: problem.Rule{
	Code:     "TRANSLATION_NOT_INDENTED",
	Severity: problem.Error,
	Title:    "Translations must be indented below the name of the text.",
	Why:      "Without indentation they are fields of their own and do not belong to the text.",
	Example:  replace(minimalElement, "{en: Street, fr: Rue}", "\n  en: Street\nfr: Rue"),
}}

var localesMissing = rule{
	Rule: problem.Rule{
		Code:     "LOCALES_MISSING",
		Severity: problem.Error,
		Title:    "A release must list its locales.",
		Why:      "Without the list, missing translations cannot be detected.",
		Example:  "-- meta.yaml --\nlocales: []\n",
	},
	check: func(t *tree, report reportFunc) {
		m, d := t.manifest.document, t.datachain.document
		if m.broken() || d.broken() || m.hasValue("locales") || d.hasValue("locales") || t.misspells(m, "locales") {
			return
		}
		report(m.pos("locales"), "Neither %s nor %s lists locales.", metaFile, typeFile).
			FixHint = "Add a list such as locales: [en, fr] to " + metaFile + "."
	},
}

var localesDisagree = rule{
	Rule: problem.Rule{
		Code:     "LOCALES_DISAGREE",
		Severity: problem.Warning,
		Title:    "If the type also lists locales, they should match those of the release.",
		Why:      "The list in meta.yaml takes precedence, so a different list in the type is misleading.",
		Example:  minimalType + "locales: [en]\n",
	},
	check: func(t *tree, report reportFunc) {
		if own := t.datachain.locales; len(own) > 0 && !slices.Equal(sortedLower(own), sortedLower(t.manifest.locales)) {
			report(t.datachain.pos("locales"), "%s lists %s, but %s lists %s.", typeFile, quotedList(own), metaFile, quotedList(t.manifest.locales)).
				FixHint = "Remove this list, or change it to match " + metaFile + "."
		}
	},
}

func sortedLower(locales []string) []string {
	lower := make([]string, len(locales))
	for i, l := range locales {
		lower[i] = strings.ToLower(l)
	}
	slices.Sort(lower)
	return lower
}
