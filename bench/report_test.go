package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleReport() *report {
	r := &report{
		Machine: "go1.26, amd64, 2 processors",
		Routes: []result{{
			Route: "element", Taxonomy: builtinTaxonomy, Body: 1838,
			Placard: []float64{26, 26, 26}, Bare: []float64{20, 20, 20},
			Ratios: []float64{1.2, 1.5, 1.6}, Allocations: 17.02,
		}},
		Sizes: []sizeResult{
			{builtinTaxonomy, map[string]float64{"start ms": 70, "start CPU ms": 60, "start MiB": 20}},
			newSize("100 elements, 2 locales", 100, 100, 40, 60, 60, 40),
			newSize("1000 elements, 2 locales", 200, 200, 60, 80, 80, 50),
			newSize("20000 elements, 2 locales", 3500, 8000, 90, 900, 900, 200),
		},
	}
	for i, ratio := range []float64{1.1, 1.2, 1.5} {
		r.Routes = append(r.Routes, result{Route: "element", Taxonomy: r.Sizes[i+1].Name, Placard: []float64{30}, Bare: []float64{20}, Ratios: []float64{ratio}})
	}
	r.evaluate()
	return r
}

// newSize returns a result with a value for each of sizeColumns.
func newSize(name string, values ...float64) sizeResult {
	s := sizeResult{name, make(map[string]float64)}
	for i, column := range sizeColumns {
		s.Values[column] = values[i]
	}
	return s
}

func TestEvaluateTargets(t *testing.T) {
	got := make(map[string]bool)
	for _, target := range sampleReport().Targets {
		got[target.Name] = target.met()
	}
	want := map[string]bool{
		"element: CPU ratio":                      true, // at the limit
		"element: allocations":                    false,
		"built-in taxonomy: start ms":             false,
		"built-in taxonomy: start MiB":            true,
		"20000 elements, 2 locales: build ms":     false,
		"20000 elements, 2 locales: start CPU ms": true,
		"20000 elements, 2 locales: start MiB":    true,
		"growth: build ms":                        true,
		"growth: build CPU ms":                    false,
		"growth: build MiB":                       true,
		"growth: start ms":                        true,
		"growth: start CPU ms":                    true,
		"growth: start MiB":                       true,
		"growth: element":                         false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestSizeTargetsAreMeasured(t *testing.T) {
	r := &report{}
	for _, name := range []string{builtinTaxonomy, "50 releases", generatedName(20_000, 2), generatedName(20_000, manyLocales)} {
		r.Sizes = append(r.Sizes, newSize(name, 1, 1, 1, 1, 1, 1))
	}
	r.evaluate()
	if got, want := len(r.Targets), len(sizeTargets); got != want {
		t.Errorf("got %d targets, want %d", got, want)
	}
}

func TestReportWrite(t *testing.T) {
	var b strings.Builder
	sampleReport().write(&b)
	for _, want := range []string{
		"| Route   | taxonomy                  | body | CPU µs |",
		"| element | built-in taxonomy         | 1838 | 26.0   | 20.0 | 1.50 ✓ | 1.20–1.60 | +17.0 ✗ |\n",
		"| element | 20000 elements, 2 locales | 0    | 30.0   | 20.0 | 1.50   | 1.50–1.50 | +0.0    |\n",
		"| built-in taxonomy         | 0.0      | 0.0          | 0.0       | 70.0 ✗ ",
		"\n9 of 14 targets met.\n",
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
