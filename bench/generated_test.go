package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/serve/query"
	"placard/internal/storage/builtin"
)

func TestGeneratedTreeRoundTrips(t *testing.T) {
	dir := t.TempDir()
	want := generate(100)
	if err := writeTree(dir, want); err != nil {
		t.Fatal(err)
	}
	got, problems := source.Load(os.DirFS(dir), generatedID)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	compile := func(tax *taxonomy.Taxonomy) *release.Release {
		t.Helper()
		r, err := release.Compile(tax)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if compile(want).Hash() != compile(got).Hash() {
		t.Errorf("hashes differ (-generated +read):\n%s", cmp.Diff(want, got))
	}
}

func TestDocumentsAreValid(t *testing.T) {
	r, err := loadFirst(t.Context(), builtin.Store())
	if err != nil {
		t.Fatal(err)
	}
	requests, err := post("/validate")(newRequestBuilder(r, ""))
	if err != nil {
		t.Fatal(err)
	}
	verdict, err := query.Validate(r, requests[len(requests)-1].body, nil)
	if err != nil || !verdict.OK() || len(verdict.Warnings) > 0 {
		t.Errorf("got errors %v and warnings %v (%v), want none", verdict.Errors, verdict.Warnings, err)
	}
}
