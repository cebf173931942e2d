package compat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
)

const (
	oldVersion = "small@2026-01-01-stable"
	newVersion = "small@2026-06-01-stable"
)

// compare compares the small taxonomy with an edited copy. The edit must not rely
// on derived fields.
func compare(t *testing.T, edit func(x *taxonomy.Taxonomy)) *compat.Comparison {
	t.Helper()
	after := releasetest.Taxonomy(t, newVersion)
	edit(after)
	c, err := compat.Compare(releasetest.Taxonomy(t, oldVersion), after)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// summary formats a change as "kind subject field: values, breaks CODES".
func summary(c compat.Change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s ", c.Kind, c.Subject.Kind)
	if c.Subject.OldID != "" {
		b.WriteString(c.Subject.OldID + ">")
	}
	b.WriteString(strings.Join(slices.DeleteFunc([]string{c.Subject.CategoryID, c.Subject.ElementID, c.Subject.VariableID, c.Subject.ID},
		func(s string) bool { return s == "" }), "/"))
	if c.Field != "" {
		b.WriteString(" " + c.Field)
	}
	for _, text := range c.Texts {
		fmt.Fprintf(&b, " [%s: %s > %s]", text.Locale, text.Before, text.After)
	}
	if c.NotRetranslated != nil {
		fmt.Fprintf(&b, " not retranslated %v", c.NotRetranslated)
	}
	if c.Before != nil || c.After != nil {
		fmt.Fprintf(&b, " %v > %v", c.Before, c.After)
	}
	if c.WithCategory {
		b.WriteString(" with category")
	}
	for _, p := range c.Breaks {
		fmt.Fprintf(&b, " %s", p.Code)
	}
	return b.String()
}

func summaries(c *compat.Comparison) []string {
	var lines []string
	for _, change := range c.Changes {
		lines = append(lines, summary(change))
	}
	return lines
}

func texts(en, fr string) taxonomy.Localized {
	return taxonomy.Localized{{Locale: "en", Value: en}, {Locale: "fr", Value: fr}}
}

func TestChangesAreListed(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(x *taxonomy.Taxonomy)
		want []string
	}{
		"nothing": {func(*taxonomy.Taxonomy) {}, nil},
		"the order of translations": {func(x *taxonomy.Taxonomy) {
			slices.Reverse(x.Elements[0].Title)
		}, nil},
		"texts of the version and its type": {func(x *taxonomy.Taxonomy) {
			x.Title, x.Description = texts("Tiny", "Petit"), texts("A small taxonomy.", "Une taxonomie.")
			x.Type.Name, x.Type.Sources = texts("Tiny", "Minuscule"), []taxonomy.Source{{Type: "law", Title: "Act", Citation: "§ 1", URL: "https://example.org"}}
		}, []string{
			"reworded version small@2026-06-01-stable title [en: Small > Tiny] not retranslated [fr]",
			"retranslated version small@2026-06-01-stable description [fr: Une petite taxonomie. > Une taxonomie.]",
			"reworded type small name [en: Small > Tiny] [fr: Petit > Minuscule]",
			"changed type small sources [] > [law: Act, § 1, https://example.org]",
		}},
		"a locale": {func(x *taxonomy.Taxonomy) {
			x.Locales, x.Type.Locales = []string{"de", "en"}, []string{"de", "en"}
			x.Elements[0].Title = taxonomy.Localized{{Locale: "de", Value: "Sicherheit"}, {Locale: "en", Value: "Safety"}}
		}, []string{"added locale de", "removed locale fr"}},
		"the order of locales": {func(x *taxonomy.Taxonomy) {
			slices.Reverse(x.Locales)
			slices.Reverse(x.Type.Locales)
		}, []string{"moved locale fr position [2] > [1]"}},
		"a subchain": {func(x *taxonomy.Taxonomy) {
			x.Type.Subchains = []taxonomy.Subchain{{ID: "stream"}, {ID: "flow", Name: texts("Flow", "Courant"), Categories: []string{"purpose", "data"}}}
		}, []string{
			"added subchain stream", "retranslated subchain flow name [fr: Flux > Courant]", "changed subchain flow categories [data] > [purpose data]",
		}},
		"a subchain that is removed": {func(x *taxonomy.Taxonomy) { x.Type.Subchains = nil }, []string{"removed subchain flow SUBCHAIN_REMOVED"}},
		"the fields of a category": {func(x *taxonomy.Taxonomy) {
			c := &x.Categories[0]
			c.Shape, c.Required, c.Order, c.MinElements, c.MaxElements, c.Sign = taxonomy.Circle, false, 5, 1, 3, 2
			c.Prompt, c.Guidance = texts("Why?", "Pourquoi ?"), texts("Choose.", "Choisissez.")
			c.Examples = []taxonomy.Example{{Scenario: texts("A lamp", "Une lampe")}}
		}, []string{
			"reworded category purpose prompt [en: Why is it here? > Why?] [fr: Pourquoi est-ce ici ? > Pourquoi ?]",
			"reworded category purpose guidance [en:  > Choose.] [fr:  > Choisissez.]",
			"changed category purpose shape [hexagon] > [circle]", "changed category purpose required [true] > [false]",
			"changed category purpose order [1] > [5]", "changed category purpose min_elements [] > [1]",
			"changed category purpose max_elements [2] > [3]", "changed category purpose sign [] > [2]", "changed category purpose examples [] > [A lamp]",
		}},
		"the order of categories": {func(x *taxonomy.Taxonomy) {
			slices.Reverse(x.Categories)
			x.Elements = append(slices.Clone(x.Elements[1:]), x.Elements[0])
		}, []string{"moved category data position [2] > [1]"}},
		"a category that is removed with its elements": {func(x *taxonomy.Taxonomy) {
			x.Categories, x.Elements = x.Categories[:1], x.Elements[:1]
			x.Type.Subchains[0].Categories = nil
		}, []string{
			"changed subchain flow categories [data] > []", "removed category data CATEGORY_REMOVED",
			"removed element data/pictures with category", "removed element data/sound with category",
		}},
		"a category that is added with an element": {func(x *taxonomy.Taxonomy) {
			x.Categories = append(x.Categories, taxonomy.Category{ID: "rights", Required: true, Variables: []taxonomy.Variable{{ID: "x", Kind: taxonomy.LocalizedText}}})
			x.Elements = append(x.Elements, taxonomy.Element{ID: "ask", CategoryID: "rights", SymbolID: "box"})
		}, []string{"added category rights CATEGORY_NEWLY_REQUIRED", "added element rights/ask with category"}},
		"a context": {func(x *taxonomy.Taxonomy) {
			c := x.Categories[1].Context
			c.ID, c.Name = "grain", texts("Grain", "Détail")
			c.Values[0].Color, c.Values[0].MaxPlacements = "#000000", 2
			c.Values[1].Color, c.Values[1].Tinted = "#000000", true
			c.Values = append(c.Values, taxonomy.ContextValue{ID: "finest"})
		}, []string{
			"changed context data/grain id [detail] > [grain]", "reworded context data/grain name [en: Detail > Grain] not retranslated [fr]",
			"changed context_value data/coarse color [#1B4F9F] > [#000000]", "changed context_value data/coarse max_placements [] > [2]",
			"changed context_value data/fine color [] > [#000000]", "added context_value data/finest",
		}},
		"a context value that is removed": {func(x *taxonomy.Taxonomy) {
			x.Categories[1].Context.Values = x.Categories[1].Context.Values[1:]
		}, []string{"removed context_value data/coarse CONTEXT_VALUE_REMOVED"}},
		"a context that is removed": {func(x *taxonomy.Taxonomy) {
			x.Categories[1].Context = nil
		}, []string{"removed context data/detail CONTEXT_VALUE_REMOVED"}},
		"a context that is added": {func(x *taxonomy.Taxonomy) {
			x.Categories[0].Context = &taxonomy.Context{ID: "urgency", Values: []taxonomy.ContextValue{{ID: "high"}}}
		}, []string{"added context purpose/urgency"}},
		"the own context of an element": {func(x *taxonomy.Taxonomy) {
			x.Elements[1].Context = &taxonomy.Context{ID: "size", Values: []taxonomy.ContextValue{{ID: "fine"}}}
			x.Elements[2].Context.Values = nil
		}, []string{
			"added context data/pictures/size CONTEXT_VALUE_REMOVED", "removed context_value data/sound/loud CONTEXT_VALUE_REMOVED",
		}},
		"a variable": {func(x *taxonomy.Taxonomy) {
			note, where := x.Categories[1].Variables[0], x.Categories[1].Variables[1]
			note.Label, note.Required, note.RequiredFor, note.Sources = texts("Remark", "Note"), false, []string{"sound"}, []taxonomy.Source{{Type: "law", Title: "Act"}}
			x.Categories[1].Variables = []taxonomy.Variable{where, note, {ID: "who", Kind: taxonomy.LocalizedText, Required: true}}
		}, []string{
			"moved variable data/where position [2] > [1]", "reworded variable data/note label [en: Note > Remark] not retranslated [fr]",
			"changed variable data/note required [true] > [false]", "changed variable data/note required_for [] > [sound]",
			"changed variable data/note sources [] > [law: Act]", "added variable data/who VARIABLE_NEWLY_REQUIRED",
		}},
		"a variable that is required for another element": {func(x *taxonomy.Taxonomy) {
			x.Categories[1].Variables[1].RequiredFor = []string{"pictures"}
		}, []string{"changed variable data/where required_for [] > [pictures] VARIABLE_NEWLY_REQUIRED"}},
		"a variable that is removed": {func(x *taxonomy.Taxonomy) {
			x.Categories[1].Variables = x.Categories[1].Variables[:1]
		}, []string{"removed variable data/where VARIABLE_REMOVED"}},
		"the kind of a variable": {func(x *taxonomy.Taxonomy) {
			v := &x.Categories[1].Variables[1]
			v.Kind, v.Options = taxonomy.LocalizedText, nil
		}, []string{"changed variable data/where kind [multi_select_enum] > [localized_text] VARIABLE_KIND_CHANGED"}},
		"options": {func(x *taxonomy.Taxonomy) {
			v := &x.Categories[1].Variables[1]
			there := v.Options[1]
			there.AppliesTo, there.Guidance, there.Sources, there.Examples = nil, texts("Only if far.", "Seulement si c'est loin."), nil, nil
			v.Options = []taxonomy.Option{there, {ID: "nowhere"}}
		}, []string{
			"changed option data/where/there applies_to [sound] > []", "reworded option data/where/there guidance [en: Only if it is far. > Only if far.] not retranslated [fr]",
			"changed option data/where/there sources [law: A law on places] > []", "changed option data/where/there examples [A tower] > []",
			"added option data/where/nowhere", "removed option data/where/here OPTION_REMOVED",
		}},
		"an option that applies to fewer elements": {func(x *taxonomy.Taxonomy) {
			x.Categories[1].Variables[1].Options[0].AppliesTo = []string{"sound"}
		}, []string{"changed option data/where/here applies_to [] > [sound] OPTION_RESTRICTED"}},
		"an option that applies to every element by name": {func(x *taxonomy.Taxonomy) {
			x.Categories[1].Variables[1].Options[0].AppliesTo = []string{"sound", "pictures", "sound"}
		}, []string{"changed option data/where/here applies_to [] > [sound pictures sound]"}},
		"the fields of an element": {func(x *taxonomy.Taxonomy) {
			e := &x.Elements[0]
			e.Title, e.Description = texts("Security", "Sécurité"), texts("Keeps people safe.", "Protège.")
			e.Required, e.MaxPlacements, e.Excludes, e.Replaces = true, 1, []string{"sound"}, taxonomy.IDs{"guard"}
			e.Examples = []taxonomy.Example{{Scenario: texts("A gate", "Une porte")}}
		}, []string{
			"reworded element purpose/safety title [en: Safety > Security] not retranslated [fr]", "retranslated element purpose/safety description [fr: Protège les gens. > Protège.]",
			"changed element purpose/safety required [false] > [true]",
			"changed element purpose/safety max_placements [] > [1] ELEMENT_MAXIMUM_LOWERED",
			"changed element purpose/safety excludes [] > [sound]", "changed element purpose/safety replaces [] > [guard]",
			"changed element purpose/safety examples [] > [A gate]",
		}},
		"keywords": {func(x *taxonomy.Taxonomy) {
			x.Elements[0].Keywords = taxonomy.Keywords{{Locale: "fr", Value: taxonomy.NewWords("garde", "vigile")}}
			x.Elements[1].Keywords = taxonomy.Keywords{{Locale: "en", Value: taxonomy.NewWords("CCTV", "films")}, x.Elements[1].Keywords[1]}
		}, []string{
			"changed element purpose/safety keywords [] > [fr: garde fr: vigile]",
			"changed element data/pictures keywords [en: CCTV en: moving images] > [en: CCTV en: films]",
		}},
		"an element that is moved": {func(x *taxonomy.Taxonomy) { x.Elements[1].CategoryID = "purpose" }, []string{
			"moved element purpose/pictures category_id [data] > [purpose] VARIABLE_REMOVED CONTEXT_VALUE_REMOVED ELEMENT_MOVED",
		}},
		"the order of elements": {func(x *taxonomy.Taxonomy) {
			x.Elements[1], x.Elements[2] = x.Elements[2], x.Elements[1]
		}, []string{"moved element data/sound position [2] > [1]"}},
		"an element that is renamed and changed": {func(x *taxonomy.Taxonomy) {
			e := &x.Elements[2]
			e.ID, e.Replaces, e.Title = "audio", taxonomy.IDs{"sound"}, texts("Audio", "Son")
			x.Categories[1].Variables[1].Options[1].AppliesTo = []string{"audio"}
		}, []string{
			"renamed element sound>data/audio [sound] > [audio] ELEMENT_RENAMED", "reworded element sound>data/audio title [en: Sound > Audio] not retranslated [fr]",
		}},
		"a context value, a variable and an option that are renamed and changed": {func(x *taxonomy.Taxonomy) {
			c := &x.Categories[1]
			c.Context.Values[0].ID, c.Context.Values[0].Replaces = "rough", taxonomy.IDs{c.Context.Values[0].ID}
			c.Variables[0].ID, c.Variables[0].Replaces, c.Variables[0].Label = "remark", taxonomy.IDs{"note"}, texts("Remark", "Note")
			c.Variables[1].Options[0].ID, c.Variables[1].Options[0].Replaces = "near", taxonomy.IDs{"here"}
		}, []string{
			"renamed context_value coarse>data/rough [coarse] > [rough] PART_RENAMED",
			"renamed variable note>data/remark [note] > [remark] PART_RENAMED", "reworded variable note>data/remark label [en: Note > Remark] not retranslated [fr]",
			"renamed option here>data/where/near [here] > [near] PART_RENAMED",
		}},
		"options that are merged": {func(x *taxonomy.Taxonomy) {
			v := &x.Categories[1].Variables[1]
			v.Options = v.Options[:1]
			v.Options[0].Replaces = taxonomy.IDs{"there"}
		}, []string{
			"changed option data/where/here replaces [] > [there]", "renamed option there>data/where/here [there] > [here] PART_RENAMED",
		}},
		"an element that is deprecated": {func(x *taxonomy.Taxonomy) {
			x.Elements[0].Deprecated = &taxonomy.Deprecation{Since: "2026-02-01", Message: texts("Too vague", "Trop vague"), Use: taxonomy.IDs{"pictures"}}
		}, []string{
			"changed element purpose/safety deprecated.since [] > [2026-02-01]",
			"reworded element purpose/safety deprecated.message [en:  > Too vague] [fr:  > Trop vague]",
			"changed element purpose/safety deprecated.use [] > [pictures]",
		}},
		"elements that are sorted by other ids": {func(x *taxonomy.Taxonomy) {
			x.Elements[1].ID, x.Elements[1].Replaces = "video", taxonomy.IDs{"pictures"}
			x.Elements[1], x.Elements[2] = x.Elements[2], x.Elements[1]
		}, []string{"renamed element pictures>data/video [pictures] > [video] ELEMENT_RENAMED"}},
		"a renamed element that is moved": {func(x *taxonomy.Taxonomy) {
			x.Elements[1].ID, x.Elements[1].Replaces = "images", taxonomy.IDs{"pictures"}
			x.Elements[1], x.Elements[2] = x.Elements[2], x.Elements[1]
		}, []string{"moved element data/sound position [2] > [1]", "renamed element pictures>data/images [pictures] > [images] ELEMENT_RENAMED"}},
		"elements that are merged": {func(x *taxonomy.Taxonomy) {
			x.Elements = x.Elements[:2]
			x.Elements[1].Replaces = taxonomy.IDs{"sound"}
		}, []string{
			"changed element data/pictures replaces [] > [sound]",
			"renamed element sound>data/pictures [sound] > [pictures] ELEMENT_RENAMED OPTION_REMOVED CONTEXT_VALUE_REMOVED",
		}},
		"elements that are merged while a variable of both is renamed": {func(x *taxonomy.Taxonomy) {
			x.Elements = x.Elements[:2]
			x.Elements[1].Replaces = taxonomy.IDs{"sound"}
			v := &x.Categories[1].Variables[0]
			v.ID, v.Replaces = "remark", taxonomy.IDs{"note"}
		}, []string{
			"renamed variable note>data/remark [note] > [remark] PART_RENAMED",
			"changed element data/pictures replaces [] > [sound]",
			"renamed element sound>data/pictures [sound] > [pictures] ELEMENT_RENAMED OPTION_REMOVED CONTEXT_VALUE_REMOVED",
		}},
		"symbols": {func(x *taxonomy.Taxonomy) {
			x.Symbols["box"] = []byte("<svg>2</svg>")
			x.Symbols["cross"] = x.Symbols["ring"]
			x.Elements[0].SymbolID, x.Elements[2].SymbolID = "cross", "cross"
			delete(x.Symbols, "ring")
		}, []string{
			"changed element purpose/safety symbol_id [ring] > [cross]", "redrawn element data/pictures symbol_id [box] > [box]",
			"changed element data/sound symbol_id [ring] > [cross]",
			"redrawn symbol box", "added symbol cross", "removed symbol ring",
		}},
		"examples with other texts": {func(x *taxonomy.Taxonomy) {
			x.Categories[1].Variables[1].Options[1].Examples[0].Narrative = texts("It is over there.", "Elle est là.")
		}, []string{"reworded option data/where/there examples[0].narrative [en: It is there. > It is over there.] not retranslated [fr]"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, summaries(compare(t, test.edit))); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMainLocaleIsInBothVersions(t *testing.T) {
	for _, test := range []struct {
		before, after []string
		given, want   string
	}{
		{[]string{"fr", "en"}, []string{"fr", "en"}, "", "en"},
		{[]string{"fr", "de"}, []string{"de", "fr"}, "", "de"},
		{[]string{"fr"}, []string{"en", "fr"}, "", "fr"},
		{[]string{"EN"}, []string{"en"}, "", "en"},
		{[]string{"fr"}, []string{"en"}, "", ""},
		{nil, nil, "", ""},
		{[]string{"fr", "en"}, []string{"fr", "en"}, "fr", "fr"},
		{[]string{"en"}, []string{"fr", "en"}, "fr", "en"},
		{nil, nil, "fr", ""},
	} {
		before, after := releasetest.Taxonomy(t, oldVersion), releasetest.Taxonomy(t, newVersion)
		before.Locales, after.Locales = test.before, test.after
		c, err := compat.CompareIn(test.given, before, after)
		if err != nil || c.Locale != test.want {
			t.Errorf("locales %v and %v, %q: got %q, error %v, want %q", test.before, test.after, test.given, c.Locale, err, test.want)
		}
	}
}

func TestVersionsOfDifferentTypesAreNotCompared(t *testing.T) {
	_, err := compat.Compare(releasetest.Taxonomy(t, oldVersion), releasetest.Taxonomy(t, "other@2026-06-01-stable"))
	want := "small@2026-01-01-stable and other@2026-06-01-stable have different types. Only versions of one type can be compared."
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

// renamed returns the small taxonomy with one element under another id. The empty id
// removes the element.
func renamed(t *testing.T, version, id, replaces string) *taxonomy.Taxonomy {
	x := releasetest.Taxonomy(t, version)
	if id == "" {
		x.Elements = x.Elements[:2]
		return x
	}
	x.Elements[2].ID, x.Elements[2].Replaces = id, taxonomy.IDs{replaces}
	return x
}

func TestRenamesAreFollowedThroughVersions(t *testing.T) {
	for name, test := range map[string]struct {
		versions [][2]string // the id of the element in each version after the first, and the id it replaces
		want     []compat.Rename
	}{
		"renamed once":                        {[][2]string{{"audio", "sound"}}, []compat.Rename{{OldID: "sound", NewID: "audio"}}},
		"renamed twice":                       {[][2]string{{"audio", "sound"}, {"noise", "audio"}}, []compat.Rename{{OldID: "sound", NewID: "noise"}}},
		"still replaced in the next version":  {[][2]string{{"audio", "sound"}, {"audio", "sound"}}, []compat.Rename{{OldID: "sound", NewID: "audio"}}},
		"renamed and renamed back":            {[][2]string{{"audio", "sound"}, {"sound", "audio"}}, []compat.Rename{}},
		"renamed in a version that was wrong": {[][2]string{{"audio", "sound"}, {"sound", ""}}, []compat.Rename{}},
		"absent from a version in between":    {[][2]string{{"", ""}, {"audio", "sound"}}, []compat.Rename{{OldID: "sound", NewID: "audio"}}},
		"replaced by nothing":                 {[][2]string{{"audio", ""}}, []compat.Rename{}},
		"removed after the rename":            {[][2]string{{"audio", "sound"}, {"", ""}}, []compat.Rename{}},
		"the id was never in the old version": {[][2]string{{"audio", "hum"}}, []compat.Rename{}},
	} {
		t.Run(name, func(t *testing.T) {
			var versions []*taxonomy.Taxonomy
			for _, v := range test.versions {
				versions = append(versions, renamed(t, newVersion, v[0], v[1]))
			}
			last := len(versions) - 1
			c, err := compat.Compare(releasetest.Taxonomy(t, oldVersion), versions[last], versions[:last]...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, c.Renames); diff != "" {
				t.Errorf("renames (-want +got):\n%s", diff)
			}
		})
	}
}

// large returns a taxonomy with 20,000 elements in 20 categories. Variables and
// options name many of them.
func large(tb testing.TB, version string) *taxonomy.Taxonomy {
	x := releasetest.Taxonomy(tb, version)
	x.Categories, x.Elements = nil, nil
	for i := range 20 {
		c := taxonomy.Category{ID: fmt.Sprintf("c%d", i), Name: texts("Category", "Catégorie")}
		var ids []string
		for k := range 1000 {
			e := taxonomy.Element{ID: fmt.Sprintf("e%d-%d", i, k), CategoryID: c.ID, Title: texts("Title", "Titre"), SymbolID: "box"}
			x.Elements = append(x.Elements, e)
			ids = append(ids, e.ID)
		}
		for k := range 2 {
			v := taxonomy.Variable{ID: fmt.Sprintf("v%d", k), Kind: taxonomy.MultiSelectEnum, RequiredFor: ids[:500]}
			for o := range 3 {
				v.Options = append(v.Options, taxonomy.Option{ID: fmt.Sprintf("o%d", o), AppliesTo: ids})
			}
			c.Variables = append(c.Variables, v)
		}
		x.Categories = append(x.Categories, c)
	}
	x.Derive()
	return x
}

// reversed edits every element of a large taxonomy: all are renamed, moved to another
// category and in reverse order.
func reversed(x *taxonomy.Taxonomy) *taxonomy.Taxonomy {
	for i := range x.Elements {
		e := &x.Elements[i]
		e.Replaces, e.ID = taxonomy.IDs{e.ID}, "new-"+e.ID
		e.CategoryID = x.Categories[(i/1000+1)%20].ID
	}
	slices.Reverse(x.Elements)
	return x
}

func TestLargeTaxonomiesAreCompared(t *testing.T) {
	before := large(t, oldVersion)
	if c, err := compat.Compare(before, large(t, newVersion)); err != nil || len(c.Changes) > 0 {
		t.Fatalf("equal content: got %d changes, error %v, want none", len(c.Changes), err)
	}
	c, err := compat.Compare(before, reversed(large(t, newVersion)))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Renames) != 20_000 {
		t.Errorf("got %d renames, want 20,000", len(c.Renames))
	}
	if want := 2 * 20_000; len(c.Changes) != want {
		t.Errorf("got %d changes, want %d", len(c.Changes), want)
	}
}

// chosen returns a taxonomy with 20,000 elements in one category, and a variable with
// as many options. Option i applies only to element i+shift.
func chosen(tb testing.TB, version string, options, shift int) *taxonomy.Taxonomy {
	const elements = 20_000
	x := releasetest.Taxonomy(tb, version)
	v := taxonomy.Variable{ID: "v", Kind: taxonomy.MultiSelectEnum, Required: true}
	x.Elements = nil
	for i := range elements {
		x.Elements = append(x.Elements, taxonomy.Element{ID: fmt.Sprintf("e%d", i), CategoryID: "c"})
	}
	for i := range options {
		v.Options = append(v.Options, taxonomy.Option{ID: fmt.Sprintf("o%d", i), AppliesTo: []string{fmt.Sprintf("e%d", (i+shift)%elements)}})
	}
	x.Categories = []taxonomy.Category{{ID: "c", Variables: []taxonomy.Variable{v}}}
	return x
}

// Comparing every option with every element would take minutes.
func TestManyOptionsAreCompared(t *testing.T) {
	before := chosen(t, oldVersion, 20_000, 0)
	for name, test := range map[string]struct {
		after *taxonomy.Taxonomy
		code  problem.Code
	}{
		"options that apply to other elements": {chosen(t, newVersion, 20_000, 1), "OPTION_RESTRICTED"},
		"options that are removed":             {chosen(t, newVersion, 0, 0), "OPTION_REMOVED"},
	} {
		c, err := compat.Compare(before, test.after)
		if err != nil {
			t.Fatal(err)
		}
		if breaks := c.Breaks(); len(breaks) != 20_000 || breaks[0].Code != test.code {
			t.Errorf("%s: got %d findings, want 20,000 with the code %s", name, len(breaks), test.code)
		}
	}
}

func BenchmarkCompareLarge(b *testing.B) {
	before, same, other := large(b, oldVersion), large(b, newVersion), reversed(large(b, newVersion))
	for name, after := range map[string]*taxonomy.Taxonomy{"Same": same, "AllRenamedAndMoved": other} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := compat.Compare(before, after); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
