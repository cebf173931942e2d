package catalog

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

const (
	// loadTimeout is the time limit for loading one release.
	loadTimeout = time.Minute
	// loadWait is the time after the start of a load for which requests wait for it.
	loadWait = 5 * time.Second
)

// AbsentError is returned for a release that is published but not in memory.
// [Catalog.Load] loads it. It wraps a problem for callers that cannot.
type AbsentError struct {
	snapshot *Snapshot
	name     string // the id or alias in the request
	entry    store.Entry
	err      error
}

func (e *AbsentError) Error() string { return e.err.Error() }
func (e *AbsentError) Unwrap() error { return e.err }

// unavailable returns the error for a release that cannot be read at the moment.
// name is the id or alias in the request.
func unavailable(name string, cause error) error {
	return problem.New(problem.UpstreamError, "Schema version %q is published but cannot be read at the moment.", name).
		Hint("Retry in a few seconds.").Because(cause)
}

// Load returns a copy of the snapshot that reported a release as absent, with the
// release in memory. Concurrent callers wait for the same load, for a limited time; it
// continues without them, for the next caller.
func (c *Catalog) Load(ctx context.Context, absent *AbsentError) (*Snapshot, error) {
	s, entry, name := absent.snapshot, absent.entry, absent.name
	if sv := c.current.Load().find(entry.ID); sv != nil && sv.entry == entry {
		switch {
		case sv.release != nil: // it has been loaded since s was current
			sv.use.Touch()
			return s.with(sv), nil
		case sv.err != nil && time.Since(sv.failed) < c.Retry:
			return nil, unavailable(name, sv.err)
		}
	}
	task := c.startLoadOnDemand(entry)
	timer := time.NewTimer(loadWait - time.Since(task.started))
	defer timer.Stop()
	select {
	case <-task.done:
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case <-task.done: // even if that is longer ago than the wait
	default:
		return nil, unavailable(name, fmt.Errorf("it is still being loaded after %v", loadWait))
	}
	c.add(entry, task)
	if task.err != nil {
		return nil, unavailable(name, task.err)
	}
	return s.with(c.serve(s.find(entry.ID), entry, task)), nil
}

// loadTask is one load of a release. Refresh and requests that need the release
// at the same time share it. It stays in Catalog.tasks until its result is in the
// current snapshot.
type loadTask struct {
	started time.Time
	done    chan struct{}

	// Set before done is closed.
	release *release.Release
	err     error
}

// startLoad returns the task that loads a release, which is started if there is none.
func (c *Catalog) startLoad(ctx context.Context, entry store.Entry) *loadTask {
	task, isNew := c.task(entry)
	if isNew {
		go task.run(ctx, c, entry)
	}
	return task
}

// startLoadOnDemand is like startLoad, for requests. The task does not end with the
// request, and adds its result to the current snapshot.
func (c *Catalog) startLoadOnDemand(entry store.Entry) *loadTask {
	task, isNew := c.task(entry)
	if isNew {
		c.loads.Add(1)
		go func() {
			task.run(context.Background(), c, entry)
			if task.err != nil {
				c.loadFailures.Add(1)
			}
			c.add(entry, task)
		}()
	}
	return task
}

// task returns the task of an entry, which is new if there was none.
func (c *Catalog) task(entry store.Entry) (task *loadTask, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if task := c.tasks[entry]; task != nil {
		return task, false
	}
	task = &loadTask{started: time.Now(), done: make(chan struct{})}
	c.tasks[entry] = task
	return task, true
}

// run loads the release. A panic becomes an error, because no caller could recover
// it.
func (t *loadTask) run(ctx context.Context, c *Catalog, entry store.Entry) {
	defer close(t.done)
	ctx, cancel := store.WithTimeout(ctx, loadTimeout)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		t.err = ctx.Err()
		return
	}
	defer func() {
		if v := recover(); v != nil {
			t.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	t.release, t.err = c.store.Load(ctx, entry)
}

// add adds the result of a finished task to the current snapshot, unless this has been
// done or the release has been replaced.
func (c *Catalog) add(entry store.Entry, task *loadTask) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tasks[entry] != task {
		return
	}
	delete(c.tasks, entry)
	current := c.current.Load()
	sv := current.find(entry.ID)
	if sv == nil || sv.entry != entry {
		return
	}
	sv.use.Touch() // requests wait for it
	c.current.Store(c.newSnapshot(current, current.index, map[store.Entry]*loadTask{entry: task}))
	if task.err == nil {
		c.setReady()
	}
}

// newSnapshot returns the snapshot of index with the results of finished tasks, and
// otherwise the releases of the old snapshot, which may be nil. It removes the least
// recently used releases if there are too many. It is called with c.mu held.
func (c *Catalog) newSnapshot(old *Snapshot, index *store.Index, tasks map[store.Entry]*loadTask) *Snapshot {
	served := make(map[taxonomy.ID]*servedRelease, len(index.Releases))
	for _, entry := range index.Releases {
		sv, task := old.find(entry.ID), tasks[entry]
		switch {
		case task != nil && !task.isIn(sv, entry):
			next := c.serve(sv, entry, task)
			c.logChange(sv, next)
			sv = next
		case sv == nil || sv.entry != entry:
			sv = &servedRelease{entry: entry, use: c.useOf(sv)}
		}
		served[entry.ID] = sv
	}
	c.evict(index, served)
	return newSnapshot(index, served)
}

// isIn reports whether sv has the result of the task already.
func (t *loadTask) isIn(sv *servedRelease, entry store.Entry) bool {
	return sv != nil && sv.entry == entry && t.err == nil && sv.release == t.release
}

// serve returns the state of a release after a load. If that failed, the last good
// copy is kept, under its own hash. previous may be nil.
func (c *Catalog) serve(previous *servedRelease, entry store.Entry, task *loadTask) *servedRelease {
	sv := &servedRelease{entry: entry, release: task.release, use: c.useOf(previous)}
	if task.err == nil {
		return sv
	}
	sv.err, sv.since, sv.failed = task.err, now(), time.Now()
	if previous != nil {
		sv.release = previous.release
		if previous.err != nil {
			sv.since = previous.since
		}
	}
	return sv
}

// logChange logs the result of a load unless it is that of the load before it.
func (c *Catalog) logChange(previous, sv *servedRelease) {
	if previous == nil {
		previous = new(servedRelease)
	}
	log := c.Log.With("release", sv.entry.ID.String())
	switch {
	case sv.err == nil:
		if previous.err != nil {
			log.Info("release can be loaded again")
		}
		if !sv.release.HasAllIcons() {
			log.Warn("stored icons are missing and will be composed on demand; publish the release again")
		}
	case !sameError(previous.err, sv.err):
		log.Error("release cannot be loaded", "error", sv.err, "serving_last_good", sv.release != nil)
	}
}

// evict removes the least recently used releases from memory if there are more than
// MaxResident. A last good copy is kept, because it cannot be loaded again.
func (c *Catalog) evict(index *store.Index, served map[taxonomy.ID]*servedRelease) {
	if c.MaxResident == 0 {
		return
	}
	// Requests change the times while they are compared.
	type usedRelease struct {
		*servedRelease
		last int64
	}
	var resident []usedRelease
	for _, entry := range byPriority(index) {
		if sv := served[entry.ID]; sv.release != nil {
			resident = append(resident, usedRelease{sv, sv.use.last.Load()})
		}
	}
	// Of releases used at the same time, the first one in the order of use stays.
	slices.SortStableFunc(resident, func(a, b usedRelease) int { return cmp.Compare(b.last, a.last) })
	for i, excess := len(resident)-1, len(resident)-c.MaxResident; i >= 0 && excess > 0; i-- {
		if sv := resident[i]; sv.err == nil {
			served[sv.entry.ID] = &servedRelease{entry: sv.entry, use: sv.use}
			excess--
		}
	}
}

// Use records when a release was last used. A nil *Use records nothing.
type Use struct{ last atomic.Int64 } // in milliseconds

// useOf returns the use of a release whose previous state is given, or nil if it does
// not matter.
func (c *Catalog) useOf(previous *servedRelease) *Use {
	switch {
	case c.MaxResident == 0:
		return nil
	case previous != nil:
		return previous.use
	}
	u := new(Use)
	u.Touch()
	return u
}

// Touch records that the release is being used. It writes at most once per
// millisecond, so that processors do not compete for the memory.
func (u *Use) Touch() {
	if u == nil {
		return
	}
	if now := time.Now().UnixMilli(); u.last.Load() != now {
		u.last.Store(now)
	}
}

// Stats are the numbers of a catalog for metrics.
type Stats struct {
	Resident     int   // releases in memory
	Loads        int64 // loads on demand
	LoadFailures int64 // failed loads on demand
	Reachable    bool  // the last read of the index succeeded
}

// Stats returns the current numbers.
func (c *Catalog) Stats() Stats {
	s := Stats{Loads: c.loads.Load(), LoadFailures: c.loadFailures.Load()}
	if current := c.current.Load(); current != nil {
		s.Resident = len(current.Releases())
		s.Reachable = c.indexError.Load() == nil
	}
	return s
}
