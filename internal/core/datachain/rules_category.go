package datachain

import (
	"fmt"
	"slices"

	"placard/internal/core/problem"
)

var categoryRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "REQUIRED_CATEGORY_MISSING", Severity: problem.Error,
			Title: "Every required category must have a placement.",
			Why:   "A required category answers a question that every disclosure must answer.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[0].element_id", `"complain"`}},
		check: func(c *checker, r *Rule) {
			for _, category := range c.definitions.categories {
				if !category.required || c.byCategory[category.position] > 0 || c.intendedIn(category) > 0 {
					continue
				}
				c.find(r, location{node: c.elements}, func() problem.Problem {
					ids := c.elementsIn(category)
					found := r.Found("Category %q is required, but none of its elements is placed.", problem.Clip(category.id))
					if len(ids) == 1 && category.minElements <= 1 {
						return found.Hint("Place its only element, %s. If you do not know whether it applies, ask someone who knows the system; do not guess.", listing(ids))
					}
					found = found.Hint("Place at least %s of this category%s. %s", count(max(1, category.minElements), "element"), elementChoices(ids), askWhichApply)
					return c.seeCategory(found, category, ids)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "CATEGORY_TOO_FEW_ELEMENTS", Severity: problem.Error,
			Title: "A category with placements must have at least min_elements of them.",
			Why:   "With fewer elements, the category is incomplete.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "staff"}`}},
		check: func(c *checker, r *Rule) {
			for _, category := range c.definitions.categories {
				n := c.byCategory[category.position]
				if n == 0 || n >= category.minElements || n+c.intendedIn(category) >= category.minElements {
					continue
				}
				c.find(r, location{node: c.elements}, func() problem.Problem {
					ids := c.elementsIn(category)
					found := r.Found("Category %q has %s but needs at least %d.", problem.Clip(category.id), count(n, "placement"), category.minElements).
						Hint("Place %d more of its elements%s. %s", category.minElements-n, elementChoices(ids), askWhichApply)
					return c.seeCategory(found, category, ids)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "CATEGORY_TOO_MANY_ELEMENTS", Severity: problem.Error,
			Title: "A category must not have more than max_elements placements.",
			Why:   "With more elements, readers cannot see which of them matter.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "safety"}`}},
		check: func(c *checker, r *Rule) {
			for _, category := range c.definitions.categories {
				n := c.byCategory[category.position]
				if category.maxElements == 0 || n <= category.maxElements {
					continue
				}
				c.find(r, location{node: c.elements}, func() problem.Problem {
					return r.Found("Category %q has %s but may have at most %d.", problem.Clip(category.id), count(n, "placement"), category.maxElements).
						Hint("Remove %s of its elements.", count(n-category.maxElements, "placement"))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "element_required", Severity: problem.Error,
			Title: "Every required element must be placed.",
			Why:   "A required element states something that every disclosure of this type must state.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[2].element_id", `"complain"`}},
		check: func(c *checker, r *Rule) {
			for _, e := range c.definitions.required {
				if c.byElement[e.id].count > 0 || c.isIntended(e) {
					continue
				}
				c.find(r, location{node: c.elements}, func() problem.Problem {
					return r.Found("Element %q is required but not placed.", problem.Clip(e.id)).
						Hint(`Add {"element_id": %q} to elements. If you do not know the details, ask someone who knows the system; do not guess.`, problem.Clip(e.id))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "ELEMENT_PLACED_TOO_OFTEN", Severity: problem.Error,
			Title: "An element must not have more than max_placements placements.",
			Why:   "The statement can be true of a system only that many times.",
		},
		RaisedBy: onAny,
		changes: []change{{"elements[3]", `{"element_id": "contact",
			"actions": [{"type": "phone", "label": [{"locale": "en", "value": "Call us"}], "target": "+44 1632 960001"}]}`}},
		check: func(c *checker, r *Rule) {
			var counts map[*element]int
			for i, p := range c.placements() {
				e := c.placed[i]
				if e == nil || e.maxPlacements == 0 || c.byElement[e.id].count <= e.maxPlacements {
					continue
				}
				if counts == nil {
					counts = make(map[*element]int)
				}
				// Report only the first placement above the limit.
				if counts[e]++; counts[e] != e.maxPlacements+1 {
					continue
				}
				c.find(r, location{node: p.refs.element}, func() problem.Problem {
					n := c.byElement[e.id].count
					return r.Found("Element %q has %s but may have at most %d.", problem.Clip(e.id), count(n, "placement"), e.maxPlacements).
						Hint("Remove %d of its placements.", n-e.maxPlacements)
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "elements_exclude_each_other", Severity: problem.Warning,
			Title: "Elements that exclude each other should not be placed together.",
			Why:   "According to the release they contradict each other, so one of the two statements is wrong.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "anonymous"}`}},
		check: func(c *checker, r *Rule) {
			for i, others := range c.contradictions() {
				c.find(r, location{node: c.Elements[i].refs.element}, func() problem.Problem {
					slices.Sort(others)
					var names []string
					for _, k := range others {
						names = append(names, fmt.Sprintf("%q (elements[%d])", problem.Clip(c.Elements[k].ElementID), k))
					}
					return r.Found("Element %q contradicts %s.", problem.Clip(c.Elements[i].ElementID), problem.Listing(names, maxListed)).
						Hint("Keep the statement that is true and remove the other placement.")
				})
			}
		},
	},
}

// contradictions returns earlier placements that contradict a placement, by its
// position. Placements in two instances of subchains do not contradict each other: what
// is true of one camera can be false of another. Two elements are reported once for each
// instance that has both, or only once if one of them is placed outside all instances.
func (c *checker) contradictions() map[int][]int {
	first := make(map[[2]int]int)      // the first placement of an element in an instance
	firsts := make(map[*element][]int) // all of them
	for i := range c.placements() {
		if e := c.placed[i]; e != nil && len(e.conflicts) > 0 {
			pair := [2]int{e.position, c.instances[i]}
			if _, ok := first[pair]; !ok {
				first[pair], firsts[e] = i, append(firsts[e], i)
			}
		}
	}
	found := make(map[int][]int)
	add := func(i, k int) { found[max(i, k)] = append(found[max(i, k)], min(i, k)) }
	for e, own := range firsts {
		for _, other := range e.conflicts {
			others := firsts[other]
			// Follow the element of each pair that is in fewer instances, so that the work does
			// not grow with the product of their numbers.
			if !c.spend(1) || len(others) < len(own) || len(others) == len(own) && other.position < e.position {
				continue
			}
			if i, ok := first[[2]int{e.position, noInstance}]; ok {
				add(i, others[0])
			} else if k, ok := first[[2]int{other.position, noInstance}]; ok {
				add(own[0], k)
			} else {
				for _, i := range own {
					if k, ok := first[[2]int{other.position, c.instances[i]}]; c.spend(1) && ok {
						add(i, k)
					}
				}
			}
		}
	}
	return found
}

// elementsIn returns the ids of the elements of a category, but no more than
// maxListed+1 of them.
func (c *checker) elementsIn(category *category) []string {
	var ids []string
	for _, e := range c.definitions.elements {
		if !c.spend(1) || len(ids) > maxListed {
			break
		}
		if e.category == category {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// askWhichApply is advice for people and for agents, who must ask their users.
const askWhichApply = "If you do not know which apply, ask someone who knows the system; do not guess."

// elementChoices returns the end of a sentence about elements. It lists all ids or, if they
// are many, none: a few would look like a recommendation.
func elementChoices(ids []string) string {
	if len(ids) == 0 || len(ids) > maxListed {
		return ""
	}
	return ": " + listing(ids)
}

// seeCategory is like see with the call that lists the elements of the category.
func (c *checker) seeCategory(p problem.Problem, category *category, ids []string) problem.Problem {
	return c.see(p, ids, func(version string) problem.Call { return problem.ListElementsIn(version, category.id) })
}
