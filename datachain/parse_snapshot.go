package datachain

import (
	"slices"
	"strings"

	"placard.dev/taxonomy"
)

var (
	wantSnapshot     = &want{"a schema snapshot as resolve makes it", `{"datachain_type": {…}, "categories": […], "elements": […]}`}
	wantType         = &want{"a datachain type", `{"id": "place", "categories": ["purpose"], "subchains": []}`}
	wantSubchainType = &want{"a subchain", `{"id": "sensing_to_outcome", "name": [], "categories": ["sensing"]}`}
	wantCategory     = &want{"a category", `{"id": "purpose", "name": [], "description": [], "shape": "hexagon"}`}
	wantElement      = &want{"an element", `{"id": "video_camera", "title": [{"locale": "en", "value": "Video camera"}], "category_id": "sensing"}`}
	wantContext      = &want{"a context", `{"values": []}`}
	wantContextValue = &want{"a context value", `{"id": "continuous", "label": [], "color": "#1F77B4"}`}
	wantColor        = &want{"a colour code, #RRGGBB", `"#1F77B4"`}
	wantShape        = &want{"one of circle, hexagon, octagon and rounded-square", `"circle"`}
	wantDeclaration  = &want{"a variable", `{"id": "detail", "label": [], "required": false, "kind": "localized_text"}`}
	wantVariableKind = &want{"localized_text or multi_select_enum", `"localized_text"`}
	wantOption       = &want{"an option", `{"id": "on_device", "name": [], "description": []}`}
	wantExample      = &want{"an example", `{"scenario": [], "narrative": []}`}
)

var snapshotFields = []string{"datachain_type", "categories", "elements"}

func (r *reader) snapshot(n ref) (s Snapshot) {
	s.at = n
	if !r.isObject(n, wantSnapshot) {
		return s
	}
	for name, v := range r.members(n) {
		switch name {
		case "datachain_type":
			s.Type, s.typ = r.datachainType(v), v
		case "categories":
			s.Categories, s.categories = each(r, v, r.category), r.list(v)
		case "elements":
			s.Elements, s.elements = each(r, v, r.snapshotElement), r.list(v)
		default:
			r.stranger(v, snapshotFields)
		}
	}
	r.need(n, "datachain_type", wantType)
	r.need(n, "categories", wantArray)
	r.need(n, "elements", wantArray)
	return s
}

var typeFields = []string{"id", "name", "description", "categories", "subchains", "locales", "sources"}

func (r *reader) datachainType(n ref) (t taxonomy.DatachainType) {
	if !r.isObject(n, wantType) {
		return t
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			t.ID = r.string(v)
		case "name":
			t.Name = r.localized(v)
		case "description":
			t.Description = r.localized(v)
		case "categories":
			t.Categories = r.stringList(v)
		case "subchains":
			t.Subchains = each(r, v, r.subchain)
		case "locales":
			t.Locales = r.stringList(v)
		case "sources":
			t.Sources = r.sources(v)
		default:
			r.stranger(v, typeFields)
		}
	}
	r.need(n, "id", wantString)
	r.need(n, "categories", wantStrings)
	r.need(n, "subchains", wantArray)
	return t
}

var subchainFields = []string{"id", "name", "categories"}

func (r *reader) subchain(n ref) (s taxonomy.Subchain) {
	if !r.isObject(n, wantSubchainType) {
		return s
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			s.ID = r.string(v)
		case "name":
			s.Name = r.localized(v)
		case "categories":
			s.Categories = r.stringList(v)
		default:
			r.stranger(v, subchainFields)
		}
	}
	r.need(n, "id", wantString)
	return s
}

var categoryFields = []string{
	"id", "name", "description", "prompt", "guidance", "shape", "required", "order", "min_elements", "max_elements",
	"context", "variables", "sources", "examples",
}

func (r *reader) category(n ref) (c taxonomy.Category) {
	if !r.isObject(n, wantCategory) {
		return c
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			c.ID = r.string(v)
		case "name":
			c.Name = r.localized(v)
		case "description":
			c.Description = r.localized(v)
		case "prompt":
			c.Prompt = r.localized(v)
		case "guidance":
			c.Guidance = r.localized(v)
		case "shape":
			c.Shape = r.shape(v)
		case "required":
			c.Required = r.boolean(v)
		case "order":
			c.Order = whole(r.whole(v))
		case "min_elements":
			c.MinElements = whole(r.count(v))
		case "max_elements":
			c.MaxElements = whole(r.count(v))
		case "context":
			c.Context = r.context(v)
		case "variables":
			c.Variables = each(r, v, r.declaration)
		case "sources":
			c.Sources = r.sources(v)
		case "examples":
			c.Examples = each(r, v, r.example)
		default:
			r.stranger(v, categoryFields)
		}
	}
	r.need(n, "id", wantString)
	r.need(n, "name", wantLocalized)
	r.need(n, "description", wantLocalized)
	r.need(n, "shape", wantShape)
	return c
}

// whole returns f as an int; no rule tells numbers past a billion apart.
func whole(f float64) int { return int(max(-1e9, min(f, 1e9))) }

var elementFields = []string{
	"id", "title", "description", "category_id", "symbol_id", "required", "max_placements", "guidance", "context",
	"sources", "examples", "shape", "icon_variants", "variables",
}

func (r *reader) snapshotElement(n ref) taxonomy.Element {
	e := r.suggestedElement(n)
	if r.kind(n) == '{' {
		r.need(n, "description", wantLocalized)
		r.need(n, "symbol_id", wantString)
		r.need(n, "icon_variants", wantStrings)
		r.need(n, "variables", wantArray)
	}
	return e
}

// suggestedElement reads an element that may lack what only a release can give
// it.
func (r *reader) suggestedElement(n ref) (e taxonomy.Element) {
	if !r.isObject(n, wantElement) {
		return e
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			e.ID = r.string(v)
		case "title":
			e.Title = r.localized(v)
		case "description":
			e.Description = r.localized(v)
		case "category_id":
			e.CategoryID = r.string(v)
		case "symbol_id":
			e.SymbolID = r.string(v)
		case "required":
			e.Required = r.boolean(v)
		case "max_placements":
			e.MaxPlacements = whole(r.count(v))
		case "guidance":
			e.Guidance = r.localized(v)
		case "context":
			e.Context = r.context(v)
		case "sources":
			e.Sources = r.sources(v)
		case "examples":
			e.Examples = each(r, v, r.example)
		case "shape":
			e.Shape = r.shape(v)
		case "icon_variants":
			e.IconVariants = r.stringList(v)
		case "variables":
			e.Variables = each(r, v, r.declaration)
		default:
			r.stranger(v, elementFields)
		}
	}
	r.need(n, "id", wantString)
	r.need(n, "title", wantLocalized)
	r.need(n, "category_id", wantString)
	return e
}

var contextFields = []string{"id", "name", "description", "values"}

func (r *reader) context(n ref) *taxonomy.Context {
	if !r.isObject(n, wantContext) {
		return nil
	}
	c := new(taxonomy.Context)
	for name, v := range r.members(n) {
		switch name {
		case "id":
			c.ID = r.string(v)
		case "name":
			c.Name = r.localized(v)
		case "description":
			c.Description = r.localized(v)
		case "values":
			c.Values = each(r, v, r.contextValue)
		default:
			r.stranger(v, contextFields)
		}
	}
	r.need(n, "values", wantArray)
	return c
}

var contextValueFields = []string{"id", "label", "description", "color", "tinted"}

func (r *reader) contextValue(n ref) (c taxonomy.ContextValue) {
	if !r.isObject(n, wantContextValue) {
		return c
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			c.ID = r.string(v)
		case "label":
			c.Label = r.localized(v)
		case "description":
			c.Description = r.localized(v)
		case "color":
			c.Color = r.color(v)
		case "tinted":
			c.Tinted = r.boolean(v)
		default:
			r.stranger(v, contextValueFields)
		}
	}
	r.need(n, "id", wantString)
	r.need(n, "label", wantLocalized)
	r.need(n, "color", wantColor)
	return c
}

var declarationFields = []string{"id", "label", "required", "kind", "options"}

func (r *reader) declaration(n ref) (d taxonomy.Variable) {
	d.Kind = taxonomy.LocalizedText
	if !r.isObject(n, wantDeclaration) {
		return d
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			d.ID = r.string(v)
		case "label":
			d.Label = r.localized(v)
		case "required":
			d.Required = r.boolean(v)
		case "kind":
			d.Kind = taxonomy.Kind(r.stringOf(v, wantVariableKind))
			if r.kind(v) == '"' && d.Kind != taxonomy.LocalizedText && d.Kind != taxonomy.MultiSelectEnum {
				r.wrong(v, wantVariableKind)
			}
		case "options":
			d.Options = each(r, v, r.option)
		default:
			r.stranger(v, declarationFields)
		}
	}
	r.need(n, "id", wantString)
	return d
}

var optionFields = []string{"id", "name", "description", "applies_to"}

func (r *reader) option(n ref) (o taxonomy.Option) {
	if !r.isObject(n, wantOption) {
		return o
	}
	for name, v := range r.members(n) {
		switch name {
		case "id":
			o.ID = r.string(v)
		case "name":
			o.Name = r.localized(v)
		case "description":
			o.Description = r.localized(v)
		case "applies_to":
			o.AppliesTo = r.stringList(v)
		default:
			r.stranger(v, optionFields)
		}
	}
	r.need(n, "id", wantString)
	return o
}

var exampleFields = []string{"scenario", "narrative"}

func (r *reader) example(n ref) (e taxonomy.Example) {
	if !r.isObject(n, wantExample) {
		return e
	}
	for name, v := range r.members(n) {
		switch name {
		case "scenario":
			e.Scenario = r.localized(v)
		case "narrative":
			e.Narrative = r.localized(v)
		default:
			r.stranger(v, exampleFields)
		}
	}
	return e
}

func (r *reader) shape(n ref) taxonomy.Shape {
	s := taxonomy.Shape(r.stringOf(n, wantShape))
	if r.kind(n) == '"' && !slices.Contains(taxonomy.Shapes, s) {
		r.wrong(n, wantShape)
	}
	return s
}

func (r *reader) color(n ref) string {
	s := r.stringOf(n, wantColor)
	digits, marked := strings.CutPrefix(s, "#")
	if r.kind(n) == '"' && (!marked || len(digits) != 6 || strings.Trim(digits, "0123456789abcdefABCDEF") != "") {
		r.wrong(n, wantColor)
	}
	return s
}
