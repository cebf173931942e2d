package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPreviewReloadsInABrowser edits a file while a page is open.
func TestPreviewReloadsInABrowser(t *testing.T) {
	p := newPreview(t)
	tab := newTab(t)
	tab.emulate(390, "light", true)
	tab.open(p.URL + "/")
	eval[any](tab, `scrollTo({ top: 300, behavior: "instant" }), null`)
	p.edit("elements/street.yaml", "category_id: place", "category_id: palce")
	type look struct {
		Summary string `json:"summary"`
		Scroll  int    `json:"scroll"`
		Status  string `json:"status"`
	}
	// The page that reloads ends the evaluation with an error.
	wait := func(condition string) {
		t.Helper()
		for !evaluates(tab, condition) {
			if t.Context().Err() != nil {
				t.Fatal(t.Context().Err())
			}
		}
	}
	wait(`new Promise((resolve) => setTimeout(() => resolve(document.querySelector(".preview-banner [role=status]").textContent !== ""), 100))`)
	got := eval[look](tab, `({
		summary: document.querySelector(".summary").textContent,
		scroll: scrollY,
		status: document.querySelector(".preview-banner [role=status]").textContent,
	})`)
	if want := (look{"1 error, 0 warnings", 300, "1 error, 0 warnings"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, found := range tab.forbidden(p.URL) {
		t.Error(found)
	}
}

// TestExamplesReloadInABrowser also checks that the number of problems stays in sight.
func TestExamplesReloadInABrowser(t *testing.T) {
	p := newPreview(t)
	tab := newTab(t)
	for _, width := range []int64{390, 1280} {
		tab.emulate(width, "light", true)
		tab.open(p.URL + "/example/" + previewed + "/example")
		p.edit("elements/street.yaml", "category_id: place", "category_id: palce")
		for !evaluates(tab, `new Promise((resolve) => setTimeout(() => resolve(/^\(1\) ./.test(document.title)), 100))`) {
			if t.Context().Err() != nil {
				t.Fatal(t.Context().Err())
			}
		}
		for _, path := range []string{"", "/explore/" + previewed} {
			if path != "" {
				tab.open(p.URL + path)
			}
			inSight := eval[bool](tab, `(() => {
				scrollTo({ top: 200, behavior: "instant" });
				const box = document.querySelector(".preview-problems").getBoundingClientRect();
				return box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
			})()`)
			if !inSight {
				t.Errorf("%d px, %q: the number of problems is out of sight", width, path)
			}
		}
		p.edit("elements/street.yaml", "category_id: palce", "category_id: place")
		for _, found := range tab.forbidden(p.URL) {
			t.Error(found)
		}
	}
}

func TestPreviewDoesNotReloadAfterAnError(t *testing.T) {
	p := newPreview(t)
	tab := newTab(t)
	tab.emulate(390, "light", true)
	tab.open(p.URL + "/")
	eval[any](tab, `window.fetch = async () => Response.json({ errors: [] }, { status: 500 }), null`)
	eval[any](tab, until(`!document.querySelector(".preview-banner .offline").hidden`, `null`))
}

// evaluates reports whether a condition is true. It is not if the page reloads in the
// meantime.
func evaluates(t *tab, condition string) bool {
	value, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](condition, chromedp.EvalAwaitPromise))
	return err == nil && value
}
