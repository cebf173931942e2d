package datachain

import "placard/internal/core/problem"

var identityRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "INSTANCE_ELEMENT_INSTANCE_ID_DUPLICATE", Severity: problem.Error,
			Title: "Placements must not share an element_instance_id.",
			Why:   "A reference to the id would refer to both placements.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "complain", "element_instance_id": "gate-camera"}`}},
		check: func(c *checker, r *Rule) {
			for _, i := range c.repeated {
				p := &c.Elements[i]
				if !c.spend(1) {
					return
				}
				c.find(r, location{node: p.refs.instance}, func() problem.Problem {
					return r.Found("elements[%d] also has the element_instance_id %q.",
						c.byInstance[p.ElementInstanceID], problem.Clip(p.ElementInstanceID)).
						Hint("Give this placement a unique element_instance_id.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "INSTANCE_ELEMENT_INSTANCE_ID_COLLIDES_WITH_ELEMENT_ID", Severity: problem.Error,
			Title: "An element_instance_id must not equal the element_id of a placement.",
			Why:   "Provenance is keyed by either id, so the key would be ambiguous.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].element_instance_id", `"contact"`}},
		check: func(c *checker, r *Rule) {
			for _, p := range c.placements() {
				if p.refs.instance == 0 || c.byElement[p.ElementInstanceID].count == 0 {
					continue
				}
				c.find(r, location{node: p.refs.instance}, func() problem.Problem {
					return r.Found("%q is also the element_id of elements[%d].",
						problem.Clip(p.ElementInstanceID), c.byElement[p.ElementInstanceID].first).
						Hint("Choose an element_instance_id that is not an element id.")
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "SUBCHAIN_UNKNOWN", Severity: problem.Error,
			Title: "The subchain_id of a subchain instance must be a subchain of the datachain type.",
			Why:   "A subchain that the type does not define cannot be drawn.",
		},
		RaisedBy: onAny,
		changes:  []change{{"subchain_instances[0].subchain_id", `"flwo"`}},
		check: func(c *checker, r *Rule) {
			for s := range c.subchainInstances {
				if c.definitions.chained[s.SubchainID] != nil {
					continue
				}
				c.find(r, location{node: s.subchain}, func() problem.Problem {
					known := c.definitions.subchainIDs
					found := r.Found("The datachain type has no subchain %q.", problem.Clip(s.SubchainID))
					return c.see(c.suggest(found, s.SubchainID, known), known, problem.ShowVersion)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "SUBCHAIN_INSTANCE_UNKNOWN", Severity: problem.Error,
			Title: "The subchain_instance_id of a placement must be the id of a subchain instance.",
			Why:   "The placement would belong to a chain that does not exist.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[1].subchain_instance_id", `"gate-flwo"`}},
		check: func(c *checker, r *Rule) {
			for i, p := range c.placements() {
				if c.instances[i] != unknownInstance {
					continue
				}
				c.find(r, location{node: p.refs.subchain}, func() problem.Problem {
					return c.suggest(r.Found("No subchain instance has the id %q.", problem.Clip(p.SubchainInstanceID)), p.SubchainInstanceID, c.instanceIDs.ids)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "SUBCHAIN_INSTANCE_ID_DUPLICATE", Severity: problem.Error,
			Title: "Subchain instances must not share an id.",
			Why:   "A placement with that subchain_instance_id would belong to both chains.",
		},
		RaisedBy: onAny,
		changes:  []change{{"subchain_instances[1]", `{"id": "gate-flow", "subchain_id": "flow"}`}},
		check: func(c *checker, r *Rule) {
			for s := range c.subchainInstances {
				if s == &c.SubchainInstances[c.instanceIDs.find(s.ID)] {
					continue
				}
				c.find(r, location{node: s.id}, func() problem.Problem {
					return r.Found("Another subchain instance has the id %q.", problem.Clip(s.ID)).
						Hint("Give this subchain instance a unique id.")
				})
			}
		},
	},
}

// subchainInstances is an iterator over the subchain instances. It ends when the
// meter stops.
func (c *checker) subchainInstances(yield func(*SubchainInstance) bool) {
	for i := range c.SubchainInstances {
		if !c.spend(1) || !yield(&c.SubchainInstances[i]) {
			return
		}
	}
}
