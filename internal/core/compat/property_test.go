package compat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/compat"
	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/taxonomy"
)

// TestChangesThatBreakDocumentsAreReported compares the findings with all small
// documents: there is a finding if one of them is valid in the old version and
// invalid in the new one.
func TestChangesThatBreakDocumentsAreReported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := anyTaxonomy(t)
		after := clone(t, before)
		var edits []string
		for range rapid.IntRange(1, 3).Draw(t, "number of edits") {
			edits = append(edits, anyEdit(t, after))
		}
		before.Derive()
		after.Derive()
		c, err := compat.Compare(before, after)
		if err != nil {
			t.Fatal(err)
		}
		renames, merged := map[string]string{}, false
		old := map[string]bool{}
		for _, e := range before.Elements {
			old[e.ID] = true
		}
		for _, r := range c.Renames {
			renames[r.OldID] = r.NewID
			merged = merged || old[r.NewID]
		}
		broken, brokenAfterRenames := "", ""
		oldSchema, newSchema := datachain.NewSchema(before), datachain.NewSchema(after)
		for d := range documents(before, oldSchema) {
			if broken == "" && !isValid(d.String(), newSchema) {
				broken = d.String()
			}
			if upgraded := d.rename(renames); brokenAfterRenames == "" && !isValid(upgraded.String(), newSchema) {
				brokenAfterRenames = upgraded.String()
			}
			if broken != "" && brokenAfterRenames != "" {
				break
			}
		}
		breaks := c.Breaks()
		if len(breaks) == 0 && broken != "" {
			t.Fatalf("after %v: got no findings, although a document becomes invalid: %s", edits, broken)
		}
		byHand := slices.DeleteFunc(slices.Clone(breaks), func(p problem.Problem) bool { return p.Code == "ELEMENT_RENAMED" })
		if !merged && len(byHand) == 0 && brokenAfterRenames != "" {
			t.Fatalf("after %v: got only findings %v, although a document with new ids is invalid: %s", edits, []problem.Problem(breaks), brokenAfterRenames)
		}
		if again, _ := compat.Compare(before, after); !cmp.Equal(c, again, cmp.AllowUnexported(problem.Path{}, problem.Problem{})) {
			t.Fatalf("second comparison: got %v, want %v", again, c)
		}
		if same, _ := compat.Compare(before, clone(t, before)); len(same.Changes) > 0 {
			t.Fatalf("comparison with a copy: got changes %v, want none", same.Changes)
		}
	})
}

func clone(t *rapid.T, from *taxonomy.Taxonomy) *taxonomy.Taxonomy {
	encoded, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	to := new(taxonomy.Taxonomy)
	if err := json.Unmarshal(encoded, to); err != nil {
		t.Fatal(err)
	}
	return to
}

func isValid(document string, s *datachain.Schema) bool {
	d, report, err := datachain.Parse([]byte(document), nil)
	if err != nil {
		panic(err)
	}
	if !report.OK() {
		return false
	}
	report, err = datachain.Validate(d, s, nil)
	return err == nil && report.OK()
}

// document is a small datachain.
type document struct {
	Placements []placement       `json:"elements"`
	Subchains  []map[string]any  `json:"subchain_instances,omitzero"`
	Provenance *authoringDetails `json:"authoring_provenance,omitzero"`
}

type placement struct {
	ElementID string  `json:"element_id"`
	Instance  string  `json:"element_instance_id,omitzero"`
	Context   string  `json:"context_type_id,omitzero"`
	Variables []value `json:"variables,omitzero"`
}

type value struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}

type authoringDetails struct {
	Kind     string                                  `json:"kind"`
	Elements map[string]map[string]map[string]string `json:"element_provenance"`
}

func (d document) String() string {
	encoded, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return `{"id": "d", "schema_version": "any@2026-01-01-stable", "created_at": "2026-01-01T00:00:00Z", ` + string(encoded[1:])
}

// rename returns a copy of d with other element ids.
func (d document) rename(renames map[string]string) document {
	to := func(id string) string {
		if renamed, ok := renames[id]; ok {
			return renamed
		}
		return id
	}
	d.Placements = slices.Clone(d.Placements)
	for i := range d.Placements {
		d.Placements[i].ElementID = to(d.Placements[i].ElementID)
	}
	d.Subchains = slices.Clone(d.Subchains)
	for i, s := range d.Subchains {
		if heads, ok := s["head_refs"].([]string); ok {
			d.Subchains[i] = map[string]any{"id": s["id"], "subchain_id": s["subchain_id"], "head_refs": []string{to(heads[0])}}
		}
	}
	return d
}

// documents yields the valid documents for t that place each element at most three
// times, with every combination of counts, and every value in one placement.
func documents(t *taxonomy.Taxonomy, s *datachain.Schema) func(yield func(document) bool) {
	variants := make([][]placement, len(t.Elements))
	for i := range t.Elements {
		variants[i] = placementsOf(t, &t.Elements[i])
	}
	return func(yield func(document) bool) {
		emit := func(d document) bool { return !isValid(d.String(), s) || yield(d) }
		var sample document // a valid document, without subchains
		containing := make([]document, len(t.Elements))
		counts := make([]int, len(t.Elements))
		for {
			var d document
			for i, n := range counts {
				for range n {
					d.Placements = append(d.Placements, variants[i][0])
				}
			}
			if len(d.Placements) > 0 && isValid(d.String(), s) {
				if !yield(d) {
					return
				}
				sample = d
				for i, n := range counts {
					if n > 0 && containing[i].Placements == nil {
						containing[i] = d
					}
				}
			}
			i := 0
			for ; i < len(counts) && counts[i] == 3; i++ {
				counts[i] = 0
			}
			if i == len(counts) {
				break
			}
			counts[i]++
		}
		for i, base := range containing {
			if base.Placements == nil {
				continue
			}
			at := slices.IndexFunc(base.Placements, func(p placement) bool { return p.ElementID == t.Elements[i].ID })
			for _, p := range variants[i] {
				d := document{Placements: slices.Clone(base.Placements)}
				d.Placements[at] = p
				if !emit(d) {
					return
				}
				d.Placements[at].Instance = "the placement"
				for _, v := range categoryOf(t, &t.Elements[i]).Variables {
					d.Provenance = &authoringDetails{"human", map[string]map[string]map[string]string{
						"the placement": {"variable_rationale": {v.ID: "It is so."}},
					}}
					if !emit(d) {
						return
					}
				}
			}
		}
		if sample.Placements == nil {
			return
		}
		for _, subchain := range t.Type.Subchains {
			for _, e := range t.Elements {
				sample.Subchains = []map[string]any{{"id": "a", "subchain_id": subchain.ID, "head_refs": []string{e.ID}}}
				if !emit(sample) {
					return
				}
			}
		}
	}
}

func categoryOf(t *taxonomy.Taxonomy, e *taxonomy.Element) *taxonomy.Category {
	i := slices.IndexFunc(t.Categories, func(c taxonomy.Category) bool { return c.ID == e.CategoryID })
	return &t.Categories[i]
}

// placementsOf returns the placements of an element with every value of its context
// and its variables. The first has only required values.
func placementsOf(t *taxonomy.Taxonomy, e *taxonomy.Element) []placement {
	c := categoryOf(t, e)
	list := []placement{{ElementID: e.ID}}
	for _, v := range c.Variables {
		var values []any
		switch v.Kind {
		case taxonomy.LocalizedText:
			values = append(values, []taxonomy.Text{{Locale: "en", Value: "Text"}})
		case taxonomy.MultiSelectEnum:
			for _, o := range v.Options {
				if len(o.AppliesTo) == 0 || slices.Contains(o.AppliesTo, e.ID) {
					values = append(values, []string{o.ID})
				}
			}
		}
		var next []placement
		for _, p := range list {
			if !v.Required && !slices.Contains(v.RequiredFor, e.ID) || len(values) == 0 {
				next = append(next, p)
			}
		}
		for _, val := range values {
			for _, p := range list {
				p.Variables = append(slices.Clip(p.Variables), value{v.ID, val})
				next = append(next, p)
			}
		}
		list = next
	}
	if context := e.EffectiveContext(c); context != nil {
		for _, p := range slices.Clone(list) {
			for _, v := range context.Values {
				p.Context = v.ID
				list = append(list, p)
			}
		}
	}
	return list
}

func flag(t *rapid.T, label string) bool { return rapid.Bool().Draw(t, label) }

// rarely draws true in one of four cases.
func rarely(t *rapid.T, label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 3 }

func anyContext(t *rapid.T) *taxonomy.Context {
	c := &taxonomy.Context{ID: "time"}
	for _, id := range []string{"day", "night"} {
		if flag(t, "has value "+id) {
			c.Values = append(c.Values, taxonomy.ContextValue{ID: id})
		}
	}
	return c
}

func anyVariable(t *rapid.T, id string, elements []string) taxonomy.Variable {
	v := taxonomy.Variable{ID: id, Kind: rapid.SampledFrom(taxonomy.Kinds).Draw(t, "kind"), Required: rarely(t, "variable required")}
	if !v.Required && rarely(t, "required for some") {
		v.RequiredFor = []string{rapid.SampledFrom(elements).Draw(t, "required for")}
	}
	if v.Kind.HasOptions() {
		v.Options = anyOptions(t, elements)
	}
	return v
}

func anyOptions(t *rapid.T, elements []string) []taxonomy.Option {
	var options []taxonomy.Option
	for _, id := range []string{"o1", "o2"} {
		if rarely(t, "no option "+id) {
			continue
		}
		o := taxonomy.Option{ID: id}
		if rarely(t, "restricted") {
			o.AppliesTo = []string{rapid.SampledFrom(elements).Draw(t, "applies to")}
		}
		options = append(options, o)
	}
	return options
}

// someIDs are the ids of elements that taxonomies may have.
var someIDs = []string{"a1", "a2", "b1", "b2", "c1"}

func anyTaxonomy(t *rapid.T) *taxonomy.Taxonomy {
	en := func(s string) taxonomy.Localized {
		return taxonomy.Localized{{Locale: "en", Value: s}, {Locale: "fr", Value: s}}
	}
	x := &taxonomy.Taxonomy{
		ID: taxonomy.ID{Type: "any", Date: "2026-01-01", Status: taxonomy.Stable}, Locales: []string{"en", "fr"},
		Type:    taxonomy.DatachainType{ID: "any"},
		Symbols: map[string][]byte{"s": []byte("<svg/>")},
	}
	if flag(t, "has subchain") {
		x.Type.Subchains = []taxonomy.Subchain{{ID: "flow"}}
	}
	for _, id := range []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "categories")] {
		c := taxonomy.Category{ID: id, Name: en(id), Required: flag(t, "category required")}
		if rarely(t, "has min") {
			c.MinElements = rapid.IntRange(1, 3).Draw(t, "min")
		}
		if rarely(t, "has max") {
			c.MaxElements = rapid.IntRange(1, 3).Draw(t, "max")
		}
		if flag(t, "has context") {
			c.Context = anyContext(t)
		}
		for i := range rapid.IntRange(0, 2).Draw(t, "variables") {
			c.Variables = append(c.Variables, anyVariable(t, fmt.Sprintf("v%d", i), someIDs))
		}
		for _, element := range someIDs {
			if strings.HasPrefix(element, id) && (element != "b2" || flag(t, "has b2")) {
				e := taxonomy.Element{ID: element, CategoryID: id, Title: en(element), SymbolID: "s", Required: rarely(t, "element required")}
				if rarely(t, "has max") {
					e.MaxPlacements = rapid.IntRange(1, 2).Draw(t, "max")
				}
				if rarely(t, "has own context") {
					e.Context = anyContext(t)
				}
				x.Elements = append(x.Elements, e)
			}
		}
		x.Type.Categories = append(x.Type.Categories, id)
		x.Categories = append(x.Categories, c)
	}
	return x
}

// anyEdit edits x, which has not been derived, and describes the edit.
func anyEdit(t *rapid.T, x *taxonomy.Taxonomy) string {
	names := make([]string, len(edits))
	for i, e := range edits {
		names[i] = e.name
	}
	name := rapid.SampledFrom(names).Draw(t, "edit")
	c := &x.Categories[rapid.IntRange(0, len(x.Categories)-1).Draw(t, "category")]
	var e *taxonomy.Element
	if len(x.Elements) > 0 {
		e = &x.Elements[rapid.IntRange(0, len(x.Elements)-1).Draw(t, "element")]
	}
	var v *taxonomy.Variable
	if len(c.Variables) > 0 {
		v = &c.Variables[rapid.IntRange(0, len(c.Variables)-1).Draw(t, "variable")]
	}
	for _, edit := range edits {
		if edit.name == name {
			edit.apply(t, x, c, e, v)
		}
	}
	return name
}

func removeElement(x *taxonomy.Taxonomy, id string) {
	x.Elements = slices.DeleteFunc(x.Elements, func(e taxonomy.Element) bool { return e.ID == id })
}

var edits = []struct {
	name  string
	apply func(t *rapid.T, x *taxonomy.Taxonomy, c *taxonomy.Category, e *taxonomy.Element, v *taxonomy.Variable)
}{
	{"reword", func(_ *rapid.T, _ *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		c.Name = taxonomy.Localized{{Locale: "en", Value: "other"}}
	}},
	{"drop a locale", func(_ *rapid.T, x *taxonomy.Taxonomy, _ *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		x.Locales = []string{"fr"}
	}},
	{"remove an element", func(_ *rapid.T, x *taxonomy.Taxonomy, _ *taxonomy.Category, e *taxonomy.Element, _ *taxonomy.Variable) {
		if e != nil {
			removeElement(x, e.ID)
		}
	}},
	{"rename an element", func(_ *rapid.T, x *taxonomy.Taxonomy, _ *taxonomy.Category, e *taxonomy.Element, _ *taxonomy.Variable) {
		if e == nil || e.Replaces != nil {
			return
		}
		e.Replaces, e.ID = taxonomy.IDs{e.ID}, e.ID+"x"
		for i := range x.Categories {
			for k := range x.Categories[i].Variables {
				v := &x.Categories[i].Variables[k]
				rename := func(ids []string) {
					if n := slices.Index(ids, e.Replaces[0]); n >= 0 {
						ids[n] = e.ID
					}
				}
				rename(v.RequiredFor)
				for o := range v.Options {
					rename(v.Options[o].AppliesTo)
				}
			}
		}
	}},
	{"merge elements", func(_ *rapid.T, x *taxonomy.Taxonomy, _ *taxonomy.Category, e *taxonomy.Element, _ *taxonomy.Variable) {
		if len(x.Elements) < 2 || e.Replaces != nil {
			return
		}
		other := x.Elements[0].ID
		if e.ID != other {
			e.Replaces = taxonomy.IDs{other}
			removeElement(x, other)
		}
	}},
	{"move an element", func(_ *rapid.T, _ *taxonomy.Taxonomy, c *taxonomy.Category, e *taxonomy.Element, _ *taxonomy.Variable) {
		if e != nil {
			e.CategoryID = c.ID
		}
	}},
	{"require an element", func(t *rapid.T, _ *taxonomy.Taxonomy, _ *taxonomy.Category, e *taxonomy.Element, _ *taxonomy.Variable) {
		if e != nil {
			e.Required = flag(t, "required")
		}
	}},
	{"limit an element", func(t *rapid.T, _ *taxonomy.Taxonomy, _ *taxonomy.Category, e *taxonomy.Element, _ *taxonomy.Variable) {
		if e != nil {
			e.MaxPlacements = rapid.IntRange(0, 2).Draw(t, "max")
		}
	}},
	{"change the context of an element", func(t *rapid.T, _ *taxonomy.Taxonomy, _ *taxonomy.Category, e *taxonomy.Element, _ *taxonomy.Variable) {
		if e == nil {
			return
		}
		e.Context = nil
		if flag(t, "has own context") {
			e.Context = anyContext(t)
		}
	}},
	{"add an element", func(t *rapid.T, x *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		id := fmt.Sprintf("new%d", len(x.Elements))
		removeElement(x, id)
		x.Elements = append(x.Elements, taxonomy.Element{ID: id, CategoryID: c.ID, SymbolID: "s", Required: flag(t, "required")})
	}},
	{"remove a category with its elements", func(_ *rapid.T, x *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		if len(x.Categories) == 1 {
			return
		}
		id := c.ID
		x.Elements = slices.DeleteFunc(x.Elements, func(e taxonomy.Element) bool { return e.CategoryID == id })
		x.Categories = slices.DeleteFunc(x.Categories, func(c taxonomy.Category) bool { return c.ID == id })
	}},
	{"dissolve a category", func(_ *rapid.T, x *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		if len(x.Categories) == 1 {
			return
		}
		id := c.ID
		x.Categories = slices.DeleteFunc(x.Categories, func(c taxonomy.Category) bool { return c.ID == id })
		for i := range x.Elements {
			if x.Elements[i].CategoryID == id {
				x.Elements[i].CategoryID = x.Categories[0].ID
			}
		}
	}},
	{"rename a category", func(_ *rapid.T, x *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		id := c.ID
		c.ID += "y"
		for i := range x.Elements {
			if x.Elements[i].CategoryID == id {
				x.Elements[i].CategoryID = c.ID
			}
		}
	}},
	{"require a category", func(t *rapid.T, _ *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		c.Required = flag(t, "required")
	}},
	{"limit a category", func(t *rapid.T, _ *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		c.MinElements, c.MaxElements = rapid.IntRange(0, 3).Draw(t, "min"), rapid.IntRange(0, 2).Draw(t, "max")
	}},
	{"change the context of a category", func(t *rapid.T, _ *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		c.Context = nil
		if flag(t, "has context") {
			c.Context = anyContext(t)
		}
	}},
	{"add a variable", func(t *rapid.T, x *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		c.Variables = append(c.Variables, anyVariable(t, fmt.Sprintf("new%d", len(c.Variables)), someIDs))
	}},
	{"remove a variable", func(_ *rapid.T, _ *taxonomy.Taxonomy, c *taxonomy.Category, _ *taxonomy.Element, v *taxonomy.Variable) {
		if v != nil {
			id := v.ID
			c.Variables = slices.DeleteFunc(c.Variables, func(v taxonomy.Variable) bool { return v.ID == id })
		}
	}},
	{"change a variable", func(t *rapid.T, _ *taxonomy.Taxonomy, _ *taxonomy.Category, _ *taxonomy.Element, v *taxonomy.Variable) {
		if v != nil {
			*v = anyVariable(t, v.ID, someIDs)
		}
	}},
	{"require a variable", func(t *rapid.T, _ *taxonomy.Taxonomy, _ *taxonomy.Category, _ *taxonomy.Element, v *taxonomy.Variable) {
		if v != nil {
			v.Required, v.RequiredFor = flag(t, "required"), nil
		}
	}},
	{"change options", func(t *rapid.T, _ *taxonomy.Taxonomy, _ *taxonomy.Category, _ *taxonomy.Element, v *taxonomy.Variable) {
		if v != nil && v.Kind.HasOptions() {
			v.Options = anyOptions(t, someIDs)
		}
	}},
	{"remove subchains", func(_ *rapid.T, x *taxonomy.Taxonomy, _ *taxonomy.Category, _ *taxonomy.Element, _ *taxonomy.Variable) {
		x.Type.Subchains = nil
	}},
}
