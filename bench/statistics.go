package main

import (
	"math"
	"slices"
)

// median returns the median of values, which must not be empty.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// deviation estimates the standard deviation of values from the median absolute
// deviation, which is robust against outliers.
func deviation(values []float64) float64 {
	center := median(values)
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = math.Abs(v - center)
	}
	return 1.4826 * median(distances)
}

// standardError estimates the standard error of the median of values, assuming a
// normal distribution.
func standardError(values []float64) float64 {
	return 1.2533 * deviation(values) / math.Sqrt(float64(len(values)))
}

// exponent returns e such that y = c·xᵉ for both points.
func exponent(x0, y0, x1, y1 float64) float64 { return math.Log(y1/y0) / math.Log(x1/x0) }
