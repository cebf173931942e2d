package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"placard/internal/core/release"
	"placard/internal/storage/store"
)

// generatedElements is the number of elements of the generated taxonomy.
const generatedElements = 20_000

// sizeRuns is the number of times that each command is run.
const sizeRuns = 3

// sizeResult is the cost of building and starting a taxonomy.
type sizeResult struct {
	Name   string             `json:"name"`
	Values map[string]float64 `json:"values"` // medians, by the names in sizeColumns
}

// sizeColumns are the names of the values in a sizeResult: the elapsed time, CPU time
// and maximum memory of "placard build", and the time from the start of "placard
// serve" to the first response with its CPU time and resident memory at that moment.
var sizeColumns = []string{"build ms", "build CPU ms", "build MiB", "start ms", "start CPU ms", "start MiB"}

// measureSizes measures the built-in taxonomy and a large one, which it returns.
func (b *bench) measureSizes(ctx context.Context) (*subject, error) {
	if err := b.measureStart(ctx, b.builtin, 15, make(map[string][]float64)); err != nil {
		return nil, err
	}
	return b.measureGenerated(ctx)
}

// measureStart starts Placard several times, requests a manifest each time, and adds
// the result to the report. costs may contain those of building the taxonomy.
func (b *bench) measureStart(ctx context.Context, s *subject, runs int, costs map[string][]float64) error {
	log.Printf("starting with %s ...", s.name)
	for range runs {
		p, err := b.serve("start", s)
		if err != nil {
			return err
		}
		err = p.waitReady(ctx, s.manifestPath())
		elapsed := time.Since(p.started)
		cpu, err1 := p.cpu()
		memory, err2 := p.resident()
		p.stop()
		if err := errors.Join(err, err1, err2); err != nil {
			return err
		}
		costs["start ms"] = append(costs["start ms"], milliseconds(elapsed))
		costs["start CPU ms"] = append(costs["start CPU ms"], milliseconds(cpu))
		costs["start MiB"] = append(costs["start MiB"], memory)
	}
	result := sizeResult{s.name, make(map[string]float64)}
	for column, values := range costs {
		result.Values[column] = median(values)
	}
	b.report.Sizes = append(b.report.Sizes, result)
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// measureGenerated builds a generated taxonomy several times, publishes it, and
// starts a server with it.
func (b *bench) measureGenerated(ctx context.Context) (*subject, error) {
	log.Printf("building %s ...", generatedTaxonomy)
	dir := filepath.Join(b.dir, "generated")
	tree, folder := filepath.Join(dir, "tree"), filepath.Join(dir, "store")
	if err := writeTree(tree, generate(generatedElements)); err != nil {
		return nil, err
	}
	costs := make(map[string][]float64)
	for range sizeRuns {
		start := time.Now()
		cmd, err := b.runPlacard(ctx, "build", tree, "--out", filepath.Join(dir, "built"))
		if err != nil {
			return nil, err
		}
		elapsed, state := time.Since(start), cmd.ProcessState
		costs["build ms"] = append(costs["build ms"], milliseconds(elapsed))
		costs["build CPU ms"] = append(costs["build CPU ms"], milliseconds(state.UserTime()+state.SystemTime()))
		costs["build MiB"] = append(costs["build MiB"], float64(state.SysUsage().(*syscall.Rusage).Maxrss)/1024)
	}
	if _, err := b.runPlacard(ctx, "publish", tree, "--store", folder); err != nil {
		return nil, err
	}
	r, err := loadFirst(ctx, store.OpenFolder(folder))
	if err != nil {
		return nil, err
	}
	s := &subject{name: generatedTaxonomy, release: r, args: []string{"--store", folder}}
	return s, b.measureStart(ctx, s, sizeRuns, costs)
}

func (b *bench) runPlacard(ctx context.Context, args ...string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, b.placard, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("placard %s: %w\n%s", args[0], err, out)
	}
	return cmd, nil
}

// loadFirst loads the first release in the index of a store.
func loadFirst(ctx context.Context, s interface {
	Index(context.Context) (*store.Index, error)
	Load(context.Context, store.Entry) (*release.Release, error)
},
) (*release.Release, error) {
	index, err := s.Index(ctx)
	if err != nil {
		return nil, err
	}
	return s.Load(ctx, index.Releases[0])
}
