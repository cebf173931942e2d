package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// largeTaxonomies lists the generated taxonomies of the part "large" and their
// targets: milliseconds of elapsed time to build, milliseconds of CPU time to start,
// and MiB.
var largeTaxonomies = []struct {
	elements, locales int
	build             float64 // 0 means no target
	start, resident   float64
}{
	{20_000, 2, 3000, 1000, 350},
	{20_000, 5, 0, 2000, 600},
}

// largeResult is the cost of one large taxonomy. Times are the minimum of
// several runs, because other processes on the machine can only increase them.
type largeResult struct {
	Name        string  `json:"name"`
	Build       float64 `json:"build"`        // milliseconds of elapsed time of "placard build"
	BuildCPU    float64 `json:"build_cpu"`    // milliseconds of its CPU time
	BuildMemory float64 `json:"build_memory"` // MiB resident at most
	Start       float64 `json:"start"`        // milliseconds of CPU time of "placard serve" until the first response
	Resident    float64 `json:"resident"`     // MiB after the first response
	Peak        float64 `json:"peak"`         // MiB at most until then
	SwapPeak    float64 `json:"swap_peak"`    // MiB at most while the next version is loaded beside it
}

// largeRuns is the number of times that each value is measured, except SwapPeak.
const largeRuns = 3

// targets returns the targets of the taxonomy that r describes.
func (r largeResult) targets() []target {
	var all []target
	for _, size := range largeTaxonomies {
		if largeName(size.elements, size.locales) != r.Name {
			continue
		}
		if size.build > 0 {
			all = append(all, atMost(r.targetName("build"), r.Build, size.build))
		}
		all = append(all, atMost(r.targetName("start"), r.Start, size.start), atMost(r.targetName("resident"), r.Resident, size.resident))
	}
	return all
}

func (r largeResult) targetName(value string) string { return r.Name + ": " + value }

func largeName(elements, locales int) string {
	return fmt.Sprintf("%d elements, %d locales", elements, locales)
}

func (r *report) writeLarge(w io.Writer) {
	if len(r.Large) == 0 {
		return
	}
	fmt.Fprint(w, "\n### Large taxonomies\n\n")
	t := newTable("Taxonomy", "build ms", "ms CPU", "MiB", "start ms CPU", "resident MiB", "peak", "peak of a swap")
	for _, l := range r.Large {
		marked := func(value float64, name string) string {
			return strings.TrimSpace(f0(value) + " " + r.mark(l.targetName(name)))
		}
		t.row(l.Name, marked(l.Build, "build"), f0(l.BuildCPU), f0(l.BuildMemory), marked(l.Start, "start"), marked(l.Resident, "resident"),
			f0(l.Peak), f0(l.SwapPeak))
	}
	t.write(w)
}

func (b *bench) measureLarge(ctx context.Context) error {
	for _, size := range largeTaxonomies {
		b.progress("large: %d elements, %d locales ...", size.elements, size.locales)
		result, err := b.measureLargeTaxonomy(ctx, size.elements, size.locales)
		if err != nil {
			return err
		}
		b.report.Large = append(b.report.Large, result)
	}
	return nil
}

func (b *bench) measureLargeTaxonomy(ctx context.Context, elements, locales int) (largeResult, error) {
	result := largeResult{Name: largeName(elements, locales)}
	dir := filepath.Join(b.dir, fmt.Sprintf("large-%d", locales))
	tree, folder := filepath.Join(dir, "tree"), filepath.Join(dir, "store")
	t := generate(elements, locales)
	t.ID.Status = taxonomy.Beta // A beta can be replaced.
	if err := writeTree(tree, t); err != nil {
		return result, err
	}
	for range largeRuns {
		if err := b.buildLarge(ctx, tree, filepath.Join(dir, "built"), &result); err != nil {
			return result, err
		}
	}
	if err := b.publish(ctx, tree, folder); err != nil {
		return result, err
	}
	r, err := loadFirst(ctx, store.OpenFolder(folder))
	if err != nil {
		return result, err
	}
	s := &subject{name: result.Name, release: r, args: []string{"--store", folder}}
	for range largeRuns {
		if err := b.startLarge(ctx, s, &result); err != nil {
			return result, err
		}
	}
	t.Title[0].Value += "!"
	if err := writeTree(tree, t); err != nil {
		return result, err
	}
	return result, b.swap(ctx, s, tree, folder, &result)
}

// lower sets least to value if value is smaller or least is not set.
func lower(least *float64, value float64) {
	if *least == 0 || value < *least {
		*least = value
	}
}

// buildLarge measures the compilation of a tree.
func (b *bench) buildLarge(ctx context.Context, tree, out string, result *largeResult) error {
	cmd := exec.CommandContext(ctx, b.placard, "build", tree, "--out", out)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	elapsed := time.Since(start)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	lower(&result.Build, float64(elapsed.Microseconds())/1e3)
	lower(&result.BuildCPU, float64(cpu.Microseconds())/1e3)
	lower(&result.BuildMemory, float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024)
	return nil
}

// publish publishes a tree.
func (b *bench) publish(ctx context.Context, tree, folder string) error {
	cmd := exec.CommandContext(ctx, b.placard, "publish", tree, "--store", folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("publish: %w\n%s", err, out)
	}
	return nil
}

// startLarge measures the start of a server.
func (b *bench) startLarge(ctx context.Context, s *subject, result *largeResult) error {
	p, err := b.serve("large", b.placard, nil, s)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := p.waitReady(ctx, manifestPath(s.release)); err != nil {
		return err
	}
	cpu, err1 := p.cpu()
	resident, err2 := p.resident()
	peak, err3 := p.peak()
	lower(&result.Start, float64(cpu.Microseconds())/1e3)
	lower(&result.Resident, resident)
	lower(&result.Peak, peak)
	return errors.Join(err1, err2, err3)
}

// swap publishes a new version of a release while a server serves it.
func (b *bench) swap(ctx context.Context, s *subject, tree, folder string, result *largeResult) error {
	p, err := b.serve("swap", b.placard, nil, s)
	if err != nil {
		return err
	}
	defer p.stop()
	path := manifestPath(s.release)
	if err := p.waitReady(ctx, path); err != nil {
		return err
	}
	if err := b.publish(ctx, tree, folder); err != nil {
		return err
	}
	isNew := func(resp response) bool { return !bytes.Contains(resp.Body, []byte(s.release.Hash())) }
	if err := p.waitFor(ctx, path, isNew); err != nil {
		return err
	}
	result.SwapPeak, err = p.peak()
	return err
}

func manifestPath(r *release.Release) string { return newRequestBuilder(r, "").path("/manifest") }
