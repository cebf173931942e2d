package compat

import "placard/internal/core/taxonomy"

// variables are the variables of one category.
type variables struct {
	list []*variable
	byID map[string]*variable
}

// variable is a variable whose lists of elements and options are indexed.
type variable struct {
	*taxonomy.Variable
	requiredFor map[string]bool
	options     map[string]*option
	general     bool            // an option applies to all elements
	special     map[string]bool // elements that an option applies to
}

type option struct {
	*taxonomy.Option
	appliesTo map[string]bool // empty means all elements
}

func variablesByCategory(t *taxonomy.Taxonomy) map[string]*variables {
	byCategory := make(map[string]*variables, len(t.Categories))
	for i := range t.Categories {
		c := &t.Categories[i]
		if byCategory[c.ID] != nil {
			continue
		}
		vs := &variables{byID: make(map[string]*variable, len(c.Variables))}
		for k := range c.Variables {
			v := newVariable(&c.Variables[k])
			if vs.byID[v.ID] == nil {
				vs.list = append(vs.list, v)
				vs.byID[v.ID] = v
			}
		}
		byCategory[c.ID] = vs
	}
	return byCategory
}

func newVariable(declared *taxonomy.Variable) *variable {
	v := &variable{
		Variable: declared, requiredFor: set(declared.RequiredFor),
		options: make(map[string]*option, len(declared.Options)), special: make(map[string]bool),
	}
	for i := range declared.Options {
		o := &declared.Options[i]
		if v.options[o.ID] != nil {
			continue
		}
		v.options[o.ID] = &option{o, set(o.AppliesTo)}
		v.general = v.general || len(o.AppliesTo) == 0
		for _, id := range o.AppliesTo {
			v.special[id] = true
		}
	}
	return v
}

func set(ids []string) map[string]bool {
	if len(ids) == 0 {
		return nil
	}
	s := make(map[string]bool, len(ids))
	for _, id := range ids {
		s[id] = true
	}
	return s
}

// find returns the variable with the given id, or nil.
func (vs *variables) find(id string) *variable {
	if vs == nil {
		return nil
	}
	return vs.byID[id]
}

// isRequiredFor reports whether placements of an element must have a value. A nil
// variable is not required.
func (v *variable) isRequiredFor(element string) bool {
	return v != nil && (v.Required || v.requiredFor[element])
}

// canHaveValue reports whether a placement of an element can have a value.
func (v *variable) canHaveValue(element string) bool {
	return !v.Kind.HasOptions() || v.general || v.special[element]
}

// isFor reports whether the option applies to an element. A nil option applies to
// none.
func (o *option) isFor(element string) bool {
	return o != nil && (len(o.appliesTo) == 0 || o.appliesTo[element])
}
