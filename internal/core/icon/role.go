package icon

import (
	"fmt"
	"strings"

	"placard/internal/core/problem"
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

// checkColors reports the fixed colours of the painted elements below root. It
// reports each colour once.
func (r *reader) checkColors(root *node) {
	type use struct {
		node   *node
		offset int
		count  int
	}
	uses := map[string]*use{}
	var visit func(n *node)
	visit = func(n *node) {
		for _, a := range n.attrs {
			if p := a.parts[0]; n.roles&painting == 0 || !paints(n, a.name) || p.ref != "" || p.background || nonFixedColors[strings.ToLower(p.text)] {
				continue
			}
			color := a.parts[0].text
			if uses[color] == nil {
				uses[color] = &use{node: n, offset: a.offset}
			}
			uses[color].count++
		}
		for _, child := range n.children {
			visit(child)
		}
	}
	visit(root)
	for color, u := range uses {
		message := fmt.Sprintf("<%s> has the fixed colour %q.", u.node.name, problem.Clip(color))
		if u.count > 1 {
			message = fmt.Sprintf("The symbol has the fixed colour %q in %d places, the first in <%s>.", problem.Clip(color), u.count, u.node.name)
		}
		hint := `Use "currentColor", or "none" for a part that is not painted.`
		if isWhite(color) {
			hint = `Use "var(` + backgroundProperty + `)" for a part in the colour of the background, or "none" for a part that is not painted.`
		}
		r.report(u.offset, ruleFixedColor.Found("%s", message).Hint("%s", hint))
	}
}

// paints reports whether the attribute called name can determine the colour of n
// or of the elements in it.
func paints(n *node, name string) bool {
	switch n.name {
	case "stop":
		return name == "stop-color"
	case "linearGradient", "radialGradient":
		return false
	case "line":
		return name == "stroke"
	}
	return name == "fill" || name == "stroke"
}

// isWhite reports whether a colour is opaque white.
func isWhite(color string) bool {
	color = strings.ToLower(strings.NewReplacer(" ", "", ",", "").Replace(color))
	switch color {
	case "white", "#fff", "#ffff", "#ffffff", "#ffffffff", "rgb(255255255)", "rgb(100%100%100%)":
		return true
	}
	return false
}
