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

// measure does everything and prints it.
func (b *bench) measure(ctx context.Context) error {
	begun := time.Now()
	subjects := []*subject{b.own}
	if b.has("growth") {
		for _, size := range sizes {
			b.progress("generating %d elements ...", size)
			s, made, err := b.generated(ctx, size)
			if err != nil {
				return err
			}
			subjects = append(subjects, s)
			b.report.Makings = append(b.report.Makings, made)
		}
		if err := b.starts(ctx, subjects); err != nil {
			return err
		}
	}
	if b.has("routes") {
		contests, err := b.prepareAll(ctx, subjects)
		if err != nil {
			return err
		}
		if err := b.contend(ctx, contests, b.doubtful); err != nil {
			return err
		}
	}
	b.grow()
	if b.has("overload") {
		b.progress("overload ...")
		var err error
		if b.report.Overload, err = b.overload(ctx, routeNamed("resolve"), b.own); err != nil {
			return fmt.Errorf("overload: %w", err)
		}
	}
	b.report.judge()
	b.report.write(os.Stdout)
	b.progress("It took %s.", time.Since(begun).Round(time.Second))
	if b.out != "" {
		if err := b.report.save(b.out); err != nil {
			return err
		}
	}
	if n := len(b.report.missed()); n > 0 {
		return fmt.Errorf("%d targets are missed", n)
	}
	return nil
}

// prepareAll starts everything that fights. A route that Placard does not have
// is reported and left out.
func (b *bench) prepareAll(ctx context.Context, subjects []*subject) ([]*contest, error) {
	var all []*contest
	for _, s := range subjects {
		var err error
		if s.server, err = b.serve(fmt.Sprintf("placard-%d", len(s.release.Elements)), b.placard, nil, s); err != nil {
			return nil, err
		}
		b.running = append(b.running, s.server)
		if err := s.server.await(ctx, newAsker(s.release, "").path("/manifest")); err != nil {
			return nil, err
		}
		for i := range routes {
			r := &routes[i]
			largest := len(s.release.Elements) == sizes[len(sizes)-1]
			if !b.only.MatchString(r.name) || s != b.own && !r.small && !(r.large && largest) {
				continue
			}
			b.progress("preparing %s (%s) ...", r.name, s.name)
			c, err := b.prepare(r, s)
			switch {
			case errors.Is(err, errUnanswered):
				b.report.Missing = append(b.report.Missing, unanswered{r.name, s.name, err.Error()})
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

// attempts is how often what is in doubt is measured.
const attempts = 3

// contend lets the contests have their rounds and puts them into the report.
// Routes that are in doubt after that have as many rounds again, and are judged
// by all of them.
func (b *bench) contend(ctx context.Context, contests []*contest, doubtful func() []string) error {
	suspects := contests
	for attempt := range attempts {
		if err := b.fightAll(ctx, suspects, b.rounds); err != nil {
			return err
		}
		if err := b.collect(ctx, contests); err != nil {
			return err
		}
		names := doubtful()
		if len(names) == 0 || attempt == attempts-1 {
			break
		}
		b.progress("measuring again: %s", strings.Join(names, "; "))
		suspects = nil
		for _, c := range contests {
			if slices.Contains(names, c.route.name) {
				suspects = append(suspects, c)
			}
		}
	}
	return nil
}

// doubtful returns the routes whose CPU time misses a target.
func (b *bench) doubtful() []string {
	b.grow()
	b.report.judge()
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

// fightAll lets each contest have a round, and again from the first, so that
// what else the machine does at some time falls on all alike.
func (b *bench) fightAll(ctx context.Context, contests []*contest, rounds int) error {
	for n := range rounds {
		b.progress("round %d of %d ...", n+1, rounds)
		for _, c := range contests {
			if err := c.fight(ctx, b.length); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect puts what was measured into the report, with what is allocated.
func (b *bench) collect(ctx context.Context, contests []*contest) error {
	b.contests++
	socket := filepath.Join(b.dir, fmt.Sprintf("probe-%d", b.contests))
	server, err := b.probedServer(ctx, "counted", probeSocket+"="+socket)
	if err != nil {
		return err
	}
	placard, err := openProbe(socket)
	if err != nil {
		return err
	}
	defer placard.close()
	b.report.Routes = nil
	for _, c := range contests {
		r := result{
			Route:    c.route.name,
			Taxonomy: c.subject.name,
			Inputs:   len(c.requests),
			Spoilt:   c.spoilt,
			Body:     c.bodyBytes(),
			Placard:  c.middle(func(r round) effort { return r.Placard }),
			Bare:     c.middle(func(r round) effort { return r.Bare }),
			Ratios:   c.ratios(),
			Ratio:    summarize(c.ratios()),
		}
		if c.subject == b.own {
			if err := c.allocations(&r, placard, server.addr); err != nil {
				return err
			}
		}
		b.report.Routes = append(b.report.Routes, r)
	}
	return nil
}

// allocations counts what Placard allocates for a request beyond the bare
// handler.
func (c *contest) allocations(r *result, placard *probe, addr string) error {
	bare, err := openProbe(c.probe)
	if err != nil {
		return err
	}
	defer bare.close()
	limit, err := bare.countAllocations(c.bare.addr, c.requests)
	if err != nil {
		return err
	}
	ours, err := placard.countAllocations(addr, c.requests)
	if err != nil {
		return err
	}
	r.BareAlloc = &limit
	r.Allocated = &allocated{ours.Objects - limit.Objects, ours.Bytes - limit.Bytes}
	return nil
}

// starts measures how long it takes to begin and what is resident then.
func (b *bench) starts(ctx context.Context, subjects []*subject) error {
	times := map[string]int{ownTaxonomy: 15}
	for _, count := range []int{1, 10, 50} {
		s, err := b.releases(ctx, b.own.release, count)
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	for _, s := range subjects {
		b.progress("starting: %s ...", s.name)
		n := times[s.name]
		if n == 0 {
			n = 3
		}
		started, err := b.coldStart(ctx, s, n)
		if err != nil {
			return err
		}
		b.report.Starts = append(b.report.Starts, started)
	}
	return nil
}

// grow fits how what was measured grows with the size of the taxonomy.
func (b *bench) grow() {
	r := &b.report
	if len(r.Makings) != len(sizes) {
		return
	}
	of := func(part func(making) float64) []float64 {
		var values []float64
		for _, m := range r.Makings {
			values = append(values, part(m))
		}
		return values
	}
	begun := func(part func(starting) float64) []float64 {
		var values []float64
		for _, s := range r.Starts {
			if strings.HasPrefix(s.Name, "generated") {
				values = append(values, part(s))
			}
		}
		return values
	}
	r.Growth = []growth{
		newGrowth("read and check a tree", "ms CPU", maxExponent, of(func(m making) float64 { return m.Read })),
		newGrowth("compile", "ms CPU", maxExponent, of(func(m making) float64 { return m.Compile })),
		newGrowth("load", "ms CPU", maxExponent, of(func(m making) float64 { return m.Load })),
		newGrowth("memory of a loaded release", "MiB", maxExponent, of(func(m making) float64 { return m.Live })),
		newGrowth("resident after start", "MiB", maxExponent, begun(func(s starting) float64 { return s.Resident.Median })),
		newGrowth("first answer after start", "ms", maxExponent, begun(func(s starting) float64 { return s.First.Median })),
	}
	for _, row := range routes {
		var values []float64
		for _, x := range r.Routes {
			if x.Route == row.name && x.Taxonomy != ownTaxonomy {
				values = append(values, x.Ratio.Median)
			}
		}
		if row.small && len(values) == len(sizes) {
			r.Growth = append(r.Growth, newGrowth(row.name, "CPU ratio", noGrowth, values))
		}
	}
}
