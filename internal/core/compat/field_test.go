package compat_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"placard/internal/core/compat"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
)

// notCompared are the fields that are not content, are derived from others, or
// identify the type.
var notCompared = []string{
	".ID", ".CreatedAt", ".Notes", ".Ignored", ".Type.ID", ".Type.Categories", ".Elements.Shape", ".Elements.IconVariants", ".Elements.Variables",
}

// complete returns a taxonomy in which every field has a value.
func complete(t *testing.T) *taxonomy.Taxonomy {
	x := releasetest.Taxonomy(t, oldVersion)
	sources := []taxonomy.Source{{Type: "law", Title: "Act", URL: "https://example.org", Citation: "Section 1"}}
	examples := []taxonomy.Example{{Scenario: texts("A gate", "Une porte"), Narrative: texts("It opens.", "Elle s'ouvre.")}}
	x.Type.Sources = sources
	c := &x.Categories[1]
	c.Guidance, c.Prompt, c.MinElements, c.MaxElements, c.Sign = texts("Say", "Dites"), texts("What?", "Quoi ?"), 1, 5, 2
	c.Sources, c.Examples = sources, examples
	c.Context.Description = texts("How fine", "À quel point")
	c.Context.Values[0].Description, c.Context.Values[0].MaxPlacements = texts("Rough", "Brut"), 2
	c.Context.Values[1].Color, c.Context.Values[1].Tinted = "#A85A00", true
	c.Variables[1].RequiredFor = []string{"sound"}
	c.Variables[1].Options[1].Description = texts("Over there", "Là-bas")
	e := &x.Elements[2]
	e.MaxPlacements, e.Excludes, e.Replaces, e.Guidance, e.Examples = 2, []string{"safety"}, taxonomy.IDs{"noise"}, texts("Listen", "Écoutez"), examples
	c.Context.Values[0].Replaces, c.Variables[1].Replaces, c.Variables[1].Options[1].Replaces = taxonomy.IDs{"v"}, taxonomy.IDs{"w"}, taxonomy.IDs{"o"}
	e.Context.Values[0].Replaces = taxonomy.IDs{"u"}
	e.Deprecated = &taxonomy.Deprecation{Since: "2026-01-01", Message: texts("Vague", "Vague"), Use: taxonomy.IDs{"safety"}}
	e.Keywords = taxonomy.Keywords{{Locale: "en", Value: taxonomy.NewWords("noise")}, {Locale: "fr", Value: taxonomy.NewWords("bruit")}}
	e.Context.Description, e.Context.Values[0].Description = texts("How loud", "À quel volume"), texts("Very", "Très")
	return x
}

// leaf is a value in a taxonomy: a string, a number, a flag or the bytes of a file.
type leaf struct {
	field string // the names of the fields that lead to it
	path  string // with indexes
}

// leaves calls visit with every leaf below v.
func leaves(v reflect.Value, l leaf, visit func(leaf, reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := "." + v.Type().Field(i).Name
			leaves(v.Field(i), leaf{l.field + name, l.path + name}, visit)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			leaves(v.Elem(), l, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			leaves(v.Index(i), leaf{l.field, fmt.Sprintf("%s[%d]", l.path, i)}, visit)
		}
	case reflect.Map: // the symbols, which have their own test
	default:
		visit(l, v)
	}
}

// TestEveryFieldIsCompared changes every value of a taxonomy, one at a time.
func TestEveryFieldIsCompared(t *testing.T) {
	before := complete(t)
	encoded, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	leaves(reflect.ValueOf(before).Elem(), leaf{}, func(changed leaf, _ reflect.Value) {
		seen[changed.field] = true
		if slices.ContainsFunc(notCompared, func(field string) bool { return changed.field == field || strings.HasPrefix(changed.field, field+".") }) {
			return
		}
		after := new(taxonomy.Taxonomy)
		if err := json.Unmarshal(encoded, after); err != nil {
			t.Fatal(err)
		}
		leaves(reflect.ValueOf(after).Elem(), leaf{}, func(l leaf, v reflect.Value) {
			switch {
			case l.path != changed.path:
			case v.Kind() == reflect.Bool:
				v.SetBool(!v.Bool())
			case v.Kind() == reflect.Int:
				v.SetInt(v.Int() + 1)
			case v.Type() == reflect.TypeFor[taxonomy.Kind]():
				other := slices.IndexFunc(taxonomy.Kinds, func(k taxonomy.Kind) bool { return string(k) != v.String() })
				v.SetString(string(taxonomy.Kinds[other]))
			case v.Type() == reflect.TypeFor[taxonomy.Words]():
				v.SetString(v.String() + string(taxonomy.NewWords("x")))
			default:
				v.SetString(v.String() + "x")
			}
		})
		c, err := compat.Compare(before, after)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Changes) == 0 {
			t.Errorf("%s: got no changes, want some", changed.path)
		}
	})
	// The test is complete only if the taxonomy has a value for every field.
	fields(reflect.TypeFor[taxonomy.Taxonomy](), "", func(field string) {
		if !seen[field] && !slices.ContainsFunc(notCompared, func(skipped string) bool { return strings.HasPrefix(field, skipped) }) {
			t.Errorf("the taxonomy of this test has no value for %s", field)
		}
	})
}

// fields calls visit with the name of every field below t that has no fields.
func fields(t reflect.Type, name string, visit func(string)) {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			fields(t.Field(i).Type, name+"."+t.Field(i).Name, visit)
		}
	case reflect.Pointer, reflect.Slice:
		fields(t.Elem(), name, visit)
	case reflect.Map:
	default:
		visit(name)
	}
}
