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

// summary is the median and range of several measurements.
type summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func summarize(values []float64) summary {
	return summary{median(values), slices.Min(values), slices.Max(values)}
}

// exponent fits y = c·xᵉ by least squares on the logarithms and returns e.
func exponent(x, y []float64) float64 {
	var sumX, sumY float64
	for i := range x {
		sumX += math.Log(x[i])
		sumY += math.Log(y[i])
	}
	meanX, meanY := sumX/float64(len(x)), sumY/float64(len(y))
	var covariance, variance float64
	for i := range x {
		dx := math.Log(x[i]) - meanX
		covariance += dx * (math.Log(y[i]) - meanY)
		variance += dx * dx
	}
	return covariance / variance
}
