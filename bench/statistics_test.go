package main

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(test.values); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

func TestSummarize(t *testing.T) {
	if got, want := summarize([]float64{2, 9, 1}), (summary{Median: 2, Min: 1, Max: 9}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDeviationIgnoresOutliers(t *testing.T) {
	want := deviation([]float64{1.0, 1.1, 0.9, 1.05, 0.95})
	if outlier := deviation([]float64{1.0, 1.1, 0.9, 1.05, 9.5}); outlier > 2*want {
		t.Errorf("deviation with an outlier = %.3f, want at most %.3f", outlier, 2*want)
	}
	if want < 0.05 || want > 0.1 {
		t.Errorf("deviation = %.3f, want about 0.074", want)
	}
}

func TestExponentOfPowerFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		factor := rapid.Float64Range(0.01, 100).Draw(t, "factor")
		want := rapid.Float64Range(-1, 3).Draw(t, "exponent")
		x := []float64{100, 1_000, 20_000}
		y := make([]float64, len(x))
		for i := range x {
			y[i] = factor * math.Pow(x[i], want)
		}
		if got := exponent(x, y); math.Abs(got-want) > 1e-9 {
			t.Errorf("exponent = %v, want %v", got, want)
		}
	})
}

func TestGrowthFitAndLastStep(t *testing.T) {
	g := newGrowth("x", "ms", 1, []float64{10, 10, 200})
	if math.Abs(g.Last-1) > 1e-9 || g.Fit >= g.Last {
		t.Errorf("fit = %.2f, last step = %.2f; want a last step of 1 and a smaller fit", g.Fit, g.Last)
	}
}

func TestGrowthWorst(t *testing.T) {
	values := []float64{10, 10, 200}
	if g := newGrowth("compile", "ms", maxExponent, values); g.worst() != g.Last {
		t.Errorf("compile: worst() = %.2f, want the last step, %.2f", g.worst(), g.Last)
	}
	if g := newGrowth("element", "CPU ratio", noGrowth, values); g.worst() != g.Fit {
		t.Errorf("element: worst() = %.2f, want the fit, %.2f", g.worst(), g.Fit)
	}
}
