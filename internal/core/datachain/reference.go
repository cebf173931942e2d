package datachain

import (
	"cmp"
	"slices"

	"placard/internal/core/problem"
)

// Reference is a string in the text of a document that names the pinned version, or an
// item that a version of the taxonomy can rename.
type Reference struct {
	Kind     string // element, context_value, variable or option
	ID       string
	Element  string // that is placed, for a part of a placement
	Variable string // of an option
	// Place is where the id is unique: the list of a part or, negative, the subchain
	// instance of an element; 0 for elements outside of instances, and for references to them.
	Place      int
	Path       problem.Path
	Start, End int // offsets of the string, including its quotes
}

// References returns the ids in d that a version of the taxonomy can change, in the order
// of the text. Elements are named in placements, in head_refs and as keys of
// element_provenance, where an element_instance_id is not one of them.
func (d *Document) References() []Reference {
	instances := make(map[string]string) // the elements, by element_instance_id
	chains := map[string]int{"": 0}      // the places of elements, by subchain_instance_id
	var list []Reference
	add := func(r Reference, text, value ref) { list = append(list, d.reference(r, text, value)) }
	for i := range d.Elements {
		p := &d.Elements[i]
		if _, ok := chains[p.SubchainInstanceID]; !ok {
			chains[p.SubchainInstanceID] = -len(chains)
		}
		add(Reference{Kind: "element", ID: p.ElementID, Place: chains[p.SubchainInstanceID]}, p.refs.element, p.refs.element)
		if p.refs.instance != 0 {
			instances[p.ElementInstanceID] = p.ElementID
		}
		if p.refs.context != 0 {
			add(Reference{Kind: "context_value", ID: p.ContextTypeID, Element: p.ElementID, Place: int(p.refs.context)}, p.refs.context, p.refs.context)
		}
		for k := range p.Variables {
			v := &p.Variables[k]
			add(Reference{Kind: "variable", ID: v.ID, Element: p.ElementID, Place: int(p.refs.variables)}, v.id, v.id)
			for n, option := range v.Value.options {
				at := v.value + 1 + ref(n) // Each option is a string, so it is a single node.
				add(Reference{Kind: "option", ID: option, Element: p.ElementID, Variable: v.ID, Place: int(v.value)}, at, at)
			}
		}
	}
	for i := range d.SubchainInstances {
		s := &d.SubchainInstances[i]
		if s.heads == 0 {
			continue
		}
		for k, item := range d.tree.list(s.heads) {
			if instances[s.HeadRefs[k]] == "" {
				add(Reference{Kind: "element", ID: s.HeadRefs[k]}, item, item)
			}
		}
	}
	if d.Provenance != nil {
		for i := range d.Provenance.Elements {
			e := &d.Provenance.Elements[i]
			if instances[e.Key] == "" {
				add(Reference{Kind: "element", ID: e.Key}, e.node-1, e.node)
			}
			for _, v := range e.VariableRationale {
				add(Reference{Kind: "variable", ID: v.VariableID, Element: cmp.Or(instances[e.Key], e.Key), Place: int(e.node)}, v.node-1, v.node)
			}
		}
	}
	slices.SortFunc(list, func(a, b Reference) int { return cmp.Compare(a.Start, b.Start) })
	return list
}

// VersionReference returns the schema_version of d.
func (d *Document) VersionReference() Reference {
	return d.reference(Reference{ID: d.SchemaVersion.String()}, d.version, d.version)
}

// reference returns r, written in the node text, at the path of the node value.
func (d *Document) reference(r Reference, text, value ref) Reference {
	n := d.tree.nodes[text]
	r.Path, r.Start, r.End = d.tree.path(value), int(n.start), int(n.end)
	return r
}
