// Package catalog keeps the releases being served in memory. It follows a store,
// replaces the set of releases atomically when the store changes, and keeps the
// last good copy of a release that cannot be loaded. It does not know about HTTP.
package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/store"
	"placard/internal/taxonomy"
)

// Store is a source of releases.
type Store interface {
	// Index returns the current index.
	Index(context.Context) (*store.Index, error)
	// Load loads a release listed in an index.
	Load(context.Context, store.Entry) (*release.Release, error)
}

// Options configures a catalog.
type Options struct {
	Poll  time.Duration // interval between reads of the index; default 1s
	Retry time.Duration // minimum time between attempts to load a failing release; default 5s
	Log   *slog.Logger  // default slog.Default()
}

// Catalog is an in-memory copy of a store. It is safe for concurrent use.
type Catalog struct {
	store Store
	poll  time.Duration
	retry time.Duration
	log   *slog.Logger

	refreshMu sync.Mutex
	lastLoad  time.Time // guarded by refreshMu
	current   atomic.Pointer[Snapshot]
	lastError atomic.Pointer[string] // from reading the index; logged only when it changes
}

// New returns an empty catalog of s. [Catalog.Refresh] or [Catalog.Run] fills it.
func New(s Store, opts Options) *Catalog {
	c := &Catalog{store: s, poll: opts.Poll, retry: opts.Retry, log: opts.Log}
	if c.poll <= 0 {
		c.poll = time.Second
	}
	if c.retry <= 0 {
		c.retry = 5 * time.Second
	}
	if c.log == nil {
		c.log = slog.Default()
	}
	return c
}

// Run follows the store until ctx is done.
func (c *Catalog) Run(ctx context.Context) error {
	tick := time.NewTicker(c.poll)
	defer tick.Stop()
	for {
		// Refresh logs the error; the next tick retries.
		_ = c.Refresh(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Refresh updates the catalog from the store. It returns an error if the index
// cannot be read. If a release cannot be loaded, Refresh logs the error, and
// [Snapshot.Release] returns the last good copy or an error.
func (c *Catalog) Refresh(ctx context.Context) error {
	c.refreshMu.Lock()
	defer c.refreshMu.Unlock()

	index, err := c.store.Index(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.logIndexError(err)
		}
		return err
	}
	if c.lastError.Swap(nil) != nil {
		c.log.Info("store index is readable again")
	}
	old := c.current.Load()
	if old != nil && sameIndex(old.index, index) && (old.complete || time.Since(c.lastLoad) < c.retry) {
		return nil
	}
	next := c.load(ctx, old, index)
	c.lastLoad = time.Now()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.current.Store(next)
	if old == nil || !sameIndex(old.index, index) {
		c.log.Info("catalog updated", "releases", len(index.Releases))
	}
	return nil
}

// logIndexError logs an error once, until it changes or the index is readable.
func (c *Catalog) logIndexError(err error) {
	text := err.Error()
	if last := c.lastError.Swap(&text); last == nil || *last != text {
		c.log.Error("store index cannot be read", "error", err)
	}
}

func sameIndex(a, b *store.Index) bool {
	return slices.Equal(a.Releases, b.Releases) && maps.Equal(a.Pins, b.Pins)
}

// Current returns the releases being served. A request uses one snapshot
// throughout, so that it is not affected by a concurrent publish.
func (c *Catalog) Current() (*Snapshot, error) {
	if s := c.current.Load(); s != nil {
		return s, nil
	}
	return nil, problem.New(problem.UpstreamError, "The schema store cannot be read at the moment.").
		Hint("Retry in a few seconds.")
}

// load returns the snapshot of index, reusing unchanged releases of the old one.
func (c *Catalog) load(ctx context.Context, old *Snapshot, index *store.Index) *Snapshot {
	next := &Snapshot{index: index, complete: true, byName: make(map[string]*servedRelease)}
	aliases := Aliases(index)
	for _, entry := range index.Releases {
		sv := &servedRelease{entry: entry}
		previous := old.find(entry.ID)
		if previous != nil && previous.err == nil && previous.entry == entry {
			sv.release = previous.release
		} else if sv.release, sv.err = c.store.Load(ctx, entry); sv.err != nil {
			next.complete = false
			if previous == nil || previous.err == nil || previous.err.Error() != sv.err.Error() {
				c.log.Error("release cannot be loaded", "release", entry.ID.String(), "error", sv.err)
			}
			if previous != nil && previous.release != nil {
				// Keep serving the last good copy, under its own hash.
				sv.release = previous.release
			}
		} else if !sv.release.HasAllIcons() {
			c.log.Warn("stored icons are missing and will be composed on demand; publish the release again", "release", entry.ID.String())
		}
		if previous != nil && previous.err != nil && sv.err == nil {
			c.log.Info("release can be loaded again", "release", entry.ID.String())
		}
		next.add(sv, aliases[entry.ID])
	}
	return next
}

// servedRelease is one published release.
type servedRelease struct {
	entry   store.Entry
	release *release.Release // nil if there is no good copy
	err     error            // from the last attempt to load it
}

// Snapshot is the set of releases published at a point in time.
type Snapshot struct {
	index    *store.Index
	complete bool // whether every release of the index was loaded
	byName   map[string]*servedRelease
	versions []Version
}

// Version is an entry in the list of published releases.
type Version struct {
	ID          taxonomy.ID     `json:"id"`
	Status      taxonomy.Status `json:"status"`
	ContentHash string          `json:"content_hash"`
	Aliases     []string        `json:"aliases"`
}

func (s *Snapshot) add(sv *servedRelease, aliases []string) {
	hash := sv.entry.ContentHash
	if sv.release != nil {
		hash = sv.release.Hash()
	}
	s.versions = append(s.versions, Version{sv.entry.ID, sv.entry.ID.Status, hash, aliases})
	s.byName[sv.entry.ID.String()] = sv
	for _, alias := range aliases {
		s.byName[alias] = sv
	}
}

func (s *Snapshot) find(id taxonomy.ID) *servedRelease {
	if s == nil {
		return nil
	}
	return s.byName[id.String()]
}

// Versions returns the published releases in the order of the index.
func (s *Snapshot) Versions() []Version { return s.versions }

// Complete reports whether every published release is loaded and current.
func (s *Snapshot) Complete() bool { return s.complete }

// Releases returns the loaded releases in the order of the index.
func (s *Snapshot) Releases() []*release.Release {
	var releases []*release.Release
	for _, v := range s.versions {
		if sv := s.find(v.ID); sv.release != nil {
			releases = append(releases, sv.release)
		}
	}
	return releases
}

// Release returns the release that ref refers to.
func (s *Snapshot) Release(ref taxonomy.Ref) (*release.Release, error) {
	sv := s.byName[ref.String()]
	switch {
	case sv == nil:
		return nil, s.notFound(ref)
	case sv.release == nil:
		return nil, fmt.Errorf("%w: %w", problem.New(problem.UpstreamError, "Schema version %q is published but cannot be read at the moment.", ref).
			Hint("Retry in a few seconds."), sv.err)
	}
	return sv.release, nil
}

func (s *Snapshot) notFound(ref taxonomy.Ref) error {
	p := problem.New(problem.NotFound, "Schema version %q is not published.", problem.Clip(ref.String()))
	if len(s.versions) == 0 {
		return p.Hint("Nothing has been published yet.")
	}
	near := problem.Nearest(ref.String(), slices.Collect(maps.Keys(s.byName)), 3)
	if len(near) > 0 {
		return p.Hint("The closest published versions are %s.", strings.Join(near, ", "))
	}
	for _, v := range s.versions {
		near = append(near, v.ID.String())
	}
	return p.Hint("Published versions: %s.", problem.Listing(near, 5))
}
