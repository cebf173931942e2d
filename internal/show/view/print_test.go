package view_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"placard/internal/show/qr"
	"placard/internal/show/view"
)

var pageObject = regexp.MustCompile(`/Type\s*/Page\b[^s]`)

func TestExamplesPrintOnAtMostTwoPages(t *testing.T) {
	code, err := qr.Encode("https://placard.example.org/example/2026-10-19-beta/station_gates")
	if err != nil {
		t.Fatal(err)
	}
	tab := newTab(t)
	for _, e := range examplePages {
		name, locale := e[0], e[1]
		tab.emulate(desktop, dark) // must not affect printing
		page, err := (&view.Page{Models: examples(t, name, locale), Code: code}).HTML(nil)
		if err != nil {
			t.Fatal(err)
		}
		tab.open(page)
		pdf, err := chromedp.Run(tab.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
		if err != nil {
			t.Fatal(err)
		}
		if pages := len(pageObject.FindAll(pdf, -1)); pages < 1 || pages > 2 {
			t.Errorf("%s in %s has %d pages, want 1 or 2", name, locale, pages)
		}
		if !bytes.Contains(pdf, []byte("/MediaBox [0 0 594.95996 841.91998]")) {
			box := regexp.MustCompile(`/MediaBox *\[[^]]*\]`).Find(pdf)
			t.Errorf("%s in %s is not A4: %s", name, locale, box)
		}
		tab.emulateMedia("print", dark)
		type state struct {
			Small      []string `json:"small"`
			Background string   `json:"background"`
			Code       bool     `json:"code"`
			Folded     bool     `json:"folded"`
		}
		got := eval[state](tab, `(() => {
			const visible = (e) => e.checkVisibility() && e.getClientRects().length > 0;
			const small = [...document.querySelectorAll("main *")].filter((e) =>
				visible(e) && !e.closest(".visually-hidden") && parseFloat(getComputedStyle(e).fontSize) < 12 &&
				[...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()));
			return {
				small: small.map((e) => e.textContent), background: getComputedStyle(document.documentElement).backgroundColor,
				code: [...document.querySelectorAll(".address path")].some(visible), folded: [...document.querySelectorAll(".folded")].some(visible),
			};
		})()`)
		if diff := cmp.Diff(state{Small: []string{}, Background: "rgb(255, 255, 255)", Code: true}, got); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", name, locale, diff)
		}
	}
}

func TestPrintedSectionsStayTogether(t *testing.T) {
	tab := newTab(t)
	tab.emulate(desktop, light)
	for _, name := range exampleNames {
		tab.open(html(t, example(t, name, "fr")))
		tab.emulateMedia("print", light)
		type state struct {
			Divisible []string `json:"divisible"`
			Folded    []string `json:"folded"`
		}
		got := eval[state](tab, `(() => {
			const divisible = (e) => getComputedStyle(e).breakInside !== "avoid";
			const hidden = (e) => !e.checkVisibility({ contentVisibilityAuto: true }) || e.getClientRects().length === 0;
			const text = (e) => e.textContent;
			return {
				divisible: [...document.querySelectorAll(".choices, .category:not(.chain), .strand, .foot")].filter(divisible).map(text),
				folded: [...document.querySelectorAll(".choice, .choice dd, .placement, .placement dd")].filter((e) => !e.closest(".folded") && hidden(e)).map(text),
			};
		})()`)
		if diff := cmp.Diff(state{[]string{}, []string{}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPrintedColumnsAreUsed(t *testing.T) {
	tab := newTab(t)
	for _, e := range examplePages {
		name, locale := e[0], e[1]
		tab.open(html(t, example(t, name, locale)))
		tab.emulate(703, light) // the width of A4 without margins
		tab.emulateMedia("print", light)
		type state struct {
			Narrow   []string `json:"narrow"`   // single answers in one of two columns
			Captions []string `json:"captions"` // of chains, with more than one line
		}
		got := eval[state](tab, `(() => {
			const { right } = document.querySelector(".sheet").getBoundingClientRect();
			const text = (e) => e.textContent;
			return {
				narrow: [...document.querySelectorAll(".category > .placements > :only-child")].filter((e) => e.getBoundingClientRect().right < right - 1).map(text),
				captions: [...document.querySelectorAll(".step > h4")].filter((e) => e.getBoundingClientRect().height > 20).map(text),
			};
		})()`)
		if diff := cmp.Diff(state{[]string{}, []string{}}, got); diff != "" {
			t.Errorf("%s in %s (-want +got):\n%s", name, locale, diff)
		}
	}
}
