package icon

import (
	"strings"

	"placard/internal/problem"
)

// role says what the colours of an element are for. An element that is
// referenced several times can have both roles.
type role uint8

const (
	painting role = 1 << iota // drawn, or a gradient that paints a drawn element
	masking                   // part of a mask, where colours determine what is visible
)

// assignRoles sets the roles of all elements. Unused definitions and clip paths
// have no role.
func (r *reader) assignRoles(root *node) {
	r.assign(root, painting)
	var visit func(n *node)
	visit = func(n *node) {
		if n.name == "mask" {
			r.assign(n, masking)
		}
		for _, child := range n.children {
			visit(child)
		}
	}
	visit(root)
}

// assign adds a role to n, the elements in it and the elements that they refer to.
func (r *reader) assign(n *node, as role) {
	if n.roles&as != 0 {
		return
	}
	n.roles |= as
	for _, a := range n.attrs {
		for _, p := range a.parts {
			// Masks get their role in assignRoles, and clip paths have no colours.
			if target := r.ids[p.ref]; target != nil && target.name != "mask" && target.name != "clipPath" {
				r.assign(target, as)
			}
		}
	}
	for _, child := range n.children {
		if !hiddenElements[child.name] {
			r.assign(child, as)
		}
	}
}

// checkColors reports the fixed colours of n and the elements in it, as far as
// they are painted.
func (r *reader) checkColors(n *node) {
	for _, a := range n.attrs {
		if p := a.parts[0]; n.roles&painting != 0 && colorAttributes[a.name] && p.ref == "" && !p.background && !nonFixedColors[strings.ToLower(p.text)] {
			r.report(a.offset, ruleFixedColor.Found("<%s> has the fixed colour %q.", n.name, problem.Clip(p.text)).
				Hint(`Use "currentColor", or "none" for a part that is not painted.`))
		}
	}
	for _, child := range n.children {
		r.checkColors(child)
	}
}
