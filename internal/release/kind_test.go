package release_test

import (
	"strings"
	"testing"

	"placard/internal/release"
	"placard/internal/release/releasetest"
)

func TestCompileRejectsUnknownKindsOfVariables(t *testing.T) {
	x := releasetest.Taxonomy(t, "place@2026-06-01-stable")
	for i := range x.Categories {
		for k := range x.Categories[i].Variables {
			x.Categories[i].Variables[k].Kind = "number"
		}
	}
	if _, err := release.Compile(x); err == nil || !strings.Contains(err.Error(), `unknown kind "number"`) {
		t.Errorf("got error %v, want one about the unknown kind", err)
	}
}
