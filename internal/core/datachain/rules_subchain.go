package datachain

import (
	"slices"

	"placard/internal/core/problem"
)

var subchainRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "subchain_category_not_listed", Severity: problem.Warning,
			Title: "A placement in a subchain instance should be of a category that the subchain lists.",
			Why:   "The answer would be part of a chain that does not ask the question.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[2].subchain_instance_id", `"gate-flow"`}},
		check: func(c *checker, r *Rule) {
			for i, p := range c.placements() {
				e, k := c.placed[i], c.instances[i]
				if e == nil || e.category == nil || k < 0 {
					continue
				}
				listed := c.definitions.chained[c.SubchainInstances[k].SubchainID]
				if listed == nil || len(listed.ids) == 0 || listed.find(e.categoryID) >= 0 {
					continue
				}
				c.find(r, location{node: p.refs.subchain}, func() problem.Problem {
					return r.Found("Element %q in subchain instance %q is of category %q, which the subchain does not list.",
						problem.Clip(e.id), problem.Clip(p.SubchainInstanceID), problem.Clip(e.categoryID)).
						Hint("Remove subchain_instance_id from this placement. The categories of the subchain are %s.", listing(listed.ids))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "subchain_instance_empty", Severity: problem.Warning,
			Title: "A subchain instance should have a placement.",
			Why:   "An instance without placements is not shown.",
		},
		RaisedBy: onAny,
		changes:  []change{{"subchain_instances[1]", `{"id": "lift-flow", "subchain_id": "flow"}`}},
		check: func(c *checker, r *Rule) {
			counts := c.chainCounts()
			for s := range c.subchainInstances {
				if counts == nil || counts[[2]int{c.instanceIDs.find(s.ID), anyCategory}] > 0 {
					continue
				}
				c.find(r, location{node: s.self}, func() problem.Problem {
					return r.Found("Subchain instance %q has no placements.", problem.Clip(s.ID)).
						Hint(`Add "subchain_instance_id": %q to the placements that belong to it, or remove the instance.`, problem.Clip(s.ID))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "subchain_category_missing", Severity: problem.Warning,
			Title: "A subchain instance should have a placement of each required category of its subchain.",
			Why: "The chain leaves a question open that every disclosure must answer. " +
				"A placement outside all instances answers it for all of them.",
		},
		RaisedBy: onAny,
		changes: []change{
			{"elements[3]", `{"element_id": "staff", "subchain_instance_id": "lift-flow"}`},
			{"elements[4]", `{"element_id": "police", "subchain_instance_id": "lift-flow"}`},
			{"subchain_instances[1]", `{"id": "lift-flow", "subchain_id": "flow"}`},
		},
		check: func(c *checker, r *Rule) {
			counts := c.chainCounts()
			needed := make(map[*index][]*category)
			for _, listed := range c.definitions.chained {
				for k, id := range listed.ids {
					category := c.definitions.category[id]
					if c.spend(1) && category != nil && category.required && listed.find(id) == k &&
						counts[[2]int{noInstance, category.position}] == 0 && c.byCategory[category.position] > 0 {
						needed[listed] = append(needed[listed], category)
					}
				}
			}
			for s := range c.subchainInstances {
				k, needed := c.instanceIDs.find(s.ID), needed[c.definitions.chained[s.SubchainID]]
				if counts[[2]int{k, anyCategory}] == 0 || counts[[2]int{k, unknownCategory}]+counts[[2]int{noInstance, unknownCategory}] > 0 {
					continue
				}
				// The number of calls is at most that of the instance's placements and one more.
				isMissing := func(category *category) bool { return c.spend(1) && counts[[2]int{k, category.position}] == 0 }
				if !slices.ContainsFunc(needed, isMissing) {
					continue
				}
				c.find(r, location{node: s.self}, func() problem.Problem {
					missing := slices.DeleteFunc(slices.Clone(needed), func(category *category) bool { return !isMissing(category) })
					ids := idsOf(missing, func(category **category) string { return (*category).id })
					return r.Found("Subchain instance %q lacks required categories of its subchain: %s.", problem.Clip(s.ID), listing(ids)).
						Hint(`Place elements of %s with "subchain_instance_id": %q or, if they are true of all instances, without subchain_instance_id.`,
							listing(ids), problem.Clip(s.ID))
				})
			}
		},
	},
}

// Values for the category of a placement in the keys of chainCounts.
const (
	anyCategory     = -1
	unknownCategory = -2
)

// chainCounts returns the number of placements by subchain instance and category. It
// returns nil if there are no instances, or if a placement may belong to any of them
// because its subchain_instance_id or the name of this member is misspelt.
func (c *checker) chainCounts() map[[2]int]int {
	if len(c.SubchainInstances) == 0 {
		return nil
	}
	counts := make(map[[2]int]int)
	for i, p := range c.placements() {
		instance, category := c.instances[i], unknownCategory
		if instance == unknownInstance || instance == noInstance && c.misnamed(p.refs.self, "subchain_instance_id") != "" {
			return nil
		}
		if e := c.placed[i]; e != nil && e.category != nil {
			category = e.category.position
		}
		counts[[2]int{instance, category}]++
		counts[[2]int{instance, anyCategory}]++
	}
	return counts
}
