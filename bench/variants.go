package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"
)

// variant is a build of Placard that is compared with the current one.
type variant struct {
	name, program string
	server        *process
}

// parseVariants reads a list of name=program.
func parseVariants(list string) ([]*variant, error) {
	var all []*variant
	for item := range strings.SplitSeq(list, ",") {
		name, program, ok := strings.Cut(item, "=")
		if !ok || name == "" || program == "" {
			return nil, fmt.Errorf("-variants: %q is not name=program", item)
		}
		all = append(all, &variant{name: name, program: program})
	}
	return all, nil
}

// compareVariants compares the CPU time per request of other builds with that of
// the current one. The two builds of a pair serve the same load at the same time,
// so that other load on the machine affects both equally.
func (b *bench) compareVariants(ctx context.Context) error {
	variants, err := parseVariants(b.variants)
	if err != nil {
		return err
	}
	base := &variant{name: "this build", program: b.placard}
	for _, v := range append(variants, base) {
		if v.server, err = b.serve("variant-"+v.name, v.program, nil, b.builtin); err != nil {
			return err
		}
		b.running = append(b.running, v.server)
		if err := v.server.waitReady(ctx, newRequestBuilder(b.builtin.release, "").path("/manifest")); err != nil {
			return err
		}
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "Route\tBuild\tCPU µs\tRatio\tError")
	for i := range routes {
		r := &routes[i]
		if !b.only.MatchString(r.name) {
			continue
		}
		load, err := b.routeLoad(r, base.server)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		times, ratios := make([][]float64, len(variants)), make([][]float64, len(variants))
		for round := range b.rounds {
			b.progress("%s, round %d of %d ...", r.name, round+1, b.rounds)
			for n, v := range variants {
				pair, err := cpuOfPair(ctx, [2]*process{v.server, base.server}, load, b.length)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", r.name, v.name, err)
				}
				times[n] = append(times[n], pair[0])
				ratios[n] = append(ratios[n], pair[0]/pair[1])
			}
		}
		for n, v := range variants {
			fmt.Fprintf(out, "%s\t%s\t%.1f\t%.3f\t±%.3f\n", r.name, v.name, median(times[n]), median(ratios[n]), standardError(ratios[n]))
		}
	}
	return out.Flush()
}

// routeLoad returns the load of one route of the built-in taxonomy.
func (b *bench) routeLoad(r *route, server *process) (*load, error) {
	requests, _, err := r.exchange(server.addr, newRequestBuilder(b.builtin.release, r.name))
	if err != nil {
		return nil, err
	}
	b.serial++
	return newLoad(b.dir, fmt.Sprintf("variants-%d", b.serial), requests)
}

// cpuOfPair returns the CPU time per request in microseconds of two servers
// that are under the same load at the same time.
func cpuOfPair(ctx context.Context, pair [2]*process, load *load, length time.Duration) (cpu [2]float64, err error) {
	group, ctx := errgroup.WithContext(ctx)
	for i, server := range pair {
		group.Go(func() error {
			before, err := server.cpu()
			if err != nil {
				return err
			}
			result, err := load.run(ctx, server.addr, length)
			if err != nil {
				return err
			}
			after, err := server.cpu()
			if err != nil {
				return err
			}
			cpu[i] = float64((after - before).Microseconds()) / float64(result.Requests)
			return server.truncateLog()
		})
	}
	return cpu, group.Wait()
}
