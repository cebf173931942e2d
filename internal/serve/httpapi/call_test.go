package httpapi

import (
	"testing"

	"placard/internal/core/problem"
)

func TestEveryOperationInHintsHasARoute(t *testing.T) {
	routes := make(map[string]bool)
	for _, rt := range new(api).routes() {
		routes[rt.method+" "+rt.pattern] = true
	}
	for _, op := range problem.Operations() {
		if name := callNames[op]; !routes[name] {
			t.Errorf("operation %d: got %q, want a route", op, name)
		}
	}
}

func TestSentencesNameTheCategory(t *testing.T) {
	got := sentence(problem.ListElementsIn("a@latest", "b&c"))
	if want := "GET /api/v2/schemas/a@latest/elements?category_id=b%26c lists the elements."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
