package source

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// references are the variables that a text refers to.
type references struct {
	known     []string             // declared ids, including those meant by a misspelt reference
	unknown   []string             // other ids, as written
	malformed []malformedReference // references without two braces on each side
}

// malformedReference is a part of a text that is probably meant to refer to a
// variable.
type malformedReference struct {
	text string
	id   string // the declared variable that is meant, or empty
}

// bracePattern matches text in braces, and double braces without a counterpart
// together with the word next to them.
var bracePattern = regexp.MustCompile(`(\{+)([^{}]*)(\}+)|\{\{+\s*([\w-]*)|([\w-]*)\s*\}\}+`)

// variableIDs are the ids of the variables that a text can refer to.
type variableIDs struct {
	list []string
	set  map[string]bool // nil if the variables are unknown
}

// references returns the references in a text. If the variables are unknown, every
// id is considered to be declared. Text in single braces is a reference only if it
// is similar to a declared id.
func (h *hints) references(text string, variables variableIDs) references {
	var refs references
	if !hasBraces(text) {
		return refs // The pattern is slow on long texts.
	}
	for _, m := range bracePattern.FindAllStringSubmatch(text, -1) {
		id := strings.TrimSpace(m[2] + m[4] + m[5])
		meant := id
		if variables.set != nil && !variables.set[id] {
			meant = ""
			if nearest := h.nearest(id, variables.list); len(nearest) > 0 && taxonomy.IsWord(id) {
				meant = nearest[0]
			}
		}
		switch opening, closing := len(m[1]), len(m[3]); {
		case opening == 1 && closing == 1 && (variables.set == nil || meant == ""):
			continue // ordinary text
		case opening != 2 || closing != 2:
			refs.malformed = append(refs.malformed, malformedReference{m[0], meant})
		case meant != id || id == "":
			refs.unknown = append(refs.unknown, id)
		}
		if meant != "" {
			refs.known = append(refs.known, meant)
		}
	}
	return refs
}

func hasBraces(text string) bool {
	return strings.IndexByte(text, '{') >= 0 || strings.IndexByte(text, '}') >= 0
}

// isTemplate reports whether a text has braces in any locale.
func isTemplate(text taxonomy.Localized) bool {
	return slices.ContainsFunc(text, func(t taxonomy.Text) bool { return hasBraces(t.Value) })
}

// templates yields the texts of elements that may refer to variables, with the
// ids of their category's variables. Texts without braces refer to none.
func (t *tree) templates(yield func(text taxonomy.Localized, variables variableIDs, pos locator) bool) {
	variablesOf := make(map[string]variableIDs) // by category
	for _, c := range t.categories {
		if _, duplicate := variablesOf[c.ID]; duplicate {
			continue
		}
		var variables variableIDs
		if !c.broken() {
			variables.set = map[string]bool{}
			for _, v := range c.Variables {
				variables.list = append(variables.list, v.ID)
				variables.set[v.ID] = true
			}
		}
		variablesOf[c.ID] = variables
	}
	for i := range t.elements {
		e := &t.elements[i]
		variables := variablesOf[e.CategoryID]
		if isTemplate(e.Title) && !yield(e.Title, variables, e.locator("title")) ||
			isTemplate(e.Description) && !yield(e.Description, variables, e.locator("description")) {
			return
		}
	}
}

var variableReferenceMalformed = rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_REFERENCE_MALFORMED",
		Severity: problem.Warning,
		Title:    "A variable in a title or description should be written with two braces on each side.",
		Why:      "Otherwise it is not filled in, and readers see the braces.",
		Example: minimalCategory + "variables: [{id: name, label: {en: Name, fr: Nom}}]\n" +
			replace(minimalElement, "en: Street, fr: Rue", "en: 'Street {name}', fr: 'Rue {{name}}'"),
	},
	check: func(t *tree, report reportFunc) {
		t.templates(func(text taxonomy.Localized, variables variableIDs, pos locator) bool {
			for _, translation := range text {
				reported := map[string]bool{}
				for _, m := range t.hints.references(translation.Value, variables).malformed {
					if reported[m.text] {
						continue
					}
					reported[m.text] = true
					p := report(pos(translation.Locale), "The variable in %q is not written with two braces on each side.", problem.Clip(m.text))
					p.FixHint = "Write a variable as {{id}}, or remove the braces."
					if m.id != "" {
						p.FixHint = "Write {{" + problem.Clip(m.id) + "}}."
					}
				}
			}
			return true
		})
	},
}

var variableReferenceUnknown = rule{
	oneCause: true,
	Rule: problem.Rule{
		Code:     "VARIABLE_REFERENCE_UNKNOWN",
		Severity: problem.Warning,
		Title:    "A {{variable}} should be in the title or description of an element whose category declares it.",
		Why:      "It can never be filled in, so readers see the braces.",
		Example:  replace(minimalElement, "en: Street, fr: Rue", "en: 'Street {{name}}', fr: 'Rue {{name}}'"),
	},
	check: func(t *tree, report reportFunc) {
		t.templates(func(text taxonomy.Localized, variables variableIDs, pos locator) bool {
			reported := map[string]bool{}
			for _, translation := range text {
				for _, id := range t.hints.references(translation.Value, variables).unknown {
					if !reported[id] {
						reported[id] = true
						report(pos(translation.Locale), "The element's category has no variable %q.", problem.Clip(id)).
							FixHint = t.hints.suggest(id, variables.list, "Declare the variable in the category, or remove it from the text.")
					}
				}
			}
			return true
		})
		reportFirst := func(text string, pos problem.Pos) bool {
			for p := range taxonomy.Placeholders(text) {
				if taxonomy.IsWord(p.VariableID) {
					report(pos, "The variable %q is not filled in here, but only in titles and descriptions of elements.", problem.Clip(p.VariableID)).
						FixHint = "Write the text without the variable."
					return true
				}
			}
			return false
		}
		t.otherTexts(func(text taxonomy.Localized, pos locator) {
			for _, translation := range text {
				if reportFirst(translation.Value, pos(translation.Locale)) {
					return
				}
			}
		})
		for words, pos := range t.keywordLists {
			for i, word := range words {
				reportFirst(word, pos(i))
			}
		}
	},
}

// otherTexts visits the texts that readers see beside the titles and descriptions
// of elements. Advice for authors, which may mention variables, is not among them.
func (t *tree) otherTexts(visit func(text taxonomy.Localized, pos locator)) {
	visit(t.datachain.Name, t.datachain.locator("name"))
	visit(t.datachain.Description, t.datachain.locator("description"))
	for _, c := range t.categories {
		visit(c.Name, c.locator("name"))
		visit(c.Description, c.locator("description"))
		visit(c.Prompt, c.locator("prompt"))
	}
	for c, pos := range t.contexts {
		visit(c.Name, within(pos, "name"))
		visit(c.Description, within(pos, "description"))
		for i, v := range c.Values {
			visit(v.Label, within(pos, "values", i, "label"))
			visit(v.Description, within(pos, "values", i, "description"))
		}
	}
	for v, pos := range t.variables {
		visit(v.Label, within(pos, "label"))
		for i, o := range v.Options {
			visit(o.Name, within(pos, "options", i, "name"))
			visit(o.Description, within(pos, "options", i, "description"))
		}
	}
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
		t.templates(func(text taxonomy.Localized, variables variableIDs, pos locator) bool {
			usedIn := map[string]string{}               // the first locale whose text has the variable
			known := make([]map[string]bool, len(text)) // nil for a text with unknown references, which may be meant
			for i, translation := range text {
				refs := t.hints.references(translation.Value, variables)
				if len(refs.unknown) == 0 {
					known[i] = map[string]bool{}
				}
				for _, id := range refs.known {
					if known[i] != nil {
						known[i][id] = true
					}
					if _, ok := usedIn[id]; !ok {
						usedIn[id] = translation.Locale
					}
				}
			}
			for i, translation := range text {
				for _, id := range slices.Sorted(maps.Keys(usedIn)) {
					if known[i] != nil && !known[i][id] {
						report(pos(translation.Locale), "The text in %q does not use the variable %q, but the text in %q does.", translation.Locale, problem.Clip(id), usedIn[id]).
							FixHint = "Use {{" + problem.Clip(id) + "}} in both texts, or in neither."
					}
				}
			}
			return true
		})
	},
}
