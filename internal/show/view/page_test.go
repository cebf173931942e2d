package view_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"placard/internal/core/icon"
	"placard/internal/show/view"
	"placard/scripts/envtest"
)

func TestPageIsReadableWithoutScript(t *testing.T) {
	tab := tab{t, envtest.Browser(t)}
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
	// Folded parts open without a script, too.
	eval[any](tab, `document.querySelector(".category > summary").click()`)
	text, err := chromedp.Run(tab.ctx, chromedp.Text("main"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Nobody is observed.", "Water levels and air quality along four kilometres",
		"University of Ostmere, Institute for Rivers", "+44 1632 960191", "About this page",
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
		Icons    bool   `json:"icons"`
		Empty    int    `json:"empty"`
		Requests int    `json:"requests"`
		Injected bool   `json:"injected"`
		Fetched  string `json:"fetched"`
	}
	got := eval[state](tab, `(async () => {
		const uses = [...document.querySelectorAll("use")];
		const script = document.createElement("script");
		script.textContent = "window.injected = true";
		document.body.append(script);
		const fetched = await fetch("https://example.org/").then(() => "yes", () => "no");
		return {
			icons: uses.length > 20, empty: uses.filter((use) => use.getBBox().width < 15).length,
			fetched, injected: window.injected === true,
			requests: performance.getEntriesByType("resource").filter((r) => !r.name.startsWith("https://example.org")).length,
		};
	})()`)
	if diff := cmp.Diff(state{Icons: true, Fetched: "no"}, got); diff != "" {
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
	for _, width := range envtest.Sample(2, []int64{smallPhone, desktop, phone, 800, 2560}) {
		tab.emulate(width, light)
		tab.open(html(t, everything(t, "")))
		got := eval[layout](tab, `(() => {
			document.querySelectorAll("details").forEach((d) => { d.open = true; });
			const height = (e) => e.getBoundingClientRect().height;
			return {
				overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
				smallTargets: [...document.querySelectorAll("a, summary")].filter((e) => e.checkVisibility() && height(e) < 44).map((e) => e.textContent),
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

func TestLongWordsFit(t *testing.T) {
	long := strings.Repeat("Donaudampfschifffahrts", 12)
	m, err := parseAndBuild(rewrite(t, file(t, "everything.json"), func() string { return long }))
	if err != nil {
		t.Fatal(err)
	}
	page := html(t, m)
	tab := newTab(t)
	for _, width := range []int64{smallPhone, desktop} {
		tab.emulate(width, light)
		tab.open(page)
		got := eval[[]int](tab, `(() => {
			const root = document.documentElement;
			document.querySelectorAll("details").forEach((d) => { d.open = true; });
			return ["100%", "200%"].map((size) => {
				root.style.fontSize = size;
				return root.scrollWidth - root.clientWidth;
			});
		})()`)
		if diff := cmp.Diff([]int{0, 0}, got); diff != "" {
			t.Errorf("at width %d, the page overflows, with text of 100 and 200 %% (-want +got):\n%s", width, diff)
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
			Context   string `json:"context"` // the direction of a label and its value, in English
			Label     string `json:"label"`   // the direction of a label and its colon, in English
		}
		got := eval[state](tab, `(() => {
			const left = (selector) => document.querySelector(selector).getBoundingClientRect().left;
			const english = [...document.querySelectorAll("bdi")].find((e) => e.textContent === "Keeps people safe.");
			return {
				dir: document.documentElement.dir,
				iconFirst: left(".placement .icon") < left(".placement .placement-body"),
				english: getComputedStyle(english).direction,
				context: getComputedStyle(document.querySelector(".placement .context")).direction,
				label: getComputedStyle(document.querySelector(".about .label")).direction,
			};
		})()`)
		if diff := cmp.Diff(state{tc.dir, tc.dir == "ltr", "ltr", "ltr", "ltr"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if m := arabic(t); m.Locale != "ar" || m.Title.Dir != "rtl" || m.Title.Lang != "" || m.Description.Lang != "en" {
		t.Errorf("locale %s, title %+v, description %+v", m.Locale, m.Title, m.Description)
	}
}

func TestPageFollowsPreferredColourScheme(t *testing.T) {
	tab := newTab(t)
	for scheme, want := range map[string][2]string{
		light: {"rgb(255, 255, 255)", "rgb(20, 22, 26)"},
		dark:  {"rgb(20, 22, 26)", "rgb(242, 241, 236)"},
	} {
		tab.emulate(desktop, scheme)
		tab.open(html(t, everything(t, "")))
		got := eval[[2]string](tab, `[
			getComputedStyle(document.documentElement).backgroundColor,
			getComputedStyle(document.querySelector(".icon")).color,
		]`)
		if got != want {
			t.Errorf("%s: got %v, want %v", scheme, got, want)
		}
	}
}

// The copies of a symbol that a page draws have no computed style, so the test looks at
// their pixels.
func TestEdgesOfIconsStandOut(t *testing.T) {
	tab := newTab(t)
	for _, scheme := range []string{light, dark} {
		for _, name := range exampleNames {
			tab.emulate(phone, scheme)
			tab.open(html(t, example(t, name, "en")))
			type point struct{ X, Y int }
			icons := eval[[]point](tab, `[...document.querySelectorAll(".highlights .icon")].map((e) => {
				const r = e.getBoundingClientRect();
				return { X: Math.round(r.left), Y: Math.round(r.top + r.height / 2) };
			})`)
			encoded, err := chromedp.Run(tab.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			picture, err := png.Decode(bytes.NewReader(encoded))
			if err != nil {
				t.Fatal(err)
			}
			at := func(x, y int) icon.Color {
				r, g, b, _ := picture.At(x, y).RGBA()
				c, _ := icon.ParseColor(fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8))
				return c
			}
			for i, p := range icons {
				paper, best := at(2, p.Y), 0.0
				for x := p.X; x < p.X+8; x++ {
					best = max(best, icon.Contrast(at(x, p.Y), paper))
				}
				if best < 3 {
					t.Errorf("%s, %s: the edge of icon %d has a contrast of %.2f, want at least 3", name, scheme, i, best)
				}
			}
		}
	}
}

func TestPagesAreAccessible(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(envtest.NPM(t), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := (&view.Page{Models: examples(t, "river_watch", "es")}).HTML(nil)
	if err != nil {
		t.Fatal(err)
	}
	type variant struct {
		name   string
		page   []byte
		width  int64
		scheme string
	}
	variants := []variant{
		{"everything", html(t, everything(t, "")), desktop, light},
		{"arabic in the dark", html(t, arabic(t)), phone, dark},
		{"station_gates in fr", html(t, example(t, "station_gates", "fr")), phone, light},
		{"all languages", all, phone, dark},
		{"everything in the dark", html(t, everything(t, "")), phone, dark},
		{"arabic", html(t, arabic(t)), desktop, light},
	}
	for i, e := range examplePages {
		v := variant{e[0] + " in " + e[1], html(t, example(t, e[0], e[1])), desktop, light}
		if i%2 == 0 {
			v.width, v.scheme = phone, dark
		}
		variants = append(variants, v)
	}
	tab := newTab(t)
	for _, v := range envtest.Sample(3, variants) {
		tab.emulate(v.width, v.scheme)
		tab.open(v.page)
		if _, err := chromedp.Run(tab.ctx, chromedp.Evaluate[any](string(axe)+"; null")); err != nil {
			t.Fatal(err)
		}
		violations := eval[[]string](tab, `(async () => {
			document.querySelectorAll("main:first-of-type details").forEach((d) => { d.open = true; });
			const { violations } = await axe.run(document);
			return violations.flatMap((v) => v.nodes.map((n) => v.impact + " " + v.id + ": " + n.html.slice(0, 200)));
		})()`)
		for _, found := range violations {
			t.Errorf("%s: %s", v.name, found)
		}
	}
}

func TestLabelsHaveTheColonOfTheirLanguage(t *testing.T) {
	tab := newTab(t)
	for locale, want := range map[string]string{"en": `":"`, "fr": "\"\u202f:\"", "es": `":"`, "ja": `"："`} {
		tab.open(html(t, example(t, "station_gates", locale)))
		got := eval[[]string](tab, `[...new Set([...document.querySelectorAll(".placement .label")].map((e) => getComputedStyle(e, "::after").content))]`)
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", locale, diff)
		}
	}
	m := example(t, "station_gates", "en")
	for _, section := range m.Parts[0].Strands[0].Sections {
		for _, p := range section.Placements {
			if p.Context != nil {
				p.Context.Name = view.Text{Text: "Can it identify me?"}
			}
		}
	}
	tab.open(html(t, m))
	if got := eval[string](tab, `getComputedStyle(document.querySelector(".placement .label.ends"), "::after").content`); got != "none" {
		t.Errorf("a question is followed by %s, want nothing", got)
	}

	// The labels of actions have a colon in print only.
	for locale, want := range map[string]string{"en": `":"`, "fr": "\"\u202f:\"", "ja": `"："`} {
		m := example(t, "station_gates", locale)
		m.Choices[0].Actions[0].Label = view.Text{Text: "Any questions?"}
		tab.open(html(t, m))
		const colons = `[...new Set([...document.querySelectorAll(".actions .label")].map((e) => getComputedStyle(e, "::after").content))]`
		got := [][]string{eval[[]string](tab, colons)}
		tab.emulateMedia("print", light)
		got = append(got, eval[[]string](tab, colons))
		tab.emulateMedia("", light)
		if diff := cmp.Diff([][]string{{"none"}, {"none", want}}, got); diff != "" {
			t.Errorf("actions in %s, on the screen and in print (-want +got):\n%s", locale, diff)
		}
	}
}

func TestLinksOpenTheirSections(t *testing.T) {
	tab := newTab(t)
	tab.emulate(phone, light)
	tab.open(html(t, example(t, "station_gates", "en")))
	n := eval[int](tab, `document.querySelectorAll(".highlights a, .contents a").length`)
	for i := range n {
		type state struct {
			Link, Target string
			Visible      bool
		}
		got := eval[state](tab, `(async () => {
			document.querySelectorAll("details").forEach((d) => { d.open = false; });
			document.documentElement.style.scrollBehavior = "auto";
			const link = document.querySelectorAll(".highlights a, .contents a")[$];
			link.click();
			await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
			const target = document.querySelector(":target");
			const { top } = target.getBoundingClientRect();
			return { Link: link.textContent, Target: target.textContent, Visible: target.checkVisibility() && !target.closest("details:not([open])") && top >= 0 && top < innerHeight };
		})()`, i)
		if !got.Visible {
			t.Errorf("%q leads to %.60q, which is not visible", got.Link, got.Target)
		}
	}
	if n < 10 {
		t.Errorf("got %d links, want at least 10", n)
	}
}

func TestScriptOpensSectionsInOldBrowsers(t *testing.T) {
	tab := tab{t, envtest.Browser(t)}
	tab.emulate(phone, light)
	tab.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `delete Element.prototype.checkVisibility`,
		})
		return chromedp.Void{}, err
	})
	tab.open(html(t, example(t, "station_gates", "en")))
	got := eval[[]int](tab, `(() => {
		const link = document.querySelector(".highlights a");
		link.addEventListener("click", (event) => event.preventDefault()); // the browser does nothing
		const opened = () => document.querySelectorAll("details[open]").length;
		return [1, 2].map(() => {
			document.querySelectorAll("details").forEach((d) => { d.open = false; });
			link.click();
			return opened();
		});
	})()`)
	if diff := cmp.Diff([]int{1, 1}, got); diff != "" {
		t.Errorf("open sections after the first and second tap (-want +got):\n%s", diff)
	}
}

func TestReadersSeeTheirScript(t *testing.T) {
	tab := tab{t, envtest.Browser(t)}
	for wanted, want := range map[string]string{"zh-TW": "zh-Hant", "zh-CN": "zh-Hans", "zh-Latn": "zh-Hans", "de": "en"} {
		var models []*view.Model
		for _, locale := range []string{"en", "x-own", "zh-Hans", "zh-Hant"} {
			m := *everything(t, "")
			m.Locale = locale
			models = append(models, &m)
		}
		page, err := (&view.Page{Models: models, FollowsReader: true}).HTML(nil)
		if err != nil {
			t.Fatal(err)
		}
		tab.run(func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, target, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "test", AcceptLanguage: wanted})
			return chromedp.Void{}, err
		})
		tab.open(page)
		if got := eval[string](tab, `document.documentElement.lang`); got != want {
			t.Errorf("a reader of %s sees %s, want %s", wanted, got, want)
		}
	}
}

func TestReadersChooseTheLanguage(t *testing.T) {
	models := examples(t, "river_watch", "fr")
	type state struct {
		Shown []string `json:"shown"`
		Lang  string   `json:"lang"`
		Title string   `json:"title"`
		Space float64  `json:"space"` // between the bar at the top of the window and the language
	}
	japanese := example(t, "river_watch", "ja").Title.String()
	french := models[0].Title.String()
	english := example(t, "river_watch", "en").Title.String()
	tab := newTab(t)
	tab.emulate(phone, light)
	for _, test := range []struct {
		name          string
		followsReader bool // the browser prefers English
		click         string
		want          state
	}{
		{"the first language", false, "", state{[]string{"fr"}, "fr", french, 0}},
		{"the reader's language", true, "", state{[]string{"en"}, "en", english, 0}},
		{"a link to a language", false, `main[lang=fr] a[href="#ja"]`, state{[]string{"ja"}, "ja", japanese, 0}},
		{"a link to a section", true, `main[lang=en] .highlights a`, state{[]string{"en"}, "en", english, 0}},
		{"another link to a section", false, `main[lang=fr] .contents a`, state{[]string{"fr"}, "fr", french, 0}},
	} {
		page, err := (&view.Page{Models: models, FollowsReader: test.followsReader}).HTML(nil)
		if err != nil {
			t.Fatal(err)
		}
		tab.open(page)
		got := eval[state](tab, `(async () => {
			const click = $;
			if (click) {
				const changed = new Promise((resolve) => window.addEventListener("hashchange", resolve, { once: true }));
				document.querySelector(click).click();
				await changed;
			}
			const languages = [...document.querySelectorAll("main")].filter((main) => main.checkVisibility());
			const [shown] = languages;
			shown.scrollIntoView();
			return {
				shown: languages.map((main) => main.lang),
				lang: document.documentElement.lang, title: document.title,
				space: shown.getBoundingClientRect().top - parseFloat(getComputedStyle(document.body).borderTopWidth),
			};
		})()`, test.click)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
