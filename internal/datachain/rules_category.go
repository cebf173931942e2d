package datachain

import "placard/internal/problem"

var categoryRules = []Rule{
	{
		Rule: problem.Rule{
			Code: "REQUIRED_CATEGORY_MISSING", Severity: problem.Error,
			Title: "Every required category has a placement.",
			Why:   "A required category answers a question that readers of every disclosure may ask.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[0].element_id", `"complain"`}},
		check: func(c *run, r *Rule) {
			for _, category := range c.pool.categories {
				if !category.required || c.perCat[category.position] > 0 {
					continue
				}
				c.find(r, place{at: c.elements}, func() problem.Problem {
					return r.Found("Category %q is required and no element of it is placed.", problem.Clip(category.id)).
						Hint("Place at least %s of it%s.", count(max(1, category.min), "element"), category.suchAs())
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "CATEGORY_TOO_FEW_ELEMENTS", Severity: problem.Error,
			Title: "A category that is used has at least min_elements placements.",
			Why:   "The category is only understood with that many of its elements together.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "staff"}`}},
		check: func(c *run, r *Rule) {
			for _, category := range c.pool.categories {
				n := c.perCat[category.position]
				if n == 0 || n >= category.min {
					continue
				}
				c.find(r, place{at: c.elements}, func() problem.Problem {
					return r.Found("Category %q has %s and needs at least %d.", problem.Clip(category.id), count(n, "placement"), category.min).
						Hint("Place %d more of its elements%s.", category.min-n, category.suchAs())
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "CATEGORY_TOO_MANY_ELEMENTS", Severity: problem.Error,
			Title: "A category has at most max_elements placements.",
			Why:   "Past that number a reader no longer learns what matters most.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "comfort"}`}},
		check: func(c *run, r *Rule) {
			for _, category := range c.pool.categories {
				n := c.perCat[category.position]
				if category.max == 0 || n <= category.max {
					continue
				}
				c.find(r, place{at: c.elements}, func() problem.Problem {
					return r.Found("Category %q has %s and may have at most %d.", problem.Clip(category.id), count(n, "placement"), category.max).
						Hint("Remove %s of its elements.", count(n-category.max, "placement"))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "element_required", Severity: problem.Error,
			Title: "Every required element is placed.",
			Why:   "A required element says what no disclosure of this type may leave out.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[2].element_id", `"complain"`}},
		check: func(c *run, r *Rule) {
			for _, e := range c.pool.required {
				if c.byElement[e.id].count > 0 {
					continue
				}
				c.find(r, place{at: c.elements}, func() problem.Problem {
					return r.Found("Element %q is required and not placed.", problem.Clip(e.id)).
						Hint(`Add {"element_id": %q} to elements.`, problem.Clip(e.id))
				})
			}
		},
	},
	{
		Rule: problem.Rule{
			Code: "ELEMENT_PLACED_TOO_OFTEN", Severity: problem.Error,
			Title: "An element is placed at most max_placements times.",
			Why:   "What the element says can be true of a system only so many times.",
		},
		RaisedBy: onAny,
		changes:  []change{{"elements[3]", `{"element_id": "contact"}`}},
		check: func(c *run, r *Rule) {
			var counts map[*element]int
			for i, p := range c.placements() {
				e := c.placed[i]
				if e == nil || e.max == 0 || c.byElement[e.id].count <= e.max {
					continue
				}
				if counts == nil {
					counts = make(map[*element]int)
				}
				// The first placement too many speaks for the others.
				if counts[e]++; counts[e] != e.max+1 {
					continue
				}
				c.find(r, place{at: p.at.element}, func() problem.Problem {
					n := c.byElement[e.id].count
					return r.Found("Element %q has %s and may have at most %d.", problem.Clip(e.id), count(n, "placement"), e.max).
						Hint("Remove %d of its placements.", n-e.max)
				})
			}
		},
	},
}

// suchAs names a few elements of c, for the end of a sentence.
func (c *category) suchAs() string {
	if len(c.some) == 0 {
		return ""
	}
	return ", such as " + listing(c.some)
}
