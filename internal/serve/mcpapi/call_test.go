package mcpapi

import (
	"slices"
	"testing"

	"placard/internal/core/problem"
)

func TestEveryOperationInHintsHasATool(t *testing.T) {
	for _, op := range problem.Operations() {
		name := callNames[op]
		if !slices.ContainsFunc(tools, func(t tool) bool { return t.name == name }) {
			t.Errorf("operation %d: got %q, want a tool", op, name)
		}
	}
}

func TestSentencesNameTheCategory(t *testing.T) {
	got := sentence(problem.ListElementsIn("a@latest", "b"))
	if want := `list_elements with version "a@latest" and category_id "b" lists the elements.`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
