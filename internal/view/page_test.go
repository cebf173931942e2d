package view_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"placard/internal/testenv"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

func TestAPageIsReadWithoutScript(t *testing.T) {
	tab := newTab(t)
	tab.do(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return chromedp.Void{}, err
	})
	tab.look(desk, light)
	tab.open(html(t, example(t, "river_watch", "en")))
	title, err := chromedp.Run(tab.ctx, chromedp.Title())
	if err != nil || title != "River and air watch on the Lower Tessel" {
		t.Errorf("%q, %v", title, err)
	}
	words, err := chromedp.Run(tab.ctx, chromedp.Text("main"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Nobody is observed.", "Why is it here?", "Early flood warning for the cellars", "Identifiability", "Not personal",
		"+44 1632 960191", "place@2026-06-01-stable",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(words, "Agreed at the members’ meeting") {
		t.Error("provenance is not folded away")
	}
}

func TestAPageDrawsItsIconsAndReachesNothing(t *testing.T) {
	tab := newTab(t)
	tab.look(desk, light)
	tab.open(html(t, example(t, "station_gates", "en")))
	type state struct {
		Blank    int    `json:"blank"`
		Requests int    `json:"requests"`
		Injected bool   `json:"injected"`
		Fetched  string `json:"fetched"`
		Max      string `json:"max"`
	}
	got := eval[state](tab, `(async () => {
		await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
		const blank = [...document.images].filter((image) => image.naturalWidth !== 36).length;
		const script = document.createElement("script");
		script.textContent = "window.injected = true";
		document.body.append(script);
		const fetched = await fetch("https://example.org/").then(() => "yes", () => "no");
		return {
			blank, fetched, injected: window.injected === true,
			requests: performance.getEntriesByType("resource").filter((r) => !r.name.startsWith("data:") && !r.name.startsWith("https://example.org")).length,
			max: getComputedStyle(document.querySelector("main")).maxWidth,
		};
	})()`)
	if diff := cmp.Diff(state{Fetched: "no", Max: "1216px"}, got); diff != "" {
		t.Error(diff)
	}
}

// outline is where things stand in a page.
type outline struct {
	Overflow int      `json:"overflow"`
	Small    []string `json:"small"`
}

func TestPagesFitEveryWidthAndFinger(t *testing.T) {
	tab := newTab(t)
	for _, width := range []int64{tiny, phone, 800, desk, 2560} {
		tab.look(width, light)
		tab.open(html(t, everything(t, "")))
		got := eval[outline](tab, `(() => {
			document.querySelectorAll("details").forEach((d) => { d.open = true; });
			const target = (e) => e.getBoundingClientRect();
			return {
				overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
				small: [...document.querySelectorAll("a, summary")].filter((e) => target(e).height < 44).map((e) => e.textContent),
			};
		})()`)
		if got.Overflow > 0 {
			t.Errorf("at %d the page is %d too wide", width, got.Overflow)
		}
		if len(got.Small) > 0 {
			t.Errorf("at %d these are hard to hit: %q", width, got.Small)
		}
	}
}

func TestRightToLeftPagesAreMirrored(t *testing.T) {
	tab := newTab(t)
	for _, tc := range []struct {
		model []byte
		dir   string
	}{
		{html(t, everything(t, "")), "ltr"},
		{html(t, arabic(t)), "rtl"},
	} {
		tab.look(desk, light)
		tab.open(tc.model)
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
				iconFirst: left(".placement .icon") < left(".placement .words"),
				english: getComputedStyle(english).direction,
			};
		})()`)
		if diff := cmp.Diff(state{tc.dir, tc.dir == "ltr", "ltr"}, got); diff != "" {
			t.Error(diff)
		}
	}
	if m := arabic(t); m.Locale != "ar" || m.Title.Dir != "rtl" || m.Title.Lang != "" || m.Description.Lang != "en" {
		t.Errorf("locale %s, title %+v, description %+v", m.Locale, m.Title, m.Description)
	}
}

func TestPagesFollowThePreferredColours(t *testing.T) {
	tab := newTab(t)
	for scheme, want := range map[string][2]string{light: {"rgb(255, 255, 255)", "light"}, dark: {"rgb(19, 21, 24)", "dark"}} {
		tab.look(desk, scheme)
		tab.open(html(t, everything(t, "")))
		got := eval[[2]string](tab, `[
			getComputedStyle(document.documentElement).backgroundColor,
			[...document.querySelectorAll(".placement:first-child img")].find((image) => image.checkVisibility()).className,
		]`)
		if got != want {
			t.Errorf("%s: %v", scheme, got)
		}
	}
	if eval[bool](tab, `[...document.styleSheets].some((sheet) => [...sheet.cssRules].some((rule) => /(^|[^-])color-scheme:/.test(rule.cssText)))`) {
		t.Error("the page declares a color-scheme")
	}
}

func TestEveryoneCanReadPages(t *testing.T) {
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
		for scheme, width := range map[string]int64{light: desk, dark: phone} {
			tab.look(width, scheme)
			tab.open(page)
			if _, err := chromedp.Run(tab.ctx, chromedp.Evaluate[any](string(axe)+"; null")); err != nil {
				t.Fatal(err)
			}
			faults := eval[[]string](tab, `(async () => {
				document.querySelectorAll("details").forEach((d) => { d.open = true; });
				const { violations } = await axe.run(document);
				return violations.flatMap((v) => v.nodes.map((n) => v.impact + " " + v.id + ": " + n.html.slice(0, 200)));
			})()`)
			for _, fault := range faults {
				t.Errorf("%s, %s, %d wide: %s", name, scheme, width, fault)
			}
		}
	}
}

var pageObject = regexp.MustCompile(`/Type\s*/Page\b[^s]`)

func TestExamplesArePrintedOnTwoPages(t *testing.T) {
	tab := newTab(t)
	for _, name := range exampleNames {
		for _, locale := range []string{"en", "fr", "es", "ja"} {
			tab.look(desk, dark) // paper is white all the same
			tab.open(html(t, example(t, name, locale)))
			pdf, err := chromedp.Run(tab.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
			if err != nil {
				t.Fatal(err)
			}
			if pages := len(pageObject.FindAll(pdf, -1)); pages < 1 || pages > 2 {
				t.Errorf("%s in %s has %d pages", name, locale, pages)
			}
			if !bytes.Contains(pdf, []byte("/MediaBox [0 0 594.95996 841.91998]")) {
				box := regexp.MustCompile(`/MediaBox *\[[^]]*\]`).Find(pdf)
				t.Errorf("%s in %s is not on A4 paper: %s", name, locale, box)
			}
		}
	}
	ground := eval[string](tab, `getComputedStyle(document.documentElement).backgroundColor`)
	if ground != fmt.Sprintf("rgb(%d, %d, %d)", 19, 21, 24) {
		t.Errorf("the page that was printed is %s on the screen", ground)
	}
}
