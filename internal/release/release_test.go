package release_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"placard/internal/release"
	"placard/internal/release/releasetest"
	"placard/internal/taxonomy"
)

const (
	id        = "small@2026-01-02-beta"
	iconsFile = "icons.pack"
)

// files returns the stored form of r.
func files(t testing.TB, r *release.Release) fstest.MapFS {
	t.Helper()
	seq, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	fsys := make(fstest.MapFS)
	last := ""
	for name, data := range seq {
		fsys[name] = &fstest.MapFile{Data: data}
		last = name
	}
	if last != release.HeaderFile {
		t.Fatalf("%s is written last, not the header", last)
	}
	return fsys
}

func decode(t testing.TB, fsys fs.FS) *release.Release {
	t.Helper()
	r, err := release.Decode(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAStoredReleaseComesBackTheSame(t *testing.T) {
	r := releasetest.Release(t, id)
	stored := files(t, r)
	back := decode(t, stored)
	if diff := cmp.Diff(r.Taxonomy, back.Taxonomy); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(r.Manifest, back.Manifest); diff != "" {
		t.Error(diff)
	}
	if r.Fingerprint() != back.Fingerprint() {
		t.Error("the fingerprint changed")
	}
	again := files(t, back)
	if len(again) != len(stored) {
		t.Errorf("%d files became %d", len(stored), len(again))
	}
	for name, f := range stored {
		if again[name] == nil || !bytes.Equal(f.Data, again[name].Data) {
			t.Errorf("%s is written differently", name)
		}
	}
}

func TestTheContentHashIsTheDigestOfTheContentFile(t *testing.T) {
	r := releasetest.Release(t, id)
	if want := "sha256-" + release.Digest(files(t, r)["content.json"].Data); r.Hash() != want {
		t.Errorf("got %s, want %s", r.Hash(), want)
	}
	if !strings.HasPrefix(r.Hash(), "sha256-") || len(r.Hash()) != len("sha256-")+64 {
		t.Errorf("%q has not the form of a content hash", r.Hash())
	}
}

func TestTheContentHashCoversContentAndNothingElse(t *testing.T) {
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
			t.Errorf("%s: the hash changed", name)
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
		"element order":  func(x *taxonomy.Taxonomy) { x.Elements[1], x.Elements[2] = x.Elements[2], x.Elements[1] },
		"symbol":         func(x *taxonomy.Taxonomy) { x.Symbols["box"] = append(x.Symbols["box"], '\n') },
	} {
		if hash(change) == base {
			t.Errorf("%s: the hash did not change", name)
		}
	}
}

func TestBakedAndComposedIconsAreTheSameBytes(t *testing.T) {
	r := releasetest.Release(t, id)
	stored := files(t, r)
	delete(stored, iconsFile)
	bare := decode(t, stored)
	for n, e := range r.Taxonomy.Elements {
		for _, variant := range e.IconVariants {
			want, baked, ok := r.Icon(n, variant)
			if !baked || !ok {
				t.Fatalf("%s %s is not baked", e.ID, variant)
			}
			got, baked, ok := bare.Icon(n, variant)
			if baked || !ok {
				t.Fatalf("%s %s is not composed", e.ID, variant)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s %s differs:\n%s\n%s", e.ID, variant, got, want)
			}
		}
		if _, _, ok := r.Icon(n, "purple"); ok {
			t.Errorf("%s has an icon in a variant it lacks", e.ID)
		}
	}
}

func TestColourlessVariantsLookLikeTheDefault(t *testing.T) {
	r := releasetest.Release(t, id)
	n, _ := r.Element("pictures")
	plain, _, _ := r.Icon(n, "default")
	fine, _, _ := r.Icon(n, "fine")
	coarse, _, _ := r.Icon(n, "coarse")
	if !bytes.Equal(plain, fine) || bytes.Equal(plain, coarse) {
		t.Error("only the variant with a colour should differ from the default")
	}
}

func TestDamageIsDetected(t *testing.T) {
	stored := files(t, releasetest.Release(t, id))
	for name, f := range stored {
		step := max(1, len(f.Data)/97)
		for i := 0; i < len(f.Data); i += step {
			for _, mask := range []byte{1, 0x20, 0x80} {
				f.Data[i] ^= mask
				checkDamaged(t, stored, name)
				f.Data[i] ^= mask
			}
		}
		original := f.Data
		for _, size := range []int{0, 1, len(original) / 2, len(original) - 1} {
			f.Data = original[:size]
			checkRefused(t, stored, name)
		}
		f.Data = append(bytes.Clone(original), ' ')
		checkRefused(t, stored, name)
		f.Data = original
	}
	if !decode(t, stored).HasAllIcons() {
		t.Error("the undamaged release lacks icons")
	}
}

// checkDamaged checks that the damage to a file is detected: the release is
// refused, or an icon is ignored.
func checkDamaged(t *testing.T, stored fstest.MapFS, name string) {
	t.Helper()
	r, err := release.Decode(stored)
	if err == nil && name == iconsFile && !r.HasAllIcons() {
		return
	}
	checkRefused(t, stored, name)
}

func checkRefused(t *testing.T, stored fstest.MapFS, name string) {
	t.Helper()
	_, err := release.Decode(stored)
	var damage *release.DamageError
	if !errors.As(err, &damage) || damage.File != name {
		t.Fatalf("damage to %s: got %v", name, err)
	}
}

func TestOnlyIconsMayBeMissing(t *testing.T) {
	stored := files(t, releasetest.Release(t, id))
	for name, f := range stored {
		delete(stored, name)
		if name == iconsFile {
			if decode(t, stored).HasAllIcons() {
				t.Errorf("without %s the release has all icons", name)
			}
		} else {
			checkRefused(t, stored, name)
		}
		stored[name] = f
	}
}

func TestADamagedIconIsComposed(t *testing.T) {
	r := releasetest.Release(t, id)
	n, _ := r.Element("sound")
	want, _, _ := r.Icon(n, "loud")
	stored := files(t, r)
	i := bytes.Index(stored[iconsFile].Data, want)
	if i < 0 {
		t.Fatal("the pack does not have the icon")
	}
	stored[iconsFile].Data[i+len(want)/2] ^= 1

	check := func(name string, got *release.Release) {
		t.Helper()
		if svg, baked, ok := got.Icon(n, "loud"); baked || !ok || !bytes.Equal(svg, want) {
			t.Errorf("%s: baked %v, ok %v, got %s", name, baked, ok, svg)
		}
		if _, baked, _ := got.Icon(n, "dark"); !baked {
			t.Errorf("%s: the undamaged icon is composed", name)
		}
	}
	damaged := decode(t, stored)
	check("damaged", damaged)
	check("missing", decode(t, files(t, damaged)))
}

func TestAReleaseHasAtMostEightFiles(t *testing.T) {
	tax := releasetest.Taxonomy(t, id, "more", "yet_more")
	for i := range 20 {
		tax.Locales = append(tax.Locales, fmt.Sprintf("x-%d", i))
	}
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	stored := files(t, r)
	if len(stored) > 8 {
		t.Errorf("got %d files", len(stored))
	}
	for name := range stored {
		if !release.IsFile(name) {
			t.Errorf("IsFile(%q) is false", name)
		}
	}
}

func TestDerivedPartsOfAnotherFormatAreMadeAnew(t *testing.T) {
	r := releasetest.Release(t, id)
	stored := files(t, r)
	header := string(stored[release.HeaderFile].Data)
	header = header[:strings.LastIndex(header, ",\n  \"checksum\"")] + "\n}\n"
	header = strings.Replace(header, `"icon_format": 1`, `"icon_format": 99`, 1)
	header = strings.Replace(header, `"index_format": 1`, `"index_format": 99`, 1)
	stored[release.HeaderFile].Data = release.Seal([]byte(header))
	for name, f := range stored {
		if path.Ext(name) == ".pack" {
			f.Data = []byte("another format")
		}
	}
	back := decode(t, stored)
	want, _, _ := r.Icon(0, "dark")
	if got, baked, _ := back.Icon(0, "dark"); !baked || !bytes.Equal(got, want) {
		t.Error("icons were not drawn again")
	}
	index, ok := back.Search("en")
	if !ok || len(index.Search("pictures", nil)) == 0 {
		t.Error("the search index was not built again")
	}
}

func TestOtherLayoutsAreRefused(t *testing.T) {
	for layout, want := range map[int]string{1: "publish the releases again", 99: "use a newer version of Placard"} {
		header := fmt.Sprintf("{\n  \"layout\": %d\n}\n", layout)
		_, err := release.Decode(fstest.MapFS{release.HeaderFile: {Data: release.Seal([]byte(header))}})
		var damage *release.DamageError
		if err == nil || errors.As(err, &damage) || !strings.Contains(err.Error(), want) {
			t.Errorf("layout %d: got %v, want an error with %q", layout, err, want)
		}
	}
}

func TestSearchLocalesFallBackToTheirLanguage(t *testing.T) {
	r := releasetest.Release(t, id)
	for locale, want := range map[string]bool{"en": true, "EN": true, "en-GB": true, "fr-CA": true, "de": false, "e": false} {
		if _, ok := r.Search(locale); ok != want {
			t.Errorf("%s: %v", locale, ok)
		}
	}
}

func TestRecordsJoinToWhatASelectionOfTheWholeGives(t *testing.T) {
	r := releasetest.Release(t, id, "more", "yet_more")
	records := append(append([]release.Record(nil), r.Categories...), r.Elements...)
	names := []string{"id", "title", "name", "description", "context", "variables", "sources", "icon_variants", "nonsense"}
	rapid.Check(t, func(t *rapid.T) {
		record := rapid.SampledFrom(records).Draw(t, "record")
		fields := rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, "fields")
		if rapid.Bool().Draw(t, "all fields") {
			fields = nil
		}
		locales := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"en", "FR", "de"}), rapid.ID).Draw(t, "locales")
		var set release.LocaleSet
		if !rapid.Bool().Draw(t, "all locales") {
			set = r.Locales(locales)
		} else {
			locales = nil
		}
		wanted := release.AllFields
		if fields != nil {
			wanted = release.Fields(fields)
		}
		got := record.Append([]byte("prefix"), wanted, set)
		want := selectJSON(t, record.JSON(), fields, locales)
		if diff := cmp.Diff(want, string(canonical(t, got[len("prefix"):]))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestNeighboursJoinAsEachOfThemDoes(t *testing.T) {
	r := releasetest.Release(t, id, "more", "yet_more")
	kinds := []release.Records{r.Categories, r.Elements}
	sets := [][]string{nil, release.BriefFields, {"title", "category_id"}, {"category_id"}, {"title", "shape", "variables"}, {"context"}, {}}
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SampledFrom(kinds).Draw(t, "records")
		first := rapid.IntRange(0, len(records)).Draw(t, "first")
		records = records[first:rapid.IntRange(first, len(records)).Draw(t, "end")]
		fields := rapid.SampledFrom(sets).Draw(t, "fields")
		wanted := release.AllFields
		if fields != nil {
			wanted = release.Fields(fields)
		}
		locales := rapid.SampledFrom([][]string{nil, {}, {"en"}, {"fr"}, {"fr", "en"}, {"de"}}).Draw(t, "locales")
		var set release.LocaleSet
		if locales != nil {
			set = r.Locales(locales)
		}
		got := records.Append([]byte("["), wanted, set)
		want := "["
		for i := range records {
			if i > 0 {
				want += ","
			}
			want += selectJSON(t, records[i].JSON(), fields, locales)
		}
		if diff := cmp.Diff(want+"]", string(canonical(t, append(got, ']')))); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAReleaseMayHaveMoreLocalesThanAWordHasBits(t *testing.T) {
	tax := releasetest.Taxonomy(t, id)
	for i := range 70 {
		locale := "x-" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		tax.Locales = append(tax.Locales, locale)
		tax.Elements[0].Title = append(tax.Elements[0].Title, taxonomy.Text{Locale: locale, Value: "In " + locale})
	}
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	for _, locale := range []string{"en", "x-aa", "x-cj", "x-ck", "x-cl", "x-cr"} {
		got := string(r.Elements[0].Append(nil, release.Fields([]string{"title"}), r.Locales([]string{locale})))
		text, _ := tax.Elements[0].Title.Get(locale)
		want := `{"id":"safety","title":[{"locale":"` + locale + `","value":"` + text + `"}]}`
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// selectJSON does slowly, on decoded JSON, what records do by joining.
func selectJSON(t *rapid.T, whole []byte, fields, locales []string) string {
	var object map[string]any
	if err := json.Unmarshal(whole, &object); err != nil {
		t.Fatal(err)
	}
	for name := range object {
		keep := fields == nil || name == "id"
		for _, f := range fields {
			keep = keep || f == name
		}
		if !keep {
			delete(object, name)
		}
	}
	data, err := json.Marshal(keepLocales(object, locales))
	if err != nil {
		t.Fatal(err)
	}
	return string(canonical(t, data))
}

func keepLocales(v any, locales []string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = keepLocales(member, locales)
		}
	case []any:
		kept := []any{}
		for _, item := range v {
			if m, ok := item.(map[string]any); ok && m["locale"] != nil {
				wanted := locales == nil
				for _, l := range locales {
					wanted = wanted || strings.EqualFold(l, m["locale"].(string))
				}
				if !wanted {
					continue
				}
			}
			kept = append(kept, keepLocales(item, locales))
		}
		return kept
	}
	return v
}

func canonical(t *rapid.T, data []byte) []byte {
	v := jsontext.Value(bytes.Clone(data))
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// TestIconsAreTheOnesOfTheirFormat guards the number under which icons are
// stored: bytes that change under the same number would be served from old
// stores as they were, and composed as they are now.
func TestIconsAreTheOnesOfTheirFormat(t *testing.T) {
	const format1 = "11254a0e7fb0459e0331571b87a794d27cbafebc25973549b60988f1fb09ac01"
	r := releasetest.Release(t, id)
	var all []byte
	for n, e := range r.Taxonomy.Elements {
		for _, variant := range e.IconVariants {
			svg, _, _ := r.Icon(n, variant)
			all = append(all, svg...)
		}
	}
	if got := release.Digest(all); got != format1 {
		t.Errorf("icons are drawn differently (%s): raise iconFormat, and put the new digest here", got)
	}
}
