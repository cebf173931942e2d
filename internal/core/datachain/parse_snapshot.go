package datachain

import (
	"slices"
	"strings"

	"placard/internal/core/taxonomy"
)

var (
	wantSnapshot     = newWant("a schema snapshot as returned by resolve", `{"datachain_type": {…}, "categories": […], "elements": […]}`)
	wantType         = newWant("a datachain type", `{"id": "example", "categories": ["sensing"], "subchains": []}`)
	wantSubchainType = newWant("a subchain", `{"id": "sensing_to_outcome", "name": [], "categories": ["sensing"]}`)
	wantCategory     = newWant("a category", `{"id": "sensing", "name": [], "description": [], "shape": "hexagon"}`)
	wantElement      = newWant("an element", `{"id": "video_camera", "title": [{"locale": "en", "value": "Short title"}], "category_id": "sensing"}`)
	wantContext      = newWant("a context", `{"values": []}`)
	wantContextValue = newWant("a context value", `{"id": "continuous", "label": [], "color": "#1F77B4"}`)
	wantColor        = newWant("a colour code, #RRGGBB", `"#1F77B4"`)
	wantShape        = newChoice(shapeNames())
	wantDeclaration  = newWant("a variable", `{"id": "detail", "label": [], "required": false, "kind": "localized_text"}`)
	wantVariableKind = newChoice(taxonomy.KindNames())
	wantOption       = newWant("an option", `{"id": "on_device", "name": [], "description": []}`)
	wantExample      = newWant("an example", `{"scenario": [], "narrative": []}`)
)

var snapshotFields = []string{"datachain_type", "categories", "elements"}

func (r *reader) snapshot(n ref) (s Snapshot) {
	s.node = n
	if !r.isObject(n, wantSnapshot) {
		return s
	}
	// The snapshot repeats the URLs of the release; its authors check them.
	addresses := len(r.scratch.addresses)
	defer func() { r.scratch.addresses = r.scratch.addresses[:addresses] }()
	var categories, elements ref
	for name, v := range r.members(n) {
		switch name {
		case "datachain_type":
			s.Type, s.typ = r.datachainType(v), v
		case "categories":
			s.Categories, s.categories, categories = each(r, v, r.category), r.list(v), v
		case "elements":
			s.Elements, s.elements, elements = each(r, v, r.snapshotElement), r.list(v), v
		default:
			r.unknownMember(v, snapshotFields)
		}
	}
	r.require(s.typ, n, "datachain_type", wantType)
	r.require(categories, n, "categories", wantArray)
	r.require(elements, n, "elements", wantArray)
	return s
}

var typeFields = []string{"id", "name", "description", "categories", "subchains", "locales", "sources"}

func (r *reader) datachainType(n ref) (t taxonomy.DatachainType) {
	if !r.isObject(n, wantType) {
		return t
	}
	var id, categories, subchains ref
	for name, v := range r.members(n) {
		switch name {
		case "id":
			t.ID, id = r.string(v), v
		case "name":
			t.Name = r.localized(v)
		case "description":
			t.Description = r.localized(v)
		case "categories":
			t.Categories, categories = r.stringList(v), v
		case "subchains":
			t.Subchains, subchains = each(r, v, r.subchain), v
		case "locales":
			t.Locales = r.stringList(v)
		case "sources":
			t.Sources = r.sources(v)
		default:
			r.unknownMember(v, typeFields)
		}
	}
	r.require(id, n, "id", wantString)
	r.require(categories, n, "categories", wantStrings)
	r.require(subchains, n, "subchains", wantArray)
	return t
}

var subchainFields = []string{"id", "name", "categories"}

func (r *reader) subchain(n ref) (s taxonomy.Subchain) {
	if !r.isObject(n, wantSubchainType) {
		return s
	}
	var id ref
	for name, v := range r.members(n) {
		switch name {
		case "id":
			s.ID, id = r.string(v), v
		case "name":
			s.Name = r.localized(v)
		case "categories":
			s.Categories = r.stringList(v)
		default:
			r.unknownMember(v, subchainFields)
		}
	}
	r.require(id, n, "id", wantString)
	return s
}

var categoryFields = []string{
	"id", "name", "description", "prompt", "guidance", "shape", "required", "order", "min_elements", "max_elements",
	"sign", "context", "variables", "sources", "examples",
}

func (r *reader) category(n ref) (c taxonomy.Category) {
	if !r.isObject(n, wantCategory) {
		return c
	}
	var id, title, description, shape ref
	for name, v := range r.members(n) {
		switch name {
		case "id":
			c.ID, id = r.string(v), v
		case "name":
			c.Name, title = r.localized(v), v
		case "description":
			c.Description, description = r.localized(v), v
		case "prompt":
			c.Prompt = r.localized(v)
		case "guidance":
			c.Guidance = r.localized(v)
		case "shape":
			c.Shape, shape = r.shape(v), v
		case "required":
			c.Required = r.boolean(v)
		case "order":
			c.Order = clamp(r.whole(v))
		case "min_elements":
			c.MinElements = clamp(r.count(v))
		case "max_elements":
			c.MaxElements = clamp(r.count(v))
		case "sign":
			c.Sign = clamp(r.count(v))
		case "context":
			c.Context = r.context(v)
		case "variables":
			c.Variables = each(r, v, r.declaration)
		case "sources":
			c.Sources = r.sources(v)
		case "examples":
			c.Examples = each(r, v, r.example)
		default:
			r.unknownMember(v, categoryFields)
		}
	}
	r.require(id, n, "id", wantString)
	r.require(title, n, "name", wantLocalized)
	r.require(description, n, "description", wantLocalized)
	r.require(shape, n, "shape", wantShape)
	return c
}

// clamp returns f as an int between plus and minus one billion. Numbers beyond that
// make no difference to any rule.
func clamp(f float64) int { return int(max(-1e9, min(f, 1e9))) }

var elementFields = []string{
	"id", "title", "description", "category_id", "symbol_id", "required", "max_placements", "excludes", "replaces", "guidance", "context",
	"sources", "examples", "shape", "icon_variants", "variables",
}

// snapshotElement parses an element of a release.
func (r *reader) snapshotElement(n ref) taxonomy.Element { return r.element(n, true) }

// suggestedElement parses a suggested element, in which more members are optional
// than in an element of a release.
func (r *reader) suggestedElement(n ref) taxonomy.Element { return r.element(n, false) }

func (r *reader) element(n ref, released bool) (e taxonomy.Element) {
	if !r.isObject(n, wantElement) {
		return e
	}
	var id, title, description, category, symbol, icons, variables ref
	for name, v := range r.members(n) {
		switch name {
		case "id":
			e.ID, id = r.string(v), v
		case "title":
			e.Title, title = r.localized(v), v
		case "description":
			e.Description, description = r.localized(v), v
		case "category_id":
			e.CategoryID, category = r.string(v), v
		case "symbol_id":
			e.SymbolID, symbol = r.string(v), v
		case "required":
			e.Required = r.boolean(v)
		case "max_placements":
			e.MaxPlacements = clamp(r.count(v))
		case "excludes":
			e.Excludes = r.stringList(v)
		case "replaces":
			e.Replaces = r.string(v)
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
			e.IconVariants, icons = r.stringList(v), v
		case "variables":
			e.Variables, variables = each(r, v, r.declaration), v
		default:
			r.unknownMember(v, elementFields)
		}
	}
	r.require(id, n, "id", wantString)
	r.require(title, n, "title", wantLocalized)
	r.require(category, n, "category_id", wantString)
	if released {
		r.require(description, n, "description", wantLocalized)
		r.require(symbol, n, "symbol_id", wantString)
		r.require(icons, n, "icon_variants", wantStrings)
		r.require(variables, n, "variables", wantArray)
	}
	return e
}

var contextFields = []string{"id", "name", "description", "values"}

func (r *reader) context(n ref) *taxonomy.Context {
	if !r.isObject(n, wantContext) {
		return nil
	}
	c := new(taxonomy.Context)
	var values ref
	for name, v := range r.members(n) {
		switch name {
		case "id":
			c.ID = r.string(v)
		case "name":
			c.Name = r.localized(v)
		case "description":
			c.Description = r.localized(v)
		case "values":
			c.Values, values = each(r, v, r.contextValue), v
		default:
			r.unknownMember(v, contextFields)
		}
	}
	r.require(values, n, "values", wantArray)
	return c
}

var contextValueFields = []string{"id", "label", "description", "color", "tinted", "max_placements"}

func (r *reader) contextValue(n ref) (c taxonomy.ContextValue) {
	if !r.isObject(n, wantContextValue) {
		return c
	}
	var id, label, color ref
	for name, v := range r.members(n) {
		switch name {
		case "id":
			c.ID, id = r.string(v), v
		case "label":
			c.Label, label = r.localized(v), v
		case "description":
			c.Description = r.localized(v)
		case "color":
			c.Color, color = r.color(v), v
		case "tinted":
			c.Tinted = r.boolean(v)
		case "max_placements":
			c.MaxPlacements = clamp(r.count(v))
		default:
			r.unknownMember(v, contextValueFields)
		}
	}
	r.require(id, n, "id", wantString)
	r.require(label, n, "label", wantLocalized)
	r.require(color, n, "color", wantColor)
	return c
}

var declarationFields = []string{"id", "label", "required", "required_for", "kind", "options", "sources"}

func (r *reader) declaration(n ref) (d taxonomy.Variable) {
	d.Kind = taxonomy.DefaultKind
	if !r.isObject(n, wantDeclaration) {
		return d
	}
	var id ref
	for name, v := range r.members(n) {
		switch name {
		case "id":
			d.ID, id = r.string(v), v
		case "label":
			d.Label = r.localized(v)
		case "required":
			d.Required = r.boolean(v)
		case "required_for":
			d.RequiredFor = r.stringList(v)
		case "kind":
			d.Kind = taxonomy.Kind(r.stringOf(v, wantVariableKind))
			if r.kind(v) == '"' && !d.Kind.IsKnown() {
				r.reportWrong(v, wantVariableKind)
			}
		case "options":
			d.Options = each(r, v, r.option)
		case "sources":
			d.Sources = r.sources(v)
		default:
			r.unknownMember(v, declarationFields)
		}
	}
	r.require(id, n, "id", wantString)
	return d
}

var optionFields = []string{"id", "name", "description", "applies_to", "guidance", "sources", "examples"}

func (r *reader) option(n ref) (o taxonomy.Option) {
	if !r.isObject(n, wantOption) {
		return o
	}
	var id ref
	for name, v := range r.members(n) {
		switch name {
		case "id":
			o.ID, id = r.string(v), v
		case "name":
			o.Name = r.localized(v)
		case "description":
			o.Description = r.localized(v)
		case "applies_to":
			o.AppliesTo = r.stringList(v)
		case "guidance":
			o.Guidance = r.localized(v)
		case "sources":
			o.Sources = r.sources(v)
		case "examples":
			o.Examples = each(r, v, r.example)
		default:
			r.unknownMember(v, optionFields)
		}
	}
	r.require(id, n, "id", wantString)
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
			r.unknownMember(v, exampleFields)
		}
	}
	return e
}

func shapeNames() []string {
	names := make([]string, len(taxonomy.Shapes))
	for i, s := range taxonomy.Shapes {
		names[i] = string(s)
	}
	return names
}

func (r *reader) shape(n ref) taxonomy.Shape {
	s := taxonomy.Shape(r.stringOf(n, wantShape))
	if r.kind(n) == '"' && !slices.Contains(taxonomy.Shapes, s) {
		r.reportWrong(n, wantShape)
	}
	return s
}

func (r *reader) color(n ref) string {
	s := r.stringOf(n, wantColor)
	digits, ok := strings.CutPrefix(s, "#")
	if r.kind(n) == '"' && (!ok || len(digits) != 6 || strings.Trim(digits, "0123456789abcdefABCDEF") != "") {
		r.reportWrong(n, wantColor)
	}
	return s
}
