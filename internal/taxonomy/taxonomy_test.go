package taxonomy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCanonicalIDs(t *testing.T) {
	for _, s := range []string{"ai@2026-08-12-beta", "ai@2026-08-12-stable", "A_b-9@2024-02-29-stable"} {
		id, err := ParseID(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if id.String() != s {
			t.Errorf("%s is written %s", s, id)
		}
	}
	for _, s := range []string{
		"", "@", "ai", "ai@", "ai@latest", "ai@2026-08-12", "ai@2026-08-12-", "ai@2026-08-12-alpha", "ai@2026-02-30-beta",
		"ai@2026-13-01-beta", "ai@2026-8-12-beta", "ai@02026-08-12-beta", "a.i@2026-08-12-beta", "@2026-08-12-beta",
		"ai@2026-08-12-Beta", "ai@2026-08-12-beta ", "ai@@2026-08-12-beta", "ai@2026-08-12_beta", "ai@+026-08-12-beta",
	} {
		if id, err := ParseID(s); err == nil {
			t.Errorf("%q is taken for %v", s, id)
		}
	}
}

func TestRefsAreIDsOrAliases(t *testing.T) {
	for s, canonical := range map[string]bool{
		"ai@2026-08-12-beta": true, "ai@latest": false, "ai@stable": false, "ai@beta": false,
		"ai@2026-08-12": false, "ai@pilot": false, "ai@pilot-2": false, "ai@v1": false,
	} {
		ref, err := ParseRef(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if _, ok := ref.ID(); ok != canonical || ref.String() != s {
			t.Errorf("%s: canonical %v, written %s", s, ok, ref)
		}
	}
	for _, s := range []string{
		"", "ai", "ai@", "@latest", "ai@Latest", "ai@2pilot", "ai@pi_lot", "ai@2026-02-30", "ai@2026-02-30-beta",
		"ai@2026-08-12-gamma", "ai@-x", "a/i@latest", "ai@latest@x", "ai@pilot.",
	} {
		if ref, err := ParseRef(s); err == nil {
			t.Errorf("%q is taken for %v", s, ref)
		}
	}
}

func TestOnlyNamesThatPlacardDoesNotAssignCanBePinned(t *testing.T) {
	for name, want := range map[string]bool{
		"pilot": true, "v2": true, "a-b": true, "latest": false, "stable": false, "beta": false, "2026-08-12": false, "": false, "Pilot": false,
	} {
		if IsPinnable(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestNewerReleasesSortLater(t *testing.T) {
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
			t.Fatalf("%v and %v do not compare", a, b)
		}
		if a.Type == b.Type && a.Date == b.Date && a.Status == Beta && b.Status == Stable && a.Compare(b) >= 0 {
			t.Fatal("a beta sorts after its stable release")
		}
	})
}

func TestLocaleCodes(t *testing.T) {
	for s, want := range map[string]bool{
		"en": true, "pt-BR": true, "zh-Hant-TW": true, "x-custom": true, "i-klingon": true, "es-419": true, "EN": true,
		"": false, "e": false, "x": false, "en_US": false, "en-": false, "-en": false, "en--US": false, "englishlanguage": false,
		"en US": false, "日本": false, "en,fr": false, "1a": false, "a-b": false,
	} {
		if IsLocale(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}

func TestDeriveGivesElementsWhatTheirCategoryHas(t *testing.T) {
	author := func() *Taxonomy {
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
	tax := author()
	tax.Derive()

	var variants [][]string
	for _, e := range tax.Elements {
		variants = append(variants, e.IconVariants)
	}
	want := [][]string{{"default", "dark", "red", "plain", "black"}, {"default", "dark", "own"}, {"default", "dark"}}
	if diff := cmp.Diff(want, variants); diff != "" {
		t.Error(diff)
	}
	if e := tax.Elements[0]; e.Shape != Hexagon || len(e.Variables) != 1 {
		t.Errorf("element a has shape %q and %d variables", e.Shape, len(e.Variables))
	}
	wantValues := []ContextValue{
		{ID: "red", Color: "#CC0000", Tinted: true},
		{ID: "plain", Color: "#000000", Tinted: false},
		{ID: "black", Color: "#000000", Tinted: true},
	}
	if diff := cmp.Diff(wantValues, tax.Categories[0].Context.Values); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(author(), tax.Authored()); diff != "" {
		t.Errorf("what was derived does not come off again: %s", diff)
	}
}

func TestTextsAreFoundByLocaleWhateverItsCase(t *testing.T) {
	l := Localized{{"en", "Hello"}, {"pt-BR", "Olá"}}
	if got, ok := l.Get("PT-br"); !ok || got != "Olá" {
		t.Errorf("got %q", got)
	}
	if _, ok := l.Get("fr"); ok {
		t.Error("found a text that is not there")
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
