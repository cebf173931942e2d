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

	refreshMu  sync.Mutex
	lastLoad   time.Time // guarded by refreshMu
	current    atomic.Pointer[Snapshot]
	indexError atomic.Pointer[indexError] // nil while the index is readable
}

// indexError is the error of the last attempt to read the index.
type indexError struct {
	text  string
	since time.Time // of the first failure
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
			c.indexFailed(err)
		}
		return err
	}
	if c.indexError.Swap(nil) != nil {
		c.log.Info("releases can be listed again")
	}
	old := c.current.Load()
	if old != nil && sameIndex(old.index, index) && (len(old.degraded) == 0 || time.Since(c.lastLoad) < c.retry) {
		return nil
	}
	next := c.load(ctx, old, index)
	c.lastLoad = time.Now()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.current.Store(next)
	if old == nil || !sameIndex(old.index, index) {
		c.log.Info("catalog updated", "releases", len(next.Releases()), "degraded", len(next.degraded))
	}
	return nil
}

// indexFailed records an error from reading the index. It logs the error once,
// until the error changes or the index is readable.
func (c *Catalog) indexFailed(err error) {
	failure := &indexError{text: err.Error(), since: now()}
	last := c.indexError.Load()
	if last != nil {
		failure.since = last.since
	}
	c.indexError.Store(failure)
	if last == nil || last.text != failure.text {
		c.log.Error("releases cannot be listed", "error", err)
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
	next := &Snapshot{index: index, byID: make(map[string]*servedRelease), byName: make(map[string]*servedRelease)}
	listed := &store.Index{Pins: index.Pins}
	for _, entry := range index.Releases {
		sv := c.loadRelease(ctx, old.find(entry.ID), entry)
		next.byID[entry.ID.String()] = sv
		if sv.err != nil {
			next.degraded = append(next.degraded, DegradedRelease{entry.ID, *sv.degradation()})
		}
		// A release in an authoring tree that was never valid is not listed and
		// gets no aliases.
		if sv.release != nil || entry.ContentHash != "" {
			listed.Releases = append(listed.Releases, entry)
		}
	}
	aliases := Aliases(listed)
	for _, entry := range listed.Releases {
		next.list(next.find(entry.ID), aliases[entry.ID])
	}
	return next
}

// loadRelease returns the release of an entry. If it cannot be loaded, its last
// good copy is kept, under its own hash.
func (c *Catalog) loadRelease(ctx context.Context, previous *servedRelease, entry store.Entry) *servedRelease {
	if previous == nil {
		previous = new(servedRelease)
	} else if previous.err == nil && previous.entry == entry {
		return previous
	}
	log := c.log.With("release", entry.ID.String())
	r, err := c.store.Load(ctx, entry)
	if err != nil {
		sv := &servedRelease{entry: entry, release: previous.release, err: err, since: now()}
		if previous.err != nil {
			sv.since = previous.since
		}
		if previous.err == nil || previous.err.Error() != err.Error() {
			log.Error("release cannot be loaded", "error", err, "serving_last_good", sv.release != nil)
		}
		return sv
	}
	if previous.err != nil {
		log.Info("release can be loaded again")
	}
	if !r.HasAllIcons() {
		log.Warn("stored icons are missing and will be composed on demand; publish the release again")
	}
	return &servedRelease{entry: entry, release: r}
}

// servedRelease is one release of the index.
type servedRelease struct {
	entry   store.Entry
	release *release.Release // nil if there is no good copy
	err     error            // from the last attempt to load it
	since   time.Time        // of the first failed attempt since the last successful one
}

// Snapshot is the set of releases published at a point in time.
type Snapshot struct {
	index    *store.Index
	byID     map[string]*servedRelease // all releases of the index
	byName   map[string]*servedRelease // the listed releases by id and alias
	versions []Version
	degraded []DegradedRelease
}

// Version is an entry in the list of published releases.
type Version struct {
	ID          taxonomy.ID     `json:"id"`
	Status      taxonomy.Status `json:"status"`
	ContentHash string          `json:"content_hash"`
	Aliases     []string        `json:"aliases"`
	Degraded    *Degradation    `json:"degraded,omitzero"` // nil if the release is served as published
}

func (s *Snapshot) list(sv *servedRelease, aliases []string) {
	id, hash := sv.entry.ID, sv.entry.ContentHash
	if sv.release != nil {
		hash = sv.release.Hash()
	}
	s.versions = append(s.versions, Version{id, id.Status, hash, aliases, sv.degradation()})
	s.byName[id.String()] = sv
	for _, alias := range aliases {
		s.byName[alias] = sv
	}
}

func (s *Snapshot) find(id taxonomy.ID) *servedRelease {
	if s == nil {
		return nil
	}
	return s.byID[id.String()]
}

// Index returns the index of the store. It must not be modified.
func (s *Snapshot) Index() *store.Index { return s.index }

// Versions returns the published releases in the order of the index.
func (s *Snapshot) Versions() []Version { return s.versions }

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

// Lookup returns the release with the given id or alias, or nil if there is none
// or it cannot be read.
func (s *Snapshot) Lookup(name string) *release.Release {
	if s == nil || s.byName[name] == nil {
		return nil
	}
	return s.byName[name].release
}

// Release returns the release that ref refers to. Its error says why there is
// none.
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
	for _, d := range s.degraded {
		if d.ID.String() == ref.String() {
			return p.Hint("%s", d.Summary())
		}
	}
	id, wasRetired := retired(s.index, ref)
	if wasRetired {
		p.Message = fmt.Sprintf("Schema version %q was retired.", id)
	}
	if len(s.versions) == 0 && len(s.degraded) > 0 {
		return p.Hint("%s", s.degraded[0].Summary())
	}
	if len(s.versions) == 0 && len(s.index.Retired) > 0 {
		return p.Hint("Nothing is published at the moment.")
	}
	if len(s.versions) == 0 {
		return p.Hint("Nothing has been published yet.")
	}
	p = p.See(problem.ListVersions())
	if hint := problem.DidYouMean(ref.String(), slices.Collect(maps.Keys(s.byName))); hint != "" && !wasRetired {
		return p.Hint("%s", hint)
	}
	var ids []string
	for _, v := range s.versions {
		ids = append(ids, v.ID.String())
	}
	return p.Hint("Published versions: %s.", problem.Listing(ids, 5))
}
