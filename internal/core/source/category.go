package source

import (
	"cmp"
	"regexp"
	"strconv"

	yaml "go.yaml.in/yaml/v4"

	"placard/internal/core/icon"
	"placard/internal/core/taxonomy"
)

// category is one file in the categories folder.
type category struct {
	document
	taxonomy.Category
	order         *int
	datachainType string
	misspeltID    string // the id as written, if ID is probably the one that is meant
}

func (r *reader) readCategory(d document) category {
	c := category{document: d}
	c.ID = d.id()
	if d.broken() {
		return c
	}
	f := r.fields(d.file, d.root)
	c.order = f.order(f.optional("order"))
	c.datachainType = f.text(f.optional("datachain_type"))
	c.Category = taxonomy.Category{
		ID:          cmp.Or(f.text(f.required("id")), d.id()),
		Name:        f.localized(f.required("name")),
		Description: f.localized(f.required("description")),
		Prompt:      f.localized(f.optional("prompt")),
		Guidance:    f.localized(f.optional("guidance", "authoring_guidance")),
		Shape:       taxonomy.Shape(f.text(f.required("shape"))),
		Required:    f.boolean(f.optional("required")),
		MinElements: f.count(f.optional("min_elements")),
		MaxElements: f.count(f.optional("max_elements")),
		Sign:        f.count(f.optional("sign")),
		Context:     f.context(f.optional("context", "element_context")),
		Variables:   readList(f, f.optional("variables", "element_variables"), (*fields).variable),
		Sources:     readList(f, f.optional("sources"), (*fields).source),
		Examples:    readList(f, f.optional("examples"), (*fields).example),
	}
	f.reportUnknown()
	return c
}

func (f *fields) context(n *yaml.Node) *taxonomy.Context {
	inner := f.mapping(n)
	if inner == nil {
		return nil
	}
	c := &taxonomy.Context{
		ID:          inner.text(inner.required("id")),
		Name:        inner.localized(inner.required("name")),
		Description: inner.localized(inner.optional("description")),
		Values:      readList(inner, inner.required("values"), (*fields).contextValue),
	}
	inner.reportUnknown()
	return c
}

func (f *fields) contextValue() taxonomy.ContextValue {
	v := taxonomy.ContextValue{
		ID:            f.text(f.required("id")),
		Label:         f.localized(f.required("label", "name")),
		Description:   f.localized(f.optional("description")),
		Color:         f.text(f.optional("color")),
		MaxPlacements: f.count(f.optional("max_placements")),
	}
	if c, ok := icon.ParseColor(v.Color); ok {
		v.Color = c.String()
	}
	f.checkCommentedColor()
	return v
}

// checkCommentedColor reports a colour without quotes, which YAML reads as a
// comment.
func (f *fields) checkCommentedColor() {
	for key, value := range members(f.node) {
		if isCommentedColor(f.node, key, value) {
			color := commentColor.FindString(emptyComment(f.node, key, value))
			f.report(colorInvalid, nodePos(f.file, key), "Without quotes, YAML reads %s as a comment.", color).FixHint = "Write color: " + strconv.Quote(color) + "."
			return
		}
	}
}

func isCommentedColor(mapping, key, value *yaml.Node) bool {
	return key.Value == "color" && commentColor.MatchString(emptyComment(mapping, key, value))
}

var commentColor = regexp.MustCompile(`^#[0-9A-Fa-f]{3,8}\b`)

func (f *fields) variable() taxonomy.Variable {
	return taxonomy.Variable{
		ID:          f.text(f.required("id")),
		Label:       f.localized(f.required("label")),
		Required:    f.boolean(f.optional("required")),
		RequiredFor: f.texts(f.optional("required_for")),
		Kind:        taxonomy.Kind(cmp.Or(f.text(f.optional("kind")), string(taxonomy.DefaultKind))),
		Options:     readList(f, f.optional("options"), (*fields).option),
		Sources:     readList(f, f.optional("sources"), (*fields).source),
	}
}

func (f *fields) option() taxonomy.Option {
	return taxonomy.Option{
		ID:          f.text(f.required("id")),
		Name:        f.localized(f.required("name")),
		Description: f.localized(f.optional("description")),
		AppliesTo:   f.texts(f.optional("applies_to")),
		Guidance:    f.localized(f.optional("guidance", "authoring_guidance")),
		Sources:     readList(f, f.optional("sources"), (*fields).source),
		Examples:    readList(f, f.optional("examples"), (*fields).example),
	}
}
