package source

import (
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"placard/internal/core/datachain"
	"placard/internal/core/taxonomy"
)

func skeletonTree(t *testing.T, id taxonomy.ID, locales ...string) fstest.MapFS {
	t.Helper()
	files, err := Skeleton(id, locales)
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[path.Join(id.Folder(), name)] = &fstest.MapFile{Data: data}
	}
	return fsys
}

func TestSkeletonHasNoFindings(t *testing.T) {
	odd := taxonomy.ID{Type: "null", Date: "2026-12-01", Status: taxonomy.Stable}
	for _, id := range []taxonomy.ID{demo, odd} {
		for _, locales := range [][]string{{"en"}, {"fr"}, {"ja", "en"}, {"es", "fr-CA", "en-GB"}, skeletonLocales} {
			tree := skeletonTree(t, id, locales...)
			got, found := Load(tree, id)
			if len(found) > 0 {
				t.Fatalf("%s: %v", locales, found)
			}
			if !slices.Equal(got.Locales, locales) {
				t.Errorf("got locales %v, want %v", got.Locales, locales)
			}
			body := tree[path.Join(id.Folder(), "examples/gate_counter.json")].Data
			doc, report, err := datachain.Parse(body, nil)
			if err == nil && len(report.Errors) == 0 {
				report, err = datachain.Validate(doc, datachain.NewSchema(got), nil)
			}
			if err != nil || len(report.Errors) > 0 || len(report.Warnings) > 0 {
				t.Errorf("%s: the example has the findings %v, error %v\n%s", locales, report, err, body)
			}
			if doc.SchemaVersion != id {
				t.Errorf("the example pins %s, want %s", doc.SchemaVersion, id)
			}
		}
	}
}

func TestSkeletonMarksTextsToTranslate(t *testing.T) {
	tree := skeletonTree(t, demo, "de", "en", "pt-BR")
	got, found := Load(tree, demo)
	if got == nil {
		t.Fatal(found)
	}
	if want := []string{"TRANSLATION_MISSING meta.yaml:5:11", "TRANSLATION_MISSING meta.yaml:5:19"}; !slices.Equal(summary(found), want) {
		t.Errorf("got findings %v, want %v", summary(found), want)
	}
	// Each text has its own line for the translation.
	name := path.Join(demo.Folder(), "elements/safety.yaml")
	want := "title:\n  de:\n  en: Safety\n  pt-BR:\n"
	if text := string(tree[name].Data); !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwithout\n%s", text, want)
	}
	tree[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(tree[name].Data), "de:", "de: Sicherheit", 1))}
	if _, found := Load(tree, demo); len(found) != 2 || !strings.Contains(found[1].Message+found[0].Message, `The translation into "de" is missing here and in `) {
		t.Errorf("after the first translation, got %v, want one finding for all other texts", found)
	}
}

func TestSkeletonRejectsLocales(t *testing.T) {
	for _, test := range []struct{ locales, want string }{
		{"", "There are only texts in en, fr, es and ja. "},
		{"de", "There are only texts in en, fr, es and ja. "},
		{"en,en", `The locale "en" is listed twice`},
		{"en,EN", `The locale "EN" is listed twice`},
		{"english", `"english" is not a valid locale. Write a language tag`},
		{"pt_BR,en", `"pt_BR" is not a valid locale. Did you mean "pt-BR"?`},
		{"en,", `"" is not a valid locale. `},
	} {
		var locales []string
		if test.locales != "" {
			locales = strings.Split(test.locales, ",")
		}
		if _, err := Skeleton(demo, locales); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.locales, err, test.want)
		}
	}
}
