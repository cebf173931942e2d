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

// profileLength is the duration of the load for a CPU profile.
const profileLength = 5 * time.Second

var nonNameChars = regexp.MustCompile(`[^a-z0-9_]+`)

// profiler writes CPU profiles of each route, for Placard and for the bare
// handler, and allocation profiles of Placard.
type profiler struct {
	*bench
	folder string
	cpu    string   // probe socket of the server for CPU profiles
	server *process // the server for allocation profiles
	allocs string   // its probe socket
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
	if b.builtin.server, err = b.probedServer(ctx, "cpu", probeSocket+"="+p.cpu); err != nil {
		return err
	}
	if p.server, err = b.probedServer(ctx, "allocations", probeSocket+"="+p.allocs, probeAllocations+"=all"); err != nil {
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

// probedServer starts a Placard built with the probe.
func (b *bench) probedServer(ctx context.Context, name string, env ...string) (*process, error) {
	server, err := b.serve("probed-"+name, b.probed, nil, b.builtin, env...)
	if err != nil {
		return nil, err
	}
	b.running = append(b.running, server)
	return server, server.waitReady(ctx, newRequestBuilder(b.builtin.release, "").path("/manifest"))
}

func (p profiler) route(ctx context.Context, r *route) error {
	c, err := p.prepare(r, p.builtin)
	if err != nil {
		return err
	}
	defer c.bare.stop()
	name := filepath.Join(p.folder, strings.Trim(nonNameChars.ReplaceAllString(strings.ToLower(r.name), "_"), "_"))
	if err := p.cpuProfile(ctx, c, p.builtin.server, p.cpu, name+".pprof"); err != nil {
		return err
	}
	if err := p.cpuProfile(ctx, c, c.bare, c.probe, name+".bare.pprof"); err != nil {
		return err
	}
	return p.allocations(ctx, c, name+".allocs.pprof")
}

// cpuProfile writes the CPU profile of a server under the load of a route.
func (p profiler) cpuProfile(ctx context.Context, c *comparison, server *process, socket, file string) error {
	conn, err := openProbe(socket)
	if err != nil {
		return err
	}
	defer conn.close()
	return conn.profile(file, func() error {
		_, err := c.load.run(ctx, server.addr, profileLength)
		return err
	})
}

// allocations writes the allocation profile of the requests of a route.
func (p profiler) allocations(ctx context.Context, c *comparison, file string) error {
	conn, err := openProbe(p.allocs)
	if err != nil {
		return err
	}
	defer conn.close()
	before, after := filepath.Join(p.dir, "before.pprof"), filepath.Join(p.dir, "after.pprof")
	if err := sendCounted(p.server.addr, c.requests, func() error { return conn.do("record " + before) }); err != nil {
		return err
	}
	if err := conn.do("record " + after); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-proto", "-output", file, "-base", before, after).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go tool pprof: %w\n%s", err, out)
	}
	return nil
}
