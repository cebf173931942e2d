package main

import (
	"math"
	"testing"
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

func TestDeviationIgnoresOutliers(t *testing.T) {
	want := deviation([]float64{1.0, 1.1, 0.9, 1.05, 0.95})
	if outlier := deviation([]float64{1.0, 1.1, 0.9, 1.05, 9.5}); outlier > 2*want {
		t.Errorf("deviation with an outlier = %.3f, want at most %.3f", outlier, 2*want)
	}
	if want < 0.05 || want > 0.1 {
		t.Errorf("deviation = %.3f, want about 0.074", want)
	}
}

func TestGrowthOfCostsIsTheLastStep(t *testing.T) {
	values := []float64{10, 10, 200}
	if g := newGrowth("build ms", maxExponent, values); math.Abs(g.Exponent-1) > 1e-9 {
		t.Errorf("build: exponent = %.2f, want that of the last step, 1", g.Exponent)
	}
	if g := newGrowth("element", noGrowth, values); math.Abs(g.Exponent-math.Log(20)/math.Log(200)) > 1e-9 {
		t.Errorf("element: exponent = %.2f, want that of all steps, 0.57", g.Exponent)
	}
}
