package taxonomy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseID(t *testing.T) {
	for _, s := range []string{"ai@2026-08-12-beta", "ai@2026-08-12-stable", "A_b-9@2024-02-29-stable"} {
		id, err := ParseID(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if id.String() != s {
			t.Errorf("ParseID(%q).String() = %q, want the same string", s, id)
		}
	}
	for _, s := range []string{
		"", "@", "ai", "ai@", "ai@latest", "ai@2026-08-12", "ai@2026-08-12-", "ai@2026-08-12-alpha", "ai@2026-02-30-beta",
		"ai@2026-13-01-beta", "ai@2026-8-12-beta", "ai@02026-08-12-beta", "a.i@2026-08-12-beta", "@2026-08-12-beta",
		"ai@2026-08-12-Beta", "ai@2026-08-12-beta ", "ai@@2026-08-12-beta", "ai@2026-08-12_beta", "ai@+026-08-12-beta",
	} {
		if id, err := ParseID(s); err == nil {
			t.Errorf("ParseID(%q) = %v, want an error", s, id)
		}
	}
}

func TestParseRef(t *testing.T) {
	for s, canonical := range map[string]bool{
		"ai@2026-08-12-beta": true, "ai@latest": false, "ai@stable": false, "ai@beta": false,
		"ai@2026-08-12": false, "ai@pilot": false, "ai@pilot-2": false, "ai@v1": false,
	} {
		ref, err := ParseRef(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if _, ok := ref.ID(); ok != canonical || ref.String() != s {
			t.Errorf("ParseRef(%q) = %v, canonical %v; want canonical %v", s, ref, ok, canonical)
		}
	}
	for _, s := range []string{
		"", "ai", "ai@", "@latest", "ai@Latest", "ai@2pilot", "ai@pi_lot", "ai@2026-02-30", "ai@2026-02-30-beta",
		"ai@2026-08-12-gamma", "ai@-x", "a/i@latest", "ai@latest@x", "ai@pilot.",
	} {
		if ref, err := ParseRef(s); err == nil {
			t.Errorf("ParseRef(%q) = %v, want an error", s, ref)
		}
	}
}

func TestIsPinnable(t *testing.T) {
	for name, want := range map[string]bool{
		"pilot": true, "v2": true, "a-b": true, "latest": false, "stable": false, "beta": false, "2026-08-12": false, "": false, "Pilot": false,
	} {
		if got := IsPinnable(name); got != want {
			t.Errorf("IsPinnable(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestCompareOrdersIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.Custom(func(t *rapid.T) ID {
			return ID{
				rapid.SampledFrom([]string{"ai", "place"}).Draw(t, "type"),
				rapid.SampledFrom([]string{"2025-12-31", "2026-01-01", "2026-01-02"}).Draw(t, "date"),
				rapid.SampledFrom([]Status{Beta, Stable}).Draw(t, "status"),
			}
		})
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		if a.Compare(b) != -b.Compare(a) || (a.Compare(b) == 0) != (a == b) {
			t.Fatalf("%v.Compare(%v) = %d and %d in reverse, want opposite signs, and 0 only if equal", a, b, a.Compare(b), b.Compare(a))
		}
		if a.Type == b.Type && a.Date == b.Date && a.Status == Beta && b.Status == Stable && a.Compare(b) >= 0 {
			t.Fatalf("%v.Compare(%v) = %d, want beta before stable", a, b, a.Compare(b))
		}
	})
}

func TestIsLocale(t *testing.T) {
	for s, want := range map[string]bool{
		"en": true, "pt-BR": true, "zh-Hant-TW": true, "x-custom": true, "i-klingon": true, "es-419": true, "EN": true,
		"": false, "e": false, "x": false, "en_US": false, "en-": false, "-en": false, "en--US": false, "englishlanguage": false,
		"en US": false, "日本": false, "en,fr": false, "1a": false, "a-b": false,
	} {
		if got := IsLocale(s); got != want {
			t.Errorf("IsLocale(%q) = %v, want %v", s, got, want)
		}
	}
}

func TestDeriveAndAuthored(t *testing.T) {
	authored := func() *Taxonomy {
		return &Taxonomy{
			Categories: []Category{
				{ID: "c", Shape: Hexagon, Variables: []Variable{{ID: "v"}}, Context: &Context{Values: []ContextValue{{ID: "red", Color: "#CC0000"}, {ID: "plain"}, {ID: "black", Color: "#000000"}}}},
				{ID: "d", Shape: Circle},
			},
			Elements: []Element{
				{ID: "a", CategoryID: "c"},
				{ID: "b", CategoryID: "c", Context: &Context{Values: []ContextValue{{ID: "own"}}}},
				{ID: "e", CategoryID: "d"},
			},
		}
	}
	tax := authored()
	tax.Derive()

	var variants [][]string
	for _, e := range tax.Elements {
		variants = append(variants, e.IconVariants)
	}
	want := [][]string{{"default", "dark", "red", "plain", "black"}, {"default", "dark", "own"}, {"default", "dark"}}
	if diff := cmp.Diff(want, variants); diff != "" {
		t.Errorf("icon variants (-want +got):\n%s", diff)
	}
	if e := tax.Elements[0]; e.Shape != Hexagon || len(e.Variables) != 1 {
		t.Errorf("element a: got shape %q and %d variables, want %q and 1", e.Shape, len(e.Variables), Hexagon)
	}
	wantValues := []ContextValue{
		{ID: "red", Color: "#CC0000", Tinted: true},
		{ID: "plain", Color: "#000000", Tinted: false},
		{ID: "black", Color: "#000000", Tinted: true},
	}
	if diff := cmp.Diff(wantValues, tax.Categories[0].Context.Values); diff != "" {
		t.Errorf("context values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(authored(), tax.Authored()); diff != "" {
		t.Errorf("Authored after Derive (-want +got):\n%s", diff)
	}
}

func TestVariablesAreRequiredForSomeElements(t *testing.T) {
	authored := func() *Taxonomy {
		return &Taxonomy{
			Categories: []Category{{ID: "c", Variables: []Variable{
				{ID: "never"}, {ID: "always", Required: true, RequiredFor: []string{"a"}}, {ID: "sometimes", RequiredFor: []string{"a", "b"}},
			}}},
			Elements: []Element{{ID: "a", CategoryID: "c"}, {ID: "b", CategoryID: "c"}, {ID: "d", CategoryID: "c"}},
		}
	}
	tax := authored()
	tax.Derive()
	for i, want := range []bool{true, true, false} {
		got := tax.Elements[i].Variables
		if diff := cmp.Diff([]Variable{{ID: "never"}, {ID: "always", Required: true}, {ID: "sometimes", Required: want}}, got); diff != "" {
			t.Errorf("variables of element %s (-want +got):\n%s", tax.Elements[i].ID, diff)
		}
	}
	if diff := cmp.Diff(authored(), tax.Authored()); diff != "" {
		t.Errorf("Authored after Derive (-want +got):\n%s", diff)
	}
}

func TestLocalizedGetIgnoresCase(t *testing.T) {
	l := Localized{{"en", "Hello"}, {"pt-BR", "Olá"}}
	if got, ok := l.Get("PT-br"); !ok || got != "Olá" {
		t.Errorf("Get(PT-br) = %q, %v; want Olá", got, ok)
	}
	if got, ok := l.Get("fr"); ok {
		t.Errorf("Get(fr) = %q, want none", got)
	}
}

func TestEffectiveContext(t *testing.T) {
	own, inherited := &Context{ID: "own"}, &Context{ID: "inherited"}
	for _, tc := range []struct {
		element  Element
		category *Category
		want     *Context
	}{
		{Element{}, nil, nil},
		{Element{}, &Category{}, nil},
		{Element{}, &Category{Context: inherited}, inherited},
		{Element{Context: own}, &Category{Context: inherited}, own},
		{Element{Context: own}, nil, own},
	} {
		if got := tc.element.EffectiveContext(tc.category); got != tc.want {
			t.Errorf("element %+v in category %+v: got context %v, want %v", tc.element, tc.category, got, tc.want)
		}
	}
}
