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
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// sizes lists the numbers of elements in the generated taxonomies with which growth
// is measured. They have two locales.
var sizes = []int{100, 1_000, 20_000}

// manyLocales is the number of locales of another taxonomy with as many elements as
// the largest.
const manyLocales = 5

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

func generatedName(elements, locales int) string {
	return fmt.Sprintf("%d elements, %d locales", elements, locales)
}

// measureSizes measures taxonomies of different sizes, and returns those that
// differ only in the number of elements.
func (b *bench) measureSizes(ctx context.Context) ([]*subject, error) {
	if err := b.measureStart(ctx, b.builtin, 15, make(map[string][]float64)); err != nil {
		return nil, err
	}
	many, err := b.publishMany(ctx, b.builtin.release, 50)
	if err != nil {
		return nil, err
	}
	if err := b.measureStart(ctx, many, sizeRuns, make(map[string][]float64)); err != nil {
		return nil, err
	}
	var subjects []*subject
	for _, elements := range sizes {
		s, err := b.measureGenerated(ctx, elements, 2)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	_, err = b.measureGenerated(ctx, sizes[len(sizes)-1], manyLocales)
	return subjects, err
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
func (b *bench) measureGenerated(ctx context.Context, elements, locales int) (*subject, error) {
	name := generatedName(elements, locales)
	log.Printf("building %s ...", name)
	dir := filepath.Join(b.dir, fmt.Sprintf("generated-%d-%d", elements, locales))
	tree, folder := filepath.Join(dir, "tree"), filepath.Join(dir, "store")
	if err := writeTree(tree, generate(elements, locales)); err != nil {
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
	s := &subject{name: name, release: r, args: []string{"--store", folder}}
	return s, b.measureStart(ctx, s, sizeRuns, costs)
}

func (b *bench) runPlacard(ctx context.Context, args ...string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, b.placard, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("placard %s: %w\n%s", args[0], err, out)
	}
	return cmd, nil
}

// publishMany creates a store with copies of a release, each with its own date and
// title.
func (b *bench) publishMany(ctx context.Context, original *release.Release, count int) (*subject, error) {
	folder := filepath.Join(b.dir, "many")
	s := store.OpenFolder(folder)
	day, err := time.Parse(time.DateOnly, original.ID().Date)
	if err != nil {
		return nil, err
	}
	for n := range count {
		t := *original.Taxonomy
		t.ID.Date = day.AddDate(0, 0, n).Format(time.DateOnly)
		t.Title = taxonomy.Localized{{Locale: t.Locales[0], Value: fmt.Sprintf("Edition %d", n+1)}}
		r, err := release.Compile(&t)
		if err != nil {
			return nil, err
		}
		if _, err := s.Publish(ctx, store.Intent{}, store.Publication{Release: r}); err != nil {
			return nil, err
		}
	}
	first, err := loadFirst(ctx, s)
	return &subject{name: fmt.Sprintf("%d releases", count), release: first, args: []string{"--store", folder}}, err
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
