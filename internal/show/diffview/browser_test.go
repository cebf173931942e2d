package diffview_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"placard/internal/show/diffview"
	"placard/scripts/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// tab is a browser tab.
type tab struct {
	testing.TB
	ctx context.Context
}

// open opens the page of a report as a local file, in a window of the given width
// and with the given preferred colour scheme.
func (t tab) open(r *diffview.Report, width int64, scheme string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "diff.html")
	if err := os.WriteFile(name, html(t, r), 0o644); err != nil {
		t.Fatal(err)
	}
	err := chromedp.Do(t.ctx, chromedp.EmulateViewport(width, 800), func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return chromedp.Void{}, err
	}, chromedp.Navigate("file://"+name))
	if err != nil {
		t.Fatal(err)
	}
}

// eval evaluates a JavaScript expression and awaits its promise, if it is one.
func eval[T any](t tab, expression string) T {
	t.Helper()
	value, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestPagesAreAccessible(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(envtest.NPM(t), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	tab := tab{t, envtest.Browser(t)}
	for name, r := range reports(t) {
		for scheme, width := range map[string]int64{"light": 1280, "dark": 390} {
			if scheme == "dark" && !envtest.Long {
				continue
			}
			tab.open(r, width, scheme)
			if _, err := chromedp.Run(tab.ctx, chromedp.Evaluate[any](string(axe)+"; null")); err != nil {
				t.Fatal(err)
			}
			for _, violation := range eval[[]string](tab, `axe.run(document).then(({ violations }) =>
				violations.flatMap((v) => v.nodes.map((n) => v.impact + " " + v.id + ": " + n.html.slice(0, 200))))`) {
				t.Errorf("%s, %s, width %d: %s", name, scheme, width, violation)
			}
		}
	}
}

func TestPagesFitTheWindow(t *testing.T) {
	tab := tab{t, envtest.Browser(t)}
	for name, r := range reports(t) {
		for _, width := range envtest.Sample(2, []int64{320, 1280, 390, 800, 2560}) {
			tab.open(r, width, "light")
			type layout struct {
				Overflow     int      `json:"overflow"`
				SmallTargets []string `json:"smallTargets"`
				Broken       int      `json:"broken"`
			}
			got := eval[layout](tab, `(() => {
				return {
					overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
					smallTargets: [...document.querySelectorAll("a")].filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.textContent),
					broken: [...document.querySelectorAll(".icon")].filter((icon) => icon.getBoundingClientRect().width !== 56).length,
				};
			})()`)
			if diff := cmp.Diff(layout{SmallTargets: []string{}}, got); diff != "" {
				t.Errorf("%s at width %d (-want +got):\n%s", name, width, diff)
			}
		}
	}
}

// Without colours, removed words have a line through them and added words a line
// under them. Printed pages are white, whatever the colour scheme.
func TestDifferencesDoNotDependOnColour(t *testing.T) {
	tab := tab{t, envtest.Browser(t)}
	before, after := everything(t)
	tab.open(report(t, before, after), 1280, "dark")
	got := eval[[]string](tab, `["del", "ins"].map((name) => getComputedStyle(document.querySelector(".diff-changes " + name)).textDecorationLine)`)
	if diff := cmp.Diff([]string{"line-through", "underline"}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if got, want := eval[string](tab, background), "rgb(20, 22, 26)"; got != want {
		t.Errorf("got background %s on the screen, want %s", got, want)
	}
	err := chromedp.Do(tab.ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
		})
		return chromedp.Void{}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := eval[string](tab, background), "rgb(255, 255, 255)"; got != want {
		t.Errorf("got background %s in print, want %s", got, want)
	}
	pdf, err := chromedp.Run(tab.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
	if err != nil {
		t.Fatal(err)
	}
	if pages := len(pageObject.FindAll(pdf, -1)); pages < 1 || pages > 3 {
		t.Errorf("got %d printed pages, want at most 3", pages)
	}
}

const background = `getComputedStyle(document.documentElement).backgroundColor`

var pageObject = regexp.MustCompile(`/Type\s*/Page\b[^s]`)
