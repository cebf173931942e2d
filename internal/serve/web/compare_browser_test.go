package web_test

import "testing"

func TestComparisonMarksTheKindOfChangeThatIsRead(t *testing.T) {
	s := builtinService(t)
	tab := newTab(t)
	tab.emulate(1280, "light", true)
	tab.open(s.URL + "/compare/" + stable + "/" + beta)
	marked := `document.querySelector(".diff-counts [aria-current]")?.hash`
	last := eval[string](tab, `[...document.querySelectorAll(".diff-counts a")].at(-1).hash`)
	eval[any](tab, `document.querySelector("`+last+`").scrollIntoView({ behavior: "instant" })`)
	tab.waitFor(marked + ` === "` + last + `"`)
}
