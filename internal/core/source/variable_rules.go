package source

import (
	"cmp"
	"slices"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var variableRules = []rule{variableKindUnknown, variableOptionsMissing, variableOptionsUnexpected, optionElementUnknown, variableElementUnknown}

var variableKindUnknown = rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_KIND_UNKNOWN",
		Severity: problem.Error,
		Title:    "A variable's kind must be " + problem.OneOf(taxonomy.KindNames()) + ".",
		Why:      "Placard cannot read values of any other kind.",
		Example:  minimalCategory + "variables: [{id: name, label: {en: Name, fr: Nom}, kind: text}]\n",
	},
	check: func(t *tree, report reportFunc) {
		known := taxonomy.KindNames()
		for v, pos := range t.variables {
			if kind := string(v.Kind); kind != "" && !slices.Contains(known, kind) {
				report(pos("kind"), "There is no variable kind %q.", problem.Clip(kind)).FixHint = t.hints.suggest(kind, known, "Use "+problem.Or(known)+".")
			}
		}
	},
}

var variableOptionsMissing = rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_OPTIONS_MISSING",
		Severity: problem.Warning,
		ErrorIf:  "the variable is required",
		Title:    "A variable whose kind has options should list some.",
		Why:      "There is nothing to choose from, so no placement can give the variable a value.",
		Example:  minimalCategory + "variables: [{id: days, label: {en: Days, fr: Jours}, kind: multi_select_enum}]\n",
	},
	check: func(t *tree, report reportFunc) {
		for v, pos := range t.variables {
			if v.Kind.IsKnown() && v.Kind.HasOptions() && len(v.Options) == 0 {
				p := report(pos("options"), "The variable %q has no options to choose from.", problem.Clip(v.ID))
				p.FixHint = "Add options, each with an id and a name."
				if v.Required || len(v.RequiredFor) > 0 {
					p.Severity = problem.Error
					p.FixHint = "Add options, each with an id and a name, or make the variable optional."
				}
			}
		}
	},
}

var variableOptionsUnexpected = rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_OPTIONS_UNEXPECTED",
		Severity: problem.Error,
		Title:    "A variable whose kind has no options must not list any.",
		Why:      "Its values are not chosen from a list, so the options would never be offered.",
		Example:  minimalCategory + "variables: [{id: days, label: {en: Days, fr: Jours}, options: [{id: monday, name: {en: Monday, fr: Lundi}}]}]\n",
	},
	check: func(t *tree, report reportFunc) {
		for v, pos := range t.variables {
			if v.Kind.IsKnown() && !v.Kind.HasOptions() && len(v.Options) > 0 {
				report(pos("options"), "The variable %q is of kind %s, which has no options.", problem.Clip(v.ID), v.Kind).
					FixHint = "Choose a kind with options, or remove the options."
			}
		}
	},
}

var optionElementUnknown = rule{
	Rule: problem.Rule{
		Code:     "OPTION_ELEMENT_UNKNOWN",
		Severity: problem.Error,
		Title:    "applies_to must name elements of the variable's category.",
		Why:      "The option could never be chosen.",
		Example: minimalCategory + `variables:
  - id: days
    label: {en: Days, fr: Jours}
    kind: multi_select_enum
    options: [{id: monday, name: {en: Monday, fr: Lundi}, applies_to: [stret]}]
`,
	},
	check: func(t *tree, report reportFunc) {
		if t.hasElementWithoutID() || len(t.elements) == 0 {
			return
		}
		for _, c := range t.categories {
			reportForeign := t.foreignElements(report, c)
			for i, v := range c.Variables {
				for j, o := range v.Options {
					reportForeign(o.AppliesTo, c.locator("variables", i, "options", j, "applies_to"))
				}
			}
		}
	},
}

var variableElementUnknown = rule{
	Rule: problem.Rule{
		Code:     "VARIABLE_ELEMENT_UNKNOWN",
		Severity: problem.Error,
		Title:    "required_for must name elements of the variable's category.",
		Why:      "No placement would ever have to fill in the variable.",
		Example:  minimalCategory + "variables: [{id: name, label: {en: Name, fr: Nom}, required_for: [stret]}]\n",
	},
	check: func(t *tree, report reportFunc) {
		if t.hasElementWithoutID() || len(t.elements) == 0 {
			return
		}
		for _, c := range t.categories {
			reportForeign := t.foreignElements(report, c)
			for i, v := range c.Variables {
				reportForeign(v.RequiredFor, c.locator("variables", i, "required_for"))
			}
		}
	},
}

// foreignElements returns a function that reports the listed ids that are not ids of
// elements in the category c. Elements that name no category may belong to it.
func (t *tree) foreignElements(report reportFunc, c category) func(listed []string, pos locator) {
	var own []string
	for _, e := range t.elements {
		if e.CategoryID == c.ID || e.CategoryID == "" {
			own = append(own, e.ID)
		}
	}
	known, exists, now := validIDs(own), newSet(own), t.replacedHints()
	return func(listed []string, pos locator) {
		for i, id := range listed {
			if id != "" && !exists[id] {
				report(pos(i), "The category %q has no element %q.", problem.Clip(c.ID), problem.Clip(id)).
					FixHint = cmp.Or(now[id], t.hints.suggest(id, known, "Use the ids of elements in this category, or remove the list."))
			}
		}
	}
}
