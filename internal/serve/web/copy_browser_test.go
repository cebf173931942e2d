package web_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func TestCopyButtonsCopyTheirText(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(1280, "light", true)
	err := chromedp.Do(tab.ctx, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
			return chromedp.Void{}, err
		}
		for _, name := range []string{"clipboard-read", "clipboard-write"} {
			if _, err := cdp.Call(ctx, target, browser.SetPermission, browser.SetPermissionParams{
				Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
				BrowserContextID: chromedp.FromContext(ctx).BrowserContextID,
			}); err != nil {
				return chromedp.Void{}, err
			}
		}
		return chromedp.Void{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tab.open(s.URL + "/")
	type copied struct {
		Label   string `json:"label"`
		Status  string `json:"status"`
		Clipped string `json:"clipped"`
	}
	got := eval[copied](tab, `(async () => {
		const button = document.querySelector("[data-copy=snippet-mcp]");
		const labelled = new Promise((resolve) => new MutationObserver(resolve).observe(button, { attributeFilter: ["data-state"] }));
		button.click();
		await labelled;
		return { label: button.textContent, status: document.querySelector("body > [role=status]").textContent, clipped: await navigator.clipboard.readText() };
	})()`)
	if want := (copied{"Copied", "Copied", s.URL + "/mcp"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
