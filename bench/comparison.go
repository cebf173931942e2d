package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"placard/internal/core/release"
)

// builtinTaxonomy is the name of the subject to which the targets of routes apply.
const builtinTaxonomy = "built-in taxonomy"

// subject is a taxonomy served by Placard for a measurement.
type subject struct {
	name    string
	release *release.Release
	args    []string // additional arguments for placard serve
}

func (s *subject) manifestPath() string {
	return newRequestBuilder(s.release, "").path(api + "/manifest")
}

// comparison measures one route of a subject, alternating between Placard and
// the bare handler with the same responses.
type comparison struct {
	inputs        string // file with the requests
	placard, bare *process
	result        result
}

// attempts is the maximum number of times that a doubtful result is measured.
const attempts = 3

// measureRoutes measures the selected routes of all subjects and adds the results to
// the report. The routes of failures get additional rounds and are judged by all
// their rounds.
func (b *bench) measureRoutes(ctx context.Context, subjects []*subject, failures func() []failure) error {
	comparisons, err := b.prepareComparisons(ctx, subjects)
	if err != nil {
		return err
	}
	pending := comparisons
	for range attempts {
		if err := b.runRounds(ctx, pending); err != nil {
			return err
		}
		b.report.Routes = nil
		for _, c := range comparisons {
			b.report.Routes = append(b.report.Routes, c.result)
		}
		found := failures()
		pending = slices.DeleteFunc(slices.Clone(comparisons), func(c *comparison) bool {
			return !slices.ContainsFunc(found, func(f failure) bool { return f.route == c.result.Route })
		})
	}
	return nil
}

// prepareComparisons starts the servers of all comparisons.
func (b *bench) prepareComparisons(ctx context.Context, subjects []*subject) ([]*comparison, error) {
	var all []*comparison
	for n, s := range subjects {
		server, err := b.serve(fmt.Sprintf("placard-%d", n), s)
		if err != nil {
			return nil, err
		}
		b.running = append(b.running, server)
		if err := server.waitReady(ctx, s.manifestPath()); err != nil {
			return nil, err
		}
		for i, r := range routes {
			if !b.only.MatchString(r.name) || s != b.builtin && !r.growth {
				continue
			}
			log.Printf("preparing %s (%s) ...", r.name, s.name)
			c, err := b.compare(fmt.Sprintf("comparison-%d-%d", n, i), r, s, server)
			if err != nil {
				return nil, fmt.Errorf("%s (%s): %w", r.name, s.name, err)
			}
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no route matches %q", b.only)
	}
	return all, nil
}

// compare captures Placard's responses, starts a bare handler that sends them, and
// counts the allocations of both. The names of all files begin with name.
func (b *bench) compare(name string, r route, s *subject, placard *process) (*comparison, error) {
	requests, responses, err := r.exchange(placard.addr, newRequestBuilder(s.release, r.name))
	if err != nil {
		return nil, err
	}
	name = filepath.Join(b.dir, name)
	c := &comparison{inputs: name + ".requests", placard: placard}
	if err := errors.Join(writeInputs(c.inputs, requests), saveResponses(name+".responses", responses)); err != nil {
		return nil, err
	}
	if c.bare, err = start(name, b.self, "-bare", name+".responses"); err != nil {
		return nil, err
	}
	b.running = append(b.running, c.bare)
	ofPlacard, err1 := placard.allocationsPerRequest(requests)
	ofBare, err2 := c.bare.allocationsPerRequest(requests)
	c.result = result{Route: r.name, Taxonomy: s.name, Body: len(responses[0].Body), Allocations: ofPlacard - ofBare}
	return c, errors.Join(err1, err2)
}

// runRounds runs one round of every comparison at a time, so that other load on
// the machine affects all of them equally.
func (b *bench) runRounds(ctx context.Context, comparisons []*comparison) error {
	if len(comparisons) == 0 {
		return nil
	}
	for n := range b.rounds {
		log.Printf("round %d of %d, %d comparisons ...", n+1, b.rounds, len(comparisons))
		for _, c := range comparisons {
			if err := b.runRound(ctx, c); err != nil {
				return fmt.Errorf("%s (%s): %w", c.result.Route, c.result.Taxonomy, err)
			}
		}
	}
	return nil
}

// runRound measures both servers, one directly after the other. Their order alternates
// between rounds.
func (b *bench) runRound(ctx context.Context, c *comparison) error {
	servers := []*process{c.placard, c.bare}
	if len(c.result.Placard)%2 == 1 {
		slices.Reverse(servers)
	}
	cpu := make(map[*process]float64)
	for _, server := range servers {
		var err error
		if cpu[server], err = b.cpuPerRequest(ctx, server, c.inputs); err != nil {
			return err
		}
	}
	c.result.Placard = append(c.result.Placard, cpu[c.placard])
	c.result.Bare = append(c.result.Bare, cpu[c.bare])
	c.result.Ratios = append(c.result.Ratios, cpu[c.placard]/cpu[c.bare])
	return nil
}

// cpuPerRequest applies load to a server and returns its CPU time per request in
// microseconds.
func (b *bench) cpuPerRequest(ctx context.Context, server *process, inputs string) (float64, error) {
	before, err := server.cpu()
	if err != nil {
		return 0, err
	}
	requests, err := b.applyLoad(ctx, server.addr, inputs)
	if err != nil {
		return 0, err
	}
	after, err := server.cpu()
	if err != nil {
		return 0, err
	}
	// The log would fill the file system.
	return float64((after - before).Microseconds()) / float64(requests), os.Truncate(server.log, 0)
}
