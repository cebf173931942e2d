package web_test

import (
	"strings"
	"testing"
)

func TestIconsAreCopied(t *testing.T) {
	s := builtinService(t)
	b := newTab(t)
	b.emulate(1280, "light", true)
	b.open(s.URL + "/explore/" + stable + "/face_template")
	copied := eval[[]string](b, `new Promise((resolve) => {
		const button = document.querySelector("#icons li:last-child button")
		navigator.clipboard.writeText = async (text) => {
			new MutationObserver(() => resolve([text, button.dataset.state, button.textContent])).observe(button, { attributes: true, attributeFilter: ["data-state"] })
		}
		button.click()
	})`)
	want := s.get("/api/v2/schemas/" + stable + "/elements/face_template/icon.not_personal.svg").body
	if copied[0] != want || !strings.HasPrefix(want, "<svg ") {
		t.Errorf("got %q, want the SVG of the last variant", copied[0])
	}
	if copied[1] != "done" || copied[2] != "Copied" {
		t.Errorf("the button is %q and says %q, want it to say Copied", copied[1], copied[2])
	}
}
