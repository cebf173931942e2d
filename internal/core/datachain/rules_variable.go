package datachain

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var variableRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "INSTANCE_VARIABLE_UNKNOWN", Severity: problem.Error,
			Title: "Every variable of a placement must be declared in the category of its element.",
			Why:   "The value of an undeclared variable is never shown.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[0].variables", `[{"id": "detial", "value": [{"locale": "en", "value": "At night"}]}]`}},
		check: func(c *checker, r *Rule) {
			for v := range c.entries() {
				if v.element == nil || v.declared != nil {
					continue
				}
				c.find(r, location{node: v.id}, func() problem.Problem {
					known := c.variableIDs(v.element)
					found := r.Found("Element %q has no variable %q.", problem.Clip(v.element.id), problem.Clip(v.ID))
					return c.suggestPart(found, v.element, "Variable", v.ID, known, v.element.own.now)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_VARIABLE_DUPLICATE", Severity: problem.Error,
			Title: "A placement must not have two values for one variable.",
			Why:   "It is unclear which of the values is meant.",
		},
		RaisedBy: onAny,
		changes: []change{{
			"elements[1].variables[1]",
			`{"id": "position", "value": [{"locale": "en", "value": "On the roof"}]}`,
		}},
		check: func(c *checker, r *Rule) {
			ids := c.seen
			for _, p := range c.placements() {
				if len(p.Variables) < 2 {
					continue
				}
				clear(ids)
				for k := range p.Variables {
					v := &p.Variables[k]
					if !c.spend(1) {
						return
					}
					if ids.add(v.ID) {
						continue
					}
					c.find(r, location{node: v.id}, func() problem.Problem {
						return r.Found("Variable %q occurs more than once in this placement.", problem.Clip(v.ID)).
							Hint("Keep one of its entries.")
					})
				}
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_REQUIRED_VARIABLE_MISSING", Severity: problem.Error,
			Title: "A placement must have a value for every required variable of its element.",
			Why:   "The text of the element is incomplete without the value.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].variables", `[]`}},
		check: func(c *checker, r *Rule) {
			for i, p := range c.placements() {
				if c.placed[i] == nil {
					continue
				}
				for v := range c.required(c.placed[i]) {
					if !c.spend(len(p.Variables) / 8) {
						return
					}
					if p.has(v.id) || c.isMisspelt(p, c.placed[i], v.id) {
						continue
					}
					c.find(r, p.variablesLocation(), func() problem.Problem {
						found := r.Found("Element %q needs a value for its variable %q.", problem.Clip(p.ElementID), problem.Clip(v.id))
						if name := c.misnamed(p.refs.self, "variables"); name != "" && p.refs.variables == 0 {
							return found.Hint(`Rename %q to "variables" if that is the intended name.`, name)
						}
						return found.Hint("Add it to variables; its value is %s.", v.expectedValue(p.ElementID))
					})
				}
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "variable_not_filled_in", Severity: problem.Warning,
			Title: "A placement should have a value for every variable that the texts of its element show.",
			Why:   "Readers see the label of the variable where the title or description should have its value.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[0].element_id", `"comfort"`}},
		check: func(c *checker, r *Rule) {
			for i, p := range c.placements() {
				if c.placed[i] == nil {
					continue
				}
				for _, v := range c.placed[i].shown {
					if !c.spend(1 + len(p.Variables)/8) {
						return
					}
					if p.has(v.id) || c.isMisspelt(p, c.placed[i], v.id) || c.misnamed(p.refs.self, "variables") != "" {
						continue
					}
					c.find(r, p.variablesLocation(), func() problem.Problem {
						return r.Found("The text of element %q shows the variable %q, which has no value.", problem.Clip(p.ElementID), problem.Clip(v.id)).
							Hint("Add it to variables; its value is %s.", v.expectedValue(p.ElementID))
					})
				}
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_VARIABLE_VALUE_EMPTY", Severity: problem.Error,
			Title: "The value of a variable must not be empty.",
			Why:   "An empty value leaves a gap in the text of the element.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].variables[0].value[0].value", `"  "`}},
		check: func(c *checker, r *Rule) {
			for v := range c.entries() {
				if !v.fits() || !v.Value.isBlank() {
					continue
				}
				c.find(r, location{node: v.value}, func() problem.Problem {
					found := r.Found("Variable %q has an empty value.", problem.Clip(v.ID))
					switch {
					case v.declared == nil:
						return found.Hint("Give it a value, or remove the entry.")
					case v.declared.lacksOptions():
						return found.Hint(hintNoOptions)
					}
					return found.Hint("Write %s, or remove the entry if the variable is optional.", v.declared.expectedValue(v.element.id))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_VARIABLE_VALUE_SHAPE", Severity: problem.Error,
			Title: "The value of a variable must match its kind.",
			Why:   "A text in place of options, or options in place of a text, cannot be shown.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].variables[0].value", `["roof"]`}},
		check: func(c *checker, r *Rule) {
			for v := range c.entries() {
				if v.fits() {
					continue
				}
				c.find(r, location{node: v.value}, func() problem.Problem {
					return r.Found("The value of variable %q must be %s.", problem.Clip(v.ID), v.declared.kind.ValueNoun()).
						Hint("Write %s.", v.declared.expectedValue(v.element.id))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_VARIABLE_VALUE_DUPLICATE", Severity: problem.Error,
			Title: "A value must not repeat an option or a locale.",
			Why:   "It is unclear which of two texts in one locale is meant, and a repeated option is a mistake.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].variables[0].value[1]", `{"locale": "EN", "value": "Over the gate"}`}},
		check: func(c *checker, r *Rule) {
			seen := c.seen
			for v := range c.entries() {
				if !v.fits() || !c.repeats(&v.Value) {
					continue
				}
				reportRepeated := func(kind, value string, n ref) {
					c.find(r, location{node: n}, func() problem.Problem {
						return r.Found("The value of variable %q has the %s %q more than once.", problem.Clip(v.ID), kind, problem.Clip(value)).
							Hint("Keep one of them.")
					})
				}
				clear(seen)
				v.Value.Match(func(texts taxonomy.Localized) {
					for k, item := range c.items(v.value) {
						if !seen.add(strings.ToLower(texts[k].Locale)) {
							reportRepeated("locale", texts[k].Locale, c.tree.member(item, "locale"))
						}
					}
				}, func(options []string) {
					for k, item := range c.items(v.value) {
						if !seen.add(options[k]) {
							reportRepeated("option", options[k], item)
						}
					}
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_VARIABLE_OPTION_UNKNOWN", Severity: problem.Error,
			Title: "Every option of a value must be declared in its variable.",
			Why:   "An undeclared option has no name to show.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].variables[1]", `{"id": "formats", "value": ["picturs"]}`}},
		check: func(c *checker, r *Rule) {
			for v := range c.choices() {
				if v.declared.options.find(v.option) >= 0 {
					continue
				}
				c.find(r, location{node: v.node}, func() problem.Problem {
					found := r.Found("Variable %q has no option %q.", problem.Clip(v.ID), problem.Clip(v.option))
					if v.declared.lacksOptions() {
						return found.Hint(hintNoOptions)
					}
					return c.suggestPart(found, v.element, "Option", v.option, v.declared.options.ids, v.declared.now)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_VARIABLE_OPTION_NOT_APPLICABLE", Severity: problem.Error,
			Title: "Every option of a value must apply to the placed element.",
			Why:   "The option would state something about the element that cannot be true.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].variables[1]", `{"id": "formats", "value": ["sound"]}`}},
		check: func(c *checker, r *Rule) {
			for v := range c.choices() {
				i := v.declared.options.find(v.option)
				if i < 0 || v.declared.appliesTo(i, v.element.id) {
					continue
				}
				c.find(r, location{node: v.node}, func() problem.Problem {
					found := r.Found("Option %q of variable %q does not apply to element %q.",
						problem.Clip(v.option), problem.Clip(v.ID), problem.Clip(v.element.id))
					if usable := v.declared.optionsFor(v.element.id); len(usable) > 0 {
						return c.seeElement(found.Hint("Use one of %s, or remove it.", listing(usable)), v.element, usable)
					}
					return found.Hint("Remove it.")
				})
			}
		},
	},
}

// required returns an iterator over the required variables of e. It ends when the
// meter stops. Overridden variables of the category are counted as work too: there
// may be thousands of them for each placement.
func (c *checker) required(e *element) iter.Seq[*variable] {
	return func(yield func(*variable) bool) {
		for _, v := range e.own.required {
			if !c.spend(1) || !yield(v) {
				return
			}
		}
		if e.category == nil {
			return
		}
		for _, v := range e.category.variables.required {
			if !c.spend(1) || e.own.find(v.id) < 0 && !yield(v) {
				return
			}
		}
	}
}

// variableIDs returns the ids of all variables of e.
func (c *checker) variableIDs(e *element) []string {
	ids := slices.Clip(e.own.ids)
	if e.category == nil {
		return ids
	}
	for _, id := range e.category.variables.ids {
		if !c.spend(1) {
			break
		}
		if e.own.find(id) < 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// variablesLocation returns the location of findings about missing variables.
func (p *Placement) variablesLocation() location {
	if p.refs.variables == 0 {
		return location{p.refs.self, "variables"}
	}
	return location{node: p.refs.variables}
}

// has reports whether p has a value for the variable id.
func (p *Placement) has(id string) bool {
	for i := range p.Variables {
		if p.Variables[i].ID == id {
			return true
		}
	}
	return false
}

// isBlank reports whether a value has no content.
func (v *Value) isBlank() (blank bool) {
	v.Match(func(texts taxonomy.Localized) { blank = isBlankText(texts) }, func([]string) {})
	return blank
}

// repeats reports whether the value repeats an option or a locale.
func (c *checker) repeats(v *Value) (repeats bool) {
	add := func(key string) { repeats = repeats || !c.spend(1) || !c.seen.add(key) }
	clear(c.seen)
	v.Match(func(texts taxonomy.Localized) {
		if len(texts) == 2 { // the common case
			first, second := strings.ToLower(texts[0].Locale), strings.ToLower(texts[1].Locale)
			repeats = first == second
			return
		}
		for i := range texts {
			add(strings.ToLower(texts[i].Locale))
		}
	}, func(options []string) {
		for _, option := range options {
			add(option)
		}
	})
	return repeats
}

// choice is one option in the value of a variable.
type choice struct {
	entry
	option string
	node   ref
}

// choices returns an iterator over the options in all values. It ends when the
// meter stops.
func (c *checker) choices() iter.Seq[choice] {
	return func(yield func(choice) bool) {
		for v := range c.entries() {
			if v.declared == nil || !v.fits() {
				continue
			}
			for k, option := range v.Value.options {
				// Each option is a string, so it is a single node.
				if !c.spend(1) || !yield(choice{v, option, v.value + 1 + ref(k)}) {
					return
				}
			}
		}
	}
}

// hintNoOptions is the hint for values of a variable that [variable.lacksOptions].
const hintNoOptions = "The variable has no options yet. Remove the whole entry from variables."

// lacksOptions reports whether v declares none of the options that its kind
// requires, so that no value is valid.
func (v *variable) lacksOptions() bool { return v.kind.HasOptions() && len(v.options.ids) == 0 }

// appliesTo reports whether the i-th option of v applies to element.
func (v *variable) appliesTo(i int, element string) bool {
	return len(v.applies[i].ids) == 0 || v.applies[i].find(element) >= 0
}

// optionsFor returns the options of v that apply to element. It considers only the
// first 1000 options.
func (v *variable) optionsFor(element string) []string {
	var ids []string
	for i, id := range v.options.ids[:min(len(v.options.ids), 1000)] {
		if v.appliesTo(i, element) {
			ids = append(ids, id)
		}
	}
	return ids
}

// expectedValue describes the values of v in a placement of element, for hints.
func (v *variable) expectedValue(element string) string {
	if ids := v.optionsFor(element); len(ids) > 0 {
		return fmt.Sprintf("%s (%s)", v.kind.ValueNoun(), listing(ids))
	}
	return v.kind.ValueNoun()
}
