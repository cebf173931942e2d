package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// profileLength is how long a route is profiled.
const profileLength = 5 * time.Second

var notInNames = regexp.MustCompile(`[^a-z0-9_]+`)

// profiles writes where the time goes in each route, for Placard and for the
// bare handler.
func (b *bench) profiles(ctx context.Context) error {
	if err := os.MkdirAll(b.profile, 0o755); err != nil {
		return err
	}
	folder, err := filepath.Abs(b.profile)
	if err != nil {
		return err
	}
	socket := filepath.Join(b.dir, "probe")
	if b.own.server, err = b.serve("probed", b.probed, nil, b.own, probeSocket+"="+socket); err != nil {
		return err
	}
	b.running = append(b.running, b.own.server)
	if err := b.own.server.await(ctx, newAsker(b.own.release, "").path("/manifest")); err != nil {
		return err
	}
	for i := range routes {
		r := &routes[i]
		if !b.only.MatchString(r.name) {
			continue
		}
		b.progress("profiling %s ...", r.name)
		c, err := b.prepare(r, b.own)
		if err != nil {
			b.progress("%s: %v", r.name, err)
			continue
		}
		name := filepath.Join(folder, strings.Trim(notInNames.ReplaceAllString(strings.ToLower(r.name), "_"), "_"))
		for _, side := range []struct {
			file, socket string
			server       *process
		}{{name + ".pprof", socket, b.own.server}, {name + ".bare.pprof", c.probe, c.bare}} {
			p, err := openProbe(side.socket)
			if err != nil {
				return err
			}
			err = p.profile(side.file, func() error {
				_, err := c.load.run(ctx, side.server.addr, profileLength)
				return err
			})
			p.close()
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	return nil
}
