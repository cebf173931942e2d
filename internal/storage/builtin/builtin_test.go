package builtin_test

import (
	"bytes"
	"image"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/datachain"
	"placard/internal/core/icon"
	"placard/internal/core/release"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/show/raster"
	"placard/internal/storage/builtin"
	"placard/scripts/envtest"
)

// compile compiles all releases of the tree.
func compile(t *testing.T) []*release.Release {
	t.Helper()
	ids, problems := source.Releases(envtest.BuiltinTree())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var releases []*release.Release
	for _, id := range ids {
		tax, problems := source.Load(envtest.BuiltinTree(), id)
		for _, p := range problems {
			t.Error(p)
		}
		if tax == nil {
			t.FailNow()
		}
		r, err := release.Compile(tax)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, r)
	}
	return releases
}

func TestEmbeddedReleasesAreUpToDate(t *testing.T) {
	store := builtin.Store()
	index, err := store.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compiled := compile(t)
	if len(index.Releases) != len(compiled) {
		t.Fatalf("%d releases are embedded, but the tree has %d; run make generate", len(index.Releases), len(compiled))
	}
	for i, r := range compiled {
		e := index.Releases[i]
		if _, err := store.Load(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		files, err := r.Files()
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for name, data := range files {
			names[name] = true
			embedded, err := fs.ReadFile(store.FS, path.Join(e.Path, name))
			if err != nil || !bytes.Equal(embedded, data) {
				t.Fatalf("%s of %s is out of date (%v); run make generate", name, e.ID, err)
			}
		}
		err = fs.WalkDir(store.FS, e.Path, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !names[strings.TrimPrefix(name, e.Path+"/")] {
				t.Errorf("%s is obsolete; run make generate", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestTaxonomyUsesEveryFeature(t *testing.T) {
	for _, r := range compile(t) {
		tax := r.Taxonomy
		has := map[string]bool{}
		if len(tax.Categories) < 9 || len(tax.Elements) < 60 || len(tax.Type.Subchains) == 0 {
			t.Errorf("%s: got %d categories, %d elements and %d subchains, want at least 9, 60 and 1", tax.ID, len(tax.Categories), len(tax.Elements), len(tax.Type.Subchains))
		}
		if got := strings.Join(tax.Locales, " "); got != "en fr es ja" {
			t.Errorf("%s: got locales %s, want en fr es ja", tax.ID, got)
		}
		for _, c := range tax.Categories {
			has[string(c.Shape)] = true
			has["required category"] = has["required category"] || c.Required
			has["cardinality"] = has["cardinality"] || c.MinElements > 0 && c.MaxElements > 0
			if c.Context != nil {
				for _, v := range c.Context.Values {
					has["context value with a colour"] = has["context value with a colour"] || v.Tinted
					has["context value without a colour"] = has["context value without a colour"] || !v.Tinted
					has["context value with a limit"] = has["context value with a limit"] || v.MaxPlacements > 0
				}
			}
			for _, v := range c.Variables {
				has[string(v.Kind)] = true
				has["variable required for some elements"] = has["variable required for some elements"] || v.RequiredFor != nil
			}
		}
		symbols := map[string]string{}
		for _, e := range tax.Elements {
			has["element context"] = has["element context"] || e.Context != nil
			has["required element"] = has["required element"] || e.Required
			has["element that excludes others"] = has["element that excludes others"] || e.Excludes != nil
			svg := string(tax.Symbols[e.SymbolID])
			if other, taken := symbols[svg]; taken {
				t.Errorf("%s: %s and %s have the same symbol", tax.ID, e.ID, other)
			}
			symbols[svg] = e.ID
			if !strings.Contains(svg, `viewBox="0 0 36 36"`) || !strings.Contains(svg, "currentColor") {
				t.Errorf("%s: the symbol of %s does not have a 36 by 36 view box or does not use currentColor", tax.ID, e.ID)
			}
		}
		for _, want := range append(taxonomy.KindNames(),
			"circle", "hexagon", "octagon", "rounded-square", "required category", "cardinality", "context value with a colour", "context value without a colour",
			"context value with a limit", "variable required for some elements", "element context", "required element", "element that excludes others",
		) {
			if !has[want] {
				t.Errorf("%s has no %s", tax.ID, want)
			}
		}
	}
}

func TestComposedIconsEqualBakedIcons(t *testing.T) {
	for _, r := range compile(t) {
		files, err := r.Files()
		if err != nil {
			t.Fatal(err)
		}
		withoutIcons := make(fstest.MapFS)
		for name, data := range files {
			if name != "icons.pack" {
				withoutIcons[name] = &fstest.MapFile{Data: data}
			}
		}
		composed, err := release.Decode(withoutIcons)
		if err != nil {
			t.Fatal(err)
		}
		for n, e := range r.Taxonomy.Elements {
			for _, variant := range e.IconVariants {
				want, baked, _ := r.Icon(n, variant)
				if !baked {
					t.Errorf("%s: icon %s of %s is not baked", r.ID(), variant, e.ID)
				}
				got, baked, _ := composed.Icon(n, variant)
				if baked || !bytes.Equal(got, want) {
					t.Errorf("%s: the composed icon %s of %s differs", r.ID(), variant, e.ID)
				}
			}
		}
	}
}

func TestSymbolsAreAboutTheSameSize(t *testing.T) {
	const scale = 8 // pixels per unit
	sizes := map[string]image.Rectangle{}
	seen := map[string][]byte{}
	for _, r := range compile(t) {
		for id, svg := range r.Taxonomy.Symbols {
			if other, ok := seen[id]; ok {
				if !bytes.Equal(svg, other) {
					t.Errorf("symbol %s differs between releases", id)
				}
				continue
			}
			seen[id] = svg
			symbol, found := icon.ParseSymbol(svg)
			if symbol == nil {
				t.Fatal(found)
			}
			drawing, err := raster.Parse(symbol.SVG())
			if err != nil {
				t.Fatal(err)
			}
			img, err := drawing.Image(36*scale, nil)
			if err != nil {
				t.Fatal(err)
			}
			sizes[id] = inkedArea(img)
		}
	}
	for id, area := range sizes {
		width, height := float64(area.Dx())/scale, float64(area.Dy())/scale
		if larger := max(width, height); larger < 18 || larger > 22 {
			t.Errorf("symbol %s is %g by %g units, want 18 to 22 in the larger dimension", id, width, height)
		}
		middle := area.Min.Add(area.Max)
		for _, doubled := range []int{middle.X, middle.Y} {
			if off := float64(doubled)/2/scale - 18; off < -0.75 || off > 0.75 {
				t.Errorf("the middle of symbol %s is %g units from the middle of the icon, want at most 0.75", id, off)
			}
		}
	}
}

// inkedArea returns the smallest rectangle that contains all painted pixels.
func inkedArea(img *image.RGBA) image.Rectangle {
	var area image.Rectangle
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.RGBAAt(x, y).A > 0x7F {
				area = area.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return area
}

func TestEachReleaseHasThreeValidExamples(t *testing.T) {
	for _, r := range compile(t) {
		names, err := fs.Glob(envtest.BuiltinTree(), r.ID().Folder()+"/examples/*.json")
		if err != nil || len(names) != 3 {
			t.Errorf("%s: got examples %v (%v), want three", r.ID(), names, err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(envtest.BuiltinTree(), name)
			if err != nil {
				t.Fatal(err)
			}
			doc, report, err := datachain.Parse(data, nil)
			if err != nil || !report.OK() {
				t.Fatalf("%s: %v %v", name, err, report.Errors)
			}
			if doc.SchemaVersion != r.ID() || len(doc.Elements) < 10 {
				t.Errorf("%s: got version %s with %d elements, want %s with at least 10", name, doc.SchemaVersion, len(doc.Elements), r.ID())
			}
			for locale, notice := range map[string]string{"en": "are invented.", "fr": "sont inventés.", "es": "son inventados.", "ja": "架空のものです。）"} {
				if text, _ := doc.Description.Get(locale); !strings.HasSuffix(text, notice) {
					t.Errorf("%s: the description in %s ends in %q, not in a notice that the example is invented", name, locale, text)
				}
			}
			report, err = datachain.Validate(doc, r.Schema(), nil)
			if err != nil || len(report.Errors) > 0 || len(report.Warnings) > 0 {
				t.Errorf("%s: %v %v %v", name, err, report.Errors, report.Warnings)
			}
		}
	}
}

// breakableSpace matches a space at which a line of French text must not end.
var breakableSpace = regexp.MustCompile(`[^ \n]*(« |[ \n]+[;:?!»])`)

func TestFrenchPunctuationStaysWithItsWord(t *testing.T) {
	tree := envtest.BuiltinTree()
	err := fs.WalkDir(tree, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".yaml" && path.Ext(name) != ".json" {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		for _, found := range breakableSpace.FindAll(data, -1) {
			t.Errorf("%s: %q needs a no-break space", name, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestVariablesInTitlesAreRequired(t *testing.T) {
	for _, r := range compile(t) {
		for _, e := range r.Taxonomy.Elements {
			for _, title := range e.Title {
				for p := range taxonomy.Placeholders(title.Value) {
					required := func(v taxonomy.Variable) bool { return v.ID == p.VariableID && v.Required }
					if !slices.ContainsFunc(e.Variables, required) {
						t.Errorf("%s: the title of %s shows %q, which is not required", r.ID(), e.ID, p.VariableID)
					}
				}
			}
		}
	}
}

// A finished disclosure has no findings. One in which the operator, access,
// retention and contact are unknown has a finding for each of them.
func TestDisclosuresFromBriefDescriptions(t *testing.T) {
	releases := map[taxonomy.ID]*release.Release{}
	for _, r := range compile(t) {
		releases[r.ID()] = r
	}
	for file, want := range map[string][]string{
		"library_counter.json": nil,
		"station_falls.json": {
			`REQUIRED_CATEGORY_MISSING "access"`, `REQUIRED_CATEGORY_MISSING "accountable"`, `REQUIRED_CATEGORY_MISSING "choices"`,
			`REQUIRED_CATEGORY_MISSING "retention"`, `element_required "contact_point"`,
		},
	} {
		data, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		doc, report, err := datachain.Parse(data, nil)
		if err != nil || !report.OK() {
			t.Fatalf("%s: %v %v", file, err, report.Errors)
		}
		report, err = datachain.Validate(doc, releases[doc.SchemaVersion].Schema(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range slices.Concat(report.Errors, report.Warnings) {
			got = append(got, string(p.Code)+" "+quoted.FindString(p.Message))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestSearchFindsElementsByCommonWords(t *testing.T) {
	for _, r := range compile(t) {
		for _, tc := range []struct{ locale, query, want string }{
			{"en", "thermal people counter", "people_counter"},
			{"en", "anonymous counts", "head_count"},
			{"en", "planning department", "other_departments"},
			{"en", "fall detection", "incident_detection"},
			{"fr", "détection de chutes", "incident_detection"},
			{"fr", "alerter un agent", "staff_alert"},
			{"fr", "essai", "limited_trial"},
			{"fr", "aucune décision automatisée", "no_automated_action"},
			{"es", "otro departamento", "other_departments"},
			{"es", "caída", "incident_detection"},
			{"ja", "転倒検知", "incident_detection"},
			{"ja", "部署", "other_departments"},
		} {
			index, _ := r.Search(tc.locale)
			hits := index.Search(tc.query, nil)
			if len(hits) == 0 || r.Taxonomy.Elements[hits[0].Doc].ID != tc.want {
				t.Errorf("%s: the first of %d hits for %q is not %s", r.ID(), len(hits), tc.query, tc.want)
			}
		}
	}
}

var quoted = regexp.MustCompile(`"[^"]*"`)
