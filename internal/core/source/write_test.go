package source

import (
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
)

// tb is the part of [testing.TB] that [rapid.T] has, too.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// writeTree returns a tree with the files that [Write] returns for x.
func writeTree(t tb, x *taxonomy.Taxonomy) fstest.MapFS {
	t.Helper()
	files, err := Write(x)
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[path.Join(x.ID.Folder(), name)] = &fstest.MapFile{Data: data}
	}
	return fsys
}

// checkWrite writes each release of a tree that can be read, and reads it again.
func checkWrite(t *testing.T, tree fs.FS) {
	ids, _ := Releases(tree)
	for _, id := range ids {
		want, wantFound := Load(tree, id)
		if want == nil {
			continue
		}
		got, found := Load(writeTree(t, want), id)
		if got == nil {
			t.Fatal(found)
		}
		want.Ignored = taxonomy.Ignored{} // it is not written
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		codes := func(lines []string) []string {
			for i, line := range lines {
				lines[i], _, _ = strings.Cut(line, " ")
			}
			return lines
		}
		// Writing may remove findings about the notation, but adds none.
		allowed := codes(summary(wantFound))
		for _, code := range codes(summary(found)) {
			if !slices.Contains(allowed, code) {
				t.Errorf("%s: the written tree has the finding %s", id, code)
			}
		}
	}
}

// completeTaxonomy returns a taxonomy in which every field has a value.
func completeTaxonomy(t *testing.T) *taxonomy.Taxonomy {
	x := releasetest.Taxonomy(t, demo.String())
	text := func(en string) taxonomy.Localized {
		return taxonomy.Localized{{Locale: "en", Value: en}, {Locale: "fr", Value: en}}
	}
	sources := []taxonomy.Source{{Type: "law", Title: "Act", URL: "https://example.org/act", Citation: "Section 1"}}
	examples := []taxonomy.Example{{Scenario: text("Scenario"), Narrative: text("Narrative")}}
	frame := &taxonomy.Context{ID: "level", Name: text("Level"), Description: text("How much."), Values: []taxonomy.ContextValue{
		{ID: "high", Label: text("High"), Description: text("Much."), Color: "#1B4F9F", Tinted: true, MaxPlacements: 1, Replaces: taxonomy.IDs{"big"}},
	}}
	x.Type.Description, x.Type.Sources = text("Type"), sources
	c, e := &x.Categories[0], &x.Elements[0]
	c.Prompt, c.Guidance, c.Required, c.Order, c.MinElements, c.MaxElements, c.Sign = text("Prompt"), text("Guidance"), true, 5, 1, 2, 3
	c.Context, c.Sources, c.Examples = frame, sources, examples
	c.Variables = []taxonomy.Variable{{
		ID: "choice", Label: text("Choice"), Required: true, RequiredFor: []string{e.ID}, Kind: taxonomy.MultiSelectEnum, Sources: sources, Replaces: taxonomy.IDs{"pick", "selection"},
		Options: []taxonomy.Option{{
			ID: "one", Name: text("One"), Description: text("Just one."), AppliesTo: []string{e.ID}, Guidance: text("Rarely."), Sources: sources, Examples: examples, Replaces: taxonomy.IDs{"single"},
		}},
	}}
	e.Required, e.MaxPlacements, e.Excludes, e.Replaces, e.Guidance = true, 3, []string{x.Elements[1].ID}, taxonomy.IDs{"former", "earlier"}, text("Guidance")
	e.Deprecated = &taxonomy.Deprecation{Since: "2026-01-01", Message: text("Too vague."), Use: taxonomy.IDs{x.Elements[1].ID}}
	e.Context, e.Sources, e.Examples = frame, sources, examples
	e.Keywords = taxonomy.Keywords{{Locale: "en", Value: taxonomy.NewWords("CCTV", "red, green")}, {Locale: "fr", Value: taxonomy.NewWords("vidéosurveillance")}}
	x.Derive()
	return x
}

func TestEveryFieldIsWritten(t *testing.T) {
	x := completeTaxonomy(t)
	x.Ignored = taxonomy.Ignored{Count: 1} // it is not written
	for _, part := range []any{x, x.Type, x.Type.Subchains[0], x.Categories[0], x.Categories[0].Variables[0], x.Elements[0], x.Elements[0].Deprecated} {
		checkComplete(t, reflect.Indirect(reflect.ValueOf(part)))
	}
	got := mustLoad(t, writeTree(t, x), demo)
	x.Ignored = taxonomy.Ignored{}
	if diff := cmp.Diff(x, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// checkComplete reports the fields of a struct, and of the first item of each list
// in it, that have no value.
func checkComplete(t *testing.T, v reflect.Value) {
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().String()+"."+v.Type().Field(i).Name
		if field.IsZero() {
			t.Errorf("%s has no value; give it one in completeTaxonomy", name)
			continue
		}
		if field.Kind() == reflect.Pointer {
			checkComplete(t, field.Elem())
		}
		derived := v.Type() == reflect.TypeFor[taxonomy.Element]() && v.Type().Field(i).Name == "Variables"
		if field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct && !derived && v.Type() != reflect.TypeFor[taxonomy.Taxonomy]() {
			checkComplete(t, field.Index(0))
		}
	}
}

// hostileTexts are texts that YAML reads as something else, or that are hard to
// write.
var hostileTexts = []string{
	"yes", "no", "on", "y", "true", "null", "~", "1e3", "0x1F", "0o17", "1_000", "12:30:45", "2026-01-31", "2026-01-31T09:00:00Z", ".inf", ".nan", "=", "<<", "-", "--", "---",
	"...", "?", ":", "a:", ": a", "a: b", "a:b", "a : b", "#x", "a #x", "a#x", "a # x", "- a", "-a", "? a", "?a", "!a", "!!str a", "! a", "&a", "&a b", "*a", "@a", "`a`", "%a", "|", "|-", ">",
	">-", "> a", "{", "}", "{a}", "{{a}}", "{{a}} b", "[a]", "[", "]", ",", "a, b", "a]", "'", "''", "'a'", "a'b", `"`, `""`, `"a"`, `a"b`, `a'b"c`, `\`, `a\nb`, `"a\"`, "“a”", "‘a’", "„a“",
	"a\nb", "a\n\nb", "a\n  b", "a \nb", "a\n b\nc", "a\n\tb", "a\n#b", "a\n---\nb", "a\n...\nb", "a\r\nb", "a\rb", "a\tb", "a\t#b", "a  b", "a\u0085b", "a\u2028b", "a\u2029b", "a\u00A0b", "a\u202Fb",
	"\uFEFFa", "a\uFEFFb", "\uFEFF", "\u200Ba", "a\u200Db", "\u202Ea", "\u00ADa", "🚲", "👩‍👩‍👧", "a\U000E0001b", "\U0010FFFF", "\uFFFD", "\uE000", "日本語。", "é", "e\u0301", "\u0301", "שלום", "\x01", "a\x00b", "a\x7Fb", "\x1B[31m",
	strings.Repeat("word ", 60) + "end", strings.Repeat("word  ", 60) + "end", strings.Repeat("x", 3000), strings.Repeat("a: b ", 40) + "end", strings.Repeat("# ", 80) + "end",
	strings.Repeat("日本語 ", 60) + "。", strings.Repeat("- a ", 50) + "b", strings.Repeat("a\n", 50) + "b", "a " + strings.Repeat("x", 200) + "\t " + strings.Repeat("y", 200) + "  z",
	"a " + strings.Repeat("x", 97) + " \tb", strings.Repeat("é ", 51) + "\n\n " + strings.Repeat("b", 120),
}

func TestHostileTextsAreWrittenSoThatTheyAreReadAgain(t *testing.T) {
	for _, text := range hostileTexts {
		checkText(t, text)
	}
}

func TestAnyTextIsWrittenSoThatItIsReadAgain(t *testing.T) {
	part := rapid.OneOf(rapid.SampledFrom(hostileTexts), rapid.SampledFrom([]string{" ", "  ", "\n", "\t", ":", "#", "'", `"`, `\`, "-", "\r", "\u0085"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		checkText(t, strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "parts"), ""))
	})
}

// checkText writes a taxonomy that has a text everywhere and reads it again. The
// text is trimmed first, as it is when it is read.
func checkText(t tb, text string) {
	t.Helper()
	text = strings.TrimSpace(text)
	if text == "" || !utf8.ValidString(text) {
		return
	}
	l := taxonomy.Localized{{Locale: "en", Value: text}, {Locale: "fr", Value: text}}
	x := &taxonomy.Taxonomy{
		ID: demo, Notes: text, Locales: []string{"en", "fr"}, Title: l, Description: l,
		Type: taxonomy.DatachainType{ID: demo.Type, Name: l, Categories: []string{"a"}, Locales: []string{"en", "fr"}},
		Categories: []taxonomy.Category{{
			ID: "a", Name: l, Description: l, Shape: taxonomy.Circle, Order: 1,
			Context: &taxonomy.Context{ID: "a", Name: l, Values: []taxonomy.ContextValue{{ID: "a", Label: l, Description: l}, {ID: "b", Label: l}}},
			Sources: []taxonomy.Source{{Type: text, Title: text, Citation: text}},
		}},
		Elements: []taxonomy.Element{{ID: "a", Title: l, Description: l, CategoryID: "a", SymbolID: "a", Examples: []taxonomy.Example{{Scenario: l, Narrative: l}}}},
		Symbols:  map[string][]byte{"a": []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><path d="M15 10h6v16h-6z"/></svg>`)},
	}
	x.Derive()
	tree := writeTree(t, x)
	got, found := Load(tree, demo)
	if got == nil {
		t.Fatalf("%q: %v\n%s", text, found, tree[demo.Folder()+"/meta.yaml"].Data)
	}
	if diff := cmp.Diff(x, got); diff != "" {
		t.Fatalf("%q (-want +got):\n%s\n%s", text, diff, tree[demo.Folder()+"/meta.yaml"].Data)
	}
	for _, p := range found {
		if strings.HasPrefix(string(p.Code), "TEXT_") {
			t.Fatalf("%q: %v", text, p)
		}
	}
}

func TestIDsThatYAMLReadsAsOtherValuesAreQuoted(t *testing.T) {
	ids := []string{"null", "true", "yes", "no", "on", "1e3", "0x1F", "0", "007", "2026-01-31", "-", "--", "-1", "_", "NaN"}
	x := &taxonomy.Taxonomy{ID: demo, Locales: []string{"en", "no"}, Symbols: map[string][]byte{}}
	l := taxonomy.Localized{{Locale: "en", Value: "a"}, {Locale: "no", Value: "b"}}
	x.Title, x.Type = l, taxonomy.DatachainType{ID: demo.Type, Name: l, Categories: ids, Locales: x.Locales}
	for i, id := range ids {
		x.Categories = append(x.Categories, taxonomy.Category{ID: id, Name: l, Description: l, Shape: taxonomy.Circle, Order: i + 1})
		x.Elements = append(x.Elements, taxonomy.Element{ID: id, Title: l, Description: l, CategoryID: id, SymbolID: id})
		x.Symbols[id] = []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><path d="M15 10h6v16h-6z"/></svg>`)
	}
	x.Derive()
	if diff := cmp.Diff(x, mustLoad(t, writeTree(t, x), demo)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrittenFilesLookAsIfWrittenByHand(t *testing.T) {
	x := releasetest.Taxonomy(t, demo.String())
	x.Description[0].Value = "A small taxonomy that says a little about many things: this sentence is wrapped, because it is longer than one line."
	x.Notes = "First line.\nSecond line: longer."
	x.Elements[0].Title[0].Value = "Kept for {{duration}}"
	x.Elements[0].Title[1].Value = "{{duration}}"
	x.Elements[0].Guidance = taxonomy.Localized{{Locale: "en", Value: "A tab\tand a\u200Bhidden space"}, {Locale: "fr", Value: "Qui\u00A0?"}}
	x.Elements[0].Description[0].Value = `Say "yes": it is a word.`
	x.Elements[0].Description[1].Value = "3.0"
	tree := writeTree(t, x)
	for name, want := range map[string]string{
		"meta.yaml": `created_at: "2026-01-02T03:04:05Z"
locales: [en, fr]
description:
  en: >-
    A small taxonomy that says a little about many things: this sentence is wrapped, because it is
    longer than one line.
  fr: Une petite taxonomie.
notes: |-
  First line.
  Second line: longer.
`,
		"elements/safety.yaml": `id: safety
category_id: purpose
title:
  en: Kept for {{duration}}
  fr: "{{duration}}"
description:
  en: 'Say "yes": it is a word.'
  fr: "3.0"
symbol_id: ring
guidance:
  en: "A tab\tand a\u200Bhidden space"
  fr: Qui ?
`,
	} {
		if diff := cmp.Diff(want, string(tree[path.Join(demo.Folder(), name)].Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFilesThatAreTooLargeAreNotWritten(t *testing.T) {
	x := releasetest.Taxonomy(t, demo.String())
	x.Notes = strings.Repeat("x", MaxFileSize)
	if _, err := Write(x); err == nil || err.Error() != "meta.yaml would be larger than 1 MiB" {
		t.Errorf("got %v", err)
	}
}

func TestLongTextsAreWrittenQuickly(t *testing.T) {
	for _, part := range []string{"a\n", "\n", "a ", "a: ", "'", "\"", "- ", "\n#", "\n - ", "{{", "\t", "\u200B", "[", "? "} {
		text := strings.Repeat(part, 200_000/len(part))
		started := time.Now()
		writeFile(func(w *yamlWriter) { w.text("notes", text) })
		if took := time.Since(started); took > 10*time.Second {
			t.Errorf("%q: took %v, want at most 10s", part, took)
		}
	}
}

func TestWrittenKeywordsAreReadAgain(t *testing.T) {
	x := releasetest.Taxonomy(t, demo.String())
	words := []string{
		"a, b", "[x]", "{y}", "a: b", "a:", ":a", "#tag", "a #b", "- a", "-a", "yes", "30", "1.5", "null", "~", "?", "? a", "&x", "*y", "!z", "%", "@a", "`b`",
		"'c'", `"d"`, `e\f`, "“g”", "« h »", "l’air", "Article 4(4) GDPR", "防犯カメラ", "a|b", ">", "=", "<<",
	}
	for len(words) < maxKeywords {
		words = append(words, fmt.Sprintf("a longer keyword, number %d", len(words)))
	}
	x.Elements[0].Keywords = taxonomy.Keywords{{Locale: "fr", Value: taxonomy.NewWords(words...)}}
	files, err := Write(x)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(files["elements/"+x.Elements[0].ID+".yaml"])) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > lineWidth {
			t.Errorf("got a line of %d characters, want at most %d: %s", n, lineWidth, line)
		}
	}
	got := mustLoad(t, writeTree(t, x), demo)
	if diff := cmp.Diff(x.Elements[0].Keywords, got.Elements[0].Keywords); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
