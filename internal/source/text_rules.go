package source

import (
	"maps"
	"slices"
	"strings"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

var textRules = []rule{
	textBlank, localeMalformed, localeDuplicate, localeUnlisted, translationMissing, localesMissing, localesDisagree,
	variableReferenceUnknown, variableReferenceDiffers,
}

var textBlank = rule{Rule: problem.Rule{
	Code:     "TEXT_BLANK",
	Severity: problem.Error,
	Title:    "Text must not be blank.",
	Why:      "Readers of that language would see an empty line.",
	Example:  replace(minimalElement, "fr: Rue", "fr: ''"),
}}

var localeMalformed = rule{Rule: problem.Rule{
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

var localeUnlisted = rule{Rule: problem.Rule{
	Code:     "LOCALE_UNLISTED",
	Severity: problem.Error,
	Title:    "Texts must use only the locales of the release.",
	Why:      "Text in an unlisted locale can be neither requested nor searched.",
	Example:  replace(minimalElement, "fr: Rue", "fr: Rue, de: Straße"),
}}

var translationMissing = rule{Rule: problem.Rule{
	Code:     "TRANSLATION_MISSING",
	Severity: problem.Warning,
	ErrorIf:  stableRelease,
	Title:    "Every text should be translated into every locale of the release.",
	Why:      "Readers of that language would not see the text.",
	Example:  replace(minimalElement, "en: Street, fr: Rue", "en: Street"),
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
		if m.broken() || d.broken() || m.hasValue("locales") || d.hasValue("locales") {
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

// references returns the ids of the variables that text refers to.
func references(text string) map[string]bool {
	names := map[string]bool{}
	for p := range taxonomy.Placeholders(text) {
		names[p.VariableID] = true
	}
	return names
}

// templates yields the texts of elements that may refer to variables, with the
// ids of their category's variables, or nil if those are unknown.
func (t *tree) templates(yield func(text taxonomy.Localized, variables []string, pos locator) bool) {
	variablesOf := make(map[string][]string) // by category
	for _, c := range t.categories {
		if _, duplicate := variablesOf[c.ID]; duplicate {
			continue
		}
		var variables []string
		if !c.broken() {
			variables = []string{}
			for _, v := range c.Variables {
				variables = append(variables, v.ID)
			}
		}
		variablesOf[c.ID] = variables
	}
	for _, e := range t.elements {
		variables := variablesOf[e.CategoryID]
		if !yield(e.Title, variables, e.locator("title")) || !yield(e.Description, variables, e.locator("description")) {
			return
		}
	}
}

var variableReferenceUnknown = rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_REFERENCE_UNKNOWN",
		Severity: problem.Warning,
		Title:    "A {{variable}} in a title or description should be declared in the element's category.",
		Why:      "It can never be filled in, so readers see the braces.",
		Example:  replace(minimalElement, "en: Street, fr: Rue", "en: 'Street {{name}}', fr: 'Rue {{name}}'"),
	},
	check: func(t *tree, report reportFunc) {
		t.templates(func(text taxonomy.Localized, variables []string, pos locator) bool {
			reported := map[string]bool{}
			for _, translation := range text {
				for _, name := range slices.Sorted(maps.Keys(references(translation.Value))) {
					if variables != nil && !slices.Contains(variables, name) && !reported[name] {
						reported[name] = true
						report(pos(translation.Locale), "The element's category has no variable %q.", problem.Clip(name)).
							FixHint = t.hints.suggest(name, variables, "Declare the variable in the category, or remove it from the text.")
					}
				}
			}
			return true
		})
	},
}

var variableReferenceDiffers = rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_REFERENCE_DIFFERS",
		Severity: problem.Warning,
		Title:    "A text should use the same variables in every locale.",
		Why:      "Readers of one language would miss information given in another.",
		Example: minimalCategory + "variables: [{id: name, label: {en: Name, fr: Nom}}]\n" +
			replace(minimalElement, "en: Street, fr: Rue", "en: 'Street {{name}}', fr: Rue"),
	},
	check: func(t *tree, report reportFunc) {
		t.templates(func(text taxonomy.Localized, _ []string, pos locator) bool {
			for i, translation := range text {
				if i > 0 && !maps.Equal(references(translation.Value), references(text[0].Value)) {
					report(pos(translation.Locale), "The text in %q does not use the same variables as the text in %q.", translation.Locale, text[0].Locale).
						FixHint = "Use the same {{variables}} in both texts."
				}
			}
			return true
		})
	},
}
