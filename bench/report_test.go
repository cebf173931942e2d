package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleReport() *report {
	r := &report{
		Machine: machine{Go: "go1.26", System: "linux/amd64", Processors: 2, Commit: "abc"}, Rounds: 5,
		Routes: []result{
			{
				Route: "element", Taxonomy: builtinTaxonomy, Inputs: 82, Body: 1838,
				Placard: measurement{20_000, 900, 2_000, 26}, Bare: measurement{25_000, 800, 1_900, 20},
				Ratios: []float64{1.2, 1.3, 1.4}, Ratio: summary{1.3, 1.2, 1.4},
				Allocated: &allocation{7.02, 1024}, BareAlloc: &allocation{10, 2000},
			},
			{
				Route: "element", Taxonomy: "generated, 100 elements", Inputs: 100, Body: 2000,
				Placard: measurement{20_000, 900, 2_000, 60}, Bare: measurement{25_000, 800, 1_900, 20},
				Ratios: []float64{3}, Ratio: summary{3, 3, 3},
			},
		},
		Starts:  []startup{{Name: builtinTaxonomy, First: summary{70, 30, 90}, Resident: summary{20, 19, 21}}},
		Growth:  []growth{newGrowth("compile", "ms", maxExponent, []float64{1, 10, 200})},
		Missing: []missingRoute{{"MCP get_element", builtinTaxonomy, "no such route"}},
	}
	r.evaluate()
	return r
}

func TestEvaluateTargets(t *testing.T) {
	got := make(map[string]bool)
	for _, target := range sampleReport().Targets {
		got[target.Name] = target.Met
	}
	want := map[string]bool{
		"element: CPU ratio":         true, // at the limit
		"element: allocations":       false,
		"MCP get_element: CPU ratio": false, // a missing route misses its target
		"start of built-in taxonomy: milliseconds until the first response": false,
		"start of built-in taxonomy: MiB resident":                          true,
		"growth: compile": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestReportWrite(t *testing.T) {
	var b strings.Builder
	sampleReport().write(&b)
	for _, want := range []string{
		"| Route   | inputs | body | req/s |  bare | p50 µs |",
		"|---------|-------:|-----:|------:|------:|-------:|",
		"| element |     82 | 1838 | 20000 | 25000 |    900 |",
		" 1.30 | 1.20–1.40 |  1.3 ✓ | +7.0 ✗ | +1024 |\n",
		"### Routes: generated, 100 elements\n",
		"| built-in taxonomy |            70.0 ✗ |",
		"Not measured: MCP get_element",
		"3 of 6 targets met.\n",
		"  missed: element: allocations is 7.02, want at most 5.00\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("report does not contain %q:\n%s", want, b.String())
		}
	}
}

func TestReportSaveAndLoad(t *testing.T) {
	name := filepath.Join(t.TempDir(), "report.json")
	want := sampleReport()
	if err := want.save(name); err != nil {
		t.Fatal(err)
	}
	got, err := loadReport(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}
