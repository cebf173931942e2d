package taxonomy

import "slices"

// untinted is the colour served for context values without a colour.
const untinted = "#000000"

// Derive sets the derived fields of t, which must be as authored: the shape,
// variables and icon variants of elements, and the colour of context values
// without one, which is black.
func (t *Taxonomy) Derive() {
	byID := make(map[string]*Category, len(t.Categories))
	for i := range t.Categories {
		c := &t.Categories[i]
		byID[c.ID] = c
		deriveColors(c.Context)
	}
	for i := range t.Elements {
		e := &t.Elements[i]
		deriveColors(e.Context)
		c := byID[e.CategoryID]
		if c != nil {
			e.Shape, e.Variables = c.Shape, c.variablesFor(e.ID)
		}
		e.IconVariants = []string{VariantDefault, VariantDark}
		if context := e.EffectiveContext(c); context != nil {
			for _, v := range context.Values {
				e.IconVariants = append(e.IconVariants, v.ID)
			}
		}
	}
}

// variablesFor returns the variables of c as they apply to an element: required
// there or not. Elements share the slice unless a variable has RequiredFor.
func (c *Category) variablesFor(element string) []Variable {
	if !slices.ContainsFunc(c.Variables, func(v Variable) bool { return v.RequiredFor != nil }) {
		return c.Variables
	}
	variables := slices.Clone(c.Variables)
	for i := range variables {
		v := &variables[i]
		v.Required = v.Required || slices.Contains(v.RequiredFor, element)
		v.RequiredFor = nil
	}
	return variables
}

func deriveColors(c *Context) {
	if c == nil {
		return
	}
	for i := range c.Values {
		v := &c.Values[i]
		v.Tinted = v.Color != ""
		if !v.Tinted {
			v.Color = untinted
		}
	}
}

// Authored returns a copy of t without the values set by [Taxonomy.Derive]. The
// copy shares all other values with t.
func (t *Taxonomy) Authored() *Taxonomy {
	a := *t
	a.Categories = slices.Clone(t.Categories)
	for i := range a.Categories {
		a.Categories[i].Context = authoredColors(a.Categories[i].Context)
	}
	a.Elements = slices.Clone(t.Elements)
	for i := range a.Elements {
		e := &a.Elements[i]
		e.Context = authoredColors(e.Context)
		e.Shape, e.IconVariants, e.Variables = "", nil, nil
	}
	return &a
}

func authoredColors(c *Context) *Context {
	if c == nil {
		return nil
	}
	a := *c
	a.Values = slices.Clone(c.Values)
	for i := range a.Values {
		v := &a.Values[i]
		if !v.Tinted {
			v.Color = ""
		}
		v.Tinted = false
	}
	return &a
}
