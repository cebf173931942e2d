package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noisyRatios returns five measurements of a ratio with the noise of a shared
// machine, and occasional outliers.
func noisyRatios(r *rand.Rand, ratio, noise float64) []float64 {
	values := make([]float64, 5)
	for i := range values {
		values[i] = ratio * (1 + noise*r.NormFloat64())
		if r.IntN(10) == 0 {
			values[i] *= 1.5
		}
	}
	return values
}

// newReport returns a report with one route.
func newReport(ratios []float64, allocations float64) *report {
	return &report{Routes: []result{{
		Route: "element", Taxonomy: builtinTaxonomy, Ratios: ratios, Allocations: allocations,
	}}}
}

// regressionRate returns the number of regressions of CPU time found in 100
// comparisons, with repeated measurements as in check.
func regressionRate(before, now, noise float64) int {
	r := rand.New(rand.NewPCG(1, 2))
	count := 0
	for range 100 {
		baseline := newReport(noisyRatios(r, before, noise), 0)
		ratios := noisyRatios(r, now, noise)
		for range 2 {
			if len(findRegressions(baseline, newReport(ratios, 0))) == 0 {
				break
			}
			ratios = append(ratios, noisyRatios(r, now, noise)...)
		}
		count += len(findRegressions(baseline, newReport(ratios, 0)))
	}
	return count
}

func TestNoiseIsNotARegression(t *testing.T) {
	for _, noise := range []float64{0.01, 0.03, 0.1, 0.2} {
		if n := regressionRate(1.25, 1.25, noise); n > 1 {
			t.Errorf("noise of %.0f %%: got %d false regressions in 100 comparisons, want at most 1", 100*noise, n)
		}
	}
}

func TestRegressionsAreFound(t *testing.T) {
	for _, test := range []struct{ noise, factor float64 }{{0.01, 1.15}, {0.03, 1.3}, {0.1, 2}} {
		if n := regressionRate(1.25, 1.25*test.factor, test.noise); n < 95 {
			t.Errorf("noise of %.0f %%: factor %.2f found in %d of 100 comparisons, want at least 95", 100*test.noise, test.factor, n)
		}
	}
}

func TestImprovementsAreNotRegressions(t *testing.T) {
	if n := regressionRate(1.25, 1.1, 0.03); n > 0 {
		t.Errorf("got %d false regressions in 100 comparisons, want none", n)
	}
}

func TestOneMoreAllocationIsARegression(t *testing.T) {
	ratios := []float64{1, 1, 1, 1, 1}
	baseline := newReport(ratios, 4.02)
	for _, test := range []struct {
		now  float64
		want []string
	}{
		{4.02, nil},
		{4.4, nil},
		{3, nil},
		{5.01, []string{"regression: element: allocations per request increased from 4.02 to 5.01, above the limit of 4.62"}},
	} {
		var got []string
		for _, r := range findRegressions(baseline, newReport(ratios, test.now)) {
			got = append(got, r.text)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("regressions with %v allocations (-want +got):\n%s", test.now, diff)
		}
	}
}

func TestOnlyRoutesInBothReportsAreCompared(t *testing.T) {
	baseline := newReport([]float64{1, 1, 1}, 1)
	now := newReport([]float64{9, 9, 9}, 9)
	now.Routes[0].Taxonomy = "another"
	if got := findRegressions(baseline, now); len(got) > 0 {
		t.Errorf("regressions = %v, want none", got)
	}
	now.Routes = slices.Delete(now.Routes, 0, 1)
	if got := findRegressions(baseline, now); len(got) > 0 {
		t.Errorf("regressions = %v, want none", got)
	}
}
