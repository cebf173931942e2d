// Package catalog keeps the releases being served in memory. It follows a store,
// replaces the set of releases atomically when the store changes, and keeps the
// last good copy of a release that cannot be loaded. It does not know about HTTP.
package catalog

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// Store is a source of releases.
type Store interface {
	// Index returns the current index. If the store cannot be read, it may return an
	// earlier index together with the error.
	Index(context.Context) (*store.Index, error)
	// Load loads a release listed in an index.
	Load(context.Context, store.Entry) (*release.Release, error)
}

// Options configures a catalog.
type Options struct {
	Poll  time.Duration // mean interval between reads of the index; default 1s
	Retry time.Duration // minimum time between attempts to load a failing release; default 5s

	// IndexTimeout is the time limit for one read of the index; default none,
	// because the index of a [Tree] is read by compiling it.
	IndexTimeout time.Duration

	// MaxLoad is the share of one processor that reading an unchanged index may use. If
	// it takes long, it is done less often than Poll says. 0 means no limit.
	MaxLoad float64

	// MaxResident is the maximum number of releases in memory. The others are loaded
	// when a request needs them. 0 means no limit.
	MaxResident int

	Log *slog.Logger // default slog.Default()
}

// Catalog is an in-memory copy of a store. It is safe for concurrent use.
type Catalog struct {
	store Store
	Options

	current    atomic.Pointer[Snapshot]
	indexError atomic.Pointer[indexError] // nil while the index is readable
	ready      chan struct{}              // see Ready
	setReady   func()
	loaded     chan struct{} // see Loaded
	setLoaded  func()

	refreshMu sync.Mutex
	complete  bool          // the releases of the current snapshot have been loaded once; guarded by refreshMu
	lastLoad  time.Time     // guarded by refreshMu
	readTime  time.Duration // of the index, when it was last unchanged; guarded by refreshMu

	slots        chan struct{} // limits concurrent loads
	loads        atomic.Int64  // on demand
	loadFailures atomic.Int64  // on demand

	mu    sync.Mutex // held while current is replaced
	tasks map[store.Entry]*loadTask
}

// indexError is the error of the last attempt to read the index.
type indexError struct {
	err   error
	since time.Time // of the first failure
}

var digits = regexp.MustCompile(`[0-9]+`)

// sameError reports whether two errors are the same apart from numbers: those of the
// network contain the port, which differs for each connection.
func sameError(a, b error) bool {
	if a == nil || b == nil {
		return a == b
	}
	return digits.ReplaceAllString(a.Error(), "") == digits.ReplaceAllString(b.Error(), "")
}

// New returns an empty catalog of s. [Catalog.Refresh] or [Catalog.Run] fills it.
func New(s Store, opts Options) *Catalog {
	c := &Catalog{
		store:   s,
		Options: opts,
		ready:   make(chan struct{}),
		loaded:  make(chan struct{}),
		slots:   make(chan struct{}, maxConcurrentLoads()),
		tasks:   make(map[store.Entry]*loadTask),
	}
	c.setReady = sync.OnceFunc(func() { close(c.ready) })
	c.setLoaded = sync.OnceFunc(func() { close(c.loaded) })
	if c.Poll <= 0 {
		c.Poll = time.Second
	}
	if c.Retry <= 0 {
		c.Retry = 5 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// maxConcurrentLoads returns the maximum number of releases that are loaded at a
// time. Half of them can wait for the store while the others are decoded.
func maxConcurrentLoads() int { return 2 * runtime.GOMAXPROCS(0) }

// Ready returns a channel that is closed when the first release is loaded, or when
// the first attempt to load the releases ends.
func (c *Catalog) Ready() <-chan struct{} { return c.ready }

// Loaded returns a channel that is closed when the first attempt to load the releases
// ends.
func (c *Catalog) Loaded() <-chan struct{} { return c.loaded }

// Run follows the store until ctx is done.
func (c *Catalog) Run(ctx context.Context) {
	for {
		// The error has been logged; the next refresh retries.
		if changed, _ := c.refresh(ctx); changed {
			// Otherwise, replaced releases and the memory that was needed to load the new
			// ones would stay with the process for minutes.
			debug.FreeOSMemory()
		}
		timer := time.NewTimer(c.pause())
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// pause returns the time until the next refresh. It is random, so that many
// servers do not read the store at the same time. Failures are retried sooner.
func (c *Catalog) pause() time.Duration {
	interval := c.Poll
	if len(c.Degraded()) > 0 {
		interval = min(interval, c.Retry)
	}
	if c.MaxLoad > 0 {
		c.refreshMu.Lock()
		interval = max(interval, time.Duration(float64(c.readTime)/c.MaxLoad))
		c.refreshMu.Unlock()
	}
	return interval*4/5 + rand.N(interval*2/5+1)
}

// Refresh updates the catalog from the store. It returns an error if the index
// cannot be read. If a release cannot be loaded, Refresh logs the error, and
// [Snapshot.Release] returns the last good copy or an error.
//
// The first Refresh makes each release available as soon as it is loaded. Later ones
// replace the snapshot when all releases are loaded.
func (c *Catalog) Refresh(ctx context.Context) error {
	_, err := c.refresh(ctx)
	return err
}

// refresh is Refresh, and reports whether the list of releases changed.
func (c *Catalog) refresh(ctx context.Context) (changed bool, err error) {
	c.refreshMu.Lock()
	defer c.refreshMu.Unlock()
	defer c.setLoaded()
	defer c.setReady()

	old := c.current.Load()
	started := time.Now()
	index, err := c.readIndex(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		c.indexFailed(err, old, index)
		// An earlier index than the one being served would undo changes.
		if index == nil || old != nil {
			return false, err
		}
	} else if c.indexError.Swap(nil) != nil {
		c.Log.Info("releases can be listed again")
	}
	changed = old == nil || !sameIndex(old.index, index)
	if !changed {
		c.readTime = time.Since(started)
	}
	if !changed && c.complete && (len(old.degraded) == 0 || time.Since(c.lastLoad) < c.Retry) {
		return false, err
	}
	if old == nil {
		c.mu.Lock()
		c.current.Store(c.newSnapshot(nil, index, nil))
		c.mu.Unlock()
	}
	next := c.load(ctx, index)
	c.lastLoad = time.Now()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	c.complete = true
	c.logUpdate(old, next)
	return changed, err
}

// readIndex reads the index within its time limit.
func (c *Catalog) readIndex(ctx context.Context) (*store.Index, error) {
	if c.IndexTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = store.WithTimeout(ctx, c.IndexTimeout)
		defer cancel()
	}
	return c.store.Index(ctx)
}

// indexFailed records an error from reading the index. It logs the error once,
// until the error changes or the index is readable. served is the current snapshot
// and cached the earlier index that the store has returned; both may be nil.
func (c *Catalog) indexFailed(err error, served *Snapshot, cached *store.Index) {
	failure := &indexError{err: err, since: now()}
	last := c.indexError.Load()
	if last != nil {
		failure.since = last.since
	}
	c.indexError.Store(failure)
	if last == nil || !sameError(last.err, err) {
		serving := "nothing"
		switch {
		case served != nil && len(served.Served()) > 0:
			serving = "the releases listed before"
		case served == nil && cached != nil:
			serving = "the cached releases"
		}
		c.Log.Error("releases cannot be listed", "error", err, "serving", serving)
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

// load loads the releases of index that should be in memory, and makes index the
// current one.
func (c *Catalog) load(ctx context.Context, index *store.Index) *Snapshot {
	tasks := make(map[store.Entry]*loadTask)
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for entry, task := range tasks {
			if c.tasks[entry] == task {
				delete(c.tasks, entry)
			}
		}
	}()
	var mu sync.Mutex // guards tasks
	var group errgroup.Group
	group.SetLimit(maxConcurrentLoads())
	for _, entry := range c.wanted(index) {
		group.Go(func() error {
			task := c.startLoad(ctx, entry)
			mu.Lock()
			tasks[entry] = task
			mu.Unlock()
			select {
			case <-task.done:
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			select {
			case <-c.ready:
			default:
				// This may be the first release.
				c.add(entry, task)
			}
			return nil
		})
	}
	if group.Wait() != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.newSnapshot(c.current.Load(), index, tasks)
	c.current.Store(next)
	return next
}

// wanted returns the releases to load for index, in the order in which they should
// be available.
func (c *Catalog) wanted(index *store.Index) []store.Entry {
	current := c.current.Load()
	var wanted, absent []store.Entry
	resident := 0
	for _, entry := range byPriority(index) {
		switch sv := current.find(entry.ID); {
		case sv != nil && sv.entry == entry && sv.release != nil && sv.err == nil:
			resident++
		case sv == nil || sv.release != nil || sv.err != nil || !c.complete:
			wanted = append(wanted, entry)
		default:
			absent = append(absent, entry)
		}
	}
	if c.MaxResident == 0 {
		return append(wanted, absent...)
	}
	wanted = wanted[:min(len(wanted), c.MaxResident)]
	room := max(0, c.MaxResident-resident-len(wanted))
	return append(wanted, absent[:min(len(absent), room)]...)
}

// byPriority returns the entries of an index in the order of their use: the latest
// release of each type, other stable releases, and betas, newest first.
func byPriority(index *store.Index) []store.Entry {
	targets := Targets(index)
	rank := func(e store.Entry) int {
		switch {
		case targets[e.ID.Type+"@"+taxonomy.AliasLatest] == e.ID:
			return 0
		case e.ID.Status == taxonomy.Stable:
			return 1
		}
		return 2
	}
	return slices.SortedStableFunc(slices.Values(index.Releases), func(a, b store.Entry) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.ID.Date, a.ID.Date))
	})
}
