package main

import (
	"fmt"
	"math"
)

// Tolerances for differences from the baseline.
const (
	// ratioTolerance is the difference of ratios between two builds of the same
	// code, caused by a different layout of code and heap.
	ratioTolerance = 0.08
	// standardErrors is the number of standard errors allowed in addition.
	standardErrors = 3
	// Allocations are counted almost exactly: background work adds less than one
	// per request, or a small fraction of a large number.
	allocationTolerance         = 0.6
	relativeAllocationTolerance = 0.005
)

// ratioLimit returns the highest median of now that noise can explain if the true
// ratio has not changed. It depends on the deviation within both series.
func ratioLimit(before, now []float64) float64 {
	return median(before)*(1+ratioTolerance) + standardErrors*math.Hypot(standardError(before), standardError(now))
}

// findRegressions returns the routes of the built-in taxonomy that are more expensive
// than in the baseline.
func findRegressions(baseline, now *report) []failure {
	var found []failure
	add := func(route, value string, before, now, limit float64) {
		if now > limit {
			text := fmt.Sprintf("regression: %s: %s increased from %.2f to %.2f, above the limit of %.2f", route, value, before, now, limit)
			found = append(found, failure{route, text})
		}
	}
	for _, b := range baseline.Routes {
		r := now.find(b.Route, builtinTaxonomy)
		if r == nil || b.Taxonomy != builtinTaxonomy {
			continue
		}
		add(b.Route, "CPU ratio", median(b.Ratios), median(r.Ratios), ratioLimit(b.Ratios, r.Ratios))
		tolerance := max(allocationTolerance, relativeAllocationTolerance*b.Allocations)
		add(b.Route, "allocations per request", b.Allocations, r.Allocations, b.Allocations+tolerance)
	}
	return found
}
