package source

import (
	"cmp"
	"regexp"
	"strconv"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/icon"
	"placard/internal/taxonomy"
)

// category is one file of the categories folder.
type category struct {
	document
	taxonomy.Category
	order         *int
	datachainType string
}

func (r *reader) category(d document) category {
	c := category{document: d}
	c.ID = d.id()
	if d.broken() {
		return c
	}
	f := r.fields(d.file, d.root)
	c.order = f.order(f.take("order"))
	c.datachainType = f.text(f.take("datachain_type"))
	c.Category = taxonomy.Category{
		ID:          cmp.Or(f.text(f.need("id")), d.id()),
		Name:        f.localized(f.need("name")),
		Description: f.localized(f.need("description")),
		Prompt:      f.localized(f.take("prompt")),
		Guidance:    f.localized(f.take("guidance", "authoring_guidance")),
		Shape:       taxonomy.Shape(f.text(f.need("shape"))),
		Required:    f.flag(f.take("required")),
		MinElements: f.count(f.take("min_elements")),
		MaxElements: f.count(f.take("max_elements")),
		Context:     f.context(f.take("context", "element_context")),
		Variables:   each(f, f.take("variables", "element_variables"), (*fields).variable),
		Sources:     each(f, f.take("sources"), (*fields).source),
		Examples:    each(f, f.take("examples"), (*fields).example),
	}
	f.end()
	return c
}

func (f *fields) context(n *yaml.Node) *taxonomy.Context {
	inner := f.inner(n)
	if inner == nil {
		return nil
	}
	c := &taxonomy.Context{
		ID:          inner.text(inner.need("id")),
		Name:        inner.localized(inner.need("name")),
		Description: inner.localized(inner.take("description")),
		Values:      each(inner, inner.need("values"), (*fields).contextValue),
	}
	inner.end()
	return c
}

func (f *fields) contextValue() taxonomy.ContextValue {
	v := taxonomy.ContextValue{
		ID:          f.text(f.need("id")),
		Label:       f.localized(f.need("label", "name")),
		Description: f.localized(f.take("description")),
		Color:       f.text(f.take("color")),
	}
	if c, ok := icon.ParseColor(v.Color); ok {
		v.Color = c.String()
	}
	f.commentedColor()
	return v
}

// commentedColor reports a colour without quotes, which YAML takes for a
// comment.
func (f *fields) commentedColor() {
	for key, value := range members(f.node) {
		if key.Value != "color" || !isNull(value) || value.Value != "" {
			continue
		}
		for _, comment := range []string{key.LineComment, value.LineComment, f.node.LineComment} {
			if color := commentColor.FindString(comment); color != "" {
				f.report(colorInvalid, at(f.file, key), "Without quotes, YAML reads %s as a comment.", color).FixHint = "Write color: " + strconv.Quote(color) + "."
				return
			}
		}
	}
}

var commentColor = regexp.MustCompile(`^#[0-9A-Fa-f]{3,8}\b`)

func (f *fields) variable() taxonomy.Variable {
	return taxonomy.Variable{
		ID:       f.text(f.need("id")),
		Label:    f.localized(f.need("label")),
		Required: f.flag(f.take("required")),
		Kind:     taxonomy.Kind(cmp.Or(f.text(f.take("kind")), string(taxonomy.DefaultKind))),
		Options:  each(f, f.take("options"), (*fields).option),
	}
}

func (f *fields) option() taxonomy.Option {
	return taxonomy.Option{
		ID:          f.text(f.need("id")),
		Name:        f.localized(f.need("name")),
		Description: f.localized(f.take("description")),
		AppliesTo:   f.texts(f.take("applies_to")),
	}
}
