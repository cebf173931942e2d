package main

import (
	"math/rand/v2"
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
	want := generate(100, 2)
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

func TestGeneratedDocumentsAreValidAndDistinct(t *testing.T) {
	builtinRelease, err := loadFirst(t.Context(), builtin.Store())
	if err != nil {
		t.Fatal(err)
	}
	generatedRelease, err := release.Compile(generate(100, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*release.Release{builtinRelease, generatedRelease} {
		generator := newDocumentGenerator(rand.New(rand.NewPCG(1, 1)), r.Taxonomy)
		seen := make(map[string]bool)
		for range 200 {
			d, err := generator.document(placements)
			if err != nil {
				t.Fatal(err)
			}
			verdict, err := query.Validate(r, d, nil)
			if err != nil || !verdict.OK() || len(verdict.Warnings) > 0 {
				t.Fatalf("%s: got errors %v and warnings %v (%v), want none\n%s", r.ID(), verdict.Errors, verdict.Warnings, err, d)
			}
			if seen[string(d)] {
				t.Fatalf("%s: duplicate document", r.ID())
			}
			seen[string(d)] = true
		}
	}
}
