package view

import "iter"

// Placed returns a placement of the document as a highlight, or false if there is
// none. The id is an element_instance_id or, for the first placement of an
// element, an element_id.
func (m *Model) Placed(id string) (h Highlight, ok bool) {
	for s, p := range m.placements() {
		switch {
		case p.InstanceID == id:
			return m.placed(s, p), true
		case p.ElementID == id && !ok:
			h, ok = m.placed(s, p), true
		}
	}
	return h, ok
}

// placed returns a placement of a section as a highlight.
func (m *Model) placed(s *Section, p *Placement) Highlight {
	h := p.highlight()
	h.Category, h.InstanceID, h.Remaining = s.Category, p.InstanceID, -1
	for other := range m.placements() {
		if other.Category == s.Category {
			h.Remaining++
		}
	}
	return h
}

// PlacedIDs returns the ids that [Model.Placed] accepts, in the order of the page.
func (m *Model) PlacedIDs() []string {
	var ids []string
	seen := map[string]bool{"": true}
	for _, p := range m.placements() {
		for _, id := range []string{p.ElementID, p.InstanceID} {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// placements yields all placements with their sections in the order of the page.
func (m *Model) placements() iter.Seq2[*Section, *Placement] {
	return func(yield func(*Section, *Placement) bool) {
		for _, part := range m.Parts {
			for s := range part.sections() {
				for i := range s.Placements {
					if !yield(s, &s.Placements[i]) {
						return
					}
				}
			}
		}
	}
}

// highlight returns p as a highlight, without its category.
func (p *Placement) highlight() Highlight {
	return Highlight{ElementID: p.ElementID, Icon: p.Icon, Heading: p.Answer, Caption: p.Detail, IsNamed: p.IsNamed, Context: p.Context}
}
