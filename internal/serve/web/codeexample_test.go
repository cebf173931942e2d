package web

import (
	"slices"
	"testing"

	"placard/internal/core/problem"
	"placard/internal/serve/query"
)

func TestExamplesCauseTheFindingOfTheirCode(t *testing.T) {
	missing := []problem.Code{"RELEASE_FOLDER_INVALID", "FILE_UNREADABLE", "ELEMENTS_MISSING"} // about files that the example lacks
	for _, c := range query.Codes() {
		if c.Example == "" || c.Group != query.Documents && c.Group != query.Trees {
			continue
		}
		found, line, ok := findInExample(c)
		if !ok || found.FixHint == "" {
			t.Errorf("%s: got %+v, want a finding with a hint", c.Code, found)
		}
		if (line == 0) != slices.Contains(missing, c.Code) {
			t.Errorf("%s: got line %d for %s", c.Code, line, found.Pos)
		}
		if lines := len(exampleLines(c.Example, line)); line > lines {
			t.Errorf("%s: got line %d of %d", c.Code, line, lines)
		}
	}
}
