package sign

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"placard/internal/show/view"
	"placard/scripts/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// open shows a page in a window of the given size.
func open(t *testing.T, tab context.Context, html []byte, width, height int64) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "sign.html")
	if err := os.WriteFile(name, html, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(tab, chromedp.EmulateViewport(width, height), chromedp.Navigate("file://"+name)); err != nil {
		t.Fatal(err)
	}
}

var textLength = regexp.MustCompile(` textLength="[^"]*" lengthAdjust="[^"]*"`)

func TestMeasuredWidthsAreNotExceeded(t *testing.T) {
	tab := envtest.Browser(t)
	signs := make(map[string][]*view.Model)
	for _, name := range exampleNames {
		for _, locales := range localePairs {
			signs[fmt.Sprint(name, locales)] = example(t, name, locales...)
		}
	}
	for name, models := range difficult {
		if name != "markup" { // overridden directions and emoji have no widths
			signs[name] = models(MaxElements)
		}
	}
	for name, models := range signs {
		l := layoutOf(t, models, Options{Code: code(t, address)})
		// The widths are those of the font, even if lines keep their length.
		svg := textLength.ReplaceAll(l.svg("", ""), nil)
		open(t, tab, append([]byte("<!doctype html><meta charset=utf-8>"), svg...), 800, 1200)
		got, err := chromedp.Run(tab, chromedp.Evaluate[[]float64](`Array.from(document.querySelectorAll("text"), t => t.getComputedTextLength())`))
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for k := range l.shapes {
			s := &l.shapes[k]
			if s.text == nil {
				continue
			}
			if i >= len(got) {
				t.Fatalf("%s: got %d lines", name, len(got))
			}
			// Glyphs are placed on fractions of a pixel.
			if measured := s.line.width * s.size; got[i] > measured*1.005 {
				t.Errorf("%s: %q is %.1f mm wide, measured as %.1f mm", name, s.line.text, got[i], measured)
			}
			i++
		}
	}
}

var mediaBox = regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`)

func TestPagesPrintOnOneSheet(t *testing.T) {
	tab := envtest.Browser(t)
	for _, size := range Sizes {
		s, err := Render(example(t, "station_gates", "en"), Options{Code: code(t, address), Size: size})
		if err != nil {
			t.Fatal(err)
		}
		open(t, tab, s.HTML(), 1000, 800)
		printed, err := chromedp.Run(tab, func(ctx context.Context, target *chromedp.Target) ([]byte, error) {
			result, err := cdp.Call(ctx, target, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: new(true), PrintBackground: new(true)})
			return result.Data, err
		})
		if err != nil {
			t.Fatal(err)
		}
		if pages := bytes.Count(printed, []byte("/Type /Page\n")); pages != 1 {
			t.Errorf("%s: got %d pages, want 1", size.Name, pages)
		}
		match := mediaBox.FindSubmatch(printed)
		if match == nil {
			t.Fatalf("%s: no MediaBox", size.Name)
		}
		for i, want := range []float64{size.Width, size.Height} {
			points, err := strconv.ParseFloat(string(match[i+1]), 64)
			if got := points / 72 * 25.4; err != nil || math.Abs(got-want) > 0.5 {
				t.Errorf("%s: got a length of %.1f mm, want %.1f mm", size.Name, got, want)
			}
		}
	}
}
