package docschema

import (
	"fmt"
	"strings"

	"placard/internal/core/taxonomy"
)

// placement returns the schema of a placement and adds the definitions that it
// refers to. Elements with the same context and required variables share one
// definition, so that the size of the schema is proportional to that of the
// taxonomy.
func (s *thinSchema) placement() (Object, error) {
	categories := make(map[string]*thinCategory)
	for i := range s.Categories {
		c := &s.Categories[i]
		categories[c.ID] = &thinCategory{c, s.locale, make(map[string]*thinGroup)}
	}
	elements := make([]choice, len(s.Elements))
	var groups []*thinGroup
	for i := range s.Elements {
		if err := s.step(); err != nil {
			return nil, err
		}
		e := &s.Elements[i]
		title, _ := e.Title.Get(s.locale)
		elements[i] = choice{e.ID, title}
		c := categories[e.CategoryID]
		if c == nil {
			continue // not in a checked taxonomy
		}
		key := c.key(e)
		g := c.groups[key]
		if g == nil {
			g = &thinGroup{name: fmt.Sprintf("group.%s.%d", c.ID, len(c.groups))}
			c.groups[key] = g
			groups = append(groups, g)
			if len(c.groups) == 1 {
				s.addCategory(c.Category)
			}
			s.addGroup(g.name, c, e)
		}
		g.elements = append(g.elements, e.ID)
	}
	conditions := make([]Object, len(groups))
	for i, g := range groups {
		conditions[i] = ifMember("element_id", Object{{"enum", s.list(g.elements)}}, reference(g.name))
	}
	id := s.enum(elements, find("Placement").fieldDescription("element_id"), "The version has no such element.")
	return override("Placement", Object{{"element_id", id}}).With("allOf", conditions), nil
}

// ifMember returns a schema that applies then to objects whose member has a value
// that the schema matches.
func ifMember(name string, schema, then Object) Object {
	return Object{
		{"if", Object{{"required", []string{name}}, {"properties", Object{{name, schema}}}}},
		{"then", then},
	}
}

// reference returns a reference to a definition of the version. Their names have
// periods, which ids do not have.
func reference(name string) Object { return Object{{"$ref", bundleRefs + name}} }

// thinCategory is a category whose elements are being grouped.
type thinCategory struct {
	*taxonomy.Category
	locale string                // of the texts that explain ids
	groups map[string]*thinGroup // by key
}

// thinGroup is a set of elements that share one definition.
type thinGroup struct {
	name     string
	elements []string
}

// key returns a string that is equal for elements that share a definition.
func (c *thinCategory) key(e *taxonomy.Element) string {
	var b strings.Builder
	for i := range e.Variables {
		if e.Variables[i].Required != c.Variables[i].Required {
			fmt.Fprintf(&b, "%d ", i)
		}
	}
	if e.Context != nil {
		name, _ := e.Context.Name.Get(c.locale)
		fmt.Fprintf(&b, "; %q", name)
		for i := range e.Context.Values {
			label, _ := e.Context.Values[i].Label.Get(c.locale)
			fmt.Fprintf(&b, " %s %q", e.Context.Values[i].ID, label)
		}
	}
	return b.String()
}

// addCategory adds the definitions that the elements of a category share.
func (s *thinSchema) addCategory(c *taxonomy.Category) {
	var ids []choice
	var kinds []Object
	for i := range c.Variables {
		v := &c.Variables[i]
		label, _ := v.Label.Get(s.locale)
		ids = append(ids, choice{v.ID, label})
		value := Object{{"properties", Object{{"value", taxonomy.ByKind(v.Kind, s.textValue, s.chosenValue)(v.Options)}}}}
		kinds = append(kinds, ifMember("id", Object{{"const", v.ID}}, value))
	}
	item := Object{{"properties", Object{{"id", s.enum(ids, "", "The element has no such variable.")}}}}
	if len(ids) > 0 {
		item = item.With("allOf", kinds)
	}
	s.define("context."+c.ID, s.contextOf(c.Context))
	s.define("category."+c.ID, Object{{"properties", Object{{"variables", Object{{"items", item}}}}}})
}

// contains returns a schema for lists that contain the variable.
func contains(id string) Object {
	return Object{
		{"contains", Object{{"required", []string{"id"}}, {"properties", Object{{"id", Object{{"const", id}}}}}}},
		{"errorMessage", fmt.Sprintf("The variable %q is missing.", id)},
	}
}

// addGroup adds the definition that the elements of a group share. The element e is
// one of them.
func (s *thinSchema) addGroup(name string, c *thinCategory, e *taxonomy.Element) {
	context := reference("context." + c.ID)
	if e.Context != nil {
		context = s.contextOf(e.Context)
	}
	properties := Object{{"context_type_id", context}}
	schema := Object{{"allOf", []Object{reference("category." + c.ID)}}}
	var required []Object
	for i := range e.Variables {
		if v := &e.Variables[i]; v.Required {
			required = append(required, contains(v.ID))
		}
	}
	if required != nil {
		properties = properties.With("variables", Object{{"allOf", required}})
		schema = schema.With("required", []string{"variables"})
	}
	schema = schema.With("properties", properties)
	s.define(name, schema)
}

func (s *thinSchema) contextOf(c *taxonomy.Context) Object {
	if c == nil {
		return s.enum(nil, "", "The element has no context.")
	}
	var values []choice
	for _, v := range c.Values {
		label, _ := v.Label.Get(s.locale)
		values = append(values, choice{v.ID, label})
	}
	name, _ := c.Name.Get(s.locale)
	return s.enum(values, name, "The context of the element has no such value.")
}

func (s *thinSchema) textValue([]taxonomy.Option) Object { return reference("text.filled") }

func (s *thinSchema) chosenValue(options []taxonomy.Option) Object {
	var ids []choice
	for _, o := range options {
		name, _ := o.Name.Get(s.locale)
		ids = append(ids, choice{o.ID, name})
	}
	return Object{
		{"type", "array"},
		{"minItems", 1},
		{"uniqueItems", true},
		{"items", s.enum(ids, "", "The variable has no such option.")},
	}
}

// filledText returns the schema of the value of a variable of kind localized_text:
// at least one text that is not blank.
func (s *thinSchema) filledText() Object {
	return Object{
		{"type", "array"},
		{"items", reference("Text")},
		{"contains", Object{{"properties", Object{{"value", Object{{"pattern", `\S`}}}}}}},
		{"errorMessage", "The value must not be empty."},
	}
}
