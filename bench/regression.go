package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
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

// regression is a route that became more expensive.
type regression struct {
	route, metric string
	before, now   float64
	limit         float64
}

func (r regression) String() string {
	return fmt.Sprintf("%s: %s increased from %.2f to %.2f, above the limit of %.2f", r.route, r.metric, r.before, r.now, r.limit)
}

// ratioLimit returns the highest median of now that noise can explain if the true
// ratio has not changed. It depends on the deviation within both series.
func ratioLimit(before, now []float64) float64 {
	return median(before)*(1+ratioTolerance) + standardErrors*math.Hypot(standardError(before), standardError(now))
}

// findRegressions compares a report with the baseline.
func findRegressions(baseline, now *report) []regression {
	var found []regression
	for _, b := range baseline.Routes {
		n := slices.IndexFunc(now.Routes, func(r result) bool { return r.Route == b.Route && r.Taxonomy == b.Taxonomy })
		if n < 0 || b.Taxonomy != builtinTaxonomy {
			continue
		}
		r := now.Routes[n]
		if limit := ratioLimit(b.Ratios, r.Ratios); r.Ratio.Median > limit {
			found = append(found, regression{route: b.Route, metric: "CPU ratio", before: b.Ratio.Median, now: r.Ratio.Median, limit: limit})
		}
		if b.Allocated != nil && r.Allocated != nil {
			if limit := b.Allocated.Objects + max(allocationTolerance, relativeAllocationTolerance*b.Allocated.Objects); r.Allocated.Objects > limit {
				found = append(found, regression{route: b.Route, metric: "allocations per request", before: b.Allocated.Objects, now: r.Allocated.Objects, limit: limit})
			}
		}
	}
	return found
}

// check measures the built-in taxonomy and returns an error if it is more
// expensive than the baseline. Apparent regressions are measured again.
func (b *bench) check(ctx context.Context) error {
	baseline, err := loadReport(b.baseline)
	if err != nil {
		return err
	}
	comparisons, err := b.prepareAll(ctx, []*subject{b.builtin})
	if err != nil {
		return err
	}
	var found []regression
	err = b.run(ctx, comparisons, func() []string {
		found = findRegressions(baseline, &b.report)
		var names []string
		for _, r := range found {
			names = append(names, r.route)
		}
		return names
	})
	if err != nil {
		return err
	}
	b.report.evaluate()
	b.report.write(os.Stdout)
	if b.out != "" {
		if err := b.report.save(b.out); err != nil {
			return err
		}
	}
	for _, r := range found {
		fmt.Println("regression:", r)
	}
	if len(found) > 0 {
		return fmt.Errorf("%d regressions against %s", len(found), b.baseline)
	}
	fmt.Printf("No regressions against %s.\n", b.baseline)
	return nil
}
