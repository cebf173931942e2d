package view_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/show/qr"
	"placard/internal/show/view"
	"placard/scripts/envtest"
)

func TestLargeTextDoesNotBreakWords(t *testing.T) {
	tab := newTab(t)
	for _, name := range exampleNames {
		for _, locale := range envtest.Sample(1, []string{"fr", "en", "es"}) {
			tab.emulate(phone, light)
			tab.open(html(t, example(t, name, locale)))
			broken := eval[[]string](tab, `(() => {
				const root = document.documentElement;
				root.style.setProperty("--font", $);
				root.style.fontSize = "200%";
				document.querySelectorAll("details").forEach((d) => { d.open = true; });
				const broken = [];
				const walker = document.createTreeWalker(document.querySelector(".sheet"), NodeFilter.SHOW_TEXT);
				while (walker.nextNode()) {
					const node = walker.currentNode;
					if (!node.parentElement.checkVisibility() || node.parentElement.closest(".visually-hidden")) continue;
					for (const word of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
						const range = document.createRange();
						range.setStart(node, word.index);
						range.setEnd(node, word.index + word[0].length);
						const tops = new Set([...range.getClientRects()].map((r) => Math.round(r.top)));
						if (tops.size > 1) broken.push(word[0]);
					}
				}
				return broken;
			})()`, phoneFont)
			if len(broken) > 0 {
				t.Errorf("%s in %s: broken words: %q", name, locale, broken)
			}
		}
	}
}

// examplePages are examples and their languages.
var examplePages = envtest.Sample(3, [][2]string{
	{"river_watch", "es"},
	{"smart_crossing", "ja"},
	{"station_gates", "fr"},
	{"river_watch", "fr"},
	{"smart_crossing", "es"},
	{"station_gates", "ja"},
	{"river_watch", "ja"},
	{"smart_crossing", "fr"},
	{"station_gates", "es"},
	{"river_watch", "en"},
	{"smart_crossing", "en"},
	{"station_gates", "en"},
})

// phoneFont has the widths of the fonts of phones, unlike the default font of some
// machines that run tests.
const phoneFont = `"Liberation Sans", Arial, "Noto Sans CJK JP"`

func TestFirstPhoneScreenAnswersTheMainQuestions(t *testing.T) {
	tab := newTab(t)
	for _, e := range examplePages {
		name, locale := e[0], e[1]
		m := example(t, name, locale)
		tab.emulate(phone, light)
		tab.open(html(t, m))
		type state struct {
			Height   float64  `json:"height"`
			Overflow []int    `json:"overflow"`
			Visible  []string `json:"visible"`
		}
		got := eval[state](tab, `(() => {
			const root = document.documentElement;
			root.style.setProperty("--font", $);
			const visible = [...document.querySelectorAll(".highlights li, .choice h3")].filter((e) => e.getBoundingClientRect().bottom <= 844);
			const height = root.scrollHeight;
			const overflow = [root.scrollWidth - root.clientWidth];
			root.style.fontSize = "200%";
			overflow.push(root.scrollWidth - root.clientWidth);
			return { height, overflow, visible: visible.map((e) => e.textContent) };
		})()`, phoneFont)
		if screens := got.Height / 844; screens > 6 {
			t.Errorf("%s in %s is %.2f screens high, want at most 6", name, locale, screens)
		}
		if diff := cmp.Diff([]int{0, 0}, got.Overflow); diff != "" {
			t.Errorf("%s in %s overflows, with text of 100 and 200 %% (-want +got):\n%s", name, locale, diff)
		}
		seen := strings.Join(got.Visible, "\n")
		want := []view.Text{m.Responsible.Name, m.Choices[0].Heading}
		for _, h := range m.Highlights {
			want = append(want, h.Question, h.Heading)
			if h.Category == "data" {
				want = append(want, h.Context.Value)
			}
		}
		for _, text := range want {
			if !strings.Contains(seen, text.String()) {
				t.Errorf("%s in %s: the first screen lacks %q", name, locale, text)
			}
		}
	}
}

func TestAddressesStayOnOneLine(t *testing.T) {
	code, err := qr.Encode("https://disclosures.ostmere.example.org/station_gates")
	if err != nil {
		t.Fatal(err)
	}
	// broken lists the addresses that take more than one line.
	const broken = `[...document.querySelectorAll(".actions .link, .facts .link")].filter((e) => {
		const pieces = [...e.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE);
		const tops = pieces.map((n) => {
			const range = document.createRange();
			range.selectNode(n);
			return Math.round(range.getBoundingClientRect().top);
		});
		return e.checkVisibility() && new Set(tops).size > 1;
	}).map((e) => e.textContent)`
	tab := newTab(t)
	for _, name := range exampleNames {
		m := example(t, name, "en")
		longest := "https://" + strings.Repeat("department.", 4) + "org/gate"
		m.Choices[0].Actions[0] = view.Action{Label: view.Text{Text: "Write"}, Target: view.Text{Text: longest}, Href: longest}
		page, err := (&view.Page{Models: []*view.Model{m}, Code: code}).HTML(nil)
		if err != nil {
			t.Fatal(err)
		}
		tab.emulate(phone, light)
		tab.open(page)
		if got := eval[[]string](tab, `(document.documentElement.style.setProperty("--font", $), `+broken+`)`, phoneFont); len(got) > 0 {
			t.Errorf("%s: addresses are broken on a phone: %q", name, got)
		}
		longest = "https://" + strings.Repeat("department.", 8) + "org"
		m.Choices[0].Actions[0] = view.Action{Label: view.Text{Text: "Write"}, Target: view.Text{Text: longest}, Href: longest}
		if page, err = (&view.Page{Models: []*view.Model{m}, Code: code}).HTML(nil); err != nil {
			t.Fatal(err)
		}
		tab.open(page)
		tab.emulate(703, light) // the width of A4 without margins
		tab.emulateMedia("print", light)
		if got := eval[[]string](tab, broken); len(got) > 0 {
			t.Errorf("%s: addresses are broken in print: %q", name, got)
		}
		if height := eval[float64](tab, `document.querySelector(".address span").getBoundingClientRect().height`); height > 24 {
			t.Errorf("%s: the printed address is %.0f pixels high, want one line", name, height)
		}
	}
}

func TestNoLineBeginsWithADot(t *testing.T) {
	tab := newTab(t)
	for _, name := range exampleNames {
		for _, width := range envtest.Sample(2, []int64{smallPhone, 768, phone, desktop}) {
			tab.emulate(width, light)
			tab.open(html(t, example(t, name, "en")))
			got := eval[[]string](tab, `(() => {
				const dots = [];
				document.querySelectorAll("details").forEach((d) => { d.open = true; });
				for (const size of ["100%", "200%"]) {
					document.documentElement.style.fontSize = size;
					const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
					while (walker.nextNode()) {
						const node = walker.currentNode;
						const at = node.data.indexOf("·");
						if (at < 0 || !node.parentElement.checkVisibility()) continue;
						const range = document.createRange();
						range.setStart(node, at);
						range.setEnd(node, at + 1);
						const line = node.parentElement.closest(".answer, dd, .chained, .gist, h3");
						if (range.getBoundingClientRect().left < line.getBoundingClientRect().left + 2) dots.push(line.textContent);
					}
				}
				return dots;
			})()`)
			if len(got) > 0 {
				t.Errorf("%s: lines begin with a dot at width %d: %q", name, width, got)
			}
		}
	}
}

func TestHighlightsAlignWithTheirIcons(t *testing.T) {
	tab := newTab(t)
	for _, width := range []int64{phone, 768, desktop} {
		tab.emulate(width, light)
		tab.open(html(t, example(t, "smart_crossing", "en")))
		got := eval[[]string](tab, `[...document.querySelectorAll(".highlights a")].filter((a) => {
			const [icon, text] = [".icon", ".highlight"].map((s) => a.querySelector(s).getBoundingClientRect());
			return icon.top !== text.top;
		}).map((a) => a.textContent)`)
		if len(got) > 0 {
			t.Errorf("at width %d, texts are not at the top of their icons: %q", width, got)
		}
	}
}

func TestOriginBelowTheDescriptionIsNotIndented(t *testing.T) {
	tab := newTab(t)
	for _, size := range []string{"100%", "200%"} {
		tab.emulate(phone, light)
		tab.open(html(t, example(t, "station_gates", "fr")))
		got := eval[float64](tab, `(() => {
			document.documentElement.style.fontSize = $;
			const [lead, origin] = [".lead", ".origin"].map((s) => document.querySelector(s).getClientRects());
			const last = lead[lead.length - 1];
			const isBelow = origin[0].top >= last.bottom - 2;
			return isBelow ? origin[0].left - document.querySelector(".sheet").getBoundingClientRect().left : 0;
		})()`, size)
		if got != 0 {
			t.Errorf("with text of %s, the label is indented by %.1f pixels", size, got)
		}
	}
}

func TestDefinitionsOpenBelowLocalFacts(t *testing.T) {
	tab := newTab(t)
	tab.emulate(phone, light)
	tab.open(html(t, example(t, "station_gates", "en")))
	got := eval[[]string](tab, `(() => {
		document.querySelectorAll("details").forEach((d) => { d.open = true; });
		return [...document.querySelectorAll(".choice, .placement")].filter((e) => {
			const folded = e.querySelector(".folded");
			const facts = [...e.querySelectorAll(".facts, .context")].filter((f) => !f.closest(".folded"));
			return folded && facts.some((f) => f.getBoundingClientRect().bottom > folded.getBoundingClientRect().top);
		}).map((e) => e.textContent);
	})()`)
	if len(got) > 0 {
		t.Errorf("definitions are above the facts: %q", got)
	}
}

func TestFirstPhoneScreenHasALink(t *testing.T) {
	tab := newTab(t)
	tab.emulate(phone, light)
	for _, e := range examplePages {
		name, locale := e[0], e[1]
		page, err := (&view.Page{Models: examples(t, name, locale)}).HTML(nil)
		if err != nil {
			t.Fatal(err)
		}
		tab.open(page)
		bottom := eval[float64](tab, `document.querySelector(".actions a").getBoundingClientRect().bottom`)
		if bottom > 844 {
			t.Errorf("%s in %s: the first link ends at %.0f pixels, want at most 844", name, locale, bottom)
		}
	}
}
