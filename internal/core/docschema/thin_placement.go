package docschema

import (
	"fmt"
	"slices"
	"strings"

	"placard/internal/core/taxonomy"
)

// placement returns the schema of a placement and adds the definitions that it
// refers to. Elements with the same context, required variables and options share
// one definition, so that the size of the schema is proportional to that of the
// taxonomy.
func (s *thinSchema) placement() (Object, error) {
	categories := make(map[string]*thinCategory)
	for i := range s.Categories {
		c := &s.Categories[i]
		categories[c.ID] = &thinCategory{c, s.locale, restrictedVariables(c, s.locale), make(map[string]*thinGroup)}
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
	locale     string // of the texts that explain ids
	restricted []restrictedVariable
	groups     map[string]*thinGroup // by key
}

// thinGroup is a set of elements that share one definition.
type thinGroup struct {
	name     string
	elements []string
}

// restrictedVariable is a variable with options that apply only to some elements.
type restrictedVariable struct {
	*taxonomy.Variable
	size      int               // of the ids and names of all options, in bytes
	byElement map[string][]int  // the restricted options that apply to an element, in order
	values    map[string]string // names of definitions by the restricted options that apply
}

// maxRestricted is the maximum size in bytes of the ids and names of options in the
// definitions of restricted variables. If there are more, the remaining elements
// accept every option of their variables.
const maxRestricted = 8 << 20

func restrictedVariables(c *taxonomy.Category, locale string) []restrictedVariable {
	var all []restrictedVariable
	for i := range c.Variables {
		v := &c.Variables[i]
		size, byElement := 0, make(map[string][]int)
		for n, o := range v.Options {
			name, _ := o.Name.Get(locale)
			size += len(o.ID) + len(name)
			for _, id := range o.AppliesTo {
				byElement[id] = append(byElement[id], n)
			}
		}
		if len(byElement) > 0 {
			all = append(all, restrictedVariable{v, size, byElement, make(map[string]string)})
		}
	}
	return all
}

// optionsFor returns the options that apply to an element.
func (r *restrictedVariable) optionsFor(element string) []taxonomy.Option {
	var options []taxonomy.Option
	applicable := r.byElement[element]
	for n, o := range r.Options {
		if _, applies := slices.BinarySearch(applicable, n); applies || len(o.AppliesTo) == 0 {
			options = append(options, o)
		}
	}
	return options
}

// key returns a string that is equal for elements that share a definition.
func (c *thinCategory) key(e *taxonomy.Element) string {
	var b strings.Builder
	for i := range e.Variables {
		if e.Variables[i].Required != c.Variables[i].Required {
			fmt.Fprintf(&b, "%d ", i)
		}
	}
	for i := range c.restricted {
		fmt.Fprint(&b, ";", c.restricted[i].byElement[e.ID])
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
	var kinds, counts []Object
	for i := range c.Variables {
		v := &c.Variables[i]
		label, _ := v.Label.Get(s.locale)
		ids = append(ids, choice{v.ID, label})
		kinds = append(kinds, s.valueOf(v.ID, s.value(v, v.Options)))
		counts = append(counts, countOf(v.ID, v.Required))
	}
	item := Object{{"properties", Object{{"id", s.enum(ids, "", "The element has no such variable.")}}}}
	variables := Object{{"items", item}}
	if len(ids) > 0 {
		variables = Object{{"items", item.With("allOf", kinds)}, {"allOf", counts}}
	}
	s.define("context."+c.ID, s.contextOf(c.Context))
	s.define("category."+c.ID, Object{{"properties", Object{{"variables", variables}}}})
}

// valueOf returns a schema that applies a schema to the value of the variable id.
func (s *thinSchema) valueOf(id string, schema Object) Object {
	return ifMember("id", Object{{"const", id}}, Object{{"properties", Object{{"value", schema}}}})
}

// countOf returns a schema for lists that contain a variable at most once and, if
// it is required, at least once.
func countOf(id string, required bool) Object {
	least, message := 0, fmt.Sprintf("The variable %q occurs more than once.", id)
	if required {
		least, message = 1, fmt.Sprintf("The variable %q must occur once.", id)
	}
	return Object{
		{"contains", Object{{"required", []string{"id"}}, {"properties", Object{{"id", Object{{"const", id}}}}}}},
		{"minContains", least},
		{"maxContains", 1},
		{"errorMessage", message},
	}
}

// addGroup adds the definition that the elements of a group share. The element e is
// one of them.
func (s *thinSchema) addGroup(name string, c *thinCategory, e *taxonomy.Element) {
	var required []string
	var counts, kinds []Object
	for i := range e.Variables {
		v := &e.Variables[i]
		if !v.Required {
			continue
		}
		required = []string{"variables"}
		if !c.Variables[i].Required {
			counts = append(counts, countOf(v.ID, true))
		}
	}
	for i := range c.restricted {
		r := &c.restricted[i]
		if value := s.addRestricted(c.Category, r, e.ID); value != "" {
			kinds = append(kinds, s.valueOf(r.ID, reference(value)))
		}
	}
	context := reference("context." + c.ID)
	if e.Context != nil {
		context = s.contextOf(e.Context)
	}
	properties := Object{{"context_type_id", context}}
	var variables Object
	if counts != nil {
		variables = variables.With("allOf", counts)
	}
	if kinds != nil {
		variables = variables.With("items", Object{{"allOf", kinds}})
	}
	if variables != nil {
		properties = properties.With("variables", variables)
	}
	schema := Object{{"allOf", []Object{reference("category." + c.ID)}}, {"properties", properties}}
	if required != nil {
		schema = schema.With("required", required)
	}
	s.define(name, schema)
}

// addRestricted adds the definition of the values of a restricted variable for an
// element and returns its name, or the empty string if all options are accepted.
func (s *thinSchema) addRestricted(c *taxonomy.Category, r *restrictedVariable, element string) string {
	key := fmt.Sprint(r.byElement[element])
	if name, ok := r.values[key]; ok {
		return name
	}
	if s.restricted += r.size; s.restricted > maxRestricted {
		return ""
	}
	name := fmt.Sprintf("value.%s.%s.%d", c.ID, r.ID, len(r.values))
	r.values[key] = name
	s.define(name, s.value(r.Variable, r.optionsFor(element)))
	return name
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

// value returns the schema of the value of a variable with some of its options.
func (s *thinSchema) value(v *taxonomy.Variable, options []taxonomy.Option) Object {
	return taxonomy.ByKind(v.Kind, s.textValue, s.chosenValue)(options)
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
		{"items", s.enum(ids, "", "The variable has no such option for this element.")},
	}
}

// filledText returns the schema of the value of a variable of kind localized_text:
// at least one text that is not blank, and each locale at most once.
func (s *thinSchema) filledText() Object {
	counts := []Object{{
		{"contains", Object{{"properties", Object{{"value", Object{{"pattern", `\S`}}}}}}},
		{"errorMessage", "The value must not be empty."},
	}}
	for _, locale := range s.Locales {
		counts = append(counts, Object{
			{"contains", Object{{"required", []string{"locale"}}, {"properties", Object{{"locale", Object{{"pattern", "^" + anyCase(locale) + "$"}}}}}}},
			{"minContains", 0},
			{"maxContains", 1},
			{"errorMessage", fmt.Sprintf("The locale %q occurs more than once.", locale)},
		})
	}
	return Object{{"type", "array"}, {"items", reference("Text")}, {"allOf", counts}}
}

// anyCase returns a regular expression that matches a locale in any case.
func anyCase(locale string) string {
	var b strings.Builder
	for _, c := range locale {
		upper, lower := strings.ToUpper(string(c)), strings.ToLower(string(c))
		if upper == lower {
			b.WriteRune(c)
		} else {
			b.WriteString("[" + lower + upper + "]")
		}
	}
	return b.String()
}
