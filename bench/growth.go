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

	"placard/internal/release"
	"placard/internal/source"
	"placard/internal/store"
	"placard/internal/taxonomy"
)

// sizes are the numbers of elements of the generated taxonomies.
var sizes = []int{100, 1_000, 20_000}

// making is what it takes to make a release of some size and to load it, in
// milliseconds of CPU time.
type making struct {
	Elements int     `json:"elements"`
	Read     float64 `json:"read"`    // source.Load: reading and checking an authoring tree
	Compile  float64 `json:"compile"` // release.Compile
	Load     float64 `json:"load"`    // release.Decode, through a store
	Live     float64 `json:"live"`    // MiB on the heap that a loaded release holds
}

// makeRelease is what the program does when it is started to make a store with
// one generated release. That happens in a process of its own, in which no
// other garbage is collected, and which prints its figures.
func makeRelease(dir string, elements int) error {
	m := making{Elements: elements}
	tree := filepath.Join(dir, "tree")
	if err := writeTree(tree, generate(elements)); err != nil {
		return err
	}
	var t *taxonomy.Taxonomy
	var err error
	m.Read, err = cost(func() error {
		loaded, problems := source.Load(os.DirFS(tree), generatedID)
		t = loaded
		if t == nil {
			return problems
		}
		return nil
	})
	if err != nil {
		return err
	}
	var r *release.Release
	m.Compile, err = cost(func() error {
		r, err = release.Compile(t)
		return err
	})
	if err != nil {
		return err
	}
	folder := store.OpenFolder(filepath.Join(dir, "store"))
	published, err := folder.Publish(context.Background(), r)
	if err != nil {
		return err
	}
	m.Load, err = cost(func() error {
		r, err = folder.Load(context.Background(), published.Entry)
		return err
	})
	if err != nil {
		return err
	}
	r, t = nil, nil
	before := liveHeap()
	if r, err = folder.Load(context.Background(), published.Entry); err != nil {
		return err
	}
	m.Live = liveHeap() - before
	runtime.KeepAlive(r)
	return json.MarshalWrite(os.Stdout, m)
}

// liveHeap returns the MiB that are reachable.
func liveHeap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// cost returns the milliseconds of CPU time that work takes, the collection of
// its garbage included: the median of three times, or of more if that is quick.
func cost(work func() error) (float64, error) {
	var taken []float64
	for begun := time.Now(); len(taken) < 3 || len(taken) < 25 && time.Since(begun) < time.Second; {
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
		taken = append(taken, float64((after-before).Microseconds())/1e3)
	}
	return median(taken), nil
}

// cpuTime returns the CPU time of this process.
func cpuTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// generated makes the subject of a generated taxonomy.
func (b *bench) generated(ctx context.Context, elements int) (*subject, making, error) {
	var m making
	dir := filepath.Join(b.dir, fmt.Sprintf("generated-%d", elements))
	out, err := exec.CommandContext(ctx, b.self, "-make", dir, "-elements", fmt.Sprint(elements)).Output()
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err != nil {
		return nil, m, fmt.Errorf("generate %d elements: %w", elements, failed(err))
	}
	folder := filepath.Join(dir, "store")
	r, err := loadFirst(ctx, store.OpenFolder(folder))
	return &subject{
		name:    fmt.Sprintf("generated, %d elements", elements),
		release: r,
		args:    []string{"--store", folder},
	}, m, err
}

// failed adds what a command said to the error with which it ended.
func failed(err error) error {
	if exit, ok := err.(*exec.ExitError); ok {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}

// reader is a store that releases can be loaded from.
type reader interface {
	Index(context.Context) (*store.Index, error)
	Load(context.Context, store.Entry) (*release.Release, error)
}

func loadFirst(ctx context.Context, s reader) (*release.Release, error) {
	index, err := s.Index(ctx)
	if err != nil {
		return nil, err
	}
	return s.Load(ctx, index.Releases[0])
}

// starting is what it takes Placard to begin.
type starting struct {
	Name     string `json:"name"`
	Elements int    `json:"elements,omitzero"` // of a generated taxonomy
	Releases int    `json:"releases,omitzero"` // of our own
	First    figure `json:"first"`             // milliseconds until the first answer
	CPU      figure `json:"cpu"`               // milliseconds of CPU time until then
	Resident figure `json:"resident"`          // MiB then
}

// coldStart starts Placard some times and asks each time for one manifest.
func (b *bench) coldStart(ctx context.Context, s *subject, times int) (starting, error) {
	var first, cpu, resident []float64
	for n := range times {
		p, err := b.serve(fmt.Sprintf("start-%d", n), b.placard, nil, s)
		if err != nil {
			return starting{}, err
		}
		err = p.await(ctx, newAsker(s.release, "").path("/manifest"))
		first = append(first, float64(time.Since(p.started).Microseconds())/1e3)
		used, err1 := p.cpu()
		memory, err2 := p.resident()
		p.stop()
		for _, err := range []error{err, err1, err2} {
			if err != nil {
				return starting{}, err
			}
		}
		cpu = append(cpu, float64(used.Microseconds())/1e3)
		resident = append(resident, memory)
	}
	return starting{Name: s.name, First: summarize(first), CPU: summarize(cpu), Resident: summarize(resident)}, nil
}

// releases makes a subject of our own taxonomy published so many times, each a
// day later and with one word changed.
func (b *bench) releases(ctx context.Context, own *release.Release, count int) (*subject, error) {
	folder := filepath.Join(b.dir, fmt.Sprintf("releases-%d", count))
	s := store.OpenFolder(folder)
	day, err := time.Parse(time.DateOnly, own.ID().Date)
	if err != nil {
		return nil, err
	}
	for n := range count {
		t := *own.Taxonomy
		t.ID.Date = day.AddDate(0, 0, n).Format(time.DateOnly)
		t.Title = taxonomy.Localized{{Locale: t.Locales[0], Value: fmt.Sprintf("Edition %d", n+1)}}
		r, err := release.Compile(&t)
		if err != nil {
			return nil, err
		}
		if _, err := s.Publish(ctx, r); err != nil {
			return nil, err
		}
	}
	first, err := loadFirst(ctx, s)
	return &subject{name: fmt.Sprintf("%d releases", count), release: first, args: []string{"--store", folder}}, err
}
