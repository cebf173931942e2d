package datachain

import "placard/internal/problem"

var identityRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "INSTANCE_ELEMENT_INSTANCE_ID_DUPLICATE", Severity: problem.Error,
			Title: "No two placements have the same element_instance_id.",
			Why:   "The id tells placements apart; what refers to it would refer to both.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "complain", "element_instance_id": "gate-camera"}`}},
		check: func(c *run, r *Rule) {
			for _, i := range c.repeated {
				p := &c.Elements[i]
				if !c.spend(1) {
					return
				}
				c.find(r, place{at: p.at.instance}, func() problem.Problem {
					return r.Found("elements[%d] has the element_instance_id %q too.",
						c.byInstance[p.ElementInstanceID], problem.Clip(p.ElementInstanceID)).
						Hint("Give this placement an element_instance_id of its own.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_ELEMENT_INSTANCE_ID_COLLIDES_WITH_ELEMENT_ID", Severity: problem.Error,
			Title: "No element_instance_id equals an element_id that the document places.",
			Why:   "Provenance is keyed by either, and could then mean two placements.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].element_instance_id", `"contact"`}},
		check: func(c *run, r *Rule) {
			for _, p := range c.placements() {
				if p.at.instance == 0 || c.byElement[p.ElementInstanceID].count == 0 {
					continue
				}
				c.find(r, place{at: p.at.instance}, func() problem.Problem {
					return r.Found("%q is also the element_id of elements[%d].",
						problem.Clip(p.ElementInstanceID), c.byElement[p.ElementInstanceID].first).
						Hint("Choose an element_instance_id that is no element's id, such as %q.", problem.Clip(p.ElementInstanceID)+"-1")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "SUBCHAIN_UNKNOWN", Severity: problem.Error,
			Title: "The subchain_id of a subchain instance is a subchain of the datachain type.",
			Why:   "A chain of a kind that the type does not define cannot be drawn.",
		},
		RaisedBy: onAny,
		changes:  []change{{"subchain_instances[0].subchain_id", `"flwo"`}},
		check: func(c *run, r *Rule) {
			for s := range c.subchainInstances {
				if c.pool.subchains.find(s.SubchainID) >= 0 {
					continue
				}
				c.find(r, place{at: s.subchain}, func() problem.Problem {
					return r.Found("The datachain type has no subchain %q.", problem.Clip(s.SubchainID)).
						Hint("%s", c.choose(s.SubchainID, c.pool.subchains.ids))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "SUBCHAIN_INSTANCE_UNKNOWN", Severity: problem.Error,
			Title: "The subchain_instance_id of a placement is the id of a subchain instance.",
			Why:   "The placement would belong to a chain that is not there.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].subchain_instance_id", `"gate-flwo"`}},
		check: func(c *run, r *Rule) {
			ids := newIndex(idsOf(c.SubchainInstances, func(s *SubchainInstance) string { return s.ID }), &c.meter)
			for _, p := range c.placements() {
				if p.at.subchain == 0 || ids.find(p.SubchainInstanceID) >= 0 {
					continue
				}
				c.find(r, place{at: p.at.subchain}, func() problem.Problem {
					return r.Found("No subchain instance has the id %q.", problem.Clip(p.SubchainInstanceID)).
						Hint("%s", c.choose(p.SubchainInstanceID, ids.ids))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "SUBCHAIN_INSTANCE_ID_DUPLICATE", Severity: problem.Error,
			Title: "No two subchain instances have the same id.",
			Why:   "A placement that names the id would belong to both chains.",
		},
		RaisedBy: onAny,
		changes:  []change{{"subchain_instances[1]", `{"id": "gate-flow", "subchain_id": "flow"}`}},
		check: func(c *run, r *Rule) {
			var ids set
			for s := range c.subchainInstances {
				if ids.add(s.ID) {
					continue
				}
				c.find(r, place{at: s.id}, func() problem.Problem {
					return r.Found("Another subchain instance has the id %q.", problem.Clip(s.ID)).
						Hint("Give this subchain instance an id of its own.")
				})
			}
		},
	},
}

// subchainInstances are those of the document, until the meter says stop.
func (c *run) subchainInstances(yield func(*SubchainInstance) bool) {
	for i := range c.SubchainInstances {
		if !c.spend(1) || !yield(&c.SubchainInstances[i]) {
			return
		}
	}
}
