package release_test

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
)

const (
	id        = "small@2026-01-02-beta"
	iconsFile = "icons.pack"
)

func TestContentHashIsTheDigestOfTheContentFile(t *testing.T) {
	r := releasetest.Release(t, id)
	if want := "sha256-" + release.Digest(files(t, r)["content.json"].Data); r.Hash() != want {
		t.Errorf("got %s, want %s", r.Hash(), want)
	}
	if !strings.HasPrefix(r.Hash(), "sha256-") || len(r.Hash()) != len("sha256-")+64 {
		t.Errorf("malformed content hash %q", r.Hash())
	}
}

func TestContentHashCoversOnlyContent(t *testing.T) {
	hash := func(change func(*taxonomy.Taxonomy)) string {
		tax := releasetest.Taxonomy(t, id)
		change(tax)
		r, err := release.Compile(tax)
		if err != nil {
			t.Fatal(err)
		}
		return r.Hash()
	}
	base := hash(func(*taxonomy.Taxonomy) {})
	for name, change := range map[string]func(*taxonomy.Taxonomy){
		"id and status": func(x *taxonomy.Taxonomy) { x.ID.Status, x.ID.Date = taxonomy.Stable, "2027-01-01" },
		"date":          func(x *taxonomy.Taxonomy) { x.CreatedAt = "2030-01-01T00:00:00Z" },
		"notes":         func(x *taxonomy.Taxonomy) { x.Notes = "Other." },
		"derived parts": func(x *taxonomy.Taxonomy) { x.Elements[0].IconVariants = x.Elements[0].IconVariants[:1] },
	} {
		if hash(change) != base {
			t.Errorf("%s: the hash changes", name)
		}
	}
	for name, change := range map[string]func(*taxonomy.Taxonomy){
		"title":          func(x *taxonomy.Taxonomy) { x.Title[0].Value = "Other" },
		"description":    func(x *taxonomy.Taxonomy) { x.Description[1].Value = "Autre" },
		"locales":        func(x *taxonomy.Taxonomy) { x.Locales = []string{"fr", "en"} },
		"type":           func(x *taxonomy.Taxonomy) { x.Type.Name[0].Value = "Other" },
		"category":       func(x *taxonomy.Taxonomy) { x.Categories[0].Required = false },
		"colour":         func(x *taxonomy.Taxonomy) { x.Categories[1].Context.Values[0].Color = "#1B4F9E" },
		"authored black": func(x *taxonomy.Taxonomy) { x.Categories[1].Context.Values[1].Tinted = true },
		"element":        func(x *taxonomy.Taxonomy) { x.Elements[1].MaxPlacements = 2 },
		"exclusion":      func(x *taxonomy.Taxonomy) { x.Elements[1].Excludes = []string{x.Elements[0].ID} },
		"keywords": func(x *taxonomy.Taxonomy) {
			x.Elements[1].Keywords = taxonomy.Keywords{{Locale: "en", Value: taxonomy.NewWords("photo")}}
		},
		"rename":        func(x *taxonomy.Taxonomy) { x.Elements[1].Replaces = taxonomy.IDs{"old"} },
		"value limit":   func(x *taxonomy.Taxonomy) { x.Categories[1].Context.Values[0].MaxPlacements = 1 },
		"element order": func(x *taxonomy.Taxonomy) { x.Elements[1], x.Elements[2] = x.Elements[2], x.Elements[1] },
		"symbol":        func(x *taxonomy.Taxonomy) { x.Symbols["box"] = append(x.Symbols["box"], '\n') },
	} {
		if hash(change) == base {
			t.Errorf("%s: the hash does not change", name)
		}
	}
}

func TestComposedIconsEqualBakedIcons(t *testing.T) {
	r := releasetest.Release(t, id)
	stored := files(t, r)
	delete(stored, iconsFile)
	withoutIcons := decode(t, stored)
	for n, e := range r.Taxonomy.Elements {
		for _, variant := range e.IconVariants {
			want, baked, ok := r.Icon(n, variant)
			if !baked || !ok {
				t.Fatalf("%s %s is not baked", e.ID, variant)
			}
			got, baked, ok := withoutIcons.Icon(n, variant)
			if baked || !ok {
				t.Fatalf("%s %s is not composed", e.ID, variant)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s %s:\ngot  %s\nwant %s", e.ID, variant, got, want)
			}
		}
		if _, _, ok := r.Icon(n, "purple"); ok {
			t.Errorf("%s has an icon in an unknown variant", e.ID)
		}
	}
}

func TestSymbolsAreNeverTheFilesOfTheAuthors(t *testing.T) {
	const want = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><path d="M9 9h18"/></svg>`
	file := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><!--><img src=x onerror=alert(1)>--><path d="M9 9h18"/></svg>`
	tax := releasetest.Taxonomy(t, id)
	tax.Symbols["ring"], tax.Symbols["unused"] = []byte(file), []byte(file)
	compiled, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	stored := files(t, compiled)
	if !bytes.Contains(stored["content.json"].Data, []byte("onerror")) {
		t.Error("the content does not have the file of the author")
	}
	withoutIcons := maps.Clone(stored)
	delete(withoutIcons, iconsFile)
	for name, r := range map[string]*release.Release{
		"compiled": compiled, "decoded": decode(t, stored), "decoded without icons": decode(t, withoutIcons),
		"decoded from another format": decode(t, withOtherFormats(stored)),
	} {
		for _, id := range []string{"ring", "unused"} {
			if got, ok := r.Symbol(id); !ok || string(got) != want {
				t.Errorf("%s: symbol %s: got %s, want %s", name, id, got, want)
			}
		}
		if _, ok := r.Symbol("other"); ok {
			t.Errorf("%s: an unknown symbol exists", name)
		}
	}
}

func TestStepStopsComposingAnIcon(t *testing.T) {
	tax := releasetest.Taxonomy(t, id)
	tax.Symbols["ring"] = []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36">` +
		strings.Repeat(`<path d="M9 9h18v18H9z"/>`, 2000) + `</svg>`)
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	stored := files(t, r)
	delete(stored, iconsFile)
	n, _ := r.Element("sound")
	stop := errors.New("stop")
	svg, _, err := decode(t, stored).IconStep(n, "default", func() error { return stop })
	if svg != nil || err != stop {
		t.Errorf("a composed icon: got %d bytes, error %v, want %v", len(svg), err, stop)
	}
	if svg, baked, err := r.IconStep(n, "default", func() error { return stop }); svg == nil || !baked || err != nil {
		t.Errorf("a baked icon: got error %v", err)
	}
}

func TestVariantsWithoutColourEqualTheDefault(t *testing.T) {
	r := releasetest.Release(t, id)
	n, _ := r.Element("pictures")
	plain, _, _ := r.Icon(n, "default")
	fine, _, _ := r.Icon(n, "fine")
	coarse, _, _ := r.Icon(n, "coarse")
	if !bytes.Equal(plain, fine) || bytes.Equal(plain, coarse) {
		t.Error("only the variant with a colour may differ from the default")
	}
}

func TestSearchFallsBackToTheLanguageOfALocale(t *testing.T) {
	r := releasetest.Release(t, id)
	for locale, want := range map[string]bool{"en": true, "EN": true, "en-GB": true, "fr-CA": true, "de": false, "e": false} {
		if _, ok := r.Search(locale); ok != want {
			t.Errorf("%s: got %v, want %v", locale, ok, want)
		}
	}
}

// TestIconFormat fails if icons or symbols change and iconFormat does not: those of
// existing stores would then differ from new ones.
func TestIconFormat(t *testing.T) {
	const want = "85e4e5fff48fa3d1d72d736a60cbf0d46b1f11bd130c52f3278567e39d72875e"
	r := releasetest.Release(t, id)
	var icons []byte
	for n, e := range r.Taxonomy.Elements {
		for _, variant := range e.IconVariants {
			svg, _, _ := r.Icon(n, variant)
			icons = append(icons, svg...)
		}
	}
	for _, id := range []string{"box", "ring"} {
		svg, _ := r.Symbol(id)
		icons = append(icons, svg...)
	}
	if got := release.Digest(icons); got != want {
		t.Errorf("icons changed: increment iconFormat and update the digest to %s", got)
	}
}
