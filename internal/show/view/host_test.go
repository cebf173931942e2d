package view_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"placard/internal/show/view"
)

// message is a message from the view to its host.
type message struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
	Result map[string]any `json:"result"`
	Error  map[string]any `json:"error"`
}

func TestHostShowsThePageThatTheServerRenders(t *testing.T) {
	tab := newTab(t)
	tab.openHost(nil)
	eval[any](tab, `embed("/placeholder").then(() => accept())`)
	type pages struct {
		Server []string `json:"server"`
		Script []string `json:"script"`
	}
	compare := func(tb fataler, models ...*view.Model) {
		page, err := (&view.Page{Models: models}).HTML(nil)
		if err != nil {
			tb.Fatal(err)
		}
		got := eval[pages](tab, `renderBoth($, $)`, string(page), meta(t, models...))
		if diff := cmp.Diff(got.Server, got.Script); diff != "" {
			tb.Fatal("(-server +script):", diff)
		}
		if len(got.Server) != 4 || strings.Count(got.Server[3], "<h1>") != len(models) {
			tb.Fatal("page is empty")
		}
	}
	for _, e := range examplePages {
		compare(t, example(t, e[0], e[1]))
	}
	compare(t, everything(t, ""))
	compare(t, everything(t, "fr"))
	compare(t, arabic(t))
	compare(t, examples(t, "river_watch", "es")...)

	document := file(t, "everything.json")
	text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		m, err := parseAndBuild(rewrite(t, document, func() string { return text.Draw(t, "text") }))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, m)
	})
}

func TestHostShowsTheReadersLanguage(t *testing.T) {
	tab := newTab(t) // the browser prefers English
	tab.openHost(nil)
	eval[any](tab, `embed("/placeholder").then(() => accept())`)
	models := examples(t, "river_watch", "fr")
	for followsReader, locale := range map[bool]string{true: "en", false: "fr"} {
		eval[any](tab, `notify("ui/notifications/tool-result", {content: [], _meta: $})`,
			metaOf(t, &view.Page{Models: models, FollowsReader: followsReader}))
		got := eval[[]string](tab, `request("ping").then(() => {
			const { documentElement, title } = frameDocument();
			return [documentElement.lang, title, frameDocument().querySelector("main").lang];
		})`)
		if diff := cmp.Diff([]string{locale, example(t, "river_watch", locale).Title.String(), locale}, got); diff != "" {
			t.Errorf("follows the reader: %t (-want +got):\n%s", followsReader, diff)
		}
	}
}

func TestViewConnectsToHost(t *testing.T) {
	m := example(t, "smart_crossing", "en")
	tab := newTab(t)
	tab.openHost(html(t, m))
	// Hosts embed untrusted content with an opaque origin.
	const untrusted = `{sandbox: "allow-scripts"}`

	eval[any](tab, `embed("/placeholder", `+untrusted+`)`)
	first := eval[[]message](tab, `received`)
	want := []message{{Method: "ui/initialize", Params: map[string]any{
		"protocolVersion": "2026-01-26",
		"appInfo":         map[string]any{"name": "placard-view", "version": "1.0.0"},
		"appCapabilities": map[string]any{},
	}}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := eval[message](tab, `request("ping")`); got.Result == nil {
		t.Errorf("response to ping is %+v, want a result", got)
	}
	if sent := eval[[]string](tab, `received.map((m) => m.method ?? "response")`); len(sent) != 2 {
		t.Errorf("before the response to ui/initialize, the view sent %q", sent)
	}

	if got := eval[message](tab, `accept()`); got.Method != "ui/notifications/initialized" {
		t.Errorf("got %+v, want ui/notifications/initialized", got)
	}
	before := eval[float64](tab, `waitForMethod("ui/notifications/size-changed").then((m) => m.params.height)`)
	eval[any](tab, `notify("ui/notifications/tool-result", {content: [], _meta: $})`, meta(t, m))
	after := eval[float64](tab, `waitFor((m) => m.method === "ui/notifications/size-changed" && m.params.height > 1000).then((m) => m.params.height)`)
	if before > 400 || after < 1200 {
		t.Errorf("height is %g before and %g after drawing", before, after)
	}
	if sizes := eval[int](tab, `received.filter((m) => m.method === "ui/notifications/size-changed").length`); sizes > 4 {
		t.Errorf("view sent its size %d times, want at most 4", sizes)
	}

	if got := eval[message](tab, `request("ui/resource-teardown", {})`); got.Result == nil {
		t.Errorf("response to ui/resource-teardown is %+v, want a result", got)
	}
	if got := eval[message](tab, `request("no/such-method", {})`); got.Error["code"] != -32601.0 {
		t.Errorf("response to an unknown method is %+v, want error -32601", got)
	}

	eval[any](tab, `embed("/page", `+untrusted+`).then(() => accept())`)
	rendered := eval[float64](tab, `waitForMethod("ui/notifications/size-changed").then((m) => m.params.height)`)
	if rendered != after {
		t.Errorf("height is %g if rendered by the server, %g if drawn by the script", rendered, after)
	}
}

func TestWidthIsReportedIfHostSetsOnlyMaximum(t *testing.T) {
	tab := newTab(t)
	tab.openHost(nil)
	for _, tc := range []struct {
		dimensions string
		want       any
	}{
		{`{width: 800}`, nil},
		{`{maxWidth: 700}`, 700.0},
		{`{maxWidth: 4000}`, 1152.0},
	} {
		eval[any](tab, `embed("/placeholder", {hostContext: {containerDimensions: `+tc.dimensions+`}}).then(() => accept())`)
		got := eval[message](tab, `waitForMethod("ui/notifications/size-changed")`)
		if got.Params["width"] != tc.want {
			t.Errorf("%s: got width %v, want %v", tc.dimensions, got.Params["width"], tc.want)
		}
	}
}

func TestViewAdoptsHostTheme(t *testing.T) {
	tab := newTab(t)
	tab.emulate(desktop, dark) // the theme of the host takes precedence
	tab.openHost(html(t, everything(t, "")))
	type state struct{ Background, Text, Padding string }
	current := func() state {
		t.Helper()
		return eval[state](tab, `request("ping").then(() => {
			const style = frameDocument().defaultView.getComputedStyle(frameDocument().documentElement);
			const compact = (value) => value.replaceAll(" ", "");
			return {
				Background: compact(style.backgroundColor), Text: compact(style.color),
				Padding: frameDocument().defaultView.getComputedStyle(frameDocument().querySelector("main")).paddingTop,
			};
		})`)
	}
	eval[any](tab, `embed("/page", {hostContext: {theme: "light"}}).then(() => accept())`)
	if diff := cmp.Diff(state{"rgb(255,255,255)", "rgb(20,22,26)", "4px"}, current()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	eval[any](tab, `notify("ui/notifications/host-context-changed", {theme: "dark"})`)
	if diff := cmp.Diff(state{"rgb(20,22,26)", "rgb(242,241,236)", "4px"}, current()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	eval[any](tab, `notify("ui/notifications/host-context-changed", {
		styles: {variables: {
			"--color-background-primary": "light-dark(rgb(1, 2, 3), rgb(4, 5, 6))",
			"--color-text-primary": "light-dark(var(--none, #010101), #fefefe)",
			"not-a-variable": "red", "--color-text-secondary": null,
		}},
		safeAreaInsets: {top: 10, right: 0, bottom: 0, left: 0},
	})`)
	if diff := cmp.Diff(state{"rgb(4,5,6)", "rgb(254,254,254)", "14px"}, current()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	eval[any](tab, `notify("ui/notifications/host-context-changed", {theme: "light"})`)
	if diff := cmp.Diff(state{"rgb(1,2,3)", "rgb(1,1,1)", "14px"}, current()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHostOpensLinksIfSupported(t *testing.T) {
	tab := newTab(t)
	tab.openHost(html(t, everything(t, "")))
	for _, tc := range []struct {
		capabilities string
		opened       bool
	}{
		{`{openLinks: {}}`, true},
		{`{}`, false},
	} {
		eval[any](tab, `embed("/page", {hostCapabilities: `+tc.capabilities+`}).then(() => accept())`)
		got := eval[[]message](tab, `(async () => {
			const link = frameDocument().querySelector('a[href="https://example.org/read"]');
			link.addEventListener("click", (event) => { window.prevented = event.defaultPrevented; });
			frameDocument().addEventListener("click", (event) => { window.prevented = event.defaultPrevented; event.preventDefault(); });
			link.firstChild.click();
			await request("ping");
			return received.filter((m) => m.method === "ui/open-link");
		})()`)
		var want []message
		if tc.opened {
			want = []message{{Method: "ui/open-link", Params: map[string]any{"url": "https://example.org/read"}}}
		}
		if prevented := eval[bool](tab, `prevented`); prevented != tc.opened || !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
			t.Errorf("%s: got %+v, default prevented: %t", tc.capabilities, got, prevented)
		}
	}
}

func TestResultWithoutModelIsShownAsText(t *testing.T) {
	tab := newTab(t)
	tab.openHost(nil)
	for _, tc := range []struct{ name, result, want string }{
		{"summary", `{structuredContent: {ok: true, data: {summary: "<b>Short</b>\nand plain", section_count: 2}}, content: [{type: "text", text: "other"}]}`, "<b>Short</b>\nand plain"},
		{"text", `{structuredContent: {ok: true, data: {text: "All of\nit", section_count: 2}}, content: [{type: "text", text: "other"}]}`, "All of\nit"},
		{"content", `{content: [{type: "image"}, {type: "text", text: "Only this."}]}`, "Only this."},
		{"counts of one", `{structuredContent: {ok: true, data: {section_count: 1, element_count: 1}}}`, "1 section, 1 element."},
		{"counts", `{structuredContent: {ok: true, data: {section_count: 2, element_count: 5}}}`, "2 sections, 5 elements."},
		{"errors", `{isError: true, structuredContent: {ok: false, errors: [{code: "x", message: "First."}, {code: "y", message: "Second."}]}, content: []}`, "First.\n\nSecond."},
		{"empty content", `{content: []}`, ""},
		{"data of another tool", `{structuredContent: {ok: true, data: {valid: true}}}`, ""},
		{"no result", `undefined`, ""},
	} {
		eval[any](tab, `embed("/placeholder").then(() => accept())`)
		eval[any](tab, `notify("ui/notifications/tool-result", `+tc.result+`)`)
		if got := eval[string](tab, `request("ping").then(() => frameDocument().querySelector("main").innerText.trim())`); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestViewIgnoresMessagesFromOtherFrames(t *testing.T) {
	tab := newTab(t)
	tab.openHost(nil)
	eval[any](tab, `embed("/placeholder").then(() => accept())`)
	got := eval[string](tab, `(async () => {
		const sibling = document.createElement("iframe");
		document.body.append(sibling);
		const result = {jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {content: [{type: "text", text: "forged"}]}};
		const script = sibling.contentDocument.createElement("script");
		script.textContent = "parent.frames[0].postMessage(" + JSON.stringify(result) + ", '*')";
		sibling.contentDocument.body.append(script);
		await new Promise((resolve) => setTimeout(resolve));
		await request("ping");
		return frameDocument().querySelector("main").innerText.trim();
	})()`)
	if got != "" {
		t.Errorf("view shows %q, want nothing", got)
	}
}
