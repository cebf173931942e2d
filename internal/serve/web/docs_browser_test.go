package web_test

import (
	"strings"
	"testing"
)

func TestContentsOfGuides(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	const (
		isOpen = `document.querySelector("details[data-contents]").open`
		marked = `document.querySelector("[data-contents] [aria-current]")`
	)
	tab.emulate(1280, "light", true)
	tab.open(s.URL + "/docs/api")
	eval[any](tab, until(isOpen, `null`))
	eval[any](tab, `document.getElementById("limits").scrollIntoView({ behavior: "instant" })`)
	if got := eval[string](tab, until(marked, marked+`.hash`)); got != "#limits" {
		t.Errorf("got the mark at %s, want #limits", got)
	}
	tab.emulate(390, "light", true)
	tab.open(s.URL + "/docs/api")
	if eval[bool](tab, isOpen) {
		t.Error("the table of contents is open on a phone")
	}
	eval[any](tab, isOpen+` = true, document.querySelector("[data-contents] a[href='#limits'] span").click()`)
	if eval[bool](tab, isOpen) {
		t.Error("the table of contents stays open after a tap on an entry")
	}
}

func TestCommandsAreCopiedWithoutOutput(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(1280, "light", true)
	tab.open(s.URL + "/docs/mcp")
	got := eval[string](tab, `new Promise((resolve) => {
		navigator.clipboard.writeText = async (text) => resolve(text);
		const session = [...document.querySelectorAll(".snippet")].find((e) => e.textContent.includes("curl"));
		session.querySelector("button").click();
	})`)
	if !strings.HasPrefix(got, "curl -s "+s.URL+"/mcp -d '{\n") || !strings.HasSuffix(got, "}'\n") {
		t.Errorf("got %q", got)
	}
}

func TestSearchInDocumentsAsYouType(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(1280, "light", true)
	for _, tt := range []struct{ path, query, want string }{
		{"/docs", "cachng", "/docs/api#caching"},
		{"/docs/codes", "[rate_limited]", "/docs/codes/rate_limited"},
	} {
		tab.open(s.URL + tt.path)
		before := eval[string](tab, `document.getElementById("results").textContent`)
		fillIn(tab, "input[type=search]", tt.query)
		links := eval[[]string](tab, until(`location.search !== ""`,
			`[...document.querySelectorAll("#results a[data-result]")].map((a) => a.getAttribute("href"))`))
		if !strings.Contains(strings.Join(links, " "), tt.want) {
			t.Errorf("%s: got the results %v, want %s", tt.path, links, tt.want)
		}
		fillIn(tab, "input[type=search]", "")
		if got := eval[string](tab, until(`location.search === ""`, `document.getElementById("results").textContent`)); got != before {
			t.Errorf("%s: the page without a query has changed to %q", tt.path, got)
		}
	}
}
