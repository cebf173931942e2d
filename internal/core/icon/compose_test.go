package icon

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/taxonomy"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func mustParse(t testing.TB, svg string) *Symbol {
	t.Helper()
	symbol, found := ParseSymbol([]byte(svg))
	if symbol == nil {
		t.Fatal(found)
	}
	return symbol
}

func TestEmptyShapes(t *testing.T) {
	for _, shape := range taxonomy.Shapes {
		golden(t, "shape-"+string(shape)+".svg", ShapeSVG(shape))
		if !bytes.Equal(ShapeSVG(shape), Compose(shape, nil, blackOnTransparent)) {
			t.Errorf("ShapeSVG(%q) differs from Compose without a symbol", shape)
		}
	}
	if got := ShapeSVG("star"); got != nil {
		t.Errorf("unknown shape: got %s, want nil", got)
	}
}

// lantern uses every feature that affects composition: attributes on the root, a
// mask, a gradient, the background colour, white space and escaped characters.
const lantern = `<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 36 36" fill="none" stroke-width="2" stroke-linecap="round" id="root">
  <title>Lantern &amp; hook</title>
  <!-- the glass -->
  <mask id="glass" mask-type="alpha"><rect width="36" height="36" fill="white"/></mask>
  <defs>
    <linearGradient id="glow"><stop offset="0" stop-color="currentColor"/></linearGradient>
    <circle id="unused" r="1"/>
  </defs>
  <g mask="url(#glass)" transform="translate(1,  2)
     scale(.5)">
    <path d="M9 9h18v18H9z" fill="url('#glow')" stroke="var(--symbol-bg, white)"/>
    <use xlink:href="#glow"/>
  </g>
</svg>`

func TestIconsInEveryVariant(t *testing.T) {
	symbol := mustParse(t, lantern)
	context := &taxonomy.Context{Values: []taxonomy.ContextValue{
		{ID: "light", Color: "#ffd700", Tinted: true},
		{ID: "deep", Color: "#1A237E", Tinted: true},
		{ID: "plain", Color: "#000000"},
	}}
	icons := map[string][]byte{}
	for _, variant := range []string{"default", "dark", "light", "deep", "plain"} {
		paint, ok := PaintFor(variant, context)
		if !ok {
			t.Fatalf("no paint for variant %q", variant)
		}
		icons[variant] = Compose(taxonomy.Hexagon, symbol, paint)
		golden(t, "icon-"+variant+".svg", icons[variant])
		if !bytes.Equal(icons[variant], Compose(taxonomy.Hexagon, mustParse(t, lantern), paint)) {
			t.Errorf("composing variant %q twice gives different icons", variant)
		}
	}
	if !bytes.Equal(icons["plain"], icons["default"]) {
		t.Error("the icon of a value without a colour differs from the default icon")
	}
}

// masks returns the masks of an icon and the gradients and definitions, without
// the prefix of ids, which differs between icons.
func masks(svg []byte) []string {
	plain := regexp.MustCompile(`(id="|#)p[a-z0-9]+-`).ReplaceAllString(string(svg), "$1")
	return regexp.MustCompile(`<mask.*?</mask>|<linearGradient.*?</linearGradient>|<defs>.*?</defs>`).FindAllString(plain, -1)
}

func TestMasksAreTheSameInEveryVariant(t *testing.T) {
	symbol := mustParse(t, in(`<mask id="a" fill="white"><path d="M0 0h9"/><rect fill="var(--symbol-bg, #ccc)" stroke="currentColor"/><use href="#b"/><circle r="3" fill="url(#c)"/></mask>`+
		`<defs><path id="b" fill="currentColor" stroke="var(--symbol-bg)"/></defs>`+
		`<linearGradient id="c"><stop stop-color="currentColor"/><stop offset="1" stop-color="white"/></linearGradient>`+
		`<path mask="url(#a)" stroke="var(--symbol-bg)"/>`))
	want := masks(Compose(taxonomy.Circle, symbol, blackOnTransparent))
	if len(want) != 3 {
		t.Fatalf("got %d parts of masks, want 3: %q", len(want), want)
	}
	context := &taxonomy.Context{Values: []taxonomy.ContextValue{{ID: "deep", Color: "#1A237E", Tinted: true}, {ID: "light", Color: "#FFD700", Tinted: true}}}
	for _, variant := range []string{"dark", "deep", "light"} {
		paint, _ := PaintFor(variant, context)
		got := masks(Compose(taxonomy.Circle, symbol, paint))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("masks of the default and the %s variant (-default +%s):\n%s", variant, variant, diff)
		}
	}
	for _, part := range want {
		if !strings.Contains(part, `color="#000000"`) {
			t.Errorf("currentColor is not fixed in %s", part)
		}
	}
	if standalone := string(symbol.SVG()); strings.Count(standalone, backgroundProperty) != 1 {
		t.Errorf("the mask of the symbol depends on the page: %s", standalone)
	}
}

func TestSymbolsOfOtherSizesAreScaled(t *testing.T) {
	symbol := mustParse(t, `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="24" viewBox="-1.5,0 48 24" preserveAspectRatio="xMinYMid meet" stroke="currentColor"><path d="M0 0h24"/></svg>`)
	golden(t, "icon-scaled.svg", Compose(taxonomy.Circle, symbol, whiteOnBlack))
}

func TestUnknownShapeHasNoOutline(t *testing.T) {
	got := string(Compose("star", mustParse(t, in("<path/>")), blackOnTransparent))
	if want := svgOpen + `<g color="#000000" fill="currentColor"><path/></g></svg>`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

var idAttr = regexp.MustCompile(` id="([^"]*)"`)

func TestIDsOfDifferentIconsNeverClash(t *testing.T) {
	other := strings.Replace(lantern, "M9 9h18", "M9 9h17", 1)
	tinted := Paint{Ink: black, Background: Color{1, 2, 3}, Filled: true}
	seen := map[string]int{}
	for i, svg := range []string{lantern, other} {
		for j, paint := range []Paint{blackOnTransparent, whiteOnBlack, tinted} {
			ids := idAttr.FindAllSubmatch(Compose(taxonomy.Circle, mustParse(t, svg), paint), -1)
			if len(ids) != 2 {
				t.Fatalf("got %d ids, want 2 (the mask and the gradient)", len(ids))
			}
			for _, id := range ids {
				if other, ok := seen[string(id[1])]; ok {
					t.Errorf("icons %d and %d both use id %s", other, 10*i+j, id[1])
				}
				seen[string(id[1])] = 10*i + j
			}
		}
	}
}

func TestSymbolDocuments(t *testing.T) {
	golden(t, "symbol-lantern.svg", mustParse(t, lantern).SVG())
	for name, test := range map[string]struct{ svg, want string }{
		"comments, titles and declarations are omitted": {
			`<?xml version="1.0"?><!-- a -->` + svgStart + `<!--><img src=x onerror=alert(1)>--><title>a</title><path d="M0 0"/>` + svgEnd + `<!-- b -->`,
			`viewBox="0 0 36 36"><path d="M0 0"/></svg>`,
		},
		"prefixes are removed": {
			`<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><s:path/></s:svg>`,
			`viewBox="0 0 36 36"><path/></svg>`,
		},
		"size and scaling are kept": {
			`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1.5,0 48 24" preserveAspectRatio="none" width="4.8cm" height="100%"><path/></svg>`,
			`viewBox="-1.5 0 48 24" preserveAspectRatio="none" width="4.8cm" height="100%"><path/></svg>`,
		},
		"other sizes are omitted": {
			`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36" width="calc(1px)" height="&quot;>"><path/></svg>`,
			`viewBox="0 0 36 36"><path/></svg>`,
		},
		"colours are kept": {
			in(`<path fill="navy" stroke="var(--symbol-bg)"/><path fill="var( --symbol-bg,none )"/>`),
			`viewBox="0 0 36 36"><path fill="navy" stroke="var(--symbol-bg, #FFFFFF)"/><path fill="var(--symbol-bg, none)"/></svg>`,
		},
		"a symbol without content": {in(""), `viewBox="0 0 36 36"/>`},
	} {
		t.Run(name, func(t *testing.T) {
			want := `<svg xmlns="http://www.w3.org/2000/svg" ` + test.want
			if got := string(mustParse(t, test.svg).SVG()); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestIDsOfSymbolsDifferFromThoseOfIcons(t *testing.T) {
	symbol := mustParse(t, lantern)
	ids := idAttr.FindAllSubmatch(symbol.SVG(), -1)
	if len(ids) != 2 {
		t.Fatalf("got %d ids, want 2", len(ids))
	}
	for _, id := range ids {
		if bytes.Contains(Compose(taxonomy.Circle, symbol, whiteOnBlack), id[1]) || bytes.Contains([]byte(lantern), id[1]) {
			t.Errorf("id %s is not unique", id[1])
		}
	}
}

// writtenBackground matches the background colour as [Symbol.SVG] writes it.
var writtenBackground = regexp.MustCompile(`var\(--symbol-bg, (?:[a-zA-Z]+|#[0-9a-fA-F]{3,8})\)`)

// checkSafe fails the test unless an icon is well-formed, contains only allowed
// elements and attributes, and refers only to its own parts.
func checkSafe(t *testing.T, svg []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	ids, refs := map[string]bool{}, map[string]bool{}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("malformed XML: %v in %s", err, svg)
		}
		start, ok := token.(xml.StartElement)
		if _, isEnd := token.(xml.EndElement); isEnd {
			continue
		}
		if !ok {
			t.Fatalf("unexpected %T in %s", token, svg)
		}
		if start.Name.Space != svgNamespace || allowedElements[start.Name.Local] == nil && start.Name.Local != "svg" {
			t.Fatalf("unexpected element %v in %s", start.Name, svg)
		}
		seen := map[string]bool{}
		for _, a := range start.Attr {
			name := a.Name.Local
			if a.Name.Space != "" || seen[name] || strings.HasPrefix(strings.ToLower(name), "on") || name == "style" {
				t.Fatalf("unexpected attribute %v in %s", a.Name, svg)
			}
			seen[name] = true
			value := strings.ToLower(writtenBackground.ReplaceAllString(a.Value, "none"))
			switch {
			case name == "id":
				if ids[a.Value] {
					t.Fatalf("duplicate id %s in %s", a.Value, svg)
				}
				ids[a.Value] = true
			case name == "href":
				refs[strings.TrimPrefix(a.Value, "#")] = true
			case strings.Contains(value, "url("):
				for _, call := range strings.Split(a.Value, "url(")[1:] {
					target, _, _ := strings.Cut(call, ")")
					refs[strings.TrimPrefix(target, "#")] = true
				}
			case name != "xmlns" && strings.ContainsAny(value, `\:;'"<>&@!{}`), strings.Contains(value, "var("):
				t.Fatalf("unexpected value %q in %s", a.Value, svg)
			}
		}
	}
	for ref := range refs {
		if !ids[ref] {
			t.Fatalf("reference to unknown id %q in %s", ref, svg)
		}
	}
}

func TestRealIconsAreSafe(t *testing.T) {
	for _, file := range realSymbols(t) {
		svg, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, paint := range []Paint{blackOnTransparent, whiteOnBlack} {
			checkSafe(t, Compose(taxonomy.Octagon, mustParse(t, string(svg)), paint))
		}
		checkSymbol(t, mustParse(t, string(svg)))
	}
}

// checkSymbol fails the test unless the document of a symbol is safe and gives the
// same icons as the symbol.
func checkSymbol(t *testing.T, symbol *Symbol) {
	t.Helper()
	svg := symbol.SVG()
	checkSafe(t, svg)
	again, found := ParseSymbol(svg)
	if len(svg) > maxBytes {
		return // ids may have become longer
	}
	if again == nil {
		t.Fatalf("%s: %v", svg, found)
	}
	if want, got := Compose(taxonomy.Circle, symbol, whiteOnBlack), Compose(taxonomy.Circle, again, whiteOnBlack); !bytes.Equal(got, want) {
		t.Fatalf("icons of the symbol and its document differ:\n%s\n%s", want, got)
	}
	if !bytes.Equal(again.SVG(), svg) {
		t.Fatalf("the document of the symbol changes:\n%s\n%s", svg, again.SVG())
	}
}

func FuzzIconsAndSymbolsAreSafe(f *testing.F) {
	f.Add([]byte(lantern))
	f.Add([]byte("<\u05fd "))
	for _, rule := range Rules {
		f.Add([]byte(rule.Example[:min(len(rule.Example), 1000)]))
	}
	for _, file := range hostileSymbols(f) {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, svg []byte) {
		symbol, found := ParseSymbol(svg)
		if (symbol == nil) != found.HasErrors() {
			t.Fatalf("got symbol %v with findings %v", symbol, found)
		}
		for _, p := range found {
			if strings.ContainsFunc(p.Message+p.FixHint, func(c rune) bool { return !strconv.IsPrint(c) }) {
				t.Fatalf("finding contains unprintable characters: %q %q", p.Message, p.FixHint)
			}
		}
		if symbol != nil {
			checkSafe(t, Compose(taxonomy.Circle, symbol, whiteOnBlack))
			checkSafe(t, Compose(taxonomy.RoundedSquare, symbol, blackOnTransparent))
			checkSymbol(t, symbol)
		}
	})
}

func BenchmarkCompose(b *testing.B) {
	symbol := mustParse(b, lantern)
	b.ReportAllocs()
	for b.Loop() {
		Compose(taxonomy.Hexagon, symbol, whiteOnBlack)
	}
}

func BenchmarkParseSymbol(b *testing.B) {
	svg := []byte(lantern)
	b.ReportAllocs()
	for b.Loop() {
		ParseSymbol(svg)
	}
}
