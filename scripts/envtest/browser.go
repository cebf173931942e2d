package envtest

import (
	"cmp"
	"context"
	"flag"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browserTimeout is generous, because the machine may be busy with other tests.
const browserTimeout = 10 * time.Minute

// browser is the headless Chromium that all tests of a package share.
var browser struct {
	sync.Mutex
	enabled bool            // by [Main]
	ctx     context.Context // nil until a test needs the browser
	shared  context.Context // of the tab of [SharedTab], or nil
	stop    []func()        // in reverse order
}

// Main runs the tests of a package that uses [Browser]. It is for TestMain.
func Main(m *testing.M) {
	browser.enabled = true
	// Pages take long to try.
	if checks := flag.Lookup("rapid.checks"); checks != nil && !Long {
		_ = checks.Value.Set("20") // a number is valid
	}
	status := m.Run()
	for len(browser.stop) > 0 {
		last := len(browser.stop) - 1
		browser.stop[last]()
		browser.stop = browser.stop[:last]
	}
	os.Exit(status)
}

// Browser returns the chromedp context of a new tab of a headless Chromium. The tab
// shares cookies and storage only with tabs that it opens, and is closed when the test
// ends. PLACARD_CHROMIUM may name another program than chromium.
func Browser(tb testing.TB) context.Context {
	tb.Helper()
	browser.Lock()
	defer browser.Unlock()
	ctx, cancel := newTab(tb)
	tb.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, browserTimeout)
	tb.Cleanup(stop)
	return ctx
}

// SharedTab is like [Browser] but returns the same tab to all tests, because a new one
// takes about a second. It shows the last page of the previous test, with what that
// test has emulated.
func SharedTab(tb testing.TB) context.Context {
	tb.Helper()
	browser.Lock()
	defer browser.Unlock()
	if browser.shared == nil {
		ctx, cancel := newTab(tb)
		browser.shared = ctx
		browser.stop = append(browser.stop, cancel)
	}
	ctx, stop := context.WithTimeout(browser.shared, browserTimeout)
	tb.Cleanup(stop)
	return ctx
}

func newTab(tb testing.TB) (context.Context, context.CancelFunc) {
	tb.Helper()
	program := Program(tb, cmp.Or(os.Getenv("PLACARD_CHROMIUM"), "chromium"))
	if !browser.enabled {
		tb.Fatal("the package has no TestMain that calls envtest.Main")
	}
	if browser.ctx == nil {
		startBrowser(tb, program)
	}
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx); err != nil {
		tb.Fatalf("open a tab: %v", err)
	}
	return ctx, cancel
}

func startBrowser(tb testing.TB, program string) {
	tb.Helper()
	// Chromium does not remove its temporary files if it is killed. The name of
	// tb.TempDir may be too long for its socket.
	dir, err := os.MkdirTemp("", "chromium-")
	if err != nil {
		tb.Fatal(err)
	}
	browser.stop = append(browser.stop, func() { _ = os.RemoveAll(dir) })
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Env("TMPDIR="+dir))
	// Tests run without a network: Chromium must not call services of its own.
	for _, flag := range []string{
		"disable-background-networking", "disable-component-update", "disable-quic", "disable-sync", "no-first-run",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	browser.stop = append(browser.stop, cancelAllocator)
	ctx, cancel := chromedp.NewContext(allocator)
	browser.stop = append(browser.stop, cancel)
	if err := chromedp.Do(ctx); err != nil {
		tb.Fatalf("start chromium: %v", err)
	}
	browser.ctx = ctx
	browser.stop = append(browser.stop, func() {
		// Cancel waits for the browser to exit. If it times out, the
		// functions above kill the browser.
		closing, stop := context.WithTimeout(ctx, 20*time.Second)
		defer stop()
		_ = chromedp.Cancel(closing)
	})
}
