package web_test

import (
	"net/http"
	"strings"
	"testing"
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
	s := publishedService(t, hugeRelease(t, firstVersion, "camera", 5_000))
	page := s.get("/explore/" + firstVersion + "/worksheet")
	if got := strings.Count(page.body, `<li><span class="box"></span><svg`); got == 0 || got > 500 {
		t.Errorf("got %d signs, want at most 500", got)
	}
	page.contains(t, "more signs are not shown.", "/worksheet?category=")
}
