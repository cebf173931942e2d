package diffview_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/compat"
	"placard/internal/diffview"
	"placard/internal/problem"
	"placard/internal/release/releasetest"
	"placard/internal/taxonomy"
)

var update = flag.Bool("update", false, "write golden files")

// report compares two taxonomies.
func report(tb testing.TB, before, after *taxonomy.Taxonomy) *diffview.Report {
	tb.Helper()
	c, err := compat.Compare(before, after)
	if err != nil {
		tb.Fatal(err)
	}
	r := diffview.New(c)
	r.Old.Origin, r.New.Origin = "in store, the newest stable release", "in taxonomy/demo/2026-02-01-beta"
	return r
}

// everything returns two versions whose comparison has every kind of change.
func everything(tb testing.TB) (before, after *taxonomy.Taxonomy) {
	tb.Helper()
	before = releasetest.Taxonomy(tb, "demo@2026-01-01-stable", "old_name", "obsolete", "relocated")
	after = releasetest.Taxonomy(tb, "demo@2026-02-01-beta", "new_name", "brand_new", "relocated")
	after.Title = text("Small and new", "Petit et neuf")
	elements := make(map[string]*taxonomy.Element)
	for i := range after.Elements {
		elements[after.Elements[i].ID] = &after.Elements[i]
	}
	elements["new_name"].Replaces = "old_name"
	elements["brand_new"].Title = text(`Title | with *stars*, <script> & "quotes"`, "Titre")
	elements["relocated"].CategoryID = "purpose"
	elements["safety"].Required = true
	elements["safety"].Description = text("Keeps all people and animals safe.", "Protège les gens et les animaux.")
	elements["pictures"].Title = text("Pictures", "Photos")
	elements["sound"].Title = text("Sound", "Bruit")
	elements["sound"].Excludes = []string{"pictures", "safety"}
	after.Symbols["box"] = []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect x="10" y="13" width="16" height="10" fill="currentColor"/></svg>`)
	after.Symbols["unused"] = after.Symbols["box"]
	data := &after.Categories[1]
	data.Shape = taxonomy.Octagon
	data.Name = taxonomy.Localized{{Locale: "en", Value: "Records"}, data.Name[1]}
	data.Context.Values[0].Color = "#00695C"
	data.Context.Values = append(data.Context.Values, taxonomy.ContextValue{ID: "exact", Label: text("Exact", "Exact")})
	data.Variables[1].Options = data.Variables[1].Options[1:]
	slices.SortStableFunc(after.Elements, func(x, y taxonomy.Element) int {
		return slices.Index(after.Type.Categories, x.CategoryID) - slices.Index(after.Type.Categories, y.CategoryID)
	})
	after = after.Authored()
	after.Derive()
	return before, after
}

func text(en, fr string) taxonomy.Localized {
	return taxonomy.Localized{{Locale: "en", Value: en}, {Locale: "fr", Value: fr}}
}

func TestFormatsMatchTheGoldenFiles(t *testing.T) {
	before, after := everything(t)
	r := report(t, before, after)
	for name, write := range formats(r) {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// verbose matches the parts of a page that would hide the others in a golden file.
var verbose = regexp.MustCompile(`style-src [^"]*|(?s:<style>.*?</style>)|src="[^"]*"`)

// formats returns functions that write a report in each format, by file name.
func formats(r *diffview.Report) map[string]func(*bytes.Buffer) error {
	return map[string]func(*bytes.Buffer) error{
		"everything.txt": func(b *bytes.Buffer) error { return r.Text(b, 80) },
		"everything.md":  func(b *bytes.Buffer) error { return r.Markdown(b) },
		"everything.html": func(b *bytes.Buffer) error {
			var page bytes.Buffer
			err := r.HTML(&page)
			b.Write(verbose.ReplaceAll(page.Bytes(), []byte("…\n")))
			return err
		},
	}
}

func TestEveryKindOfChangeHasASection(t *testing.T) {
	before, after := everything(t)
	for _, kind := range compat.Kinds {
		for _, subject := range compat.SubjectKinds {
			id := "sound"
			if subject == compat.Category {
				id = "data"
			}
			r := diffview.New(&compat.Comparison{Before: before, After: after, Locale: "en", Changes: []compat.Change{{
				Kind: kind, Subject: compat.Subject{Kind: subject, ID: id}, Texts: []compat.TextChange{{Locale: "en", Before: "a", After: "b"}},
			}}})
			if len(r.Sections) != 1 || r.Sections[0].ID != string(kind) || r.Sections[0].Count != 1 {
				t.Errorf("%s %s: got sections %+v, want one with one entry", subject, kind, r.Sections)
			}
		}
	}
}

func TestEntriesOfDifferentItemsAreNotMerged(t *testing.T) {
	before, after := everything(t)
	note := compat.Subject{Kind: compat.Variable, ID: "note", CategoryID: "data"}
	other := compat.Subject{Kind: compat.Variable, ID: "note", CategoryID: "purpose"}
	broken := problem.List{problem.New("VARIABLE_REMOVED", "It is gone.")}
	change := func(s compat.Subject, field string) compat.Change {
		return compat.Change{Kind: compat.Changed, Subject: s, Field: field, Before: []string{"a"}, After: []string{"b"}, Breaks: broken}
	}
	r := diffview.New(&compat.Comparison{Before: before, After: after, Locale: "en", Changes: []compat.Change{
		change(note, "required"), change(note, "kind"), change(other, "required"),
	}})
	var got []int
	for _, e := range r.Sections[0].Groups[0].Entries {
		got = append(got, len(e.Breaks))
	}
	if diff := cmp.Diff([]int{2, 1}, got); diff != "" {
		t.Errorf("findings of the breaking entries (-want +got):\n%s", diff)
	}
}

// A category may have the id of a locale.
func TestTranslationsAreGroupedByLocale(t *testing.T) {
	before, after := everything(t)
	after.Categories[0].ID = "fr"
	texts := []compat.TextChange{{Locale: "fr", Before: "a", After: "b"}, {Locale: "es", Before: "c", After: "d"}}
	r := diffview.New(&compat.Comparison{Before: before, After: after, Locale: "en", Changes: []compat.Change{
		{Kind: compat.Retranslated, Subject: compat.Subject{Kind: compat.Element, ID: "safety"}, Field: "title", Texts: texts},
		{Kind: compat.Retranslated, Subject: compat.Subject{Kind: compat.Element, ID: "sound"}, Field: "title", Texts: texts[:1]},
	}})
	got := make(map[string]int)
	for _, g := range r.Sections[0].Groups {
		got[g.Name.Value] = len(g.Entries)
	}
	if diff := cmp.Diff(map[string]int{"fr": 2, "es": 1}, got); diff != "" {
		t.Errorf("entries by group (-want +got):\n%s", diff)
	}
}
