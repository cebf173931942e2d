package sign

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/show/view"
	"placard/scripts/envtest"
)

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

// counts are the numbers of elements on a sign.
var counts = envtest.Sample(3, []int{MaxElements, 1, 0, 5, 4, 3, 2})

// shapes are the sizes, first those of different shapes.
var shapes = envtest.Sample(2, []Size{Sizes[0], Sizes[4], Sizes[3], Sizes[1], Sizes[2]})

func TestNothingOverlaps(t *testing.T) {
	for _, size := range shapes {
		for _, name := range exampleNames {
			for _, locales := range localePairs {
				models := example(t, name, locales...)
				ids := elementIDs(models[0])
				for _, n := range counts {
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
	for _, size := range shapes {
		for name, models := range difficult {
			for _, n := range counts {
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
	for _, size := range shapes {
		for _, name := range exampleNames {
			for _, locales := range localePairs {
				l := exampleLayout(t, name, locales, size)
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
			l := exampleLayout(t, name, locales, Sizes[0])
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
	for _, size := range shapes {
		for _, name := range exampleNames {
			for _, locales := range append(localePairs, []string{"es", "fr"}) {
				l := exampleLayout(t, name, locales, size)
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
				l := exampleLayout(t, name, locales, s)
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
	for _, size := range shapes {
		for _, name := range exampleNames {
			for _, locales := range localePairs {
				l := exampleLayout(t, name, locales, size)
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

// sizeOf returns the size of the first of the texts that is shown, or zero.
func (l *layout) sizeOf(texts ...*text) float64 {
	for i := range l.shapes {
		if t := l.shapes[i].text; t != nil && slices.Contains(texts, t) {
			return l.shapes[i].size
		}
	}
	return 0
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
