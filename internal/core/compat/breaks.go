package compat

import (
	"fmt"
	"slices"
	"strconv"

	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// maxListed is the maximum number of ids in a message.
const maxListed = 12

const upgradeHint = `Authors replace the id in their documents with "placard upgrade".`

func listing(ids []string) string {
	quoted := slices.Clone(ids)
	for i := range min(len(ids), maxListed) {
		quoted[i] = strconv.Quote(problem.Clip(ids[i]))
	}
	return problem.Listing(quoted, maxListed)
}

func (m *impact) subchainRemoved(s *taxonomy.Subchain) problem.List {
	return problem.List{subchainRemoved.Found("Subchain %q was removed. Documents with an instance of it become invalid.", problem.Clip(s.ID)).
		Hint("Keep the subchain. Otherwise authors remove its instances from their documents.")}
}

// categoryRemoved reports the elements that were removed with their category.
func (m *impact) categoryRemoved(c *taxonomy.Category) problem.List {
	lost := m.removed[c.ID]
	if len(lost) == 0 {
		return nil
	}
	return problem.List{categoryRemoved.Found("Category %q was removed with %s: %s. Documents that use any of them become invalid.",
		problem.Clip(c.ID), problem.Count(len(lost), "element"), listing(lost)).
		Hint("Keep the elements, in another category if necessary, or write replaces in the elements that take their place.")}
}

// categoryRequired reports a category that is newly required.
func (m *impact) categoryRequired(c *taxonomy.Category) problem.List {
	if before := m.predecessor(c); !c.Required || before != nil && before.Required || m.hasRequired(c) {
		return nil
	}
	return problem.List{categoryNewlyRequired.Found("Category %q is now required. Documents without any of its elements become invalid.", problem.Clip(c.ID)).
		Hint("Leave the category optional. Otherwise authors add one of its elements to their documents.")}
}

func (m *impact) minimumRaised(c *taxonomy.Category) problem.List {
	before := m.predecessor(c)
	if c.MinElements < 2 || len(m.origins[c.ID]) == 0 || before != nil && c.MinElements <= before.MinElements {
		return nil
	}
	return problem.List{categoryMinimumRaised.Found("Category %q now needs at least %s. Documents with fewer become invalid.",
		problem.Clip(c.ID), problem.Count(c.MinElements, "placement")).
		Hint("Keep the former minimum. Otherwise authors place more of its elements.")}
}

func (m *impact) maximumLowered(c *taxonomy.Category) problem.List {
	before := m.predecessor(c)
	if c.MaxElements == 0 || len(m.origins[c.ID]) == 0 || before != nil && !isLower(c.MaxElements, before.MaxElements) {
		return nil
	}
	return problem.List{categoryMaximumLowered.Found("Category %q may now have at most %s. Documents with more become invalid.",
		problem.Clip(c.ID), problem.Count(c.MaxElements, "placement")).
		Hint("Keep the former maximum. Otherwise authors decide which of its elements to remove.")}
}

func (m *impact) elementRemoved(e *taxonomy.Element) problem.List {
	return problem.List{elementRemoved.Found("Element %q was removed. Documents that use it become invalid.", problem.Clip(e.ID)).
		Hint("Keep the element, or write replaces: %s in the element that takes its place, so that documents can be upgraded.", problem.Clip(e.ID))}
}

func (m *impact) elementRenamed(p elementPair) problem.List {
	list := problem.List{elementRenamed.Found("Element %q is now %q. Documents that use the old id become invalid.", problem.Clip(p.old.ID), problem.Clip(p.new.ID)).
		Hint(upgradeHint)}
	if p.merged {
		list = append(list, m.placementsAffected(p)...)
	}
	return list
}

// elementRequired reports an element that is newly required. The old element is nil
// if the element is new.
func (m *impact) elementRequired(before, after *taxonomy.Element) problem.List {
	if !after.Required || before != nil && (before.Required || m.isOnlyChoice(before)) {
		return nil
	}
	return problem.List{elementNewlyRequired.Found("Element %q is now required. Documents without it become invalid.", problem.Clip(after.ID)).
		Hint("Leave the element optional. Otherwise authors add it to their documents.")}
}

// isOnlyChoice reports whether e is the only element of a required category.
func (m *impact) isOnlyChoice(e *taxonomy.Element) bool {
	c := m.oldCategory[e.CategoryID]
	return c != nil && c.Required && m.size[c.ID] == 1
}

func (m *impact) placementsLimited(before, after *taxonomy.Element) problem.List {
	most := before.MaxPlacements
	if c := m.oldCategory[before.CategoryID]; c != nil && isLower(c.MaxElements, most) {
		most = c.MaxElements
	}
	if !isLower(after.MaxPlacements, most) {
		return nil
	}
	return problem.List{elementMaximumLowered.Found("Element %q may now be placed at most %s. Documents that place it more often become invalid.",
		problem.Clip(after.ID), times(after.MaxPlacements)).
		Hint("Keep the former maximum. Otherwise authors decide which placements to remove.")}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return problem.Count(n, "time")
}

// elementMoved reports what placements of an element lose in its new category, and
// the limits of both categories that documents can now violate.
func (m *impact) elementMoved(p elementPair) problem.List {
	list := m.placementsAffected(p)
	report := func(category *taxonomy.Category, format string, args ...any) {
		list = append(list, elementMoved.Found("Element %q moved from category %q to %q. %s", problem.Clip(p.new.ID),
			problem.Clip(p.old.CategoryID), problem.Clip(p.new.CategoryID), fmt.Sprintf(format, args...)).
			Hint("Keep the element in its category, or change the limits of category %q.", problem.Clip(category.ID)))
	}
	for _, id := range []string{p.old.CategoryID, p.new.CategoryID} {
		before, after := m.oldCategory[id], m.newCategory[id]
		if before == nil || after == nil {
			continue
		}
		clipped := problem.Clip(id)
		if id == p.old.CategoryID && before.Required && after.Required && !m.hasRequired(after) {
			report(after, "Documents may then have no element of the required category %q.", clipped)
		}
		if after.MinElements > 1 && after.MinElements <= before.MinElements {
			report(after, "Documents may then have fewer elements of category %q than its minimum of %d.", clipped, after.MinElements)
		}
		if id == p.new.CategoryID && after.MaxElements > 0 && !isLower(after.MaxElements, before.MaxElements) {
			report(after, "Documents may then have more elements of category %q than its maximum of %d.", clipped, after.MaxElements)
		}
	}
	return list
}

// placementsAffected reports why placements of an element that moved to another
// category, or was merged into another element, become invalid.
func (m *impact) placementsAffected(p elementPair) problem.List {
	id := problem.Clip(p.new.ID)
	before, after := m.oldVariables[p.old.CategoryID], m.newVariables[p.new.CategoryID]
	values, variables := m.succession.parts("", p.old.ID)
	was := make(map[string]*variable) // by new id
	var list problem.List
	var removed, kinds, required, options []string
	if before != nil {
		for _, v := range before.list {
			newID := variables.now(v.ID)
			now := after.find(newID)
			was[newID] = v
			switch {
			case now == nil:
				removed = append(removed, v.ID)
			case now.Kind != v.Kind:
				if v.canHaveValue(p.old.ID) {
					kinds = append(kinds, v.ID)
				}
			default:
				for i := range v.Options {
					o := v.options[v.Options[i].ID]
					if o.isFor(p.old.ID) && !now.options[optionsOf(variables, v.ID).now(o.ID)].isFor(p.new.ID) {
						options = append(options, o.ID)
					}
				}
			}
		}
	}
	if after != nil {
		for _, v := range after.list {
			if v.isRequiredFor(p.new.ID) && !was[v.ID].isRequiredFor(p.old.ID) {
				required = append(required, v.ID)
			}
		}
	}
	if len(removed) > 0 {
		list = append(list, variableRemoved.Found("Element %q no longer has the %s %s. Documents with a value for %s become invalid.", id, plural(removed, "variable"), listing(removed), anyOf(removed)).
			Hint("Declare %s in category %q. Otherwise authors remove the values.", pronoun(removed), problem.Clip(p.new.CategoryID)))
	}
	if len(kinds) > 0 {
		list = append(list, variableKindChanged.Found("Element %q now needs values of another kind for the %s %s. Documents with a value for %s become invalid.", id, plural(kinds, "variable"), listing(kinds), anyOf(kinds)).
			Hint("Use another id for a variable of another kind. Otherwise authors write the values again."))
	}
	if len(required) > 0 {
		list = append(list, variableNewlyRequired.Found("Element %q now requires the %s %s. Documents that place it without a value become invalid.", id, plural(required, "variable"), listing(required)).
			Hint("Leave %s optional. Otherwise authors add the values.", pronoun(required)))
	}
	if len(options) > 0 {
		list = append(list, optionRemoved.Found("Placements of element %q can no longer have the %s %s. Documents that choose %s become invalid.", id, plural(options, "option"), listing(options), anyOf(options)).
			Hint("Declare %s in category %q. Otherwise authors choose another option.", pronoun(options), problem.Clip(p.new.CategoryID)))
	}
	if p.merged || p.old.Context == nil && p.new.Context == nil {
		lost := lostValues(p.old.EffectiveContext(m.oldCategory[p.old.CategoryID]), p.new.EffectiveContext(m.newCategory[p.new.CategoryID]), values.now)
		list = append(list, m.elementContextNarrowed(p.old, lost)...)
	}
	return list
}

func plural(ids []string, noun string) string {
	if len(ids) == 1 {
		return noun
	}
	return noun + "s"
}

// pronoun returns the pronoun for the listed ids.
func pronoun(ids []string) string {
	if len(ids) == 1 {
		return "it"
	}
	return "them"
}

// anyOf is like pronoun, but means at least one of the ids.
func anyOf(ids []string) string {
	if len(ids) == 1 {
		return "it"
	}
	return "any of them"
}

// categoryContextNarrowed reports values that the elements that inherit the context
// of a category can no longer have.
func (m *impact) categoryContextNarrowed(c *taxonomy.Category, lost []string) problem.List {
	if len(lost) == 0 {
		return nil
	}
	for _, p := range m.staying[c.ID] {
		if p.old.Context == nil && p.new.Context == nil {
			return problem.List{contextValueRemoved.Found("Placements in category %q can no longer have the context %s %s. Documents with %s become invalid.",
				problem.Clip(c.ID), plural(lost, "value"), listing(lost), anyOf(lost)).
				Hint("Keep %s. Otherwise authors choose another value.", pronoun(lost))}
		}
	}
	return nil
}

// elementContextNarrowed reports values that placements of an element can no longer
// have.
func (m *impact) elementContextNarrowed(before *taxonomy.Element, lost []string) problem.List {
	if len(lost) == 0 {
		return nil
	}
	return problem.List{contextValueRemoved.Found("Placements of element %q can no longer have the context %s %s. Documents with %s become invalid.",
		problem.Clip(before.ID), plural(lost, "value"), listing(lost), anyOf(lost)).
		Hint("Keep %s. Otherwise authors choose another value.", pronoun(lost))}
}

func (m *impact) variableRemoved(c *taxonomy.Category, v *taxonomy.Variable) problem.List {
	if len(m.staying[c.ID]) == 0 {
		return nil
	}
	return problem.List{variableRemoved.Found("Variable %q of category %q was removed. Documents with a value for it become invalid.", problem.Clip(v.ID), problem.Clip(c.ID)).
		Hint("Keep the variable. Otherwise authors remove its values.")}
}

// variableRequired reports the elements of c for which the variable is newly
// required.
func (m *impact) variableRequired(c *taxonomy.Category, changed pair[taxonomy.Variable]) problem.List {
	var was *variable
	if changed.old != nil {
		was = m.oldVariables[c.ID].find(changed.old.ID)
	}
	v, is := changed.new, m.newVariables[c.ID].find(changed.new.ID)
	var affected []string
	for _, p := range m.staying[c.ID] {
		if is.isRequiredFor(p.new.ID) && !was.isRequiredFor(p.old.ID) {
			affected = append(affected, p.new.ID)
		}
	}
	if len(affected) == 0 {
		return nil
	}
	scope, placed := "the elements of category "+strconv.Quote(problem.Clip(c.ID)), "any of them"
	if !v.Required {
		scope, placed = plural(affected, "element")+" "+listing(affected), anyOf(affected)
	}
	return problem.List{variableNewlyRequired.Found("Variable %q is now required for %s. Documents that place %s without a value become invalid.", problem.Clip(v.ID), scope, placed).
		Hint("Leave the variable optional. Otherwise authors add values to their documents.")}
}

func (m *impact) kindChanged(c *taxonomy.Category, before, after *taxonomy.Variable) problem.List {
	was := m.oldVariables[c.ID].find(before.ID)
	for _, p := range m.staying[c.ID] {
		if was.canHaveValue(p.old.ID) {
			return problem.List{variableKindChanged.Found("The value of variable %q of category %q must now be %s. Documents with a value become invalid.",
				problem.Clip(after.ID), problem.Clip(c.ID), after.Kind.ValueNoun()).
				Hint("Declare a new variable with another id. Otherwise authors write the values again.")}
		}
	}
	return nil
}

func (m *impact) optionRemoved(c *taxonomy.Category, v *taxonomy.Variable, o *taxonomy.Option) problem.List {
	affected := m.staying[c.ID]
	if len(o.AppliesTo) > 0 {
		affected = stayingIn(c, m.byOldID, o.AppliesTo)
	}
	if len(affected) == 0 {
		return nil
	}
	return problem.List{optionRemoved.Found("Option %q of variable %q was removed. Documents that choose it become invalid.", problem.Clip(o.ID), problem.Clip(v.ID)).
		Hint("Keep the option. Otherwise authors choose another one.")}
}

// stayingIn returns the elements with the given ids that stay in category c. The map
// byID is that of the version whose ids are given.
func stayingIn(c *taxonomy.Category, byID map[string]pair[taxonomy.Element], ids []string) []pair[taxonomy.Element] {
	var list []pair[taxonomy.Element]
	for _, id := range ids {
		if p, ok := byID[id]; ok && p.new.CategoryID == c.ID {
			list = append(list, p)
		}
	}
	return list
}

func (m *impact) optionRestricted(c *taxonomy.Category, before, v *taxonomy.Variable, p pair[taxonomy.Option]) problem.List {
	o, was := p.new, m.oldVariables[c.ID].find(before.ID).options[p.old.ID]
	is := m.newVariables[c.ID].find(v.ID).options[o.ID]
	if len(was.appliesTo) == 0 {
		if len(stayingIn(c, m.byNewID, distinct(is.AppliesTo))) == len(m.staying[c.ID]) {
			return nil
		}
		return problem.List{optionRestricted.Found("Option %q of variable %q now applies only to %s %s. Documents that choose it for another element become invalid.",
			problem.Clip(o.ID), problem.Clip(v.ID), plural(is.AppliesTo, "element"), listing(is.AppliesTo)).
			Hint("Remove applies_to. Otherwise authors choose another option.")}
	}
	var affected []string
	for _, p := range stayingIn(c, m.byOldID, was.AppliesTo) {
		if !is.isFor(p.new.ID) {
			affected = append(affected, p.new.ID)
		}
	}
	if len(affected) == 0 {
		return nil
	}
	return problem.List{optionRestricted.Found("Option %q of variable %q no longer applies to %s %s. Documents that choose it there become invalid.",
		problem.Clip(o.ID), problem.Clip(v.ID), plural(affected, "element"), listing(affected)).
		Hint("Add %s to applies_to. Otherwise authors choose another option.", pronoun(affected))}
}
