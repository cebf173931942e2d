package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// measure runs all selected measurements and prints the report.
func (b *bench) measure(ctx context.Context) error {
	started := time.Now()
	subjects := []*subject{b.builtin}
	if b.has("growth") {
		for _, size := range sizes {
			b.progress("generating %d elements ...", size)
			s, cost, err := b.generatedSubject(ctx, size)
			if err != nil {
				return err
			}
			subjects = append(subjects, s)
			b.report.Builds = append(b.report.Builds, cost)
		}
		if err := b.measureStartups(ctx, subjects); err != nil {
			return err
		}
	}
	if b.has("large") {
		if err := b.measureReleases(ctx); err != nil {
			return err
		}
		if err := b.measureLarge(ctx); err != nil {
			return err
		}
	}
	if b.has("routes") {
		comparisons, err := b.prepareAll(ctx, subjects)
		if err != nil {
			return err
		}
		if err := b.run(ctx, comparisons, b.missedRoutes); err != nil {
			return err
		}
	}
	b.fitGrowth()
	if b.has("overload") {
		b.progress("overload ...")
		var err error
		if b.report.Overload, err = b.overload(ctx, findRoute("resolve"), b.builtin); err != nil {
			return fmt.Errorf("overload: %w", err)
		}
	}
	b.report.evaluate()
	b.report.write(os.Stdout)
	b.progress("Finished in %s.", time.Since(started).Round(time.Second))
	if b.out != "" {
		if err := b.report.save(b.out); err != nil {
			return err
		}
	}
	if n := len(b.report.missed()); n > 0 {
		return fmt.Errorf("%d targets missed", n)
	}
	return nil
}

// prepareAll starts the servers of all comparisons. Routes that Placard does not
// have are reported and skipped.
func (b *bench) prepareAll(ctx context.Context, subjects []*subject) ([]*comparison, error) {
	var all []*comparison
	for _, s := range subjects {
		var err error
		if s.server, err = b.serve(fmt.Sprintf("placard-%d", len(s.release.Elements)), b.placard, nil, s); err != nil {
			return nil, err
		}
		b.running = append(b.running, s.server)
		if err := s.server.waitReady(ctx, manifestPath(s.release)); err != nil {
			return nil, err
		}
		for i := range routes {
			r := &routes[i]
			largest := len(s.release.Elements) == sizes[len(sizes)-1]
			if !b.only.MatchString(r.name) || s != b.builtin && !r.small && !(r.large && largest) {
				continue
			}
			b.progress("preparing %s (%s) ...", r.name, s.name)
			c, err := b.prepare(r, s)
			switch {
			case errors.Is(err, errNoRoute):
				b.report.Missing = append(b.report.Missing, missingRoute{r.name, s.name, err.Error()})
			case err != nil:
				return nil, fmt.Errorf("%s (%s): %w", r.name, s.name, err)
			default:
				all = append(all, c)
			}
		}
	}
	if len(all) == 0 && len(b.report.Missing) == 0 {
		return nil, fmt.Errorf("no route matches %q", b.only)
	}
	return all, nil
}

// attempts is the maximum number of times a doubtful result is measured.
const attempts = 3

// run runs all rounds and adds the results to the report. Routes returned by
// doubtful get additional rounds and are judged by all their rounds.
func (b *bench) run(ctx context.Context, comparisons []*comparison, doubtful func() []string) error {
	pending := comparisons
	for attempt := range attempts {
		if err := b.runRounds(ctx, pending, b.rounds); err != nil {
			return err
		}
		if err := b.collect(ctx, comparisons); err != nil {
			return err
		}
		names := doubtful()
		if len(names) == 0 || attempt == attempts-1 {
			break
		}
		b.progress("repeating: %s", strings.Join(names, "; "))
		pending = nil
		for _, c := range comparisons {
			if slices.Contains(names, c.route.name) {
				pending = append(pending, c)
			}
		}
	}
	return nil
}

// missedRoutes returns the routes whose CPU time misses a target.
func (b *bench) missedRoutes() []string {
	b.fitGrowth()
	b.report.evaluate()
	var names []string
	for _, t := range b.report.missed() {
		for _, row := range routes {
			if t.Name == targetRatio(row.name) || t.Name == targetGrowth(row.name) {
				names = append(names, row.name)
			}
		}
	}
	return names
}

// runRounds runs one round of every comparison at a time, so that other load on
// the machine affects all of them equally.
func (b *bench) runRounds(ctx context.Context, comparisons []*comparison, rounds int) error {
	for n := range rounds {
		b.progress("round %d of %d ...", n+1, rounds)
		for _, c := range comparisons {
			if err := c.runRound(ctx, b.length); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect adds the results of comparisons to the report and counts allocations.
func (b *bench) collect(ctx context.Context, comparisons []*comparison) error {
	b.serial++
	socket := filepath.Join(b.dir, fmt.Sprintf("probe-%d", b.serial))
	server, err := b.probedServer(ctx, "allocations-count", probeSocket+"="+socket)
	if err != nil {
		return err
	}
	placard, err := openProbe(socket)
	if err != nil {
		return err
	}
	defer placard.close()
	b.report.Routes = nil
	for _, c := range comparisons {
		r := result{
			Route:    c.route.name,
			Taxonomy: c.subject.name,
			Inputs:   len(c.requests),
			Retries:  c.retries,
			Body:     c.bodyBytes(),
			Placard:  c.medians(func(r round) measurement { return r.Placard }),
			Bare:     c.medians(func(r round) measurement { return r.Bare }),
			Ratios:   c.ratios(),
			Ratio:    summarize(c.ratios()),
		}
		if c.subject == b.builtin {
			if err := c.allocations(&r, placard, server.addr); err != nil {
				return err
			}
		}
		b.report.Routes = append(b.report.Routes, r)
	}
	return nil
}

// allocations counts the allocations per request of Placard beyond those of the
// bare handler.
func (c *comparison) allocations(r *result, placard *probe, addr string) error {
	bare, err := openProbe(c.probe)
	if err != nil {
		return err
	}
	defer bare.close()
	bareAlloc, err := bare.countAllocations(c.bare.addr, c.requests)
	if err != nil {
		return err
	}
	placardAlloc, err := placard.countAllocations(addr, c.requests)
	if err != nil {
		return err
	}
	r.BareAlloc = &bareAlloc
	r.Allocated = &allocation{placardAlloc.Objects - bareAlloc.Objects, placardAlloc.Bytes - bareAlloc.Bytes}
	return nil
}

// measureReleases measures the startup of stores with several releases.
func (b *bench) measureReleases(ctx context.Context) error {
	var subjects []*subject
	for _, count := range []int{1, 10, 50} {
		s, err := b.releasesSubject(ctx, b.builtin.release, count)
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	return b.measureStartups(ctx, subjects)
}

// measureStartups measures the startup of all subjects.
func (b *bench) measureStartups(ctx context.Context, subjects []*subject) error {
	times := map[string]int{builtinTaxonomy: 15}
	for _, s := range subjects {
		b.progress("startup: %s ...", s.name)
		n := times[s.name]
		if n == 0 {
			n = 3
		}
		result, err := b.measureStartup(ctx, s, n)
		if err != nil {
			return err
		}
		b.report.Starts = append(b.report.Starts, result)
	}
	return nil
}

// fitGrowth computes how results grow with the size of the taxonomy.
func (b *bench) fitGrowth() {
	r := &b.report
	if len(r.Builds) != len(sizes) {
		return
	}
	builds := func(field func(buildCost) float64) []float64 {
		var values []float64
		for _, m := range r.Builds {
			values = append(values, field(m))
		}
		return values
	}
	startups := func(field func(startup) float64) []float64 {
		var values []float64
		for _, s := range r.Starts {
			if strings.HasPrefix(s.Name, "generated") {
				values = append(values, field(s))
			}
		}
		return values
	}
	r.Growth = []growth{
		newGrowth("read and check a tree", "ms CPU", maxExponent, builds(func(m buildCost) float64 { return m.Read })),
		newGrowth("compile", "ms CPU", maxExponent, builds(func(m buildCost) float64 { return m.Compile })),
		newGrowth("load", "ms CPU", maxExponent, builds(func(m buildCost) float64 { return m.Load })),
		newGrowth("memory of a loaded release", "MiB", maxExponent, builds(func(m buildCost) float64 { return m.Live })),
		newGrowth("resident after start", "MiB", maxExponent, startups(func(s startup) float64 { return s.Resident.Median })),
		newGrowth("first response after start", "ms", maxExponent, startups(func(s startup) float64 { return s.First.Median })),
	}
	for _, row := range routes {
		var values []float64
		for _, result := range r.Routes {
			if result.Route == row.name && result.Taxonomy != builtinTaxonomy {
				values = append(values, result.Ratio.Median)
			}
		}
		if row.small && len(values) == len(sizes) {
			r.Growth = append(r.Growth, newGrowth(row.name, "CPU ratio", noGrowth, values))
		}
	}
}
