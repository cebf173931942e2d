package compat_test

import (
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"placard/internal/core/compat"
	"placard/internal/core/datachain"
	"placard/internal/core/problem"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
)

var demo = taxonomy.ID{Type: "demo", Date: "2026-01-31", Status: taxonomy.Beta}

// loadExample returns the two releases and the document of an example.
func loadExample(t *testing.T, example string) (before, after *taxonomy.Taxonomy, document []byte) {
	t.Helper()
	trees := map[string]fstest.MapFS{"before": {}, "after": {}}
	for _, f := range txtar.Parse([]byte(source.Minimal)).Files {
		for _, tree := range trees {
			tree[path.Join(demo.Folder(), f.Name)] = &fstest.MapFile{Data: f.Data}
		}
	}
	for _, f := range txtar.Parse([]byte(example)).Files {
		if f.Name == "document.json" {
			document = f.Data
			continue
		}
		version, name, _ := strings.Cut(f.Name, "/")
		trees[version][path.Join(demo.Folder(), name)] = &fstest.MapFile{Data: f.Data}
	}
	load := func(version string) *taxonomy.Taxonomy {
		result, found := source.Load(trees[version], demo)
		if len(found) > 0 {
			t.Fatalf("%s: got findings %v, want none", version, []problem.Problem(found))
		}
		return result
	}
	return load("before"), load("after"), document
}

// validate returns the errors in a document.
func validate(t *testing.T, document []byte, s *taxonomy.Taxonomy) problem.List {
	t.Helper()
	d, report, err := datachain.Parse(document, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		return report.Errors
	}
	if report, err = datachain.Validate(d, datachain.NewSchema(s), nil); err != nil {
		t.Fatal(err)
	}
	return report.Errors
}

func TestExamplesBreakADocumentForOneReason(t *testing.T) {
	for _, rule := range compat.Rules {
		t.Run(string(rule.Code), func(t *testing.T) {
			before, after, document := loadExample(t, rule.Example)
			c, err := compat.Compare(before, after)
			if err != nil {
				t.Fatal(err)
			}
			if breaks := c.Breaks(); len(breaks) != 1 || breaks[0].Code != rule.Code || breaks[0].FixHint == "" || breaks[0].Severity != rule.Severity {
				t.Errorf("got findings %v, want one with the code %s and a hint", []problem.Problem(breaks), rule.Code)
			}
			if errs := validate(t, document, before); len(errs) > 0 {
				t.Errorf("before the change: got errors %v, want none", []problem.Problem(errs))
			}
			if errs := validate(t, document, after); len(errs) != 1 {
				t.Errorf("after the change: got errors %v, want one", []problem.Problem(errs))
			}
		})
	}
}
