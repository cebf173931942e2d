package view_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"

	"placard/internal/show/view"
	"placard/scripts/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// tab is a browser tab.
type tab struct {
	testing.TB
	ctx context.Context
}

// newTab returns the tab that tests share, as wide as that of a desktop.
func newTab(tb testing.TB) tab {
	tb.Helper()
	t := tab{tb, envtest.SharedTab(tb)}
	t.emulate(desktop, light)
	return t
}

func (t tab) run(actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(t.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// eval evaluates a JavaScript expression and awaits its promise, if it is one. Each
// $ in the expression is replaced with the next argument.
func eval[T any](t tab, expression string, args ...any) T {
	t.Helper()
	for _, a := range args {
		encoded, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		before, after, _ := strings.Cut(expression, "$")
		expression = before + strings.ReplaceAll(string(encoded), "$", `\u0024`) + after
	}
	value, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// open opens a page as a local file.
func (t tab) open(page []byte) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "view.html")
	if err := os.WriteFile(name, page, 0o644); err != nil {
		t.Fatal(err)
	}
	t.run(chromedp.Navigate("file://" + name))
}

// emulate sets the width of the window and the preferred colour scheme.
func (t tab) emulate(width int64, scheme string) {
	t.Helper()
	t.run(chromedp.EmulateViewport(width, 844))
	t.emulateMedia("", scheme)
}

// emulateMedia sets the medium, which is the screen by default, and the preferred colour
// scheme.
func (t tab) emulateMedia(medium, scheme string) {
	t.Helper()
	t.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return chromedp.Void{}, err
	})
}

// openHost opens testdata/host.html, which can embed /placeholder and /page.
func (t tab) openHost(page []byte) {
	t.Helper()
	host := file(t, "host.html")
	mux := http.NewServeMux()
	for path, body := range map[string][]byte{"/host": host, "/placeholder": view.Placeholder(), "/page": page} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(body) // if this fails, so does the test
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.run(chromedp.Navigate(server.URL + "/host"))
}

// meta returns the _meta of a tool result with the page of the models.
func meta(tb testing.TB, models ...*view.Model) map[string]any {
	tb.Helper()
	return metaOf(tb, &view.Page{Models: models})
}

func metaOf(tb testing.TB, page *view.Page) map[string]any {
	tb.Helper()
	encoded, err := page.JSON(nil)
	if err != nil {
		tb.Fatal(err)
	}
	var contents any
	if err := json.Unmarshal(encoded, &contents); err != nil {
		tb.Fatal(err)
	}
	return map[string]any{view.MetaKey: contents}
}

const (
	desktop    = 1280
	phone      = 390
	smallPhone = 320

	light = "light"
	dark  = "dark"
)
