package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// slowStore is a fakeStore with a function that is called by each load.
type slowStore struct {
	*fakeStore
	onLoad func(context.Context, store.Entry) error

	mu      sync.Mutex
	running int
	most    int      // loads at the same time
	order   []string // ids in the order in which loads started
}

func (s *slowStore) Load(ctx context.Context, e store.Entry) (*release.Release, error) {
	s.mu.Lock()
	s.running++
	s.most = max(s.most, s.running)
	s.order = append(s.order, e.ID.String())
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
	}()
	if err := s.onLoad(ctx, e); err != nil {
		return nil, err
	}
	return s.fakeStore.Load(ctx, e)
}

// loadsOf returns the number of loads of a release.
func (s *slowStore) loadsOf(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, loaded := range s.order {
		if loaded == id {
			n++
		}
	}
	return n
}

// newSlowStore returns a store with the given releases in which a load takes a
// second.
func newSlowStore(t *testing.T, ids ...string) *slowStore {
	s := &slowStore{fakeStore: newFakeStore(t)}
	clear(s.releases)
	for _, id := range ids {
		r := releasetest.Release(t, id)
		s.releases[r.ID()] = r
	}
	s.onLoad = func(ctx context.Context, _ store.Entry) error { return sleep(ctx, time.Second) }
	return s
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// request returns a release like an API does: from memory or, if it is absent, by
// loading it.
func request(ctx context.Context, t *testing.T, c *catalog.Catalog, name string) (*release.Release, error) {
	t.Helper()
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Find(name)
	if absent, ok := errors.AsType[*catalog.AbsentError](err); ok {
		if s, err = c.Load(ctx, absent); err != nil {
			return nil, err
		}
		return s.Find(name)
	}
	return r, err
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func ids(prefix string, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%s@2026-01-%02d-stable", prefix, i+1))
	}
	return all
}

func residents(t *testing.T, c *catalog.Catalog) []string {
	t.Helper()
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range s.Releases() {
		names = append(names, r.Name())
	}
	return names
}

func TestFirstRefreshMakesReleasesAvailableAsTheyAreLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ids("small", 2)
		f := newSlowStore(t, all...)
		f.onLoad = func(ctx context.Context, e store.Entry) error {
			if e.ID.String() == all[0] {
				return sleep(ctx, 4*time.Second)
			}
			return sleep(ctx, time.Second)
		}
		c := catalog.New(f, catalog.Options{Log: discard()})
		start := time.Now()
		go func() { _ = c.Refresh(t.Context()) }()
		<-c.Ready()
		if took := time.Since(start); took != time.Second {
			t.Errorf("ready after %v, want 1s", took)
		}
		if _, err := request(t.Context(), t, c, "small@latest"); err != nil || time.Since(start) != time.Second {
			t.Errorf("the loaded release after %v: %v", time.Since(start), err)
		}
		if _, err := request(t.Context(), t, c, all[0]); err != nil || time.Since(start) != 4*time.Second {
			t.Errorf("the other release after %v: %v, want it after 4s", time.Since(start), err)
		}
		synctest.Wait()
		if got := residents(t, c); len(got) != 2 || f.loadsOf(all[0]) != 1 {
			t.Errorf("got %v in memory after %d loads, want both after one load each", got, f.loadsOf(all[0]))
		}
	})
}

func TestLoadedReleasesAreServedWhileTheFirstRefreshTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ids("small", 20)
		f := newSlowStore(t, all...)
		f.onLoad = func(ctx context.Context, e store.Entry) error {
			if e.ID.String() == all[19] { // the first one to be loaded
				return sleep(ctx, 30*time.Second)
			}
			return sleep(ctx, 100*time.Millisecond)
		}
		c := catalog.New(f, catalog.Options{Log: discard()})
		go func() { _ = c.Refresh(t.Context()) }()
		time.Sleep(20 * time.Second)
		for _, id := range all[:19] {
			if _, err := request(t.Context(), t, c, id); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(20 * time.Second)
	})
}

func TestReleasesAreLoadedInParallelMostUsedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := []string{"b@2026-01-01-beta", "b@2026-02-01-beta", "small@2026-01-01-stable", "small@2026-02-01-stable", "small@2026-03-01-beta"}
		f := newSlowStore(t, append(all, ids("many", 20)...)...)
		c := catalog.New(f, catalog.Options{Log: discard()})
		start := time.Now()
		refresh(t, c)
		limit := 2 * runtime.GOMAXPROCS(0)
		if f.most != min(limit, 25) {
			t.Errorf("got %d loads at the same time, want %d", f.most, limit)
		}
		if took, want := time.Since(start), time.Duration((25+limit-1)/limit)*time.Second; took != want {
			t.Errorf("25 loads took %v, want %v", took, want)
		}
		position := func(id string) int { return slices.Index(f.order, id) }
		for _, pair := range [][2]string{
			{"b@2026-02-01-beta", "many@2026-01-01-stable"}, // the latest of its type
			{"small@2026-02-01-stable", "small@2026-01-01-stable"},
			{"small@2026-01-01-stable", "small@2026-03-01-beta"},
			{"small@2026-03-01-beta", "b@2026-01-01-beta"},
		} {
			// Loads that start at the same time have no order.
			if a, b := position(pair[0]), position(pair[1]); a/limit > b/limit {
				t.Errorf("%s is load %d and %s load %d, want the other order", pair[0], a, pair[1], b)
			}
		}
	})
}

func TestMaxResidentKeepsTheMostRecentlyUsedReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ids("small", 4)
		f := newSlowStore(t, all...)
		c := catalog.New(f, catalog.Options{Log: discard(), MaxResident: 2})
		refresh(t, c)
		if got := residents(t, c); !slices.Equal(got, all[2:]) {
			t.Fatalf("after the start: got %v, want the two newest", got)
		}
		s, err := c.Current()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Versions()) != 4 || len(s.Served()) != 4 || len(c.Degraded()) != 0 {
			t.Errorf("got %d versions, %d of them available, degraded: %v; want 4 and 4", len(s.Versions()), len(s.Served()), c.Degraded())
		}
		use := func(id string) *release.Release {
			time.Sleep(30 * 24 * time.Hour) // more milliseconds than an int has on 32-bit systems
			r, err := request(t.Context(), t, c, id)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		held := use(all[2])
		use(all[3])
		use(all[2])
		use(all[0]) // all[3] is the least recently used
		if got := residents(t, c); !slices.Equal(got, []string{all[0], all[2]}) {
			t.Errorf("after one load: got %v, want %s and %s", got, all[0], all[2])
		}
		use(all[1])
		if got := residents(t, c); !slices.Equal(got, all[:2]) {
			t.Errorf("after two loads: got %v, want %v", got, all[:2])
		}
		if held.Name() != all[2] || held.ManifestJSON == nil {
			t.Error("a release in use is not usable after its removal from memory")
		}
		if got := c.Stats(); got.Resident != 2 || got.Loads != 2 || got.LoadFailures != 0 {
			t.Errorf("got %+v, want 2 resident releases and 2 loads", got)
		}
		// Nothing changed, so nothing is loaded.
		before := len(f.order)
		refresh(t, c)
		if len(f.order) != before {
			t.Errorf("a refresh loaded %v", f.order[before:])
		}
	})
}

func TestNewReleasesAreLoadedWithMaxResident(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ids("small", 4)
		f := newSlowStore(t, all[:3]...)
		c := catalog.New(f, catalog.Options{Log: discard(), MaxResident: 1})
		refresh(t, c)
		time.Sleep(time.Second)
		next := releasetest.Release(t, all[3])
		f.set(func(f *fakeStore) { f.releases[next.ID()] = next })
		refresh(t, c)
		if got := residents(t, c); !slices.Equal(got, all[3:]) {
			t.Errorf("after a publish: got %v, want %v", got, all[3:])
		}
		f.set(func(f *fakeStore) { delete(f.releases, next.ID()) })
		refresh(t, c)
		if got := residents(t, c); !slices.Equal(got, all[2:3]) {
			t.Errorf("after it was retired: got %v, want the newest release", got)
		}
	})
}

func TestConcurrentRequestsShareOneLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ids("small", 2)
		f := newSlowStore(t, all...)
		c := catalog.New(f, catalog.Options{Log: discard(), MaxResident: 1})
		refresh(t, c)
		canceled, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 100 {
			ctx := t.Context()
			if i%2 == 0 {
				ctx = canceled
			}
			wg.Go(func() {
				r, err := request(ctx, t, c, all[0])
				switch {
				case ctx == canceled && !errors.Is(err, context.Canceled):
					t.Errorf("canceled request: got %v, want %v", err, context.Canceled)
				case ctx != canceled && (err != nil || r.Name() != all[0]):
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		if n := f.loadsOf(all[0]); n != 1 {
			t.Errorf("got %d loads, want 1", n)
		}
	})
}

func TestRequestsGiveUpOnASlowLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ids("small", 2)
		f := newSlowStore(t, all...)
		c := catalog.New(f, catalog.Options{Log: discard(), MaxResident: 1})
		refresh(t, c)
		f.onLoad = func(ctx context.Context, _ store.Entry) error { return sleep(ctx, 8*time.Second) }
		for _, want := range []time.Duration{5 * time.Second, 0} { // measured from the start of the load
			start := time.Now()
			_, err := request(t.Context(), t, c, all[0])
			if took := time.Since(start); codeOf(err) != problem.UpstreamError || took != want {
				t.Errorf("got %v after %v, want %s after %v", err, took, problem.UpstreamError, want)
			}
		}
		time.Sleep(4 * time.Second)
		if got := residents(t, c); !slices.Equal(got, all[:1]) || f.loadsOf(all[0]) != 1 {
			t.Errorf("after the load: got %v in memory and %d loads, want %s and one load", got, f.loadsOf(all[0]), all[0])
		}
	})
}

func TestStalledLoadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSlowStore(t, ids("small", 1)...)
		f.onLoad = func(ctx context.Context, _ store.Entry) error {
			<-ctx.Done()
			return ctx.Err()
		}
		c := catalog.New(f, catalog.Options{Log: discard()})
		start := time.Now()
		refresh(t, c)
		if took := time.Since(start); took != time.Minute || len(c.Degraded()) != 1 {
			t.Errorf("the refresh took %v, want 1m; degraded: %v", took, c.Degraded())
		}
	})
}

func TestFailedLoadIsRepeatedAfterAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ids("small", 2)
		f := newSlowStore(t, all...)
		log, logs := newLogger()
		c := catalog.New(f, catalog.Options{Log: log, MaxResident: 1})
		refresh(t, c)
		f.onLoad = func(context.Context, store.Entry) error { return errors.New("bad sector") }
		for range 10 {
			if _, err := request(t.Context(), t, c, all[0]); codeOf(err) != problem.UpstreamError || !strings.Contains(err.Error(), "bad sector") {
				t.Fatalf("got %v, want %s because of the bad sector", err, problem.UpstreamError)
			}
		}
		if n := f.loadsOf(all[0]); n != 1 {
			t.Errorf("got %d loads for ten requests, want 1", n)
		}
		if got := c.Degraded(); len(got) != 1 || got[0].ID.String() != all[0] || got[0].State != catalog.Unavailable {
			t.Errorf("got %v, want %s to be unavailable", got, all[0])
		}
		time.Sleep(5 * time.Second)
		if _, err := request(t.Context(), t, c, all[0]); err == nil || f.loadsOf(all[0]) != 2 {
			t.Errorf("after the interval: got %d loads (%v), want 2", f.loadsOf(all[0]), err)
		}
		if n := strings.Count(logs.String(), "bad sector"); n != 1 {
			t.Errorf("the error was logged %d times, want once", n)
		}
		if got := residents(t, c); !slices.Equal(got, all[1:]) {
			t.Errorf("got %v in memory, want %v: a failed load replaces nothing", got, all[1:])
		}
		f.onLoad = func(context.Context, store.Entry) error { return nil }
		time.Sleep(5 * time.Second)
		if _, err := request(t.Context(), t, c, all[0]); err != nil || len(c.Degraded()) != 0 {
			t.Errorf("after the failure: got %v, degraded: %v", err, c.Degraded())
		}
		if got := c.Stats(); got.Loads != 3 || got.LoadFailures != 2 {
			t.Errorf("got %+v, want 3 loads and 2 failures", got)
		}
	})
}

func TestRequestCanUseMoreReleasesThanStayInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := ids("small", 3)
		f := newSlowStore(t, all...)
		c := catalog.New(f, catalog.Options{Log: discard(), MaxResident: 1})
		refresh(t, c)
		s, err := c.Current()
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range all[:2] {
			time.Sleep(time.Second)
			_, err := s.Find(id)
			absent, ok := errors.AsType[*catalog.AbsentError](err)
			if !ok {
				t.Fatalf("%s: got %v, want an AbsentError", id, err)
			}
			if s, err = c.Load(t.Context(), absent); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range append(all, "small@latest", "small@2026-01-01") {
			if _, err := s.Find(name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := residents(t, c); len(got) != 1 {
			t.Errorf("got %v in memory, want one release", got)
		}
	})
}

func TestLastGoodCopyStaysInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const other = "small@2026-01-01-stable"
		f := newSlowStore(t, beta, other)
		c := catalog.New(f, catalog.Options{Log: discard(), MaxResident: 2})
		refresh(t, c)
		good := serving(t, c, beta)
		next := releasetest.Release(t, beta, "added")
		third := releasetest.Release(t, "small@2026-02-01-stable")
		f.set(func(f *fakeStore) { f.releases[next.ID()] = next; f.releases[third.ID()] = third })
		f.onLoad = func(_ context.Context, e store.Entry) error {
			if e.ID == next.ID() {
				return errors.New("bad sector")
			}
			return nil
		}
		time.Sleep(time.Second)
		refresh(t, c)
		for _, id := range []string{other, third.Name(), other} {
			time.Sleep(time.Second)
			if _, err := request(t.Context(), t, c, id); err != nil {
				t.Fatal(err)
			}
		}
		if got := serving(t, c, beta); got != good {
			t.Error("the last good copy is not served")
		}
		if got := residents(t, c); len(got) != 2 {
			t.Errorf("got %v in memory, want two releases", got)
		}
	})
}

func TestPanicInALoadIsAnError(t *testing.T) {
	f := newSlowStore(t, beta)
	f.onLoad = func(context.Context, store.Entry) error { panic("out of range") }
	log, logs := newLogger()
	c := catalog.New(f, catalog.Options{Log: log})
	refresh(t, c)
	if len(c.Degraded()) != 1 || !strings.Contains(logs.String(), "out of range") {
		t.Errorf("got %v, want a degraded release; logged %s", c.Degraded(), logs)
	}
}

func TestInterruptedRefreshReportsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newSlowStore(t, beta)
		log, logs := newLogger()
		c := catalog.New(f, catalog.Options{Log: log})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if err := c.Refresh(ctx); !errors.Is(err, context.DeadlineExceeded) || logs.Len() > 0 {
			t.Errorf("got %v and logged %q, want the error of the context only", err, logs)
		}
		synctest.Wait()
		refresh(t, c)
		serving(t, c, beta)
	})
}
