package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// profileLength is how long a route is profiled.
const profileLength = 5 * time.Second

var notInNames = regexp.MustCompile(`[^a-z0-9_]+`)

// profiler writes where the time goes in each route, for Placard and for the
// bare handler, and what Placard allocates.
type profiler struct {
	*bench
	folder string
	cpu    string   // socket of the server whose time is profiled
	exact  *process // the server whose allocations are recorded
	allocs string   // its socket
}

func (b *bench) profiles(ctx context.Context) error {
	p := profiler{bench: b, cpu: filepath.Join(b.dir, "probe-cpu"), allocs: filepath.Join(b.dir, "probe-allocations")}
	var err error
	if p.folder, err = filepath.Abs(b.profile); err != nil {
		return err
	}
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return err
	}
	if b.own.server, err = b.probedServer(ctx, "cpu", probeSocket+"="+p.cpu); err != nil {
		return err
	}
	if p.exact, err = b.probedServer(ctx, "allocations", probeSocket+"="+p.allocs, probeAllocations+"=all"); err != nil {
		return err
	}
	for i := range routes {
		if r := &routes[i]; b.only.MatchString(r.name) {
			b.progress("profiling %s ...", r.name)
			if err := p.route(ctx, r); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	return nil
}

// probedServer starts a Placard that has the probe in it.
func (b *bench) probedServer(ctx context.Context, name string, env ...string) (*process, error) {
	server, err := b.serve("probed-"+name, b.probed, nil, b.own, env...)
	if err != nil {
		return nil, err
	}
	b.running = append(b.running, server)
	return server, server.await(ctx, newAsker(b.own.release, "").path("/manifest"))
}

func (p profiler) route(ctx context.Context, r *route) error {
	c, err := p.prepare(r, p.own)
	if err != nil {
		return err
	}
	defer c.bare.stop()
	name := filepath.Join(p.folder, strings.Trim(notInNames.ReplaceAllString(strings.ToLower(r.name), "_"), "_"))
	if err := p.time(ctx, c, p.own.server, p.cpu, name+".pprof"); err != nil {
		return err
	}
	if err := p.time(ctx, c, c.bare, c.probe, name+".bare.pprof"); err != nil {
		return err
	}
	return p.allocations(ctx, c, name+".allocs.pprof")
}

// time writes the CPU profile of a server under the load of one route.
func (p profiler) time(ctx context.Context, c *contest, server *process, socket, file string) error {
	of, err := openProbe(socket)
	if err != nil {
		return err
	}
	defer of.close()
	return of.profile(file, func() error {
		_, err := c.load.run(ctx, server.addr, profileLength)
		return err
	})
}

// allocations writes what the requests of one route allocate, and where.
func (p profiler) allocations(ctx context.Context, c *contest, file string) error {
	of, err := openProbe(p.allocs)
	if err != nil {
		return err
	}
	defer of.close()
	before, after := filepath.Join(p.dir, "before.pprof"), filepath.Join(p.dir, "after.pprof")
	if err := sendCounted(p.exact.addr, c.requests, func() error { return of.do("record " + before) }); err != nil {
		return err
	}
	if err := of.do("record " + after); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-proto", "-output", file, "-base", before, after).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go tool pprof: %w\n%s", err, out)
	}
	return nil
}
