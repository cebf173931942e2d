package diffview_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/show/diffview"
)

var update = flag.Bool("update", false, "write golden files")

// report compares two taxonomies.
func report(tb testing.TB, before, after *taxonomy.Taxonomy) *diffview.Report {
	tb.Helper()
	c, err := compat.Compare(before, after)
	if err != nil {
		tb.Fatal(err)
	}
	r := diffview.New(c, diffview.Options{})
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
	elements["new_name"].Replaces = taxonomy.IDs{"old_name"}
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
var verbose = regexp.MustCompile(`style-src [^"]*|(?s:<style>.*?</style>)|<svg class="icon.*?</svg>`)

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
			}}}, diffview.Options{})
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
	}}, diffview.Options{})
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
	}}, diffview.Options{})
	got := make(map[string]int)
	for _, g := range r.Sections[0].Groups {
		got[g.Name.Value] = len(g.Entries)
	}
	if diff := cmp.Diff(map[string]int{"fr": 2, "es": 1}, got); diff != "" {
		t.Errorf("entries by group (-want +got):\n%s", diff)
	}
}

func TestLimitedReportsCountEverything(t *testing.T) {
	before, after := everything(t)
	c, err := compat.Compare(before, after)
	if err != nil {
		t.Fatal(err)
	}
	complete := diffview.New(c, diffview.Options{})
	for name, opts := range map[string]diffview.Options{
		"one entry":   {MaxEntries: 1},
		"two entries": {MaxEntries: 2},
		"no space":    {MaxBytes: 1},
	} {
		limited := diffview.New(c, opts)
		if diff := cmp.Diff(complete.Counts(), limited.Counts()); diff != "" {
			t.Errorf("%s: counts (-want +got):\n%s", name, diff)
		}
		total := 0
		for _, s := range limited.Sections {
			shown := 0
			for _, g := range s.Groups {
				shown += len(g.Entries)
			}
			if shown != s.Shown || opts.MaxEntries > 0 && shown != min(s.Count, opts.MaxEntries) {
				t.Errorf("%s: %s: got %d entries, want %d of %d", name, s.ID, shown, s.Shown, s.Count)
			}
			total += shown
		}
		if opts.MaxBytes > 0 && total != 1 {
			t.Errorf("%s: got %d entries, want one", name, total)
		}
	}
}

// A page must not consist of one text.
func TestLimitedReportsShortenLongTexts(t *testing.T) {
	before, after := everything(t)
	long := make([]string, 20_000)
	for i := range long {
		long[i] = strings.Repeat("word ", i%7+1)
	}
	text := strings.Join(long, ". ")
	subject := compat.Subject{Kind: compat.Element, ID: "safety", CategoryID: "purpose"}
	c := &compat.Comparison{Before: before, After: after, Locale: "en", Changes: []compat.Change{
		{Kind: compat.Changed, Subject: subject, Field: "excludes", Before: long, After: long[1:]},
		{Kind: compat.Changed, Subject: subject, Field: "order", Before: []string{"1"}, After: []string{"2"}},
		{Kind: compat.Reworded, Subject: subject, Field: "title", Texts: []compat.TextChange{{Locale: "en", Before: text, After: "é" + text + "é"}}},
	}}
	var b bytes.Buffer
	if err := diffview.New(c, diffview.Options{MaxBytes: 1 << 20}).HTML(&b); err != nil {
		t.Fatal(err)
	}
	if size := b.Len(); size > 80_000 {
		t.Errorf("got a page of %d bytes, want at most 80,000", size)
	}
	c.Changes = c.Changes[:2]
	r := diffview.New(c, diffview.Options{MaxBytes: 1000})
	if e := r.Sections[0].Groups[0].Entries[0]; len(e.Values) != 1 || !e.IsShortened {
		t.Errorf("got %d values, shortened %v; want the first of two", len(e.Values), e.IsShortened)
	}
}

func TestWordsOfAReport(t *testing.T) {
	before, after := everything(t)
	c, err := compat.CompareIn("fr", before, after)
	if err != nil {
		t.Fatal(err)
	}
	r := diffview.New(c, diffview.Options{
		Words:      func(key string, pairs ...any) string { return "<" + key + fmt.Sprint(pairs...) + ">" },
		LocaleName: strings.ToUpper,
		Locale:     "fr",
		URL:        func(id taxonomy.ID, s compat.Subject) string { return "/" + id.String() + "/" + s.ID },
		CodeURL:    func(code problem.Code) string { return "/codes/" + string(code) },
	})
	var got []string
	for _, s := range r.Sections {
		got = append(got, s.Heading+" "+s.Note)
		e := s.Groups[0].Entries[0]
		got = append(got, e.Noun+" "+e.Name.Value+" "+e.URL)
		for _, f := range e.Breaks {
			got = append(got, f.Meaning+" "+f.URL)
		}
		for _, t := range e.Texts {
			got = append(got, fmt.Sprint(t.Label, t.LocaleName, t.Main, t.NotRetranslated))
		}
		for _, v := range e.Values {
			got = append(got, v.Label+v.Old+v.New)
		}
	}
	want := []string{
		"<breaking> <breaking.note>",
		"<noun.ofnoun<noun.option>idwhere> Ici /demo@2026-01-01-stable/here", "<meaning.OPTION_REMOVED> /codes/OPTION_REMOVED",
		"<added> <added.note>", "<noun.symbol>  /demo@2026-02-01-beta/unused",
		"<removed> <removed.note>", "<noun.ofnoun<noun.option>idwhere> Ici /demo@2026-01-01-stable/here",
		"<renamed> <renamed.note>", "<noun.element> Autre new_name /demo@2026-02-01-beta/new_name",
		"<moved> <moved.note>", "<noun.element> Autre relocated /demo@2026-02-01-beta/relocated", "<field.category_id>DonnéesBut",
	}
	if diff := cmp.Diff(want, got[:min(len(want), len(got))]); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func html(tb testing.TB, r *diffview.Report) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// reports returns reports with every kind of change, with hostile texts, and
// without changes.
func reports(tb testing.TB) map[string]*diffview.Report {
	tb.Helper()
	before, after := everything(tb)
	return map[string]*diffview.Report{
		"everything": report(tb, before, after),
		"hostile":    hostileReport(tb),
		"equal":      report(tb, before, before),
	}
}
