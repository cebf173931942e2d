package source

import (
	"maps"
	"slices"
	"strings"

	"placard/internal/problem"
	"placard/internal/taxonomy"
)

var textRules = []Rule{
	textBlank, localeMalformed, localeDuplicate, localeUnlisted, translationMissing, localesMissing, localesDisagree,
	variableReferenceUnknown, variableReferenceDiffers,
}

var textBlank = Rule{Rule: problem.Rule{
	Code:     "TEXT_BLANK",
	Severity: problem.Error,
	Title:    "A text that is there says something.",
	Why:      "A blank text is shown as an empty line to whoever reads that language.",
	Example:  change(goodElement, "fr: Rue", "fr: ''"),
}}

var localeMalformed = Rule{Rule: problem.Rule{
	Code:     "LOCALE_MALFORMED",
	Severity: problem.Error,
	Title:    "A locale is a language tag of BCP 47.",
	Why:      "Readers and browsers ask for a language by its tag; any other spelling is never found.",
	Example:  change(goodElement, "fr: Rue", "fr: Rue, pt_BR: Rua"),
}}

var localeDuplicate = Rule{Rule: problem.Rule{
	Code:     "LOCALE_DUPLICATE",
	Severity: problem.Error,
	Title:    "A locale stands once in a text, and once in a list of locales.",
	Why:      "Of two texts in one language, one would be lost.",
	Example:  change(goodElement, "fr: Rue", "fr: Rue, FR: Voie"),
}}

var localeUnlisted = Rule{Rule: problem.Rule{
	Code:     "LOCALE_UNLISTED",
	Severity: problem.Error,
	Title:    "Texts are in the locales of the release.",
	Why:      "A text in a locale that the release does not list can be neither asked for nor searched.",
	Example:  change(goodElement, "fr: Rue", "fr: Rue, de: Straße"),
}}

var translationMissing = Rule{Rule: problem.Rule{
	Code:     "TRANSLATION_MISSING",
	Severity: problem.Warning,
	Title:    "Every text is in every locale of the release; in a stable release its absence is an error.",
	Why:      "Whoever reads that language finds nothing there.",
	Example:  change(goodElement, "en: Street, fr: Rue", "en: Street"),
}}

var localesMissing = Rule{
	Rule: problem.Rule{
		Code:     "LOCALES_MISSING",
		Severity: problem.Error,
		Title:    "A release lists its locales.",
		Why:      "Without them there is no telling which translations are missing.",
		Example:  "-- meta.yaml --\nlocales: []\n",
	},
	check: func(t *tree, found finder) {
		m, d := t.manifest.document, t.datachain.document
		if m.broken() || d.broken() || m.lists("locales") || d.lists("locales") {
			return
		}
		found(m.at("locales"), "Neither %s nor %s lists locales.", metaFile, typeFile).
			FixHint = "Add them to " + metaFile + ", such as locales: [en, fr]."
	},
}

var localesDisagree = Rule{
	Rule: problem.Rule{
		Code:     "LOCALES_DISAGREE",
		Severity: problem.Warning,
		Title:    "Where the type lists locales too, they are those of the release.",
		Why:      "Only the list in meta.yaml counts, so the other one misleads whoever reads it.",
		Example:  goodType + "locales: [en]\n",
	},
	check: func(t *tree, found finder) {
		if own := t.datachain.locales; len(own) > 0 && !slices.Equal(sortedFold(own), sortedFold(t.manifest.locales)) {
			found(t.datachain.at("locales"), "The type lists %s, the release %s.", listing(own), listing(t.manifest.locales)).
				FixHint = "Remove the list here, or make it the same as in " + metaFile + "."
		}
	},
}

func sortedFold(locales []string) []string {
	folded := make([]string, len(locales))
	for i, l := range locales {
		folded[i] = strings.ToLower(l)
	}
	slices.Sort(folded)
	return folded
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
// ids of the variables they may refer to; nil where those could not be read.
func (t *tree) templates(yield func(text taxonomy.Localized, variables []string, where place) bool) {
	of := make(map[string][]string) // the variables of each category
	for _, c := range t.categories {
		if _, twice := of[c.ID]; twice {
			continue
		}
		var variables []string
		if !c.broken() {
			variables = []string{}
			for _, v := range c.Variables {
				variables = append(variables, v.ID)
			}
		}
		of[c.ID] = variables
	}
	for _, e := range t.elements {
		variables := of[e.CategoryID]
		if !yield(e.Title, variables, e.in("title")) || !yield(e.Description, variables, e.in("description")) {
			return
		}
	}
}

var variableReferenceUnknown = Rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_REFERENCE_UNKNOWN",
		Severity: problem.Warning,
		Title:    "What titles and descriptions name in {{braces}} is a variable of the element's category.",
		Why:      "Nobody can fill it in, so readers see the braces.",
		Example:  change(goodElement, "en: Street, fr: Rue", "en: 'Street {{name}}', fr: 'Rue {{name}}'"),
	},
	check: func(t *tree, found finder) {
		t.templates(func(text taxonomy.Localized, variables []string, where place) bool {
			reported := map[string]bool{}
			for _, translation := range text {
				for _, name := range slices.Sorted(maps.Keys(references(translation.Value))) {
					if variables != nil && !slices.Contains(variables, name) && !reported[name] {
						reported[name] = true
						found(where(translation.Locale), "The category of the element has no variable %q.", problem.Clip(name)).
							FixHint = t.hints.offer(name, variables, "Declare it in the category, or write the text without it.")
					}
				}
			}
			return true
		})
	},
}

var variableReferenceDiffers = Rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_REFERENCE_DIFFERS",
		Severity: problem.Warning,
		Title:    "A text refers to the same variables in every locale.",
		Why:      "Readers of one language would miss what readers of another are told.",
		Example: goodCategory + "variables: [{id: name, label: {en: Name, fr: Nom}}]\n" +
			change(goodElement, "en: Street, fr: Rue", "en: 'Street {{name}}', fr: Rue"),
	},
	check: func(t *tree, found finder) {
		t.templates(func(text taxonomy.Localized, _ []string, where place) bool {
			for i, translation := range text {
				if i > 0 && !maps.Equal(references(translation.Value), references(text[0].Value)) {
					found(where(translation.Locale), "The text in %q does not refer to the same variables as in %q.", translation.Locale, text[0].Locale).
						FixHint = "Use the same {{variables}} in both."
				}
			}
			return true
		})
	},
}
