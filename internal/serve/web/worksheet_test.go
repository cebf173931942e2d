package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"placard/internal/core/taxonomy"
)

func TestWorksheetHasABoxForEverySign(t *testing.T) {
	s := exampleService(t)
	page := s.get("/explore/place@latest/worksheet")
	page.contains(t, "Must be answered.", "Tick at most 3 signs.", "If it applies.", "People counter", "people_counter", "How long", "(required)")
	if got := strings.Count(page.body, `<li><span class="box"></span><svg`); got != 84 {
		t.Errorf("got %d signs with a box, want 84", got)
	}
	s.get("/explore/place@latest/worksheet?lang=fr").contains(t, "Réponse obligatoire.", "Cochez 3 signes au plus.")
	if got := s.do(http.MethodHead, "/explore/place@latest/worksheet"); got.status != http.StatusOK || got.body != "" {
		t.Errorf("HEAD: got status %d and %d bytes, want 200 and none", got.status, len(got.body))
	}
	if got := s.do(http.MethodGet, "/explore/place@latest/worksheet?category=colour"); got.status != http.StatusNotFound {
		t.Errorf("an unknown category: got status %d, want 404", got.status)
	}
	const link = `href="/explore/place@2026-06-01-stable/worksheet?lang=en"`
	s.get("/?lang=en").contains(t, link)
	s.get("/explore/place@latest?lang=en").contains(t, link)
}

func TestWorksheetOfALargeTaxonomyIsShort(t *testing.T) {
	s := publishedService(t, hugeRelease(t, firstVersion, "camera", 1_200))
	page := s.get("/explore/" + firstVersion + "/worksheet")
	if got := strings.Count(page.body, `<li><span class="box"></span><svg`); got == 0 || got > 500 {
		t.Errorf("got %d signs, want at most 500", got)
	}
	page.contains(t, "more signs are not shown.", "/worksheet?category=")
}

func TestWorksheetCountsAnswersThatItDoesNotList(t *testing.T) {
	s := publishedService(t, compile(t, firstVersion, func(x *taxonomy.Taxonomy) {
		c := &x.Categories[1]
		c.Variables[1].Options = nil
		for i := range 240 {
			c.Variables[1].Options = append(c.Variables[1].Options, taxonomy.Option{ID: fmt.Sprint("option_", i), Name: english(fmt.Sprint("Option ", i))})
		}
		c.Variables[1].Options[1].Name = nil
		c.Context.Values = nil
		for i := range 37 {
			c.Context.Values = append(c.Context.Values, taxonomy.ContextValue{ID: fmt.Sprint("value_", i), Label: english(fmt.Sprint("Value ", i))})
		}
		for i := range 31 {
			v := c.Variables[0]
			v.ID = fmt.Sprint("variable_", i)
			c.Variables = append(c.Variables, v)
		}
	}))
	page := visibleText(t, s.get("/explore/"+firstVersion+"/worksheet").body)
	contains(t, "worksheet", page, "Option 0 option_1 Option 2", "Option 199 And 40 more", "Value 29 And 7 more", "And 3 more")
}
