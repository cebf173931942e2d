package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"placard/internal/serve/budget"
	"placard/scripts/envtest"
)

func TestMain(m *testing.M) {
	budget.Read.Wall = time.Minute // the machine may be slow or busy
	envtest.Main(m)
}

// tab is a browser tab. It records what the page should not do.
type tab struct {
	testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	errors   []string
}

func newTab(tb testing.TB) *tab {
	tb.Helper()
	t := &tab{TB: tb, ctx: envtest.Browser(tb)}
	err := chromedp.Do(t.ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{}); err != nil {
			return chromedp.Void{}, err
		}
		_, err := cdp.Call(ctx, target, cdplog.Enable, cdp.Empty{})
		return chromedp.Void{}, err
	})
	if err != nil {
		tb.Fatal(err)
	}
	record(t, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) { t.requests = append(t.requests, e.Request.URL) })
	record(t, cdplog.EntryAdded, func(e cdplog.EventEntryAdded) {
		if e.Entry.Level == cdplog.EntryLevelError && !strings.Contains(e.Entry.Text, "404") {
			t.errors = append(t.errors, e.Entry.Text+" "+e.Entry.URL)
		}
	})
	record(t, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) { t.errors = append(t.errors, fmt.Sprint(e.ExceptionDetails)) })
	record(t, runtime.ConsoleAPICalled, func(e runtime.EventConsoleAPICalled) {
		t.errors = append(t.errors, fmt.Sprint("console: ", e.Type, e.Args))
	})
	return t
}

// record calls add for each event, with the lock of the tab, until the test ends.
func record[E any](t *tab, event cdp.Event[E], add func(E)) {
	events := chromedp.Events(t.ctx, event)
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			t.mu.Lock()
			add(e)
			t.mu.Unlock()
		}
	}()
}

// emulate sets the width of the window and the preferred colour scheme, and disables
// scripts if hasScript is false.
func (t *tab) emulate(width int64, scheme string, hasScript bool) {
	t.Helper()
	err := chromedp.Do(t.ctx, chromedp.EmulateViewport(width, 800), func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}); err != nil {
			return chromedp.Void{}, err
		}
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !hasScript})
		return chromedp.Void{}, err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (t *tab) open(address string) {
	t.Helper()
	if err := chromedp.Do(t.ctx, chromedp.Navigate(address)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
}

// eval evaluates a JavaScript expression and awaits its promise, if it is one.
func eval[T any](t *tab, expression string) T {
	t.Helper()
	value, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%v\n%s", err, expression)
	}
	return value
}

// forbidden returns the recorded errors and requests to other hosts, and forgets them.
func (t *tab) forbidden(server string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.errors
	for _, address := range t.requests {
		if !strings.HasPrefix(address, server+"/") && !strings.HasPrefix(address, "data:") {
			found = append(found, "request to "+address)
		}
	}
	t.errors, t.requests = nil, nil
	return found
}

func TestPagesFitTheWindowAndNeedNoScript(t *testing.T) {
	s := builtinService(t)
	tab, plain := newTab(t), newTab(t)
	plain.emulate(1280, "light", false)
	for _, path := range addresses {
		tab.open(s.URL + path)
		plain.open(s.URL + path)
		text := eval[string](tab, mainText)
		if got := eval[string](plain, mainText); got != text {
			t.Errorf("%s: got without script %q, want %q", path, got, text)
		}
		if len(text) < 40 {
			t.Errorf("%s: the page shows only %q", path, text)
		}
		for _, width := range envtest.Sample(2, []int64{320, 1280, 390, 800, 2560}) {
			tab.emulate(width, "light", true)
			if outside := eval[[]string](tab, outsideWindow); len(outside) > 0 {
				t.Errorf("%s at width %d: outside the window: %q", path, width, outside)
			}
			for _, small := range eval[[]string](tab, smallTargets) {
				t.Errorf("%s at width %d: a target is too small: %s", path, width, small)
			}
		}
		for _, found := range tab.forbidden(s.URL) {
			t.Errorf("%s: %s", path, found)
		}
	}
}

// TestPagesAreAccessible tries one page of each kind or, with [envtest.Long], all.
func TestPagesAreAccessible(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(envtest.NPM(t), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	s := builtinService(t)
	tab := newTab(t)
	for _, path := range envtest.Sample(len(kinds), addresses) {
		tab.emulate(390, "light", true)
		tab.open(s.URL + path)
		if _, err := chromedp.Run(tab.ctx, chromedp.Evaluate[any](string(axe)+"; null")); err != nil {
			t.Fatal(err)
		}
		for _, width := range envtest.Sample(1, []int64{390, 1280}) {
			tab.emulate(width, "light", true)
			violations := tab.violations(`{ resultTypes: ["violations"] }`)
			if envtest.Long {
				tab.emulate(width, "dark", true) // changes only colours
				violations = append(violations, tab.violations(`{ resultTypes: ["violations"], runOnly: ["color-contrast"] }`)...)
			}
			for _, found := range violations {
				t.Errorf("%s, width %d: %s", path, width, found)
			}
		}
	}
}

// violations runs axe, which must be loaded, with the given options.
func (t *tab) violations(options string) []string {
	t.Helper()
	return eval[[]string](t, `axe.run(document, `+options+`).then(({ violations }) =>
		violations.flatMap((v) => v.nodes.map((n) => v.impact + " " + v.id + ": " + n.html.slice(0, 200))))`)
}

func TestPagesFitTheWindowWithLargeText(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	err := chromedp.Do(tab.ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 32, Fixed: 26}})
		return chromedp.Void{}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range envtest.Sample(1, []int64{320, 390}) {
		tab.emulate(width, "light", true)
		for _, path := range envtest.Sample(len(kinds), addresses) {
			tab.open(s.URL + path)
			if size := eval[string](tab, `getComputedStyle(document.body).fontSize`); size != "32px" {
				t.Fatalf("%s: got text of %s, want 32px", path, size)
			}
			if outside := eval[[]string](tab, outsideWindow); len(outside) > 0 {
				t.Errorf("%s at width %d: outside the window: %q", path, width, outside)
			}
		}
	}
}

// outsideWindow evaluates to the elements that make the page wider than the window.
const outsideWindow = `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth ? [] :
	[...document.querySelectorAll("body *")].filter((e) => !e.closest("pre") && e.getBoundingClientRect().right > clientWidth).map((e) => e.outerHTML.slice(0, 120)).slice(-5)
		.concat(scrollWidth + " > " + clientWidth))(document.documentElement)`

// smallTargets evaluates to the controls that are less than 44 pixels high, except
// links inside sentences and headings.
const smallTargets = `[...document.querySelectorAll("a, button, summary, input, select")].filter((e) =>
	e.checkVisibility() && !e.closest("p, dd, td, li > ul, h1, h2, h3, h4, .prose, .skip") &&
	e.getBoundingClientRect().height > 1 && e.getBoundingClientRect().height < 43.5).map((e) => e.outerHTML.slice(0, 120))`

// mainText evaluates to the text of the page without buttons, which only scripts
// need.
const mainText = `(() => {
	const copy = document.querySelector("main").cloneNode(true);
	copy.querySelectorAll("button, [data-script]").forEach((e) => e.remove());
	return copy.textContent.replace(/\s+/g, " ").trim();
})()`
