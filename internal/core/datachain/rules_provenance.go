package datachain

import (
	"iter"

	"placard/internal/core/problem"
)

var provenanceRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "element_provenance_unknown_element", Severity: problem.Error,
			Title: "Every key of element_provenance must identify a placement.",
			Why:   "The rationale would belong to no placement.",
		},
		RaisedBy: onAny,
		changes:  []change{{"authoring_provenance", `{"kind": "human", "element_provenance": {"cammera": {}}}`}},
		check: func(c *checker, r *Rule) {
			for e, placed := range c.provenances() {
				if placed.count > 0 || c.definitions.element[e.Key] != nil && c.isIntended(c.definitions.element[e.Key]) {
					continue
				}
				c.find(r, location{node: e.node}, func() problem.Problem {
					found := r.Found("No placement has the element_instance_id or element_id %q.", problem.Clip(e.Key))
					if near := c.near(e.Key, c.provenanceKeys()); near != "" {
						return found.Hint("%s", near)
					}
					return found.Hint("Use the element_instance_id of a placement, or an element_id that is placed once.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "element_provenance_ambiguous", Severity: problem.Error,
			Title: "A key of element_provenance must identify only one placement.",
			Why:   "An element_id with several placements does not say which of them the rationale is for.",
		},
		RaisedBy: onAny,
		changes: []change{
			{"elements[3]", `{"element_id": "complain"}`},
			{"elements[4]", `{"element_id": "complain"}`},
			{"authoring_provenance", `{"kind": "human", "element_provenance": {"complain": {}}}`},
		},
		check: func(c *checker, r *Rule) {
			for e, placed := range c.provenances() {
				if placed.count < 2 {
					continue
				}
				c.find(r, location{node: e.node}, func() problem.Problem {
					return r.Found("Element %q is placed %d times, so this key is ambiguous.", problem.Clip(e.Key), placed.count).
						Hint("Give each placement an element_instance_id, and use those as keys.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "variable_rationale_unknown_variable", Severity: problem.Error,
			Title: "Every key of variable_rationale must be a variable of the placed element.",
			Why:   "The rationale is for a value that the placement cannot have.",
		},
		RaisedBy: onAny,
		changes: []change{{
			"authoring_provenance",
			`{"kind": "human", "element_provenance": {"gate-camera": {"variable_rationale": {"postion": "It is in the plans."}}}}`,
		}},
		check: func(c *checker, r *Rule) {
			for e, placed := range c.provenances() {
				if placed.count == 0 || c.placed[placed.first] == nil {
					continue
				}
				element := c.placed[placed.first]
				for _, rationale := range e.VariableRationale {
					if !c.spend(1) {
						return
					}
					if element.variable(rationale.VariableID) != nil || c.isRepeated(e.Key) {
						continue
					}
					c.find(r, location{node: rationale.node}, func() problem.Problem {
						known := c.variableIDs(element)
						found := r.Found("Element %q has no variable %q.", problem.Clip(element.id), problem.Clip(rationale.VariableID))
						return c.suggestPart(found, element, "Variable", rationale.VariableID, known, element.own.now)
					})
				}
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "provenance_value_unexpected", Severity: problem.Warning,
			Title: "Values in authoring_provenance should have the expected form.",
			Why:   "Other values are kept, but programs that read provenance may not understand them.",
		},
		RaisedBy: onAny,
		changes:  []change{{"authoring_provenance", `{"kind": "robot"}`}},
		check: func(c *checker, r *Rule) {
			for _, u := range c.unexpected {
				if !c.spend(1) {
					return
				}
				c.find(r, location{node: u.node}, func() problem.Problem {
					found := r.Found("%s should be %s, not %s.", c.tree.subject(u.node), u.want.description, c.tree.describe(u.node))
					return u.want.hint(found, c.tree, u.node)
				})
			}
		},
	},
}

// provenances returns an iterator over the entries of element_provenance and the
// placements that each key identifies: the one with that element_instance_id, or
// all with that element_id.
func (c *checker) provenances() iter.Seq2[*ElementProvenance, tally] {
	return func(yield func(*ElementProvenance, tally) bool) {
		if c.Provenance == nil {
			return
		}
		for i := range c.Provenance.Elements {
			e := &c.Provenance.Elements[i]
			placed := c.byElement[e.Key]
			if first, ok := c.byInstance[e.Key]; ok {
				placed = tally{1, first}
			}
			if !c.spend(1) || !yield(e, placed) {
				return
			}
		}
	}
}

// provenanceKeys returns the valid keys of element_provenance.
func (c *checker) provenanceKeys() []string {
	if c.keys != nil {
		return c.keys
	}
	seen := make(set)
	for _, p := range c.placements() {
		if p.refs.instance != 0 && seen.add(p.ElementInstanceID) {
			c.keys = append(c.keys, p.ElementInstanceID)
		}
		if c.byElement[p.ElementID].count == 1 && seen.add(p.ElementID) {
			c.keys = append(c.keys, p.ElementID)
		}
	}
	return c.keys
}
