package query_test

import (
	"strings"
	"testing"

	"placard/internal/core/release/releasetest"
	"placard/internal/serve/query"
)

func TestHintsUseIDsOfTheReleasesInUse(t *testing.T) {
	r := releasetest.Release(t, "library@2026-01-02-beta")
	s := published(t, r)
	validate := func(body string) query.Verdict {
		v, err := query.Validate(r, []byte(body), nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	validateResolved := func(body string) query.Verdict {
		v, err := query.ValidateResolved(s, []byte(body), nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, v := range []query.Verdict{
		validate(`{}`), validate(`{"schema_version": 7}`), validateResolved(`{}`), validateResolved(`{"schema_version": "other@2026"}`),
	} {
		var hints strings.Builder
		for _, p := range v.Errors {
			hints.WriteString(p.FixHint)
		}
		for _, id := range []string{r.ID().String(), r.Taxonomy.Elements[0].ID} {
			if !strings.Contains(hints.String(), `"`+id+`"`) {
				t.Errorf("got hints %q, want %q in one of them", hints.String(), id)
			}
		}
	}
}
