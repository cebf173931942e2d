package datachain

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"placard/internal/core/taxonomy"
)

// anyText draws a text with characters that JSON can spell in several ways.
func anyText(t *rapid.T, label string) string {
	// The first letter ensures that the text is not blank.
	return "t" + rapid.StringOfN(rapid.SampledFrom([]rune(`ab/"\é😀Ａ`+"\n\x01\u2028")), 0, 6, -1).Draw(t, label)
}

func anyLocalized(t *rapid.T, label string, locales []string) taxonomy.Localized {
	l := taxonomy.Localized{}
	for _, locale := range locales {
		if rapid.Bool().Draw(t, label+" in "+locale) {
			l = append(l, taxonomy.Text{Locale: locale, Value: anyText(t, label)})
		}
	}
	return l
}

// anyTaxonomy draws a taxonomy for which a valid document exists: the first element
// of every category may be placed any number of times, and no category has more
// required elements than it may have placements.
func anyTaxonomy(t *rapid.T) *taxonomy.Taxonomy {
	locales := []string{"en", "fr", "ja"}[:rapid.IntRange(1, 3).Draw(t, "locales")]
	text := func(label string) taxonomy.Localized { return anyLocalized(t, label, locales) }
	flag := func(label string) bool { return rapid.Bool().Draw(t, label) }
	upTo := func(n int, label string) int { return rapid.IntRange(0, n).Draw(t, label) }

	context := func() *taxonomy.Context {
		if !flag("has context") {
			return nil
		}
		c := &taxonomy.Context{ID: "context", Name: text("context name"), Description: text("context description")}
		for i := range upTo(3, "context values") {
			v := taxonomy.ContextValue{ID: fmt.Sprintf("value-%d", i), Label: text("value label")}
			if flag("tinted") {
				v.Color = "#A1B2C3"
			}
			c.Values = append(c.Values, v)
		}
		return c
	}
	tax := &taxonomy.Taxonomy{ID: taxonomy.ID{Type: "any", Date: "2026-03-01", Status: taxonomy.Beta}, Locales: locales}
	tax.Type = taxonomy.DatachainType{ID: "any", Name: text("type name"), Description: text("type description"), Locales: locales}
	for i := range upTo(2, "subchains") {
		tax.Type.Subchains = append(tax.Type.Subchains, taxonomy.Subchain{ID: fmt.Sprintf("sub%d", i), Name: text("subchain name")})
	}
	for i := range 1 + upTo(3, "categories") {
		c := taxonomy.Category{
			ID: fmt.Sprintf("c%d", i), Name: text("name"), Description: text("description"), Prompt: text("prompt"),
			Shape: rapid.SampledFrom(taxonomy.Shapes).Draw(t, "shape"), Required: flag("required"), Order: i,
			MinElements: upTo(3, "min"), Context: context(),
		}
		if flag("has max") {
			c.MaxElements = 3 + upTo(2, "max")
		}
		for k := range upTo(3, "variables") {
			v := taxonomy.Variable{ID: fmt.Sprintf("v%d", k), Label: text("label"), Required: flag("required"), Kind: rapid.SampledFrom(taxonomy.Kinds).Draw(t, "kind")}
			if flag("has sources") {
				v.Sources = []taxonomy.Source{{Type: "law", Title: anyText(t, "source")}}
			}
			if v.Kind.HasOptions() {
				v.Options = []taxonomy.Option{{ID: "all", Name: text("option"), Guidance: text("guidance"), Sources: v.Sources, Examples: []taxonomy.Example{{Scenario: text("scenario")}}}, {ID: "first", AppliesTo: []string{fmt.Sprintf("c%d-e0", i)}}}
			}
			c.Variables = append(c.Variables, v)
		}
		for k := range 1 + upTo(3, "elements") {
			e := taxonomy.Element{
				ID: fmt.Sprintf("c%d-e%d", i, k), CategoryID: c.ID, SymbolID: "s", Title: text("title"), Description: text("description"),
				Sources: []taxonomy.Source{{Type: "law", Title: anyText(t, "source")}},
			}
			if k > 0 {
				e.Context, e.MaxPlacements = context(), 2*upTo(1, "max placements")
				e.Required = k == 1 && flag("element required")
			}
			tax.Elements = append(tax.Elements, e)
		}
		tax.Type.Categories = append(tax.Type.Categories, c.ID)
		tax.Categories = append(tax.Categories, c)
	}
	tax.Derive()
	return tax
}

// anyString draws a JSON spelling of s.
func anyString(t *rapid.T, s string) string {
	if rapid.Bool().Draw(t, "escaped") {
		var b strings.Builder
		for _, r := range s {
			if r > 0xFFFF {
				b.WriteRune(r)
				continue
			}
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		return `"` + b.String() + `"`
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

// anyObject returns an object with the members, each a name and a JSON value, in
// any order.
func anyObject(t *rapid.T, members ...[2]string) string {
	var b strings.Builder
	for i, m := range rapid.Permutation(members).Draw(t, "order") {
		if i > 0 {
			b.WriteString(rapid.SampledFrom([]string{",", " ,\n"}).Draw(t, "comma"))
		}
		b.WriteString(anyString(t, m[0]) + ": " + m[1])
	}
	return "{" + b.String() + "}"
}

func array(items []string) string { return "[" + strings.Join(items, ", ") + "]" }

func anyTexts(t *rapid.T, locales []string) string {
	var texts []string
	for _, locale := range rapid.Permutation(locales).Draw(t, "locales") {
		texts = append(texts, anyObject(t, [2]string{"locale", anyString(t, locale)}, [2]string{"value", anyString(t, anyText(t, "value"))}))
	}
	return array(texts)
}

// anyDocument draws a valid thin document for tax.
func anyDocument(t *rapid.T, tax *taxonomy.Taxonomy) string {
	flag := func(label string) bool { return rapid.Bool().Draw(t, label) }
	maybe := func(members [][2]string, name string, value func() string) [][2]string {
		if flag("has " + name) {
			members = append(members, [2]string{name, value()})
		}
		return members
	}
	subchain := len(tax.Type.Subchains) > 0 && flag("has subchain instances")
	var placements, keys []string
	place := func(e *taxonomy.Element) {
		c := tax.Categories[0]
		for _, c = range tax.Categories {
			if c.ID == e.CategoryID {
				break
			}
		}
		var variables []string
		for _, v := range c.Variables {
			if !v.Required && !flag("fill in "+v.ID) {
				continue
			}
			var value string
			switch v.Kind {
			case taxonomy.LocalizedText:
				value = anyTexts(t, tax.Locales)
			case taxonomy.MultiSelectEnum:
				value = array([]string{`"all"`})
				if strings.HasSuffix(e.ID, "-e0") && flag("both options") {
					value = array([]string{`"first"`, `"all"`})
				}
			default:
				t.Fatalf("unhandled kind of variable: %s", v.Kind)
			}
			variables = append(variables, anyObject(t, [2]string{"id", anyString(t, v.ID)}, [2]string{"value", value}))
		}
		members := [][2]string{{"element_id", anyString(t, e.ID)}}
		if len(variables) > 0 || flag("empty variables") {
			members = append(members, [2]string{"variables", array(variables)})
		}
		if context := e.EffectiveContext(&c); context != nil && len(context.Values) > 0 {
			members = maybe(members, "context_type_id", func() string {
				return anyString(t, rapid.SampledFrom(context.Values).Draw(t, "context").ID)
			})
		}
		members = maybe(members, "element_instance_id", func() string {
			key := fmt.Sprintf("p %d", len(placements))
			keys = append(keys, key)
			return anyString(t, key)
		})
		members = maybe(members, "priority", func() string {
			return rapid.SampledFrom([]string{"0", "1.0", "2e1", "-0", "12345678901234567890"}).Draw(t, "priority")
		})
		members = maybe(members, "label", func() string { return anyString(t, anyText(t, "label")) })
		members = maybe(members, "actions", func() string {
			return array([]string{anyObject(t, [2]string{"type", `"url"`}, [2]string{"label", anyTexts(t, tax.Locales)}, [2]string{"target", `"x"`})})
		})
		if subchain {
			members = maybe(members, "subchain_instance_id", func() string { return `"one"` })
		}
		placements = append(placements, anyObject(t, members...))
	}
	for _, c := range tax.Categories {
		var elements []*taxonomy.Element
		placed := 0
		for i := range tax.Elements {
			e := &tax.Elements[i]
			if e.CategoryID != c.ID {
				continue
			}
			elements = append(elements, e)
			if e.Required {
				place(e)
				placed++
			}
		}
		lowest, highest := 0, placed+3
		if c.Required || placed > 0 || flag("place "+c.ID) {
			lowest = max(1, c.MinElements)
		}
		if c.MaxElements > 0 {
			highest = c.MaxElements
		}
		for range rapid.IntRange(max(placed, lowest), max(highest, placed, lowest)).Draw(t, "placements") - placed {
			if lowest > 0 {
				place(elements[0])
			}
		}
	}
	if len(placements) == 0 {
		for range max(1, tax.Categories[0].MinElements) {
			place(&tax.Elements[0])
		}
	}
	members := [][2]string{
		{"id", anyString(t, anyText(t, "id"))},
		{"schema_version", anyString(t, tax.ID.String())},
		{"created_at", `"2026-03-02T10:00:00+01:00"`},
		{"elements", array(placements)},
	}
	members = maybe(members, "title", func() string { return anyTexts(t, tax.Locales) })
	members = maybe(members, "description", func() string { return "[]" })
	members = maybe(members, "updated_at", func() string { return `"2026-03-02T10:00Z"` })
	members = maybe(members, "instance_version", func() string { return "1.10" })
	members = maybe(members, "linked_instance_ids", func() string { return array([]string{anyString(t, anyText(t, "link"))}) })
	members = maybe(members, "ok", func() string { return "null" })
	if subchain {
		members = append(members, [2]string{"subchain_instances", array([]string{anyObject(t,
			[2]string{"id", `"one"`}, [2]string{"subchain_id", `"sub0"`},
			[2]string{"head_refs", array([]string{anyString(t, rapid.SampledFrom(tax.Elements).Draw(t, "head").ID)})})})})
	}
	members = maybe(members, "authoring_provenance", func() string {
		var entries [][2]string
		for _, key := range keys {
			entries = append(entries, [2]string{key, anyObject(t, [2]string{"rationale", anyString(t, anyText(t, "why"))}, [2]string{"variable_rationale", "{}"})})
		}
		return anyObject(t, [2]string{"kind", `"ai_generated"`}, [2]string{"element_provenance", anyObject(t, entries...)})
	})
	return anyObject(t, members...)
}
