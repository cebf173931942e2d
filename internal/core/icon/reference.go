package icon

import (
	"cmp"
	"maps"
	"slices"

	"placard/internal/core/problem"
)

// checkReferences checks every reference and limits the number of elements that
// the symbol draws when all references are expanded.
func (r *reader) checkReferences(root *node) {
	if r.countDrawn(root) > maxElements {
		r.report(root.offset, ruleTooComplex.Found("With all references expanded, the symbol draws more than %d elements.", maxElements).
			Hint("Draw repeated parts directly instead of nesting references."))
	}
}

// countDrawn returns the number of elements that are drawn for n, counting at most
// maxElements+1. It reports unknown and cyclic references.
func (r *reader) countDrawn(n *node) int {
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
			case p.ref == "" || target == nil && r.skippedIDs[p.ref]:
			case target == nil:
				r.report(a.offset, ruleReferenceUnknown.Found("No element of the symbol has the id %q.", problem.Clip(p.ref)).
					Hint("%s", cmp.Or(r.suggestID(p.ref), "Add the element it refers to, or remove the reference.")))
			case target.counting:
				r.report(a.offset, ruleReferenceCycle.Found("The reference to %q leads back to itself.", problem.Clip(p.ref)).
					Hint("Refer to an element that does not contain this one."))
			default:
				cost += r.countDrawn(target)
			}
		}
	}
	for _, child := range n.children {
		cost += r.countDrawn(child)
	}
	n.counting = false
	n.cost = min(cost, maxElements+1)
	return n.cost
}

// maxCompared limits the number of ids compared for the hints of one symbol.
const maxCompared = 1 << 14

// suggestID returns a hint that suggests ids similar to id, or the empty string.
func (r *reader) suggestID(id string) string {
	if r.compared += len(r.ids); r.compared > maxCompared {
		return ""
	}
	hint := problem.DidYouMean(id, slices.Sorted(maps.Keys(r.ids)))
	if len(hint) > 500 {
		return ""
	}
	return hint
}

// draws reports whether n or any of its descendants is visible.
func draws(n *node) bool {
	if hiddenElements[n.name] {
		return false
	}
	container := n.name == "svg" || n.name == "g"
	return !container || slices.ContainsFunc(n.children, draws)
}
