package release_test

import (
	"strings"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
)

func TestCompileRejectsUnknownVariableKinds(t *testing.T) {
	tax := releasetest.Taxonomy(t, "place@2026-06-01-stable")
	for i := range tax.Categories {
		for k := range tax.Categories[i].Variables {
			tax.Categories[i].Variables[k].Kind = "number"
		}
	}
	if _, err := release.Compile(tax); err == nil || !strings.Contains(err.Error(), `unknown kind "number"`) {
		t.Errorf("got error %v, want one about the unknown kind", err)
	}
}
