package datachain

import "placard/internal/core/problem"

// Reference is a string in the text of a document that names an element or the
// pinned version.
type Reference struct {
	ID         string
	Path       problem.Path
	Start, End int // offsets of the string, including its quotes
}

// ElementReferences returns the ids of elements in d: those of placements, in
// head_refs and as keys of element_provenance. An element_instance_id is not one of
// them.
func (d *Document) ElementReferences() []Reference {
	instances := make(map[string]bool)
	var list []Reference
	for i := range d.Elements {
		p := &d.Elements[i]
		list = append(list, d.reference(p.ElementID, p.refs.element, p.refs.element))
		if p.refs.instance != 0 {
			instances[p.ElementInstanceID] = true
		}
	}
	for i := range d.SubchainInstances {
		s := &d.SubchainInstances[i]
		if s.heads == 0 {
			continue
		}
		for k, item := range d.tree.list(s.heads) {
			if !instances[s.HeadRefs[k]] {
				list = append(list, d.reference(s.HeadRefs[k], item, item))
			}
		}
	}
	if d.Provenance != nil {
		for i := range d.Provenance.Elements {
			e := &d.Provenance.Elements[i]
			if !instances[e.Key] {
				list = append(list, d.reference(e.Key, e.node-1, e.node))
			}
		}
	}
	return list
}

// VersionReference returns the schema_version of d.
func (d *Document) VersionReference() Reference {
	return d.reference(d.SchemaVersion.String(), d.version, d.version)
}

// reference returns a reference to id, written in the node text, at the path of
// the node value.
func (d *Document) reference(id string, text, value ref) Reference {
	n := d.tree.nodes[text]
	return Reference{id, d.tree.path(value), int(n.start), int(n.end)}
}
