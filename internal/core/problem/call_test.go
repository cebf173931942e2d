package problem

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestEveryOperationHasAnEffect(t *testing.T) {
	if len(Operations()) == 0 {
		t.Fatal("got no operations")
	}
	for _, op := range slices.Concat(Operations(), StoreOperations()) {
		if effects[op] == "" {
			t.Errorf("operation %d has no effect", op)
		}
	}
}

func TestProblemsCannotBeEncodedBeforeTheyAreRendered(t *testing.T) {
	p := New(NotFound, "No.").Hint("Look.").See(ListElements("a@latest"))
	if b, err := json.Marshal(List{p}); err == nil {
		t.Errorf("got %s, want an error", b)
	}
	name := func(c Call) string { return c.Sentence("list " + c.Version) }
	b, err := json.Marshal(p.Render(name))
	const want = `{"code":"not_found","message":"No.","fix_hint":"Look. list a@latest lists the elements."}`
	if err != nil || string(b) != want {
		t.Errorf("got %s, error %v, want %s", b, err, want)
	}
	if got := New(NotFound, "No.").See(ListVersions()).Render(name).FixHint; got != "list  lists the published versions." {
		t.Errorf("without a hint: got %q, want only the call", got)
	}
	none := func(Call) string { return Call{}.Sentence("list") }
	if got := New(NotFound, "No.").Hint("Look.").See(FindElement("a@latest", "b")).Render(none).FixHint; got != "Look." {
		t.Errorf("with a call that cannot be made: got %q, want only the hint", got)
	}
	if got := New(NotFound, "No.").Hint("Look.").Render(name).FixHint; got != "Look." {
		t.Errorf("without a call: got %q, want only the hint", got)
	}
}
