package icon

import (
	"cmp"
	"maps"
	"slices"

	"placard/internal/problem"
)

// link checks every reference and how much the symbol draws when all of them
// are followed.
func (r *reader) link(root *node) {
	if r.count(root) > maxElements {
		r.report(root.at, ruleTooComplex.Found("With every reference followed, the symbol draws more than %d elements.", maxElements).
			Hint("Draw repeated parts directly instead of nesting references."))
	}
}

// count returns how many elements are drawn for n, and reports references that
// lead nowhere or back to where they came from.
func (r *reader) count(n *node) int {
	if n.cost > 0 {
		return n.cost
	}
	n.counting = true
	cost := 1
	for _, a := range n.attrs {
		if a.name == "id" {
			continue
		}
		for _, p := range a.parts {
			target := r.ids[p.ref]
			switch {
			case p.ref == "" || target == nil && r.gone[p.ref]:
			case target == nil:
				r.report(a.at, ruleReferenceUnknown.Found("No element of the symbol has the id %q.", problem.Clip(p.ref)).
					Hint("%s", cmp.Or(r.near(p.ref), "Add the element it refers to, or remove the reference.")))
			case target.counting:
				r.report(a.at, ruleReferenceCycle.Found("The reference to %q leads back to itself.", problem.Clip(p.ref)).
					Hint("Refer to an element that does not contain this one."))
			default:
				cost += r.count(target)
			}
		}
	}
	for _, child := range n.children {
		cost += r.count(child)
	}
	n.counting = false
	n.cost = min(cost, maxElements+1)
	return n.cost
}

// maxCompared is how many words may be compared for the hints of one symbol.
const maxCompared = 1 << 14

// near offers the ids that are near one that is not there, until that has cost
// enough.
func (r *reader) near(id string) string {
	if r.compared += len(r.ids); r.compared > maxCompared {
		return ""
	}
	near := problem.DidYouMean(id, slices.Sorted(maps.Keys(r.ids)))
	if len(near) > 500 {
		return ""
	}
	return near
}

// draws reports whether anything below n is seen.
func draws(n *node) bool {
	if unseen[n.name] {
		return false
	}
	container := n.name == "svg" || n.name == "g"
	return !container || slices.ContainsFunc(n.children, draws)
}
