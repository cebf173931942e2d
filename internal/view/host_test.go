package view_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"placard/internal/view"
)

// message is what a view says to its host.
type message struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
	Result map[string]any `json:"result"`
	Error  map[string]any `json:"error"`
}

func TestTheScriptDrawsWhatTheServerWrites(t *testing.T) {
	tab := newTab(t)
	tab.host(nil)
	eval[any](tab, `embed("/placeholder").then(() => answer())`)
	type pair struct {
		Written []string `json:"written"`
		Drawn   []string `json:"drawn"`
	}
	compare := func(tb fataler, m *view.Model) {
		got := eval[pair](tab, `both($, $)`, string(html(t, m)), meta(t, m))
		if diff := cmp.Diff(got.Written, got.Drawn); diff != "" {
			tb.Fatal(diff)
		}
		if len(got.Written) != 4 || !strings.Contains(got.Written[3], "<h1>") {
			tb.Fatal("nothing was drawn")
		}
	}
	for _, name := range exampleNames {
		for _, locale := range []string{"en", "fr", "es", "ja"} {
			compare(t, example(t, name, locale))
		}
	}
	compare(t, everything(t, ""))
	compare(t, everything(t, "fr"))
	compare(t, arabic(t))

	document := file(t, "everything.json")
	text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		m, err := hostileModel(rewrite(t, document, func() string { return text.Draw(t, "text") }))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, m)
	})
}

func TestTheViewIntroducesItself(t *testing.T) {
	m := example(t, "smart_crossing", "en")
	tab := newTab(t)
	tab.host(html(t, m))
	// As hosts embed what they do not trust: scripts, and an origin of its own.
	const untrusted = `{sandbox: "allow-scripts"}`

	eval[any](tab, `embed("/placeholder", `+untrusted+`)`)
	first := eval[[]message](tab, `heard`)
	want := []message{{Method: "ui/initialize", Params: map[string]any{
		"protocolVersion": "2026-01-26",
		"appInfo":         map[string]any{"name": "placard-view", "version": "1.0.0"},
		"appCapabilities": map[string]any{},
	}}}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	if got := eval[message](tab, `ask("ping")`); got.Result == nil {
		t.Errorf("a ping is answered with %+v", got)
	}
	if said := eval[[]string](tab, `heard.map((m) => m.method ?? "answer")`); len(said) != 2 {
		t.Errorf("before it was answered the view said %q", said)
	}

	if got := eval[message](tab, `answer()`); got.Method != "ui/notifications/initialized" {
		t.Errorf("%+v", got)
	}
	before := eval[float64](tab, `said("ui/notifications/size-changed").then((m) => m.params.height)`)
	eval[any](tab, `tell("ui/notifications/tool-result", {content: [], _meta: $})`, meta(t, m))
	after := eval[float64](tab, `until((m) => m.method === "ui/notifications/size-changed" && m.params.height > 1000).then((m) => m.params.height)`)
	if before > 400 || after < 2000 {
		t.Errorf("the view was %g high before and %g after it was drawn", before, after)
	}
	if sizes := eval[int](tab, `heard.filter((m) => m.method === "ui/notifications/size-changed").length`); sizes > 4 {
		t.Errorf("the view told its size %d times", sizes)
	}

	if got := eval[message](tab, `ask("ui/resource-teardown", {})`); got.Result == nil {
		t.Errorf("an end is answered with %+v", got)
	}
	if got := eval[message](tab, `ask("no/such-method", {})`); got.Error["code"] != -32601.0 {
		t.Errorf("an unknown method is answered with %+v", got)
	}

	eval[any](tab, `embed("/page", `+untrusted+`).then(() => answer())`)
	drawn := eval[float64](tab, `said("ui/notifications/size-changed").then((m) => m.params.height)`)
	if drawn != after {
		t.Errorf("drawn by the server it is %g high, by its script %g", drawn, after)
	}
}

func TestAHostThatOnlyGivesAMaximumIsToldAWidth(t *testing.T) {
	tab := newTab(t)
	tab.host(nil)
	for _, tc := range []struct {
		dimensions string
		want       any
	}{
		{`{width: 800}`, nil},
		{`{maxWidth: 700}`, 700.0},
		{`{maxWidth: 4000}`, 1152.0},
	} {
		eval[any](tab, `embed("/placeholder", {hostContext: {containerDimensions: `+tc.dimensions+`}}).then(() => answer())`)
		got := eval[message](tab, `said("ui/notifications/size-changed")`)
		if got.Params["width"] != tc.want {
			t.Errorf("%s: %v", tc.dimensions, got.Params)
		}
	}
}

func TestTheViewFollowsItsHostsLook(t *testing.T) {
	tab := newTab(t)
	tab.look(desk, dark) // which the host does not mind
	tab.host(html(t, everything(t, "")))
	type state struct {
		Paper, Ink, Icon, Padding string
	}
	look := func() state {
		t.Helper()
		return eval[state](tab, `ask("ping").then(() => {
			const style = inside().defaultView.getComputedStyle(inside().documentElement);
			const icon = [...inside().querySelectorAll(".placement:first-child img")].find((image) => image.checkVisibility());
			const bare = (value) => value.replaceAll(" ", "");
			return {
				Paper: bare(style.backgroundColor), Ink: bare(style.color), Icon: icon.className,
				Padding: inside().defaultView.getComputedStyle(inside().querySelector("main")).paddingTop,
			};
		})`)
	}
	eval[any](tab, `embed("/page", {hostContext: {theme: "light"}}).then(() => answer())`)
	if diff := cmp.Diff(state{"rgb(255,255,255)", "rgb(20,22,26)", "light", "48px"}, look()); diff != "" {
		t.Error(diff)
	}
	eval[any](tab, `tell("ui/notifications/host-context-changed", {theme: "dark"})`)
	if diff := cmp.Diff(state{"rgb(19,21,24)", "rgb(242,241,238)", "dark", "48px"}, look()); diff != "" {
		t.Error(diff)
	}
	eval[any](tab, `tell("ui/notifications/host-context-changed", {
		styles: {variables: {
			"--color-background-primary": "light-dark(rgb(1, 2, 3), rgb(4, 5, 6))",
			"--color-text-primary": "light-dark(var(--none, #010101), #fefefe)",
			"not-a-variable": "red", "--color-text-secondary": null,
		}},
		safeAreaInsets: {top: 10, right: 0, bottom: 0, left: 0},
	})`)
	if diff := cmp.Diff(state{"rgb(4,5,6)", "rgb(254,254,254)", "dark", "58px"}, look()); diff != "" {
		t.Error(diff)
	}
	eval[any](tab, `tell("ui/notifications/host-context-changed", {theme: "light"})`)
	if diff := cmp.Diff(state{"rgb(1,2,3)", "rgb(1,1,1)", "light", "58px"}, look()); diff != "" {
		t.Error(diff)
	}
}

func TestLinksAreOpenedByAHostThatDoes(t *testing.T) {
	tab := newTab(t)
	tab.host(html(t, everything(t, "")))
	for _, tc := range []struct {
		capabilities string
		opened       bool
	}{
		{`{openLinks: {}}`, true},
		{`{}`, false},
	} {
		eval[any](tab, `embed("/page", {hostCapabilities: `+tc.capabilities+`}).then(() => answer())`)
		got := eval[[]message](tab, `(async () => {
			const link = inside().querySelector('a[href="https://example.org/read"]');
			link.addEventListener("click", (event) => { window.prevented = event.defaultPrevented; });
			inside().addEventListener("click", (event) => { window.prevented = event.defaultPrevented; event.preventDefault(); });
			link.firstChild.click();
			await ask("ping");
			return heard.filter((m) => m.method === "ui/open-link");
		})()`)
		var want []message
		if tc.opened {
			want = []message{{Method: "ui/open-link", Params: map[string]any{"url": "https://example.org/read"}}}
		}
		if prevented := eval[bool](tab, `prevented`); prevented != tc.opened || !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
			t.Errorf("%s: %+v, prevented %t", tc.capabilities, got, prevented)
		}
	}
}

func TestResultsWithoutAModelAreShownAsText(t *testing.T) {
	tab := newTab(t)
	tab.host(nil)
	const nothing = ""
	for _, tc := range []struct{ name, result, want string }{
		{"a summary", `{structuredContent: {ok: true, data: {summary: "<b>Short</b>\nand plain", section_count: 2}}, content: [{type: "text", text: "other"}]}`, "<b>Short</b>\nand plain"},
		{"content", `{content: [{type: "image"}, {type: "text", text: "Only this."}]}`, "Only this."},
		{"counts", `{structuredContent: {ok: true, data: {section_count: 2, element_count: 5}}}`, "2 sections, 5 elements."},
		{"errors", `{isError: true, structuredContent: {ok: false, errors: [{code: "x", message: "First."}, {code: "y", message: "Second."}]}, content: []}`, "First.\n\nSecond."},
		{"nothing", `{content: []}`, nothing},
		{"another tool's data", `{structuredContent: {ok: true, data: {valid: true}}}`, nothing},
		{"no result", `undefined`, nothing},
	} {
		eval[any](tab, `embed("/placeholder").then(() => answer())`)
		eval[any](tab, `tell("ui/notifications/tool-result", `+tc.result+`)`)
		if got := eval[string](tab, `ask("ping").then(() => inside().querySelector("main").innerText.trim())`); got != tc.want {
			t.Errorf("%s: %q", tc.name, got)
		}
	}
}

func TestOnlyTheHostIsHeard(t *testing.T) {
	tab := newTab(t)
	tab.host(nil)
	eval[any](tab, `embed("/placeholder").then(() => answer())`)
	got := eval[string](tab, `(async () => {
		const stranger = document.createElement("iframe");
		document.body.append(stranger);
		const result = {jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {content: [{type: "text", text: "forged"}]}};
		const script = stranger.contentDocument.createElement("script");
		script.textContent = "parent.frames[0].postMessage(" + JSON.stringify(result) + ", '*')";
		stranger.contentDocument.body.append(script);
		await new Promise((resolve) => setTimeout(resolve));
		await ask("ping");
		return inside().querySelector("main").innerText.trim();
	})()`)
	if got != "" {
		t.Errorf("the view shows %q", got)
	}
}
