package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/core/icon"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/source"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// sizes lists the numbers of elements in generated taxonomies.
var sizes = []int{100, 1_000, 20_000}

// buildCost is the cost of building and loading a release, in milliseconds of
// CPU time.
type buildCost struct {
	Elements int     `json:"elements"`
	Read     float64 `json:"read"`    // source.LoadWithSymbols: reading and checking an authoring tree
	Compile  float64 `json:"compile"` // release.CompileWithSymbols
	Load     float64 `json:"load"`    // release.Decode, through a store
	Live     float64 `json:"live"`    // MiB of live heap per loaded release
}

// measureBuild creates a store with a generated release and prints the cost. It
// runs in a separate process, whose garbage collector has no other work.
func measureBuild(dir string, elements int) error {
	m := buildCost{Elements: elements}
	tree := filepath.Join(dir, "tree")
	if err := writeTree(tree, generate(elements, 2)); err != nil {
		return err
	}
	var t *taxonomy.Taxonomy
	var symbols map[string]*icon.Symbol
	var err error
	m.Read, err = cost(func() error {
		var problems problem.List
		if t, symbols, problems = source.LoadWithSymbols(os.DirFS(tree), generatedID); t == nil {
			return problems
		}
		return nil
	})
	if err != nil {
		return err
	}
	var r *release.Release
	m.Compile, err = cost(func() error {
		r, err = release.CompileWithSymbols(t, symbols)
		return err
	})
	if err != nil {
		return err
	}
	folder := store.OpenFolder(filepath.Join(dir, "store"))
	published, err := folder.Publish(context.Background(), store.Intent{}, store.Publication{Release: r})
	if err != nil {
		return err
	}
	m.Load, err = cost(func() error {
		r, err = folder.Load(context.Background(), published.Outcomes[0].Entry)
		return err
	})
	if err != nil {
		return err
	}
	r, t, symbols = nil, nil, nil
	before := liveHeap()
	if r, err = folder.Load(context.Background(), published.Outcomes[0].Entry); err != nil {
		return err
	}
	m.Live = liveHeap() - before
	runtime.KeepAlive(r)
	return json.MarshalWrite(os.Stdout, m)
}

// liveHeap returns the size of reachable memory in MiB.
func liveHeap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// cost returns the CPU time of work in milliseconds, including garbage
// collection. It is the median of at least three runs, and of more if they are
// fast.
func cost(work func() error) (float64, error) {
	var times []float64
	for started := time.Now(); len(times) < 3 || len(times) < 25 && time.Since(started) < time.Second; {
		runtime.GC()
		before, err := cpuTime()
		if err != nil {
			return 0, err
		}
		if err := work(); err != nil {
			return 0, err
		}
		after, err := cpuTime()
		if err != nil {
			return 0, err
		}
		times = append(times, float64((after-before).Microseconds())/1e3)
	}
	return median(times), nil
}

// cpuTime returns the CPU time of this process.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// generatedSubject creates a generated taxonomy in a separate process.
func (b *bench) generatedSubject(ctx context.Context, elements int) (*subject, buildCost, error) {
	var m buildCost
	dir := filepath.Join(b.dir, fmt.Sprintf("generated-%d", elements))
	out, err := exec.CommandContext(ctx, b.self, "-build", dir, "-elements", fmt.Sprint(elements)).Output()
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err != nil {
		return nil, m, fmt.Errorf("generate %d elements: %w", elements, withStderr(err))
	}
	folder := filepath.Join(dir, "store")
	r, err := loadFirst(ctx, store.OpenFolder(folder))
	return &subject{
		name:    fmt.Sprintf("generated, %d elements", elements),
		release: r,
		args:    []string{"--store", folder},
	}, m, err
}

// withStderr adds the standard error of a command to its error.
func withStderr(err error) error {
	if exit, ok := err.(*exec.ExitError); ok {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}

// releaseStore is a store of releases.
type releaseStore interface {
	Index(context.Context) (*store.Index, error)
	Load(context.Context, store.Entry) (*release.Release, error)
}

// plural returns a count such as "1 release" or "10 releases".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// loadFirst loads the first release in the index.
func loadFirst(ctx context.Context, s releaseStore) (*release.Release, error) {
	index, err := s.Index(ctx)
	if err != nil {
		return nil, err
	}
	return s.Load(ctx, index.Releases[0])
}

// startup is the cost of starting Placard.
type startup struct {
	Name     string  `json:"name"`
	First    summary `json:"first"`    // milliseconds until the first response
	CPU      summary `json:"cpu"`      // milliseconds of CPU time until the first response
	Resident summary `json:"resident"` // MiB resident after the first response
}

// measureStartup starts Placard several times and requests a manifest each time.
func (b *bench) measureStartup(ctx context.Context, s *subject, times int) (startup, error) {
	var first, cpu, resident []float64
	for n := range times {
		p, err := b.serve(fmt.Sprintf("start-%d", n), b.placard, nil, s)
		if err != nil {
			return startup{}, err
		}
		err = p.waitReady(ctx, manifestPath(s.release))
		first = append(first, float64(time.Since(p.started).Microseconds())/1e3)
		used, err1 := p.cpu()
		memory, err2 := p.resident()
		p.stop()
		for _, err := range []error{err, err1, err2} {
			if err != nil {
				return startup{}, err
			}
		}
		cpu = append(cpu, float64(used.Microseconds())/1e3)
		resident = append(resident, memory)
	}
	return startup{Name: s.name, First: summarize(first), CPU: summarize(cpu), Resident: summarize(resident)}, nil
}

// releasesSubject creates a store with copies of a release, each with its own
// date and title.
func (b *bench) releasesSubject(ctx context.Context, original *release.Release, count int) (*subject, error) {
	folder := filepath.Join(b.dir, fmt.Sprintf("releases-%d", count))
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
	return &subject{name: plural(count, "release"), release: first, args: []string{"--store", folder}}, err
}
