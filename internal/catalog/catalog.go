// Package catalog holds the releases being served. It follows a store, swaps
// the whole set of releases at once when the store changes, and keeps the last
// good copy of what it cannot read. It knows nothing of HTTP.
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

// Store is what a catalog needs of the place where releases are kept.
type Store interface {
	// Index returns what is published now.
	Index(context.Context) (*store.Index, error)
	// Load reads one release of an index.
	Load(context.Context, store.Entry) (*release.Release, error)
}

// Options configure a catalog.
type Options struct {
	Poll  time.Duration // how often the store is asked for changes; default 1s
	Retry time.Duration // how long a release that cannot be loaded is let alone; default 5s
	Log   *slog.Logger  // default slog.Default()
}

// Catalog is a view of a store that answers from memory. Its methods may be
// called at any time from any goroutine.
type Catalog struct {
	store Store
	poll  time.Duration
	retry time.Duration
	log   *slog.Logger

	refreshing sync.Mutex
	loaded     time.Time // when releases were loaded last
	current    atomic.Pointer[Snapshot]
	lastError  atomic.Pointer[string] // of reading the index, so that it is logged once
}

// New returns an empty catalog of s; [Catalog.Refresh] or [Catalog.Run] fill it.
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

// Run follows the store until ctx ends.
func (c *Catalog) Run(ctx context.Context) error {
	tick := time.NewTicker(c.poll)
	defer tick.Stop()
	for {
		// A failure is logged and kept for Current; the next tick tries again.
		_ = c.Refresh(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Refresh brings the catalog up to date with the store. Its error is one of
// reading the index; releases that cannot be loaded are logged and answered
// for by [Snapshot.Release].
func (c *Catalog) Refresh(ctx context.Context) error {
	c.refreshing.Lock()
	defer c.refreshing.Unlock()

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
	if old != nil && sameIndex(old.index, index) && (old.complete || time.Since(c.loaded) < c.retry) {
		return nil
	}
	next := c.load(ctx, old, index)
	c.loaded = time.Now()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.current.Store(next)
	if old == nil || !sameIndex(old.index, index) {
		c.log.Info("catalog updated", "releases", len(index.Releases))
	}
	return nil
}

// logIndexError logs an error when it appears, not each time it is met again.
func (c *Catalog) logIndexError(err error) {
	text := err.Error()
	if last := c.lastError.Swap(&text); last == nil || *last != text {
		c.log.Error("store index cannot be read", "error", err)
	}
}

func sameIndex(a, b *store.Index) bool {
	return slices.Equal(a.Releases, b.Releases) && maps.Equal(a.Pins, b.Pins)
}

// Current returns the releases being served. A request takes one snapshot and
// answers from it, so that a publish meanwhile changes nothing for it.
func (c *Catalog) Current() (*Snapshot, error) {
	if s := c.current.Load(); s != nil {
		return s, nil
	}
	return nil, problem.New(problem.UpstreamError, "The schema store cannot be read just now.").
		Hint("Retry in a few seconds.")
}

// load makes the snapshot of index, taking what it can from the old one.
func (c *Catalog) load(ctx context.Context, old *Snapshot, index *store.Index) *Snapshot {
	next := &Snapshot{index: index, complete: true, byName: make(map[string]*served)}
	aliases := Aliases(index)
	for _, entry := range index.Releases {
		sv := &served{entry: entry}
		previous := old.find(entry.ID)
		if previous != nil && previous.err == nil && previous.entry == entry {
			sv.release = previous.release
		} else if sv.release, sv.err = c.store.Load(ctx, entry); sv.err != nil {
			next.complete = false
			if previous == nil || previous.err == nil || previous.err.Error() != sv.err.Error() {
				c.log.Error("release cannot be loaded", "release", entry.ID.String(), "error", sv.err)
			}
			if previous != nil && previous.release != nil {
				// The last good copy goes on being served, under its own hash.
				sv.release = previous.release
			}
		} else if !sv.release.HasAllIcons() {
			c.log.Warn("stored icons are missing or damaged and will be composed on demand; publish the release again", "release", entry.ID.String())
		}
		if previous != nil && previous.err != nil && sv.err == nil {
			c.log.Info("release can be loaded again", "release", entry.ID.String())
		}
		next.add(sv, aliases[entry.ID])
	}
	return next
}

// served is one published release and what came of loading it.
type served struct {
	entry   store.Entry
	release *release.Release // nil where there is no good copy
	err     error
}

// Snapshot is the set of releases published at one moment.
type Snapshot struct {
	index    *store.Index
	complete bool // every release of the index was loaded
	byName   map[string]*served
	versions []Version
}

// Version is one line of the list of published releases.
type Version struct {
	ID          taxonomy.ID     `json:"id"`
	Status      taxonomy.Status `json:"status"`
	ContentHash string          `json:"content_hash"`
	Aliases     []string        `json:"aliases"`
}

func (s *Snapshot) add(sv *served, aliases []string) {
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

func (s *Snapshot) find(id taxonomy.ID) *served {
	if s == nil {
		return nil
	}
	return s.byName[id.String()]
}

// Versions lists the published releases in the index's order.
func (s *Snapshot) Versions() []Version { return s.versions }

// Complete reports whether every published release is in memory as published.
func (s *Snapshot) Complete() bool { return s.complete }

// Releases returns the releases in memory, in the index's order.
func (s *Snapshot) Releases() []*release.Release {
	var all []*release.Release
	for _, v := range s.versions {
		if sv := s.find(v.ID); sv.release != nil {
			all = append(all, sv.release)
		}
	}
	return all
}

// Release returns what ref names.
func (s *Snapshot) Release(ref taxonomy.Ref) (*release.Release, error) {
	sv := s.byName[ref.String()]
	switch {
	case sv == nil:
		return nil, s.notFound(ref)
	case sv.release == nil:
		return nil, fmt.Errorf("%w: %w", problem.New(problem.UpstreamError, "Schema version %q is published but cannot be read just now.", ref).
			Hint("Retry in a few seconds."), sv.err)
	}
	return sv.release, nil
}

func (s *Snapshot) notFound(ref taxonomy.Ref) error {
	p := problem.New(problem.NotFound, "Schema version %q is not published.", problem.Clip(ref.String()))
	if len(s.versions) == 0 {
		return p.Hint("Nothing is published here yet.")
	}
	near := problem.Nearest(ref.String(), slices.Collect(maps.Keys(s.byName)), 3)
	if len(near) > 0 {
		return p.Hint("The closest that are published: %s.", strings.Join(near, ", "))
	}
	for _, v := range s.versions {
		near = append(near, v.ID.String())
	}
	return p.Hint("Published are %s.", problem.Listing(near, 5))
}
