package datachain

import (
	"iter"
	"slices"

	"placard/internal/core/link"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

var addressRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "contact_empty", Severity: problem.Warning,
			Title: "A placement of a contact should say whom to contact, in an action or a text.",
			Why: "Readers look for an address, a number or a name there. " +
				"An element is a contact if one of the words of its id is contact, as in contact_point.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[2]", `{"element_id": "contact"}`}},
		check: func(c *checker, r *Rule) {
			for i, p := range c.placements() {
				// An empty action or value is reported by its own rule.
				if e := c.placed[i]; e == nil || !e.isContact || len(p.Actions) > 0 || c.hasText(p) {
					continue
				}
				c.find(r, location{p.refs.self, "actions"}, func() problem.Problem {
					return r.Found("Element %q is a contact, but this placement says neither whom to contact nor how.", problem.Clip(p.ElementID)).
						Hint("Add an action with an address or a number, or a variable with a text.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "action_label_empty", Severity: problem.Warning,
			Title: "The label of an action should not be blank.",
			Why:   "Readers see an address or a number without a word about what it is for.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[2].actions[0].label", `[]`}},
		check: func(c *checker, r *Rule) {
			for _, p := range c.placements() {
				if len(p.Actions) == 0 {
					continue
				}
				for k, item := range c.items(c.tree.member(p.refs.self, "actions")) {
					if !isBlankText(p.Actions[k].Label) {
						continue
					}
					c.find(r, location{node: c.tree.member(item, "label")}, func() problem.Problem {
						return r.Found("The label of this action is blank.").
							Hint("Write what the address or number is for.")
					})
				}
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "action_target_empty", Severity: problem.Warning,
			Title: "The target of an action should not be blank.",
			Why:   "Readers cannot use an action without a target, so it is not shown.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[2].actions[0].target", `" "`}},
		check: func(c *checker, r *Rule) {
			for a, text := range c.addresses() {
				if a.kind == sourceURL || !isBlank(text) {
					continue
				}
				c.find(r, location{node: a.node}, func() problem.Problem {
					return r.Found("The target of this action is blank.").
						Hint("Write the address or number, or remove the action.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "address_invalid", Severity: problem.Warning,
			Title: "The target of an action should match its type, and the url of a source should be a web address.",
			Why:   "Readers cannot write to, call or open an address of another form.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[2].actions[0].target", `"ask at example.org"`}},
		check: func(c *checker, r *Rule) {
			for a, text := range c.addresses() {
				if isBlank(text) || a.isValid(text) || link.UnsafeScheme(text) != "" {
					continue
				}
				c.find(r, location{node: a.node}, func() problem.Problem { return a.describe(r, text) })
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "address_unsafe", Severity: problem.Error,
			Title: "An address must not run a script or open a local file.",
			Why:   "A page that links to it would put its readers at risk.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[2].actions[0].target", `"javascript:alert(1)"`}},
		check: func(c *checker, r *Rule) {
			for a, text := range c.addresses() {
				scheme := link.UnsafeScheme(text)
				if scheme == "" {
					continue
				}
				c.find(r, location{node: a.node}, func() problem.Problem {
					return r.Found("An address must not have the scheme %q.", scheme).
						Hint("Write an address that begins with https://, an email address or a phone number.")
				})
			}
		},
	},
}

// addresses returns an iterator over the addresses of the document and their
// texts. It ends when the meter stops.
func (c *checker) addresses() iter.Seq2[address, string] {
	return func(yield func(address, string) bool) {
		for _, a := range c.Document.addresses {
			text := c.tree.str(a.node)
			if !c.spend(1+len(text)/64) || !yield(a, text) {
				return
			}
		}
	}
}

// hasText reports whether p has a variable with a text, which may be blank.
func (c *checker) hasText(p *Placement) bool {
	if !c.spend(len(p.Variables) / 8) {
		return false
	}
	return slices.ContainsFunc(p.Variables, func(v Variable) (isText bool) {
		v.Value.Match(func(taxonomy.Localized) { isText = true }, func([]string) {})
		return isText
	})
}
