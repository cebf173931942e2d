package web_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"placard/internal/core/problem"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/web"
	"placard/internal/storage/builtin"
)

// waitFor waits until a JavaScript expression is true.
func (t *tab) waitFor(condition string) {
	t.Helper()
	if !eval[bool](t, fmt.Sprintf(`new Promise((resolve) => {
		const end = performance.now() + 20000;
		const check = () => {
			const done = Boolean(%s);
			done || performance.now() > end ? resolve(done) : setTimeout(check, 20);
		};
		check();
	})`, condition)) {
		t.Fatalf("this does not become true: %s\n%s", condition, eval[string](t, `document.querySelector("main").innerText.slice(0, 500)`))
	}
}

// typeText sets the search text as typing does.
func (t *tab) typeText(text string) {
	t.Helper()
	eval[bool](t, fmt.Sprintf(`(() => {
		const input = document.querySelector("input[type=search]");
		input.value = %q;
		return input.dispatchEvent(new InputEvent("input", { bubbles: true }));
	})()`, text))
}

func (t *tab) press(selector, key string) {
	t.Helper()
	eval[bool](t, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new KeyboardEvent("keydown", { key: %q, bubbles: true, cancelable: true }))`, selector, key))
}

func TestSearchAsYouType(t *testing.T) {
	var isLimited atomic.Bool
	s := newService(t, builtin.Store(), web.Options{Admit: func(w http.ResponseWriter, r *http.Request, _ ratelimit.Bucket) (netip.Addr, error) {
		if isLimited.Load() && r.URL.Query().Has("part") {
			w.Header().Set("Retry-After", "1")
			return netip.Addr{}, problem.New(problem.RateLimited, "Too many requests.")
		}
		return netip.Addr{}, nil
	}})
	tab := newTab(t)
	tab.emulate(1280, "light", true)
	tab.open(s.URL + "/explore/" + beta)

	tab.press("body", "/")
	tab.waitFor(`document.activeElement.matches("input[type=search]")`)
	tab.typeText("thermal camra")
	tab.waitFor(`document.querySelector("a[data-result]")?.textContent.includes("Thermal camera")`)
	tab.waitFor(`location.search === "?q=thermal+camra" && document.title.startsWith("thermal camra")`)
	tab.waitFor(`/^\d+ signs found$/.test(document.querySelector("form.search [role=status]").textContent)`)
	tab.press("input[type=search]", "ArrowDown")
	tab.waitFor(`document.activeElement.matches("a[data-result]")`)

	// Back leads to the page before the search.
	eval[bool](tab, `history.back() === undefined`)
	tab.waitFor(`location.search === "" && document.querySelectorAll(".category").length === 11`)
	eval[bool](tab, `history.forward() === undefined`)
	tab.waitFor(`location.search === "?q=thermal+camra" && document.querySelector("a[data-result]") !== null`)

	tab.press("input[type=search]", "Escape")
	tab.waitFor(`location.search === "" && document.querySelectorAll(".category").length === 11 && document.title.startsWith("Sensing")`)

	// The limit of requests is reached, and the search is repeated when it is not.
	message := `document.querySelector("form.search [role=alert]")`
	isLimited.Store(true)
	tab.typeText("radar")
	tab.waitFor(message + `.checkVisibility() && ` + message + `.textContent.startsWith("Too many searches")`)
	isLimited.Store(false)
	tab.waitFor(`document.querySelector("a[data-result]")?.textContent.includes("Radar") && ` + message + `.hidden`)

	// While a response takes long, the reader is told to wait, and Enter does not start
	// the search again.
	progress := `document.querySelector(".search-progress")`
	eval[bool](tab, `(window.fetches = 0, window.fetch = () => new Promise((resolve, reject) => { window.fetches++; window.fail = reject; })) !== null`)
	tab.typeText("s")
	tab.waitFor(progress + `.checkVisibility() && ` + progress + `.textContent === "Searching…"`)
	tab.press("input[type=search]", "Enter")
	eval[bool](tab, `window.fail(new TypeError("offline")) === undefined`)
	tab.waitFor(progress + `.hidden && window.fetches === 1`)
	tab.press("input[type=search]", "Backspace")

	eval[bool](tab, `(window.fetch = () => Promise.reject(new TypeError("offline"))) !== null`)
	tab.typeText("radars")
	tab.waitFor(message + `.checkVisibility() && ` + message + `.textContent.startsWith("The server cannot be reached")`)
	for _, found := range tab.forbidden(s.URL) {
		if !strings.Contains(found, "429") {
			t.Error(found)
		}
	}
}

// follow opens the address that a click on a link of a menu leads to.
func (t *tab) follow(selector string) {
	t.Helper()
	t.open(eval[string](t, fmt.Sprintf(`(() => {
		const link = document.querySelector(%q);
		link.addEventListener("click", (event) => event.preventDefault());
		link.click();
		return link.href;
	})()`, selector)))
}

func TestExplorerKeepsThePlace(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(1280, "light", true)
	isAtRetention := `location.hash === "#question-retention" && document.querySelector(".categories [aria-current]")?.hash === "#question-retention"`
	tab.open(s.URL + "/explore/" + beta + "#question-retention")
	tab.waitFor(isAtRetention)
	tab.follow("a[data-keep-place][hreflang=fr]")
	tab.waitFor(`location.search === "?lang=fr" && ` + isAtRetention)
	tab.follow("a[data-keep-place][href*='" + stable + "']")
	tab.waitFor(`location.pathname.endsWith("` + stable + `") && location.search === "?lang=fr" && ` + isAtRetention)

	// A search is kept as it is now, not as it was when the page was loaded.
	tab.typeText("caméra")
	tab.waitFor(`document.querySelector("a[data-result]")`)
	tab.follow("a[data-keep-place][hreflang=es]")
	tab.waitFor(`location.search.includes("lang=es") && location.search.includes("q=cam") && document.querySelector("a[data-result]")`)
	for _, found := range tab.forbidden(s.URL) {
		t.Error(found)
	}
}
