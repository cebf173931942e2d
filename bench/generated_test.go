package main

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/internal/builtin"
	"placard/internal/query"
	"placard/internal/release"
	"placard/internal/source"
)

func TestGeneratedTreeIsTheGeneratedTaxonomy(t *testing.T) {
	dir := t.TempDir()
	want := generate(100)
	if err := writeTree(dir, want); err != nil {
		t.Fatal(err)
	}
	got, problems := source.Load(os.DirFS(dir), generatedID)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	compile := func(from string, r *release.Release, err error) *release.Release {
		if err != nil {
			t.Fatalf("%s: %v", from, err)
		}
		return r
	}
	r, err := release.Compile(want)
	fromMemory := compile("from memory", r, err)
	r, err = release.Compile(got)
	fromTree := compile("from the tree", r, err)
	if fromTree.Hash() != fromMemory.Hash() {
		t.Errorf("hashes differ (-generated +read):\n%s", cmp.Diff(want, got))
	}
}

func TestGeneratedDocumentsAreValidAndDifferent(t *testing.T) {
	own, err := loadFirst(t.Context(), builtin.Store())
	if err != nil {
		t.Fatal(err)
	}
	made, err := release.Compile(generate(100))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*release.Release{own, made} {
		writer := newAuthor(rand.New(rand.NewPCG(1, 1)), r.Taxonomy)
		seen := make(map[string]bool)
		for range 200 {
			d, err := writer.document(placements)
			if err != nil {
				t.Fatal(err)
			}
			verdict, err := query.Validate(r, d, nil)
			if err != nil || !verdict.OK() || len(verdict.Warnings) > 0 {
				t.Fatalf("%s: %v, %v, %v\n%s", r.ID(), err, verdict.Errors, verdict.Warnings, d)
			}
			if seen[string(d)] {
				t.Fatalf("%s: the same document twice", r.ID())
			}
			seen[string(d)] = true
		}
	}
}
