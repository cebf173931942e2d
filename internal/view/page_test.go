package view_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"placard/internal/testenv"
)

func TestPageIsReadableWithoutScript(t *testing.T) {
	tab := newTab(t)
	tab.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	})
	tab.emulate(desktop, light)
	tab.open(html(t, example(t, "river_watch", "en")))
	title, err := chromedp.Run(tab.ctx, chromedp.Title())
	if want := "River and air watch on the Lower Tessel"; err != nil || title != want {
		t.Errorf("title = %q, %v, want %q", title, err, want)
	}
	text, err := chromedp.Run(tab.ctx, chromedp.Text("main"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Nobody is observed.", "Why is it here?", "Early flood warning for the cellars", "Identification", "Nobody identifiable",
		"+44 1632 960191", "place@2026-06-01-stable",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("page does not contain %q", want)
		}
	}
	if strings.Contains(text, "Agreed at the members’ meeting") {
		t.Error("provenance is not collapsed")
	}
}

func TestPageShowsIconsWithoutNetwork(t *testing.T) {
	tab := newTab(t)
	tab.emulate(desktop, light)
	tab.open(html(t, example(t, "station_gates", "en")))
	type state struct {
		Broken   int    `json:"broken"`
		Requests int    `json:"requests"`
		Injected bool   `json:"injected"`
		Fetched  string `json:"fetched"`
		MaxWidth string `json:"maxWidth"`
	}
	got := eval[state](tab, `(async () => {
		await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
		const broken = [...document.images].filter((image) => image.naturalWidth !== 36).length;
		const script = document.createElement("script");
		script.textContent = "window.injected = true";
		document.body.append(script);
		const fetched = await fetch("https://example.org/").then(() => "yes", () => "no");
		return {
			broken, fetched, injected: window.injected === true,
			requests: performance.getEntriesByType("resource").filter((r) => !r.name.startsWith("data:") && !r.name.startsWith("https://example.org")).length,
			maxWidth: getComputedStyle(document.querySelector("main")).maxWidth,
		};
	})()`)
	if diff := cmp.Diff(state{Fetched: "no", MaxWidth: "1216px"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// layout describes the layout of a page.
type layout struct {
	Overflow     int      `json:"overflow"`
	SmallTargets []string `json:"smallTargets"`
}

func TestPageFitsWindowAndHasLargeTargets(t *testing.T) {
	tab := newTab(t)
	for _, width := range []int64{smallPhone, phone, 800, desktop, 2560} {
		tab.emulate(width, light)
		tab.open(html(t, everything(t, "")))
		got := eval[layout](tab, `(() => {
			document.querySelectorAll("details").forEach((d) => { d.open = true; });
			const height = (e) => e.getBoundingClientRect().height;
			return {
				overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
				smallTargets: [...document.querySelectorAll("a, summary")].filter((e) => height(e) < 44).map((e) => e.textContent),
			};
		})()`)
		if got.Overflow > 0 {
			t.Errorf("at width %d, the page overflows by %d pixels", width, got.Overflow)
		}
		if len(got.SmallTargets) > 0 {
			t.Errorf("at width %d, targets are too small: %q", width, got.SmallTargets)
		}
	}
}

func TestRightToLeftPageIsMirrored(t *testing.T) {
	tab := newTab(t)
	for _, tc := range []struct {
		page []byte
		dir  string
	}{
		{html(t, everything(t, "")), "ltr"},
		{html(t, arabic(t)), "rtl"},
	} {
		tab.emulate(desktop, light)
		tab.open(tc.page)
		type state struct {
			Dir       string `json:"dir"`
			IconFirst bool   `json:"iconFirst"` // from the left
			English   string `json:"english"`
		}
		got := eval[state](tab, `(() => {
			const left = (selector) => document.querySelector(selector).getBoundingClientRect().left;
			const english = [...document.querySelectorAll("bdi")].find((e) => e.textContent === "Keeps people safe.");
			return {
				dir: document.documentElement.dir,
				iconFirst: left(".placement .icon") < left(".placement .placement-body"),
				english: getComputedStyle(english).direction,
			};
		})()`)
		if diff := cmp.Diff(state{tc.dir, tc.dir == "ltr", "ltr"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if m := arabic(t); m.Locale != "ar" || m.Title.Dir != "rtl" || m.Title.Lang != "" || m.Description.Lang != "en" {
		t.Errorf("locale %s, title %+v, description %+v", m.Locale, m.Title, m.Description)
	}
}

func TestPageFollowsPreferredColourScheme(t *testing.T) {
	tab := newTab(t)
	for scheme, want := range map[string][2]string{light: {"rgb(255, 255, 255)", "light"}, dark: {"rgb(19, 21, 24)", "dark"}} {
		tab.emulate(desktop, scheme)
		tab.open(html(t, everything(t, "")))
		got := eval[[2]string](tab, `[
			getComputedStyle(document.documentElement).backgroundColor,
			[...document.querySelectorAll(".placement:first-child img")].find((image) => image.checkVisibility()).className,
		]`)
		if got != want {
			t.Errorf("%s: got %v, want %v", scheme, got, want)
		}
	}
	if eval[bool](tab, `[...document.styleSheets].some((sheet) => [...sheet.cssRules].some((rule) => /(^|[^-])color-scheme:/.test(rule.cssText)))`) {
		t.Error("page declares a color-scheme")
	}
}

func TestPagesAreAccessible(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(testenv.NPM(t), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string][]byte{"everything": html(t, everything(t, "")), "arabic": html(t, arabic(t))}
	for _, name := range exampleNames {
		pages[name] = html(t, example(t, name, "fr"))
	}
	tab := newTab(t)
	for name, page := range pages {
		for scheme, width := range map[string]int64{light: desktop, dark: phone} {
			tab.emulate(width, scheme)
			tab.open(page)
			if _, err := chromedp.Run(tab.ctx, chromedp.Evaluate[any](string(axe)+"; null")); err != nil {
				t.Fatal(err)
			}
			violations := eval[[]string](tab, `(async () => {
				document.querySelectorAll("details").forEach((d) => { d.open = true; });
				const { violations } = await axe.run(document);
				return violations.flatMap((v) => v.nodes.map((n) => v.impact + " " + v.id + ": " + n.html.slice(0, 200)));
			})()`)
			for _, v := range violations {
				t.Errorf("%s, %s, width %d: %s", name, scheme, width, v)
			}
		}
	}
}

var pageObject = regexp.MustCompile(`/Type\s*/Page\b[^s]`)

func TestExamplesPrintOnAtMostTwoPages(t *testing.T) {
	tab := newTab(t)
	for _, name := range exampleNames {
		for _, locale := range []string{"en", "fr", "es", "ja"} {
			tab.emulate(desktop, dark) // must not affect printing
			tab.open(html(t, example(t, name, locale)))
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
		}
	}
	background := eval[string](tab, `getComputedStyle(document.documentElement).backgroundColor`)
	if want := "rgb(19, 21, 24)"; background != want {
		t.Errorf("background on the screen is %s, want %s", background, want)
	}
}
