package datachain

import "slices"

// The functions in this file find the misspelt name that causes another finding,
// which is then left out: it disappears when the name is corrected. A finding is
// only left out if its cause is reported with at least the same severity.

// intendedElements returns the elements that the ids of unknown elements in
// placements most likely mean.
func (c *checker) intendedElements() []*element {
	if c.intended != nil || len(c.unknown) == 0 {
		return c.intended
	}
	c.intended = make([]*element, 0, min(len(c.unknown), maxPrealloc))
	for _, i := range c.unknown {
		if near := c.nearestElements(c.Elements[i].ElementID); len(near) > 0 {
			c.intended = append(c.intended, c.definitions.element[near[0]])
		}
	}
	return c.intended
}

// nearestElements is like nearest for the ids of elements. It compares each id only
// once.
func (c *checker) nearestElements(id string) []string {
	if now := c.definitions.now[id]; now != "" {
		return []string{now}
	}
	near, ok := c.similar[id]
	if ok {
		return near
	}
	if near = c.nearest(id, c.definitions.elementIDs); near != nil {
		if c.similar == nil {
			c.similar = make(map[string][]string)
		}
		c.similar[id] = near
	}
	return near
}

// isIntended reports whether the id of an unknown element most likely means e.
func (c *checker) isIntended(e *element) bool {
	return c.spend(1+len(c.unknown)/8) && slices.Contains(c.intendedElements(), e)
}

// intendedIn returns the number of placements of unknown elements that most likely
// mean an element of the category.
func (c *checker) intendedIn(category *category) int {
	n := 0
	if !c.spend(1 + len(c.unknown)/8) {
		return n
	}
	for _, e := range c.intendedElements() {
		if e.category == category {
			n++
		}
	}
	return n
}

// isMisspelt reports whether p has an unknown variable whose id most likely means
// the variable id of e.
func (c *checker) isMisspelt(p *Placement, e *element, id string) bool {
	for k := range p.Variables {
		if !c.spend(1) {
			return false
		}
		written := p.Variables[k].ID
		if e.variable(written) != nil {
			continue
		}
		if near := c.nearest(written, c.variableIDs(e)); e.own.now[written] == id || len(near) > 0 && near[0] == id {
			return true
		}
	}
	return false
}

// isRepeated reports whether several placements have the element_instance_id.
func (c *checker) isRepeated(instance string) bool {
	return c.spend(len(c.repeated)/8) && slices.ContainsFunc(c.repeated, func(i int) bool { return c.Elements[i].ElementInstanceID == instance })
}

// misnamed returns the name of an unknown member of the object n that most likely
// means name, or "".
func (c *checker) misnamed(n ref, name string) string {
	if near := c.nearest(name, unknownNames(c.tree, c.unknownMembers, n)); len(near) > 0 {
		return near[0]
	}
	return ""
}
