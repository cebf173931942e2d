package main

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// measured returns five ratios around one, as noisy as a shared machine makes
// them: some per cent, and now and then far too high.
func measured(r *rand.Rand, ratio, noise float64) []float64 {
	values := make([]float64, 5)
	for i := range values {
		values[i] = ratio * (1 + noise*r.NormFloat64())
		if r.IntN(10) == 0 {
			values[i] *= 1.5
		}
	}
	return values
}

func reported(ratios []float64, allocations float64) *report {
	return &report{Routes: []result{{
		Route: "element", Taxonomy: ownTaxonomy, Ratios: ratios, Ratio: summarize(ratios),
		Allocated: &allocated{Objects: allocations},
	}}}
}

// found says how often in a hundred a comparison finds a loss of CPU time,
// measuring again what looks like one.
func found(before, now, noise float64) int {
	r := rand.New(rand.NewPCG(1, 2))
	count := 0
	for range 100 {
		baseline := reported(measured(r, before, noise), 0)
		ratios := measured(r, now, noise)
		for range 2 {
			if len(losses(baseline, reported(ratios, 0))) == 0 {
				break
			}
			ratios = append(ratios, measured(r, now, noise)...)
		}
		count += len(losses(baseline, reported(ratios, 0)))
	}
	return count
}

func TestNoiseIsNoLoss(t *testing.T) {
	for _, noise := range []float64{0.01, 0.03, 0.1, 0.2} {
		if n := found(1.25, 1.25, noise); n > 1 {
			t.Errorf("with %.0f %% noise the same speed is a loss %d times in 100", 100*noise, n)
		}
	}
}

func TestARealLossIsFound(t *testing.T) {
	for _, test := range []struct{ noise, factor float64 }{{0.01, 1.15}, {0.03, 1.3}, {0.1, 2}} {
		if n := found(1.25, 1.25*test.factor, test.noise); n < 95 {
			t.Errorf("with %.0f %% noise a factor of %.2f is found only %d times in 100", 100*test.noise, test.factor, n)
		}
	}
}

func TestAGainIsNoLoss(t *testing.T) {
	if n := found(1.25, 1.1, 0.03); n > 0 {
		t.Errorf("a gain is a loss %d times in 100", n)
	}
}

func TestOneAllocationMoreIsALoss(t *testing.T) {
	ratios := []float64{1, 1, 1, 1, 1}
	baseline := reported(ratios, 4.02)
	for _, test := range []struct {
		now  float64
		want []string
	}{
		{4.02, nil},
		{4.4, nil},
		{3, nil},
		{5.01, []string{"element: allocations per request was 4.02 and is 5.01; up to 4.62 would be noise"}},
	} {
		var got []string
		for _, l := range losses(baseline, reported(ratios, test.now)) {
			got = append(got, l.String())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v allocations (-want +got):\n%s", test.now, diff)
		}
	}
}

func TestOnlyWhatBothMeasuredIsCompared(t *testing.T) {
	baseline := reported([]float64{1, 1, 1}, 1)
	now := reported([]float64{9, 9, 9}, 9)
	now.Routes[0].Taxonomy = "another"
	if got := losses(baseline, now); len(got) > 0 {
		t.Errorf("losses = %v", got)
	}
	now.Routes = slices.Delete(now.Routes, 0, 1)
	if got := losses(baseline, now); len(got) > 0 {
		t.Errorf("losses = %v", got)
	}
}
