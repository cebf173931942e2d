package sign

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/show/qr"
	"placard/internal/show/view"
	"placard/internal/storage/builtin"
	"placard/scripts/envtest"
)

const address = "https://aldermere.example.org/sensors/linden-avenue"

// code returns the code of an address.
func code(tb testing.TB, address string) qr.Code {
	tb.Helper()
	c, err := qr.Encode(address)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

var builtinRelease = sync.OnceValues(func() (*release.Release, error) {
	store := builtin.Store()
	index, err := store.Index(context.Background())
	if err != nil {
		return nil, err
	}
	for _, e := range index.Releases {
		if e.ID.Status == taxonomy.Stable {
			return store.Load(context.Background(), e)
		}
	}
	return nil, errors.New("no stable release")
})

var exampleNames = []string{"river_watch", "smart_crossing", "station_gates"}

// example returns the models of a built-in example in the given locales.
func example(tb testing.TB, name string, locales ...string) []*view.Model {
	tb.Helper()
	r, err := builtinRelease()
	if err != nil {
		tb.Fatal(err)
	}
	data, err := fs.ReadFile(envtest.BuiltinTree(), "place/2026-06-01-stable/examples/"+name+".json")
	if err != nil {
		tb.Fatal(err)
	}
	doc, report, err := datachain.Parse(data, nil)
	if err != nil || doc == nil {
		tb.Fatal(err, report.Errors)
	}
	var models []*view.Model
	for _, locale := range locales {
		m, err := view.Thin(doc, r).Model(locale, nil)
		if err != nil {
			tb.Fatal(err)
		}
		models = append(models, m)
	}
	return models
}

// localePairs lists combinations of one and two languages.
var localePairs = envtest.Sample(3, [][]string{{"ja"}, {"fr", "en"}, {"es", "ja"}, {"en"}, {"fr"}, {"es"}, {"en", "fr"}, {"ja", "en"}})

// written returns a model with the given texts in all places, and n highlights.
func written(locale string, n int, title, name, caption string) *view.Model {
	dir := view.Direction(locale)
	text := func(s string) view.Text { return view.Text{Text: s, Dir: dir} }
	m := &view.Model{
		Locale: locale, Direction: dir, Kind: text(caption), Title: text(title),
		Responsible: &view.Responsible{Name: text(title), Contacts: []view.Action{
			{Href: "mailto:x", Target: view.Text{Text: "data-protection@some-quite-long-name.example.org"}},
			{Href: "tel:x", Target: view.Text{Text: "+49 30 901820"}},
		}},
		Choices: make([]view.Placement, 1),
	}
	for i := range n {
		m.Highlights = append(m.Highlights, view.Highlight{
			Heading: text(fmt.Sprintf("%s %d", name, i)), Icon: view.Icon{SVG: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36" width="36" height="36"><circle cx="18" cy="18" r="18"/></svg>`},
			Context: &view.Context{Name: text(caption), Value: text(caption)},
		})
	}
	return m
}

// difficult are texts that are hard to fit.
var difficult = map[string]func(n int) []*view.Model{
	"German": func(n int) []*view.Model {
		return []*view.Model{written("de", n, "Verkehrsüberwachungsanlage an der Straßenbahnhaltestelle Donaudampfschifffahrtsgesellschaft", "Kennzeichenerkennung und Fußgängerzählung", "Identifizierbarkeit ausgeschlossen")}
	},
	"Finnish": func(n int) []*view.Model {
		return []*view.Model{written("fi", n, "Liikennevalojärjestelmä Hämeentien risteyksessä", "Epäjärjestelmällistyttämättömyys", "Tunnistettavuus"), written("sv", n, "Trafikljus vid Tavastvägen", "Övergångsställe", "Identifiering")}
	},
	"Arabic": func(n int) []*view.Model {
		return []*view.Model{written("ar", n, "معبر ذكي في شارع الزيزفون", "كاميرا حرارية", "لا يمكن التعرف على أحد"), written("en", n, "Smart crossing on Linden Avenue", "Thermal camera", "Nobody is identified")}
	},
	"Hebrew": func(n int) []*view.Model {
		return []*view.Model{written("he", n, "מעבר חציה חכם בשדרות הטיליה", "מצלמה תרמית", "אי אפשר לזהות אנשים")}
	},
	"Thai": func(n int) []*view.Model {
		return []*view.Model{written("th", n, "ทางข้ามอัจฉริยะบนถนนลินเดน", "กล้องความร้อน", "ไม่มีการระบุตัวตน")}
	},
	"Vietnamese": func(n int) []*view.Model {
		return []*view.Model{written("vi", n, "Lối qua đường thông minh trên đại lộ Linden", "Máy ảnh nhiệt", "Không nhận dạng được người")}
	},
	"Greek": func(n int) []*view.Model {
		return []*view.Model{written("el", n, "Έξυπνη διάβαση στη λεωφόρο Φιλύρας", "Θερμική κάμερα", "Δεν αναγνωρίζεται κανείς")}
	},
	"Russian": func(n int) []*view.Model {
		return []*view.Model{written("ru", n, "Умный переход на Липовом проспекте", "Тепловизионная камера", "Никого нельзя опознать")}
	},
	"Chinese": func(n int) []*view.Model {
		return []*view.Model{written("zh", n, "林登大道智能人行横道，由阿尔德米尔市街道管理局负责运营", "热成像摄像机", "无法识别任何人")}
	},
	"Korean": func(n int) []*view.Model {
		return []*view.Model{written("ko", n, "린든 애비뉴 스마트 횡단보도", "열화상 카메라", "아무도 식별할 수 없음")}
	},
	"long": func(n int) []*view.Model {
		long := strings.Repeat("a very long text with many words ", 500)
		return []*view.Model{written("en", n, long, long, long), written("fr", n, "é "+long, "é "+long, "é "+long)}
	},
	"one word": func(n int) []*view.Model {
		word := strings.Repeat("w", 5000)
		return []*view.Model{written("en", n, word, word, word)}
	},
	"marks": func(n int) []*view.Model {
		marks := "a" + strings.Repeat("\u0301", 5000) + strings.Repeat("\u2060", 5000)
		return []*view.Model{written("en", n, marks, marks, marks)}
	},
	"markup": func(n int) []*view.Model {
		markup := `</text><script>alert("1")</script>&amp;` + "\u202E\U0001F600"
		return []*view.Model{written("en", n, markup, markup, markup)}
	},
	"empty": func(n int) []*view.Model { return []*view.Model{{Locale: "en", Direction: "ltr"}} },
}

func layoutOf(tb testing.TB, models []*view.Model, opts Options) *layout {
	tb.Helper()
	l, err := arrange(models, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

var exampleLayouts = make(map[string]*layout)

// exampleLayout returns the layout of a built-in example, which tests share.
func exampleLayout(tb testing.TB, name string, locales []string, size Size) *layout {
	tb.Helper()
	key := fmt.Sprint(name, locales, size.Name)
	if exampleLayouts[key] == nil {
		exampleLayouts[key] = layoutOf(tb, example(tb, name, locales...), Options{Code: code(tb, address), Size: size})
	}
	return exampleLayouts[key]
}

// elementIDs returns the ids of the elements that are placed.
func elementIDs(m *view.Model) []string {
	return slices.DeleteFunc(m.PlacedIDs(), func(id string) bool {
		h, _ := m.Placed(id)
		return h.ElementID != id
	})
}

func TestLists(t *testing.T) {
	if diff := cmp.Diff([]string{"Gate camera", "sound"}, ParseElements(" Gate camera, ,sound")); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	for list, want := range map[string][]string{"": {""}, "en": {"en"}, "en, fr-CA": {"en", "fr-CA"}, "en,,fr": nil, "en,": nil, "en,fr,es": nil, "e_n": nil} {
		got, err := ParseLocales(list)
		p, ok := errors.AsType[problem.Problem](err)
		if diff := cmp.Diff(want, got); diff != "" || (want == nil) != (ok && p.Path.String() == "locale" && p.FixHint != "") {
			t.Errorf("%q: got error %v, locales (-want +got):\n%s", list, err, diff)
		}
	}
}

func TestTwoPagesInOneLanguageAreOne(t *testing.T) {
	one, err := Render(example(t, "smart_crossing", "en"), Options{Code: code(t, address)})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Render(example(t, "smart_crossing", "en", "de"), Options{Code: code(t, address)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(one.SVG), string(two.SVG)); diff != "" {
		t.Errorf("sign (-one +two):\n%s", diff)
	}
}

func TestSignsAreWellFormed(t *testing.T) {
	for name, models := range difficult {
		s, err := Render(models(6), Options{Code: code(t, address)})
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range [][]byte{s.SVG, s.HTML()[len("<!doctype html>"):]} {
			decoder := xml.NewDecoder(bytes.NewReader(document))
			decoder.Strict = document[0] == '<' && bytes.HasPrefix(document, []byte("<svg"))
			decoder.AutoClose = []string{"meta"}
			for {
				token, err := decoder.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if start, ok := token.(xml.StartElement); ok && start.Name.Local == "script" {
					t.Errorf("%s: the sign contains a script", name)
				}
			}
		}
	}
}

func TestDrawIsStable(t *testing.T) {
	models := []*view.Model{
		written("en", 5, "Smart crossing on Linden Avenue", "Thermal camera", "Nobody is identified"),
		written("fr", 5, "Passage piéton intelligent, avenue des Tilleuls", "Caméra thermique", "Personne n’est identifié"),
	}
	s, err := Render(models, Options{Code: code(t, address)})
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "sign.svg.golden")
	if *update {
		if err := os.WriteFile(golden, s.SVG, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(s.SVG)); diff != "" {
		t.Errorf("sign (-want +got):\n%s", diff)
	}
}

func TestElementsAreShownInTheirOrder(t *testing.T) {
	models := example(t, "smart_crossing", "en")
	ids := []string{"never_stored", "city_streets", "thermal_camera"}
	l := layoutOf(t, models, Options{Code: code(t, address), Elements: ids})
	var got, want []string
	for i, c := range l.cells {
		got = append(got, c.icon)
		h, _ := models[0].Placed(ids[i])
		want = append(want, h.Icon.SVG)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != len(ids) {
		t.Errorf("icons (-want +got):\n%s", diff)
	}
	// The document has another organisation and another retention.
	for i := range 2 {
		if w := l.cells[i].words[0]; l.sizeOf(w.count) == 0 || w.count.original != "and\u00A01\u00A0more" {
			t.Errorf("%q: got the number %q", w.name.original, w.count.original)
		}
	}
}

func TestInvalidOptionsAreExplained(t *testing.T) {
	models := example(t, "smart_crossing", "en")
	many := elementIDs(models[0])[:MaxElements+1]
	for name, test := range map[string]struct {
		opts       Options
		path, hint string
	}{
		"misspelt element": {Options{Code: code(t, address), Elements: []string{"thermal_camra"}}, "elements", `"thermal_camera"`},
		"unknown element":  {Options{Code: code(t, address), Elements: []string{"zzzzzzzz"}}, "elements", "accessible_travel"},
		"element twice":    {Options{Code: code(t, address), Elements: []string{"thermal_camera", "never_stored", "thermal_camera"}}, "elements", "once"},
		"placement twice":  {Options{Code: code(t, address), Elements: []string{"city_streets", "public_authority"}}, "elements", "once"},
		"many elements":    {Options{Code: code(t, address), Elements: many}, "elements", "most important"},
	} {
		_, err := Render(models, test.opts)
		p, ok := errors.AsType[problem.Problem](err)
		if !ok || p.Code != problem.BadRequest || p.Path.String() != test.path || !strings.Contains(p.FixHint, test.hint) {
			t.Errorf("%s: got %v with path %q and hint %q, want path %q and hint %q", name, err, p.Path, p.FixHint, test.path, test.hint)
		}
	}
	if _, err := ParseSize("a5"); err != nil {
		t.Error(err)
	}
	if _, err := ParseSize("A6"); err == nil {
		t.Error("ParseSize accepts A6")
	}
}

func TestDrawStopsIfStepFails(t *testing.T) {
	want := errors.New("the time is up")
	_, err := Render(difficult["long"](6), Options{Code: code(t, address), Step: func() error { return want }})
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func TestASignWithoutContactIsAnError(t *testing.T) {
	m := written("en", 4, "Smart crossing", "Thermal camera", "Nobody is identified")
	m.Responsible.Contacts[0].Target.Text = strings.Repeat("一", 1<<20) + "@example.org"
	_, err := Render([]*view.Model{m}, Options{Code: code(t, address)})
	if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.BadRequest || p.FixHint == "" || len(p.Message) > 500 {
		t.Errorf("got error %.200v, want a problem with a hint", err)
	}
}

func TestASignWithoutRoomForThePlacementsIsAnError(t *testing.T) {
	m := written("en", 60, "Smart crossing", "Thermal camera", "Nobody is identified")
	_, err := Render([]*view.Model{m}, Options{Code: code(t, address)})
	if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.BadRequest || p.FixHint == "" {
		t.Errorf("got error %v, want a problem with a hint", err)
	}
}
