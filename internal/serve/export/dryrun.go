package export

import (
	"context"
	"slices"
	"sync"
)

// dryRun is a target that is read but not changed.
type dryRun struct {
	Target
	mu               sync.Mutex
	written, removed []string
}

// layout implements [Target]. To find out, a new bucket would be written to; all files
// are new under either name.
func (d *dryRun) layout(ctx context.Context, old *earlier) (layout, error) {
	if _, ok := d.Target.(*bucket); ok && old == nil {
		return layoutKeys, nil
	}
	return d.Target.layout(ctx, old)
}

// write implements [Target].
func (d *dryRun) write(_ context.Context, o object) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !isOwnFile(o.name) {
		d.written = append(d.written, o.name)
	}
	return nil
}

// remove implements [Target].
func (d *dryRun) remove(_ context.Context, name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.removed = append(d.removed, name)
	return nil
}

// names returns the sorted names of the files that would have been written and removed.
func (d *dryRun) names() (written, removed []string) {
	slices.Sort(d.written)
	slices.Sort(d.removed)
	return d.written, d.removed
}
