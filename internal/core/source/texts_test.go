package source

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// applied returns a copy of a tree with changed files.
func applied(fsys fstest.MapFS, changed map[string][]byte) fstest.MapFS {
	fsys = maps.Clone(fsys)
	for name, data := range changed {
		fsys[name] = &fstest.MapFile{Data: data}
	}
	return fsys
}

func TestTextsHaveReadableIDsAndDescriptions(t *testing.T) {
	fsys := overlay(demo, Minimal, minimalMeta+"title: {en: Demo, fr: Démo}\nnotes: {en: New., fr: Nouveau.}\n", minimalCategory+`context:
  id: use
  name: {en: Use, fr: Usage}
  values: [{id: day, name: {en: Day, fr: Jour}, color: "#2F6B3A"}]
variables:
  - id: name
    label: [{locale: en, value: Name}, {locale: fr, value: Nom}]
    kind: multi_select_enum
    options: [{id: a, name: {en: A, fr: A}, authoring_guidance: {en: Ask., fr: Demander.}}]
examples:
  - scenario: {en: A road, fr: Une route}
    narrative: {en: It is a road., fr: C’est une route.}
`)
	texts, err := Texts(fsys, demo)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range texts {
		value, _ := text.Values.Get("fr")
		got = append(got, text.ID+": "+text.What+": "+value)
	}
	want := []string{
		"datachain-type.name: the name of the type: Démonstration",
		"meta.title: the title of the release: Démo",
		"meta.notes: the notes of the release: Nouveau.",
		"categories.place.name: the name of category place: Lieu",
		"categories.place.description: the description of category place: Où se trouve le système",
		"categories.place.context.name: the name of the context of category place: Usage",
		"categories.place.context.values.day.label: the label of value day of the context of category place: Jour",
		"categories.place.variables.name.label: the label of variable name of category place: Nom",
		"categories.place.variables.name.options.a.name: the name of option a of variable name of category place: A",
		"categories.place.variables.name.options.a.guidance: the guidance of option a of variable name of category place: Demander.",
		"categories.place.examples.1.scenario: the scenario of example 1 of category place: Une route",
		"categories.place.examples.1.narrative: the narrative of example 1 of category place: C’est une route.",
		"elements.street.title: the title of element street: Rue",
		"elements.street.description: the description of element street: Dans la rue",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tax := mustLoad(t, fsys, demo)
	if tax.Notes != "New." {
		t.Errorf("got the notes %q, want those in the default locale", tax.Notes)
	}
	old, err := TextsOf(tax)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		i := slices.IndexFunc(old, func(o Text) bool { return o.ID == text.ID })
		if text.ID != "meta.notes" && (i < 0 || !slices.Equal(old[i].Values, text.Values)) {
			t.Errorf("%s: a compiled release has another text", text.ID)
		}
	}
}

func TestLocalizedNotesMustBeComplete(t *testing.T) {
	_, found := Load(overlay(demo, Minimal, minimalMeta+"notes: {en: New.}\n"), demo)
	if len(found) != 1 || found[0].Code != CodeTranslationMissing {
		t.Errorf("got %v, want one missing translation", found)
	}
}

// notations are ways to write two texts, and what they are with a translation into
// German. LONG is a text that needs more than one line.
var notations = map[string]struct{ before, after string }{
	"a block": {
		"title: # heading\n  en: Street # the road\n  # French\n  fr: Rue # la rue\n  # end\nsymbol_id: street\n",
		"title: # heading\n  en: Street # the road\n  # French\n  fr: Rue # la rue\n  de: SHORT\n  # end\nsymbol_id: street\n",
	},
	"an indented block": {
		"title:\n      en: Street\n      fr: Rue\n\nsymbol_id: street",
		"title:\n      en: Street\n      fr: Rue\n      de: SHORT\n\nsymbol_id: street",
	},
	"the end of a file":      {"symbol_id: street\ntitle:\n  en: Street\n  fr: Rue", "symbol_id: street\ntitle:\n  en: Street\n  fr: Rue\n  de: SHORT"},
	"an empty translation":   {"title:\n  de: # later\n  en: Street\n  fr: Rue\n", "title:\n  de: SHORT # later\n  en: Street\n  fr: Rue\n"},
	"another translation":    {"title:\n  de: Weg # alt\n  en: Street\n  fr: Rue\n", "title:\n  de: SHORT # alt\n  en: Street\n  fr: Rue\n"},
	"another case":           {"title: {en: Street, DE: Weg, fr: Rue}\n", "title: {en: Street, DE: SHORT, fr: Rue}\n"},
	"a folded translation":   {"title:\n  de: >-\n    Ein\n    Weg\n\n  en: Street\n  fr: Rue\n", "title:\n  de: SHORT\n\n  en: Street\n  fr: Rue\n"},
	"a folded last text":     {"title:\n  en: Street\n  fr: >-\n    Rue\n    # 1\n\n# end\n", "title:\n  en: Street\n  fr: >-\n    Rue\n    # 1\n  de: SHORT\n\n# end\n"},
	"a text of two lines":    {"title:\n  en: Street\n  fr: Rue\n    longue\n", "title:\n  en: Street\n  fr: Rue\n    longue\n  de: SHORT\n"},
	"quotes of two lines":    {"title:\n  en: Street\n  de: \"Weg: \n    lang\"\n  fr: Rue\n", "title:\n  en: Street\n  de: SHORT\n  fr: Rue\n"},
	"braces":                 {"title: {en: Street, fr: Rue} # both\n", "title: {en: Street, fr: Rue, de: SHORT} # both\n"},
	"braces with quotes":     {"title: {en: Street's, fr: 'L''}, rue'}\n", "title: {en: Street's, fr: 'L''}, rue', de: SHORT}\n"},
	"braces on lines":        {"title: {\n  en: Street,\n  de: \"Weg, der }\",\n  fr: Rue\n}\n", "title: {\n  en: Street,\n  de: SHORT,\n  fr: Rue\n}\n"},
	"braces without a value": {"title: {en: Street, fr: Rue, de: }\n", "title: {en: Street, fr: Rue, de: SHORT}\n"},
	"JSON":                   {`"title": {"en":"Street","fr":"Rue","de":"Weg"}` + "\n", `"title": {"en":"Street","fr":"Rue","de": SHORT}` + "\n"},
	"a list": {
		"title:\n  - locale: en\n    value: Street\n  - locale: fr\n    value: Rue # la\n",
		"title:\n  - locale: en\n    value: Street\n  - locale: fr\n    value: Rue # la\n  - locale: de\n    value: SHORT\n",
	},
	"a list without indentation": {
		"title:\n- locale: en\n  value: Street\n- value: Rue\n  locale: fr\nsymbol_id: street\n",
		"title:\n- locale: en\n  value: Street\n- value: Rue\n  locale: fr\n- locale: de\n  value: SHORT\nsymbol_id: street\n",
	},
	"a list with a translation": {
		"title:\n  - value: Weg\n    locale: de\n  - {locale: en, value: Street}\n  - {locale: fr, value: Rue}\n",
		"title:\n  - value: SHORT\n    locale: de\n  - {locale: en, value: Street}\n  - {locale: fr, value: Rue}\n",
	},
	"a list of braces": {
		"title:\n  - {locale: en, value: Street}\n  - {locale: fr, value: Rue}\n",
		"title:\n  - {locale: en, value: Street}\n  - {locale: fr, value: Rue}\n  - locale: de\n    value: SHORT\n",
	},
	"a list in brackets": {
		"title: [{locale: en, value: Street}, {locale: fr, value: Rue}]\n",
		"title: [{locale: en, value: Street}, {locale: fr, value: Rue}, {locale: de, value: SHORT}]\n",
	},
	"Windows line ends": {"title:\r\n  en: Street\r\n  fr: Rue\r\n# end\r\n", "title:\r\n  en: Street\r\n  fr: Rue\r\n  de: SHORT\r\n# end\r\n"},
	"a byte order mark": {"\ufefftitle: {en: Street, fr: Rue}\r\n", "\ufefftitle: {en: Street, fr: Rue, de: SHORT}\r\n"},
	"wide characters":   {"title: {ja: 道路の名前, de: Weg, en: Street}\n", "title: {ja: 道路の名前, de: SHORT, en: Street}\n"},
}

func TestTranslationsAreInsertedAndNothingElseChanges(t *testing.T) {
	long := strings.Repeat("Ein langer Text: mit „Zitaten“, # und 'allem'. ", 6)
	for name, test := range notations {
		for _, value := range []string{"Straße", "Straße: {{name}}, # 1", "“Straße”", "yes", strings.TrimSpace(long), "Zeile\n\n# Zeile", "- 'a'"} {
			file := demo.Folder() + "/elements/street.yaml"
			fsys := overlay(demo, "-- meta.yaml --\nlocales: [en, fr] # all\n", minimalType)
			fsys[file] = &fstest.MapFile{Data: []byte(test.before)}
			changed, err := Translate(fsys, demo, "de", map[string]string{"elements.street.title": value})
			if err != nil {
				t.Errorf("%s, %q: %v", name, value, err)
				continue
			}
			if value == "Straße" {
				if want := strings.ReplaceAll(test.after, "SHORT", value); string(changed[file]) != want {
					t.Errorf("%s: got %q, want %q", name, changed[file], want)
				}
				if want := "locales: [en, fr, de] # all\n"; string(changed[demo.Folder()+"/meta.yaml"]) != want {
					t.Errorf("%s: got %q, want %q", name, changed[demo.Folder()+"/meta.yaml"], want)
				}
			}
			after := applied(fsys, changed)
			texts, err := Texts(after, demo)
			if got, _ := texts[len(texts)-1].Values.Get("de"); err != nil || got != value {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, value)
			}
			if again, err := Translate(after, demo, "de", map[string]string{"elements.street.title": value}); err != nil || len(again) > 0 {
				t.Errorf("%s: the second time, got %q, %v, want no changes", name, again, err)
			}
		}
	}
}

func TestTextInAnUnusualNotationIsRefused(t *testing.T) {
	fsys := overlay(demo, minimalMeta, minimalType, "-- elements/street.yaml --\ntitle: {en: Street, fr: Rue,}\n")
	changed, err := Translate(fsys, demo, "de", map[string]string{"elements.street.title": "Straße"})
	if err == nil || changed != nil || !strings.Contains(err.Error(), "The translation of elements.street.title cannot be inserted into demo/2026-01-31-beta/elements/street.yaml.") {
		t.Errorf("got %q, %v, want an error", changed, err)
	}
}

func TestNewLocaleIsAddedToEveryList(t *testing.T) {
	fsys := overlay(demo, Minimal, "-- meta.yaml --\nlocales:\n- en\n- fr # French\n\ncreated_at: 2026-01-31T09:00:00Z\n", minimalType+"locales:\n  - en\n  - fr\n")
	texts, err := Texts(fsys, demo)
	if err != nil {
		t.Fatal(err)
	}
	translations := map[string]string{}
	for _, text := range texts {
		translations[text.ID] = "de " + text.ID
	}
	changed, err := Translate(fsys, demo, "de", translations)
	if err != nil {
		t.Fatal(err)
	}
	tax, found := Load(applied(fsys, changed), demo)
	if len(found) > 0 || !slices.Equal(tax.Locales, []string{"en", "fr", "de"}) {
		t.Errorf("got %v, want a tree without findings", found)
	}
	if got := changed[demo.Folder()+"/meta.yaml"]; !bytes.Contains(got, []byte("- fr # French\n- de\n\ncreated_at")) {
		t.Errorf("got %s", got)
	}
}

func TestTranslatingTheBuiltinTaxonomyOnlyAddsLines(t *testing.T) {
	fsys := os.DirFS("../../../builtin/tree")
	ids, _ := Releases(fsys)
	for _, id := range ids {
		texts, err := Texts(fsys, id)
		if err != nil {
			t.Fatal(err)
		}
		same, added := map[string]string{}, map[string]string{}
		for _, text := range texts {
			same[text.ID], _ = text.Values.Get("fr")
			added[text.ID] = "„" + text.Values[0].Value + "“"
		}
		if changed, err := Translate(fsys, id, "fr", same); err != nil || len(changed) > 0 {
			t.Errorf("%s: got %d changed files, %v, want none", id, len(changed), err)
		}
		changed, err := Translate(fsys, id, "de", added)
		if err != nil || len(changed) < 90 {
			t.Fatalf("%s: got %d changed files, %v", id, len(changed), err)
		}
		for name, data := range changed {
			before, err := os.ReadFile("../../../builtin/tree/" + name)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(data), "\n")
			for line := range strings.SplitSeq(string(before), "\n") {
				for len(lines) > 0 && lines[0] != line {
					lines = lines[1:]
				}
				if len(lines) == 0 {
					t.Fatalf("%s: the line %q is missing or moved", name, line)
				}
				lines = lines[1:]
			}
		}
	}
}
