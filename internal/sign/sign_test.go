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

	"placard/internal/builtin"
	"placard/internal/datachain"
	"placard/internal/problem"
	"placard/internal/qr"
	"placard/internal/release"
	"placard/internal/taxonomy"
	"placard/internal/testenv"
	"placard/internal/view"
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
	data, err := fs.ReadFile(testenv.BuiltinTree(), "place/2026-06-01-stable/examples/"+name+".json")
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
var localePairs = [][]string{{"en"}, {"fr"}, {"es"}, {"ja"}, {"en", "fr"}, {"fr", "en"}, {"es", "ja"}, {"ja", "en"}}

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

// textBox returns the box that the characters of a line take.
func (l *layout) textBox(s *shape) box {
	width := s.line.width * s.size
	b := s.box
	switch {
	case s.anchor == atMiddle:
		b.x += (b.width - width) / 2
	case l.rtl:
		b.x += b.width - width
	}
	b.width = width
	return b
}

func (b box) overlaps(c box) bool {
	const tolerance = 0.05
	return b.x+b.width > c.x+tolerance && c.x+c.width > b.x+tolerance && b.y+b.height > c.y+tolerance && c.y+c.height > b.y+tolerance
}

// checkGeometry checks that everything is inside the margins and that nothing
// overlaps.
func checkGeometry(t *testing.T, l *layout) {
	t.Helper()
	var boxes []box
	for i := range l.shapes {
		s := &l.shapes[i]
		b := s.box
		margin := l.margin
		switch {
		case s.text != nil:
			b = l.textBox(s)
		case s.isCode:
			margin = 0 // its quiet zone is white
		case s.icon == "" && b.y == 0:
			if b.height > l.size.Height/2 {
				t.Errorf("the band is %.0f mm high", b.height)
			}
			continue
		}
		const tolerance = 0.05
		if b.x < margin-tolerance || b.x+b.width > l.size.Width-margin+tolerance || b.y < bandTop*l.unit-tolerance || b.y+b.height > l.size.Height-margin+tolerance {
			t.Errorf("%q is outside the margins: %+v", s.line.text, b)
		}
		for k, other := range boxes {
			if b.overlaps(other) {
				t.Errorf("%q overlaps box %d: %+v, %+v", s.line.text, k, b, other)
			}
		}
		boxes = append(boxes, b)
	}
}

func TestNothingOverlaps(t *testing.T) {
	for _, size := range Sizes {
		for _, name := range exampleNames {
			for _, locales := range localePairs {
				models := example(t, name, locales...)
				ids := elementIDs(models[0])
				for n := range MaxElements + 1 {
					t.Run(fmt.Sprint(size.Name, name, locales, n), func(t *testing.T) {
						l := layoutOf(t, models, Options{Code: code(t, address), Size: size, Elements: ids[:n]})
						checkGeometry(t, l)
						if len(l.shortened) > 0 {
							t.Errorf("shortened texts: %q", l.shortened)
						}
						if got, want := l.iconCount(), len(l.cells); got != want {
							t.Errorf("got %d icons, want %d", got, want)
						}
					})
				}
			}
		}
	}
}

// elementIDs returns the ids of the elements that are placed.
func elementIDs(m *view.Model) []string {
	return slices.DeleteFunc(m.PlacedIDs(), func(id string) bool {
		h, _ := m.Placed(id)
		return h.ElementID != id
	})
}

func (l *layout) iconCount() int {
	count := 0
	for i := range l.shapes {
		if l.shapes[i].icon != "" {
			count++
		}
	}
	return count
}

func TestDifficultTextsDoNotOverlap(t *testing.T) {
	longest := "https://example.org/" + strings.Repeat("a", 130)
	for _, size := range Sizes {
		for name, models := range difficult {
			for n := range MaxElements + 1 {
				t.Run(fmt.Sprint(size.Name, name, n), func(t *testing.T) {
					l := layoutOf(t, models(n), Options{Code: code(t, longest), Size: size})
					checkGeometry(t, l)
					if got, want := l.iconCount(), len(l.cells); got != want {
						t.Errorf("got %d icons, want %d", got, want)
					}
					if l.sizeOf(l.address) > 0 || !slices.Contains(l.shortened, l.address.original) {
						t.Errorf("the missing address of the page is not reported: %.100q", l.shortened)
					}
					if cut := len(l.shortened) > 1; cut != slices.Contains([]string{"long", "one word"}, name) {
						t.Errorf("shortened texts: %.100q", l.shortened)
					}
				})
			}
		}
	}
}

func TestRowsAreApart(t *testing.T) {
	for _, size := range Sizes {
		for _, name := range exampleNames {
			for _, locales := range localePairs {
				l := layoutOf(t, example(t, name, locales...), Options{Code: code(t, address), Size: size})
				x, bottom := 0.0, 0.0 // of the icon and the words above
				for i := 0; i < len(l.shapes); {
					icon := &l.shapes[i]
					if i++; icon.icon == "" {
						continue
					}
					top, end := icon.box.y, icon.box.y+icon.box.height
					for ; i < len(l.shapes) && l.shapes[i].text != nil; i++ {
						b := l.shapes[i].box
						top, end = min(top, b.y), max(end, b.y+b.height)
					}
					if gap := (top - bottom) / size.unit(); icon.box.x == x && gap < 3.9 {
						t.Errorf("%s %s %v: two rows are only %.1f mm apart", size.Name, name, locales, gap)
					}
					x, bottom = icon.box.x, end
				}
			}
		}
	}
}

// Heights in em.
const (
	capitalHeight = 0.716
	xHeight       = 0.519
)

func TestTheSizesOfA4AreReadable(t *testing.T) {
	for _, name := range exampleNames {
		for _, locales := range localePairs {
			l := layoutOf(t, example(t, name, locales...), Options{Code: code(t, address)})
			smallest, smallestX, smallestIcon := 6.8, 3.4, 28.0
			if len(locales) > 1 {
				smallest, smallestX, smallestIcon = 6, 3, 21
			}
			for i := range l.shapes {
				switch s := &l.shapes[i]; {
				case s.icon != "" && s.box.width < smallestIcon:
					t.Errorf("%s %v: an icon is %.1f mm wide", name, locales, s.box.width)
				case s.isCode && (s.box.width < 38 || s.box.width/float64(l.code.Size) < 0.8):
					t.Errorf("%s %v: the code is %.1f mm wide", name, locales, s.box.width)
				case s.text != nil && s.size < 4:
					t.Errorf("%s %v: %q is only %.1f mm high", name, locales, s.line.text, s.size)
				}
			}
			for _, c := range l.cells {
				for _, w := range c.words {
					if got := l.sizeOf(w.name) * capitalHeight; got < smallest {
						t.Errorf("%s %v: the capitals of %q are only %.2f mm high", name, locales, w.name.original, got)
					}
					if got := l.sizeOf(w.caption) * xHeight; got > 0 && got < smallestX {
						t.Errorf("%s %v: the small letters of %q are only %.2f mm high", name, locales, w.caption.original, got)
					}
				}
			}
		}
	}
}

func TestTheMostImportantLinesAreLarge(t *testing.T) {
	for _, size := range Sizes {
		for _, name := range exampleNames {
			for _, locales := range append(localePairs, []string{"es", "fr"}) {
				l := layoutOf(t, example(t, name, locales...), Options{Code: code(t, address), Size: size})
				for _, c := range l.cells {
					for _, w := range c.words {
						if got := l.sizeOf(w.caption) / l.unit; c.isAnswer && got < 6.9 {
							t.Errorf("%s %s %v: %q is only %.1f mm high", size.Name, name, locales, w.caption.original, got)
						}
					}
				}
				if got := l.sizeOf(l.contacts[0]) / l.unit; got < 7.5 {
					t.Errorf("%s %s %v: the address of the organisation is only %.1f mm high", size.Name, name, locales, got)
				}
				for _, line := range []*text{l.kinds[0], l.others[0]} {
					if l.sizeOf(line) == 0 {
						t.Errorf("%s %s %v: %q is not shown", size.Name, name, locales, line.original)
					}
				}
			}
		}
	}
}

func TestPapersOfOneShapeHaveTheSameTexts(t *testing.T) {
	for _, name := range exampleNames {
		for _, locales := range localePairs {
			var want []string
			for i, size := range []string{"A3", "A4", "A5"} {
				s, err := ParseSize(size)
				if err != nil {
					t.Fatal(err)
				}
				l := layoutOf(t, example(t, name, locales...), Options{Code: code(t, address), Size: s})
				var lines []string
				for k := range l.shapes {
					lines = append(lines, l.shapes[k].line.text)
				}
				if i == 0 {
					want = lines
				} else if diff := cmp.Diff(want, lines); diff != "" {
					t.Errorf("%s %v: lines (-A3 +%s):\n%s", name, locales, size, diff)
				}
			}
		}
	}
}

func TestTheLanguagesAreInColumns(t *testing.T) {
	for _, size := range Sizes {
		for n := 1; n <= MaxElements; n++ {
			models := []*view.Model{written("en", n, "Crossing", "Radar", "Always on"), written("fr", n, "Passage", "Radar", "Toujours actif")}
			l := layoutOf(t, models, Options{Code: code(t, address), Size: size})
			for _, c := range l.cells {
				if first, second := l.boxOf(c.words[0].name), l.boxOf(c.words[1].name); second.x < first.x+first.width || second.y != first.y {
					t.Errorf("%s: got %+v and %+v for the languages of %q", size.Name, first, second, c.words[0].name.original)
				}
			}
		}
	}
}

// boxOf returns the box of the first line of a text.
func (l *layout) boxOf(t *text) box {
	for i := range l.shapes {
		if l.shapes[i].text == t {
			return l.shapes[i].box
		}
	}
	return box{}
}

func TestAnOddNumberOfIconsLeavesNoGap(t *testing.T) {
	for _, size := range Sizes {
		l := layoutOf(t, example(t, "station_gates", "en"), Options{Code: code(t, address), Size: size})
		if len(l.cells)%2 == 0 {
			t.Fatal("the example has an even number of icons")
		}
		left := 0.0
		for i := range l.shapes {
			if s := &l.shapes[i]; s.icon != "" {
				if left = max(left, s.box.x); s.box.x != left {
					t.Errorf("%s: the icons are not in one column", size.Name)
				}
			}
		}
	}
}

func TestTheSecondLanguageIsAsLargeAsTheFirst(t *testing.T) {
	for _, size := range Sizes {
		for _, name := range exampleNames {
			for _, locales := range localePairs {
				l := layoutOf(t, example(t, name, locales...), Options{Code: code(t, address), Size: size})
				pairs := [][]*text{l.kinds, l.titles, l.responsible, l.invitations}
				for _, c := range l.cells {
					if len(c.words) == 2 {
						a, b := c.words[0], c.words[1]
						pairs = append(pairs, []*text{a.name, b.name}, []*text{a.count, b.count}, []*text{a.caption, b.caption}, []*text{a.also, b.also})
					}
				}
				for _, p := range pairs {
					if len(p) < 2 || p[0].isEmpty() || p[0].original == p[1].original {
						continue
					}
					if first, second := l.sizeOf(p[0]), l.sizeOf(p[1]); second < 0.8*first || first == 0 && second > 0 || p[0].weight != p[1].weight {
						t.Errorf("%s %s %v: %q is %.1f mm high, %q %.1f mm", size.Name, name, locales, p[0].original, first, p[1].original, second)
					}
				}
			}
		}
	}
}

func TestNothingSeemsToBeAllThereIs(t *testing.T) {
	for _, size := range Sizes {
		for _, name := range exampleNames {
			for _, locales := range localePairs {
				l := layoutOf(t, example(t, name, locales...), Options{Code: code(t, address), Size: size})
				for _, c := range l.cells {
					for _, w := range c.words {
						if !w.also.isEmpty() && l.sizeOf(w.also, w.count) == 0 {
							t.Errorf("%s %s %v: neither %q nor a number is shown", size.Name, name, locales, w.also.original)
						}
						if !w.caption.isEmpty() && l.sizeOf(w.caption) == 0 && !c.isExplaining {
							t.Errorf("%s %s %v: %q is not shown", size.Name, name, locales, w.caption.original)
						}
					}
				}
			}
		}
	}
}

func TestSecondAnswers(t *testing.T) {
	text := func(s string) view.Text { return view.Text{Text: s, Dir: "ltr"} }
	context := func(value string) *view.Context { return &view.Context{Value: text(value)} }
	phrases := phrasesFor("en")
	for _, test := range []struct {
		name string
		h    view.Highlight
		want string
	}{
		{"a label", view.Highlight{Heading: text("Never stored"), Also: &view.Highlight{Heading: text("Kept for 5 years"), Caption: text("Totals")}}, "Kept for 5 years\u00A0· Totals"},
		{"the same value", view.Highlight{Heading: text("Video"), Context: context("Always"), Also: &view.Highlight{Heading: text("Sound"), Context: context("Always")}}, "Sound"},
		{"another value", view.Highlight{Heading: text("Video"), Context: context("Always"), Also: &view.Highlight{Heading: text("Sound"), Context: context("Never")}}, "Sound\u00A0· Never"},
		{"another value and more", view.Highlight{Heading: text("Video"), Context: context("Always"), Also: &view.Highlight{Heading: text("Sound"), Context: context("Never"), Remaining: 1}}, "Sound\u00A0· Never\u00A0· and\u00A01\u00A0more"},
		{"the same element", view.Highlight{Heading: text("Video"), Context: context("Always"), Also: &view.Highlight{Heading: text("Video"), Caption: text("Door"), Context: context("Always")}}, ""},
	} {
		if also := phrases.also(&test.h); also.String() != test.want {
			t.Errorf("%s: got %q, want %q", test.name, also, test.want)
		}
	}
	for _, test := range []struct {
		locale string
		others int
		want   string
	}{
		{"en", 0, ""},
		{"en", 1, "and\u00A01\u00A0more"},
		{"fr", 1, "et\u00A01\u00A0autre"},
		{"fr-CA", 2, "et\u00A02\u00A0autres"},
		{"ja", 2, "ほか2件"},
		{"ar", 2, "+2"},
	} {
		if got := phrasesFor(test.locale).count(test.others).String(); got != test.want {
			t.Errorf("%s, %d others: got %q, want %q", test.locale, test.others, got, test.want)
		}
	}
}

func TestNumbersAndSecondAnswersAreInTheSmallLine(t *testing.T) {
	for _, name := range exampleNames {
		for _, elements := range [][]string{nil, elementIDs(example(t, name, "en")[0])[:MaxElements]} {
			l := layoutOf(t, example(t, name, "en", "fr"), Options{Code: code(t, address), Elements: elements})
			for _, c := range l.cells {
				for k, other := range []string{"more", "autre"} {
					if w := c.words[k]; strings.Contains(w.name.original, other) {
						t.Errorf("%s: the name %q contains a number", name, w.name.original)
					} else if w.also.weight != regular || w.count.weight != regular || !w.also.isEmpty() && l.sizeOf(w.also, w.count) >= l.sizeOf(w.name) {
						t.Errorf("%s: the line %q is as prominent as the name", name, w.also.original)
					}
				}
			}
		}
	}
}

func TestOtherOrganisationsAreCounted(t *testing.T) {
	for _, test := range []struct {
		remaining int
		want      string
	}{{0, ""}, {1, "and\u00A01\u00A0more"}, {3, "and\u00A03\u00A0more"}} {
		m := written("en", 4, "City of Aldermere", "Thermal camera", "Nobody is identified")
		m.Highlights[2].Heading, m.Highlights[2].Remaining = m.Responsible.Name, test.remaining
		l := layoutOf(t, []*view.Model{m}, Options{Code: code(t, address)})
		got := ""
		for i := range l.shapes {
			if s := &l.shapes[i]; slices.Contains(l.others, s.text) {
				got += s.line.text
			}
		}
		if got != test.want || len(l.cells) != 3 {
			t.Errorf("%d others: got %q and %d icons, want %q and 3 icons", test.remaining, got, len(l.cells), test.want)
		}
	}
}

func TestTheLastAnswerOfACategoryCountsTheOthers(t *testing.T) {
	highlights := []view.Highlight{{Category: "a", Remaining: 3}, {Category: "b", Remaining: 1}, {Category: "a", Remaining: 3}, {Remaining: 2}}
	countOthers(highlights)
	for i, want := range []int{0, 1, 2, 0} {
		if got := highlights[i].Remaining; got != want {
			t.Errorf("highlight %d: got %d others, want %d", i, got, want)
		}
	}
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

func TestNoColonFollowsAQuestionMarkOrAColon(t *testing.T) {
	for label, want := range map[string]string{"Active": "Active: always", "Can I be recognised?": "Can I be recognised? always", "Purpose:": "Purpose: always"} {
		h := view.Highlight{Context: &view.Context{Name: view.Text{Text: label}, Value: view.Text{Text: "always"}}}
		if got := phrasesFor("en").caption(&h).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWordsWithoutTranslationAreOmitted(t *testing.T) {
	if phrases := phrasesFor("ar"); phrases.learn != "" || phrases.learnAndAct != "" {
		t.Errorf("got the words %+v for Arabic", phrases)
	}
	if phrasesFor("fr-CA").learn != phrasesFor("FR").learn || phrasesFor("fr-CA").learn == "" {
		t.Error("the words for fr-CA are not those for French")
	}
}

// sizeOf returns the size of the first of the texts that is shown, or zero.
func (l *layout) sizeOf(texts ...*text) float64 {
	for i := range l.shapes {
		if t := l.shapes[i].text; t != nil && slices.Contains(texts, t) {
			return l.shapes[i].size
		}
	}
	return 0
}

func TestCaptionsOfBothLanguagesAreShownIfTheNameIsTheSame(t *testing.T) {
	models := []*view.Model{written("en", 2, "Crossing", "Radar", "Always on"), written("fr", 2, "Passage", "Radar", "Toujours actif")}
	l := layoutOf(t, models, Options{Code: code(t, address)})
	for _, c := range l.cells {
		if len(c.words) != 2 || l.sizeOf(c.words[1].caption) == 0 {
			t.Errorf("the second caption below %q is missing", c.words[0].name.original)
		}
	}
}

func TestTheFirstContextValueAndScalesAreProminent(t *testing.T) {
	models := []*view.Model{written("en", 4, "Crossing", "Radar", "Groups only"), written("fr", 4, "Passage", "Radar", "Groupes seulement")}
	for _, m := range models {
		m.Highlights[0].Context = nil
		m.Highlights[3].Context.Scale = []bool{true, false}
	}
	l := layoutOf(t, models, Options{Code: code(t, address)})
	for i, c := range l.cells {
		for _, w := range c.words {
			if got, want := w.caption.weight == bold && w.caption.color == ink, i == 1 || i == 3; got != want && i > 0 {
				t.Errorf("cell %d: %q is prominent: got %v, want %v", i, w.caption.original, got, want)
			}
		}
	}
}

func TestTwoPagesInOneLanguageAreOne(t *testing.T) {
	one, err := Draw(example(t, "smart_crossing", "en"), Options{Code: code(t, address)})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Draw(example(t, "smart_crossing", "en", "de"), Options{Code: code(t, address)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(one.SVG), string(two.SVG)); diff != "" {
		t.Errorf("sign (-one +two):\n%s", diff)
	}
}

func TestSignsAreWellFormed(t *testing.T) {
	for name, models := range difficult {
		s, err := Draw(models(6), Options{Code: code(t, address)})
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
	s, err := Draw(models, Options{Code: code(t, address)})
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
		_, err := Draw(models, test.opts)
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
	_, err := Draw(difficult["long"](6), Options{Code: code(t, address), Step: func() error { return want }})
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func TestASignWithoutContactIsAnError(t *testing.T) {
	m := written("en", 4, "Smart crossing", "Thermal camera", "Nobody is identified")
	m.Responsible.Contacts[0].Target.Text = strings.Repeat("一", 1<<20) + "@example.org"
	_, err := Draw([]*view.Model{m}, Options{Code: code(t, address)})
	if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.BadRequest || p.FixHint == "" || len(p.Message) > 500 {
		t.Errorf("got error %.200v, want a problem with a hint", err)
	}
}

func TestASignWithoutRoomForThePlacementsIsAnError(t *testing.T) {
	m := written("en", 60, "Smart crossing", "Thermal camera", "Nobody is identified")
	_, err := Draw([]*view.Model{m}, Options{Code: code(t, address)})
	if p, ok := errors.AsType[problem.Problem](err); !ok || p.Code != problem.BadRequest || p.FixHint == "" {
		t.Errorf("got error %v, want a problem with a hint", err)
	}
}

func TestOnlyAddressesOfTheResponsibleOrganisationAreShown(t *testing.T) {
	m := written("en", 4, "City of Aldermere", "Thermal camera", "Nobody is identified")
	m.Choices[0].Actions = []view.Action{{Href: "mailto:x", Target: view.Text{Text: "complaints@example.org"}}}
	for _, test := range []struct {
		responsible *view.Responsible
		want        int
	}{
		{m.Responsible, 2},
		{&view.Responsible{Name: m.Responsible.Name}, 0},
		{nil, 0},
	} {
		m.Responsible = test.responsible
		l := layoutOf(t, []*view.Model{m}, Options{Code: code(t, address)})
		if got := len(l.contacts); got != test.want {
			t.Errorf("got %d addresses below %+v, want %d", got, test.responsible, test.want)
		}
	}
}

func TestLongAddressesAreBroken(t *testing.T) {
	const long = "datenschutzbeauftragte.regionalniederlassung@strassenverkehrsangelegenheiten.example.org"
	for _, size := range Sizes {
		m := written("de", 6, "Messanlage", "Wärmebildkamera", "Niemand wird erkannt")
		m.Responsible.Contacts[0].Target.Text = long
		l := layoutOf(t, []*view.Model{m}, Options{Code: code(t, address), Size: size})
		var lines []string
		for i := range l.shapes {
			if s := &l.shapes[i]; s.text == l.contacts[0] {
				lines = append(lines, s.line.text)
				if got := s.size / size.unit(); got < 4 {
					t.Errorf("%s: the address is %.1f mm high", size.Name, got)
				}
			}
		}
		if strings.Join(lines, "") != long || len(lines) < 2 || !strings.HasSuffix(lines[0], "@") {
			t.Errorf("%s: got the lines %q", size.Name, lines)
		}
	}
}
