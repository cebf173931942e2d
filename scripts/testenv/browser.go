package testenv

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browserTimeout is generous, because the machine may be busy with other tests.
const browserTimeout = 3 * time.Minute

// Browser starts a headless Chromium and returns the chromedp context of its
// first tab. The browser is closed when the test ends.
func Browser(tb testing.TB) context.Context {
	tb.Helper()
	// Chromium does not remove its temporary files if it is killed. The name of
	// tb.TempDir may be too long for its socket.
	dir, err := os.MkdirTemp("", "chromium-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(Program(tb, "chromium")), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Env("TMPDIR="+dir))
	// Tests run without a network: Chromium must not call services of its own.
	for _, flag := range []string{
		"disable-background-networking", "disable-component-update", "disable-quic", "disable-sync", "no-first-run",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	tb.Cleanup(cancelAllocator)
	ctx, cancel := chromedp.NewContext(allocator)
	tb.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		tb.Fatalf("start chromium: %v", err)
	}
	tb.Cleanup(func() {
		// Cancel waits for the browser to exit. If it times out, the
		// functions above kill the browser.
		closing, stop := context.WithTimeout(ctx, 20*time.Second)
		defer stop()
		_ = chromedp.Cancel(closing)
	})
	ctx, stop := context.WithTimeout(ctx, browserTimeout)
	tb.Cleanup(stop)
	return ctx
}
