package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
)

// What counts as a loss against the baseline.
const (
	// sameRatio is how much a ratio differs between two builds of the same
	// code: heaps and code lie elsewhere in memory.
	sameRatio = 0.08
	// sigmas is how many standard errors a difference must have beyond that.
	sigmas = 3
	// sameAllocations is less than one allocation: those beside the requests,
	// and of many a small part, because slow requests leave time for more.
	sameAllocations     = 0.6
	sameAllocationsPart = 0.005
)

// loss is a route that became more expensive.
type loss struct {
	route, what string
	before, now float64
	limit       float64
}

func (l loss) String() string {
	return fmt.Sprintf("%s: %s was %.2f and is %.2f; up to %.2f would be noise", l.route, l.what, l.before, l.now, l.limit)
}

// ratioLimit is the highest median of now that noise explains, where the true
// ratio is that of before. It follows from how far the rounds of both differ
// among themselves.
func ratioLimit(before, now []float64) float64 {
	errorOf := func(values []float64) float64 {
		// The standard error of a median of normally distributed values.
		return 1.2533 * deviation(values) / math.Sqrt(float64(len(values)))
	}
	return median(before)*(1+sameRatio) + sigmas*math.Hypot(errorOf(before), errorOf(now))
}

// losses compares a report with the baseline.
func losses(baseline, now *report) []loss {
	var found []loss
	for _, b := range baseline.Routes {
		n := slices.IndexFunc(now.Routes, func(r result) bool { return r.Route == b.Route && r.Taxonomy == b.Taxonomy })
		if n < 0 || b.Taxonomy != ownTaxonomy {
			continue
		}
		r := now.Routes[n]
		if limit := ratioLimit(b.Ratios, r.Ratios); r.Ratio.Median > limit {
			found = append(found, loss{route: b.Route, what: "CPU ratio", before: b.Ratio.Median, now: r.Ratio.Median, limit: limit})
		}
		if b.Allocated != nil && r.Allocated != nil {
			if limit := b.Allocated.Objects + max(sameAllocations, sameAllocationsPart*b.Allocated.Objects); r.Allocated.Objects > limit {
				found = append(found, loss{route: b.Route, what: "allocations per request", before: b.Allocated.Objects, now: r.Allocated.Objects, limit: limit})
			}
		}
	}
	return found
}

// check measures our own taxonomy and fails on what became more expensive than
// the baseline says. What looks like it is measured again before it is believed.
func (b *bench) check(ctx context.Context) error {
	baseline, err := loadReport(b.baseline)
	if err != nil {
		return err
	}
	contests, err := b.prepareAll(ctx, []*subject{b.own})
	if err != nil {
		return err
	}
	var found []loss
	err = b.contend(ctx, contests, func() []string {
		found = losses(baseline, &b.report)
		var names []string
		for _, l := range found {
			names = append(names, l.route)
		}
		return names
	})
	if err != nil {
		return err
	}
	b.report.judge()
	b.report.write(os.Stdout)
	if b.out != "" {
		if err := b.report.save(b.out); err != nil {
			return err
		}
	}
	for _, l := range found {
		fmt.Println("loss:", l)
	}
	if len(found) > 0 {
		return fmt.Errorf("%d losses against %s", len(found), b.baseline)
	}
	fmt.Printf("No loss against %s.\n", b.baseline)
	return nil
}
