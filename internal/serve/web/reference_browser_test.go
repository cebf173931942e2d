package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// until returns an expression that waits until a condition is true, and evaluates to
// another one.
func until(condition, result string) string {
	return fmt.Sprintf(`new Promise((resolve) => {
		const look = () => (%s) ? resolve(%s) : setTimeout(look, 5);
		look();
	})`, condition, result)
}

// Expressions about the page of an operation.
const (
	resultStatus = `document.querySelector(".result-status").textContent`
	resultText   = `document.querySelector(".result-about").textContent`
	announcement = `document.querySelector("[data-announce]").textContent`
	isDone       = `!document.querySelector(".result").hidden && !document.querySelector(".result").hasAttribute("aria-busy")`
)

// runOperation runs the request and returns the status that the page shows.
func runOperation(tab *tab) string {
	tab.Helper()
	eval[any](tab, `document.querySelector("button.run").click()`)
	return eval[string](tab, until(isDone, resultStatus))
}

// fillIn types a text into a field.
func fillIn(tab *tab, field, text string) {
	tab.Helper()
	eval[any](tab, fmt.Sprintf(`(() => {
		const field = document.querySelector(%q);
		field.focus();
		field.value = %q;
		field.dispatchEvent(new Event("input", { bubbles: true }));
	})()`, field, text))
}

func TestEveryOperationRunsAsItIsPrefilled(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(1280, "light", true)
	for _, o := range operations(t) {
		tab.open(s.URL + "/docs/api-reference/" + o.ID)
		if got := runOperation(tab); !strings.HasPrefix(got, "200 OK · ") {
			t.Errorf("%s: got status %q, want 200", o.ID, got)
		}
		if got := eval[string](tab, `document.querySelector(".result pre").textContent + document.querySelector(".result-note").textContent`); got == "" || strings.Contains(got, `"ok": false`) {
			t.Errorf("%s: got the response %q", o.ID, got)
		}
		if got := eval[string](tab, `document.querySelector(".result-headers dl").textContent`); !strings.Contains(got, "content-type") {
			t.Errorf("%s: got the headers %q", o.ID, got)
		}
		if got := eval[string](tab, announcement); !strings.HasPrefix(got, "200 OK") {
			t.Errorf("%s: got the announcement %q", o.ID, got)
		}
		if pictures := eval[int](tab, `[...document.querySelectorAll(".result-pictures img")].filter((i) => i.naturalWidth > 0).length`); strings.HasSuffix(o.path, ".svg") && pictures != 1 {
			t.Errorf("%s: got %d pictures, want 1", o.ID, pictures)
		}
		if frames := eval[int](tab, `document.querySelectorAll(".result-pictures iframe[sandbox='']").length`); o.ID == "render" && frames != 1 {
			t.Errorf("%s: got %d frames, want 1 with the page", o.ID, frames)
		}
		for _, found := range tab.forbidden(s.URL) {
			t.Errorf("%s: %s", o.ID, found)
		}
	}
}

func TestDownloadsAreNamedByTheirType(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(1280, "light", true)
	tab.open(s.URL + "/docs/api-reference/sign")
	for contentType, want := range map[string]string{
		"image/svg+xml":             "response.svg",
		"application/pdf":           "response.pdf",
		"text/html; charset=utf-8":  "response.html",
		"application/problem+json":  "response.json",
		"text/plain; charset=utf-8": "response.txt",
	} {
		eval[any](tab, fmt.Sprintf(`window.fetch = async () => new Response("x".repeat(300_000), { headers: { "Content-Type": %q } }), null`, contentType))
		runOperation(tab)
		if got := eval[string](tab, `document.querySelector(".result-note a").download`); got != want {
			t.Errorf("%s: got %s, want %s", contentType, got, want)
		}
	}
}

const snippetTexts = `[...document.querySelectorAll(".code pre")].map((e) => e.textContent)`

// The script writes the same code as the server.
func TestCodeFollowsTheRequest(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	for _, id := range []string{"listElements", "render", "getIcons", "getShape"} {
		tab.emulate(1280, "light", false)
		tab.open(s.URL + "/docs/api-reference/" + id)
		want := eval[[]string](tab, snippetTexts)
		tab.emulate(1280, "light", true)
		tab.open(s.URL + "/docs/api-reference/" + id)
		// The parts that the server has written are written again.
		eval[any](tab, `document.querySelectorAll("[data-fill]").forEach((e) => { e.textContent = ""; });
			document.querySelector("form.request").dispatchEvent(new Event("input"))`)
		if got := eval[[]string](tab, snippetTexts); len(got) != 3 || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got with script\n%s\nwant\n%s", id, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	tab.open(s.URL + "/docs/api-reference/render")
	fillIn(tab, "#param-version", "place@latest/x")
	fillIn(tab, "#param-locale", "fr & es")
	fillIn(tab, "#body", `{"a": "l'eau"}`)
	code := strings.Join(eval[[]string](tab, snippetTexts), "\n")
	address := s.URL + "/api/v2/schemas/place@latest%2Fx/render?locale=fr%20%26%20es"
	for _, want := range []string{"curl '" + address + "'", `--data-raw '{"a": "l'\''eau"}'`, `fetch("` + address + `"`, `JSON.stringify({"a": "l'eau"})`, `body = r'''{"a": "l'eau"}'''`} {
		if !strings.Contains(code, want) {
			t.Errorf("want %s in the code\n%s", want, code)
		}
	}
	eval[any](tab, `document.querySelector("button.reset").click()`)
	if got := eval[string](tab, until(`!document.querySelector(".code pre").textContent.includes("eau")`, `document.querySelector("#param-version").value`)); got != stable {
		t.Errorf("after a reset: got version %q, want %q", got, stable)
	}
}

func TestMistakesInJSONAreExplained(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(390, "light", true)
	tab.open(s.URL + "/docs/api-reference/validate")
	for _, tt := range []struct{ body, want string }{
		{`{`, "Line 1, column 2: expected a name"},
		{"{\n  \"a\" 1}", "Line 2, column 7: expected a colon"},
		{"{\n  \"a\": x}", "Line 2, column 8: expected a value"},
		{`{"a": 1,}`, "Line 1, column 9: expected a name"},
		{`[1 2]`, "Line 1, column 4: expected a comma"},
		{`[1}`, "Line 1, column 3: expected a comma"},
		{`[01]`, "Line 1, column 3: expected a comma"},
		{`["a` + "\n" + `"]`, "Line 1, column 2: expected a value"},
		{`{'a': 1}`, "Line 1, column 2: expected a name"},
		{`{} {}`, "Line 1, column 4: expected nothing more"},
		{``, "Line 1, column 1: expected a value"},
		{strings.Repeat("[", 10_000), "Line 1, column 10001: expected a value"},
		{`{"a": [], "b": {}, "c": [[], {"d": -1.5e+3}], "e": "\u00e9\n", "f": null} `, ""},
		{` [ ] `, ""},
		{`"text"`, ""},
	} {
		// The previous message must not be taken for this one.
		eval[any](tab, `document.querySelector(".problem").textContent = "?"`)
		fillIn(tab, "#body", tt.body)
		got := eval[string](tab, until(fmt.Sprintf(`((text, want) => want ? text.startsWith(want) : text === "")(document.querySelector(".problem").textContent, %q)`, tt.want), `document.querySelector(".problem").textContent`))
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%.40q: got %q, want %q", tt.body, got, tt.want)
		}
		if invalid := eval[string](tab, `document.querySelector("#body").getAttribute("aria-invalid")`); invalid != fmt.Sprint(tt.want != "") {
			t.Errorf("%.40q: got aria-invalid %s", tt.body, invalid)
		}
	}
}

func TestResponsesAreExplained(t *testing.T) {
	s := builtinService(t)
	// A proxy in front of the server can stop its responses.
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	held := make(chan struct{})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("query") {
		case "limited":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case "held":
			select {
			case <-r.Context().Done():
			case <-held:
			}
		case "broken":
			panic(http.ErrAbortHandler)
		case "large":
			fmt.Fprint(w, strings.Repeat("x", 300_000))
		case "markup":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"<img src=x onerror=alert(1)>": "</pre>"}`)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	t.Cleanup(func() { close(held) })

	tab := newTab(t)
	tab.emulate(1280, "light", true)
	tab.open(front.URL + "/docs/api-reference/listElements")
	eval[any](tab, `document.querySelector(".optional").open = true`)
	for _, tt := range []struct{ query, status, text string }{
		{"limited", "429 Too Many Requests", "Run the request again in 7 s."},
		{"broken", "The server cannot be reached.", ""},
		{"large", "200 OK", ""},
		{"markup", "200 OK", ""},
		{strings.Repeat("x", 300), "400 Bad Request", "The request is malformed."},
		{"camera", "200 OK", ""},
	} {
		eval[any](tab, `document.querySelector("#param-query").removeAttribute("maxlength")`)
		fillIn(tab, "#param-query", tt.query)
		status := runOperation(tab)
		text := eval[string](tab, resultText)
		if !strings.HasPrefix(status, tt.status) || !strings.Contains(text, tt.text) || tt.text == "" && text != "" {
			t.Errorf("%.20s: got %q and %q, want %q and %q", tt.query, status, text, tt.status, tt.text)
		}
		if got := eval[string](tab, announcement); got != status {
			t.Errorf("%.20s: got the announcement %q, want %q", tt.query, got, status)
		}
		if got := eval[string](tab, `document.activeElement.id`); got != "param-query" {
			t.Errorf("%.20s: the focus has moved to %q", tt.query, got)
		}
		switch shown := eval[string](tab, `document.querySelector(".result pre").textContent`); tt.query {
		case "large":
			if note := eval[string](tab, `document.querySelector(".result-note").textContent`); len(shown) != 200_000 || !strings.Contains(note, "Only the beginning is shown.") {
				t.Errorf("large: got %d characters and the note %q", len(shown), note)
			}
		case "markup":
			if !strings.Contains(shown, "<img src=x") {
				t.Errorf("markup: got %q", shown)
			}
		}
	}

	fillIn(tab, "#param-query", "held")
	eval[any](tab, `document.querySelector("button.run").click()`)
	if got := eval[string](tab, announcement); got != "Running…" {
		t.Errorf("while running: got the announcement %q", got)
	}
	eval[any](tab, `document.querySelector("button.cancel").click()`)
	if got := eval[string](tab, until(isDone, resultStatus)); got != "Cancelled." {
		t.Errorf("after cancelling: got %q", got)
	}
	if got := eval[bool](tab, `document.querySelector("button.cancel").hidden && document.activeElement.matches("button.run")`); !got {
		t.Error("after cancelling: the focus is lost")
	}

	// Running again replaces a request that has no response yet.
	eval[any](tab, `document.querySelector("button.run").click()`)
	fillIn(tab, "#param-query", "camera")
	pressControlEnter(tab)
	if got := eval[string](tab, until(isDone, resultStatus)); !strings.HasPrefix(got, "200 OK") {
		t.Errorf("after running again: got %q", got)
	}
	if overflow := eval[int](tab, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); overflow > 0 {
		t.Errorf("got %d pixels outside the window", overflow)
	}
}

func TestFindingsLinkToTheirCodes(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(390, "light", true)
	tab.open(s.URL + "/docs/api-reference/validate?lang=fr")
	for _, tt := range []struct{ body, status string }{
		{`{}`, "200 OK"},
		{`{`, "400 Bad Request"},
	} {
		fillIn(tab, "#body", tt.body)
		if got := runOperation(tab); !strings.HasPrefix(got, tt.status) {
			t.Errorf("%s: got status %q, want %s", tt.body, got, tt.status)
		}
		links := eval[[]string](tab, `[...document.querySelectorAll(".result-findings a")].map((a) => a.getAttribute("href"))`)
		if len(links) == 0 {
			t.Errorf("%s: got no findings", tt.body)
		}
		for _, link := range links {
			if s.get(link); !strings.HasSuffix(link, "?lang=fr") {
				t.Errorf("%s: got the link %s, want one that keeps the language", tt.body, link)
			}
		}
	}
}

// pressControlEnter presses Control and Enter in the focused field.
func pressControlEnter(tab *tab) {
	tab.Helper()
	if err := chromedp.Do(tab.ctx, chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))); err != nil {
		tab.Fatal(err)
	}
}
