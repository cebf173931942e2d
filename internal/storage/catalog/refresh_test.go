package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/core/release/releasetest"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
)

// polledStore records the times at which its index is read.
type polledStore struct {
	*fakeStore
	reads   []time.Time
	onIndex func(context.Context) error
}

func (s *polledStore) Index(ctx context.Context) (*store.Index, error) {
	s.reads = append(s.reads, time.Now())
	if s.onIndex != nil {
		if err := s.onIndex(ctx); err != nil {
			return nil, err
		}
	}
	return s.fakeStore.Index(ctx)
}

func TestIndexIsReadAtRandomIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &polledStore{fakeStore: newFakeStore(t)}
		c := catalog.New(s, catalog.Options{Poll: 10 * time.Second, Log: discard()})
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Second)
		defer cancel()
		c.Run(ctx)
		shortest, longest := time.Hour, time.Duration(0)
		for i := range s.reads[1:] {
			interval := s.reads[i+1].Sub(s.reads[i])
			shortest, longest = min(shortest, interval), max(longest, interval)
		}
		if shortest < 8*time.Second || longest > 12*time.Second || longest-shortest < 2*time.Second {
			t.Errorf("got intervals of %v to %v, want them spread from 8s to 12s", shortest, longest)
		}
	})
}

func TestSlowReadsOfTheIndexAreLessFrequent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &polledStore{fakeStore: newFakeStore(t)}
		s.onIndex = func(context.Context) error {
			time.Sleep(200 * time.Millisecond)
			return nil
		}
		c := catalog.New(s, catalog.Options{Poll: 500 * time.Millisecond, MaxLoad: 0.05, Log: discard()})
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Second)
		defer cancel()
		c.Run(ctx)
		if load := float64(len(s.reads)) * 0.2 / 1000; load < 0.045 || load > 0.05 {
			t.Errorf("the index was read for %.3f of the time, want a little less than 0.05", load)
		}
	})
}

func TestMemoryIsReturnedAfterChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		collections := func() uint32 {
			synctest.Wait()
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			return stats.NumForcedGC
		}
		f := newFakeStore(t)
		c := catalog.New(f, catalog.Options{Log: discard()})
		before := collections()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.Run(ctx)
		time.Sleep(10 * time.Second)
		if got := collections() - before; got != 1 {
			t.Errorf("got %d collections at the start, want 1", got)
		}
		added := releasetest.Release(t, "small@2026-04-01-beta")
		f.set(func(f *fakeStore) { f.releases[added.ID()] = added })
		time.Sleep(10 * time.Second)
		if got := collections() - before; got != 2 {
			t.Errorf("got %d collections after a change, want 2", got)
		}
	})
}

func TestFailuresAreRetriedSoonerThanTheNextPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &polledStore{fakeStore: newFakeStore(t)}
		s.indexErr = errors.New("connection refused")
		c := catalog.New(s, catalog.Options{Poll: time.Hour, Log: discard()})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.Run(ctx)
		synctest.Wait()
		s.set(func(f *fakeStore) { f.indexErr = nil })
		time.Sleep(6 * time.Second)
		synctest.Wait()
		serving(t, c, beta)
	})
}

func TestReadOfTheIndexHasATimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &polledStore{fakeStore: newFakeStore(t)}
		c := catalog.New(s, catalog.Options{IndexTimeout: 10 * time.Second, Log: discard()})
		refresh(t, c)
		s.onIndex = func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		start := time.Now()
		err := c.Refresh(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "The store did not respond within 10s. ") || time.Since(start) != 10*time.Second {
			t.Errorf("got %v after %v, want a timeout after 10s", err, time.Since(start))
		}
		serving(t, c, beta)
		if got := c.Degraded(); len(got) != 1 || got[0].State != catalog.Stale || c.Stats().Reachable {
			t.Errorf("got %v, want a stale list of releases", got)
		}
	})
}

// cachedStore returns an earlier index while its store fails.
type cachedStore struct {
	*fakeStore
	earlier *store.Index
}

func (s *cachedStore) Index(ctx context.Context) (*store.Index, error) {
	index, err := s.fakeStore.Index(ctx)
	if err != nil {
		return s.earlier, err
	}
	return index, nil
}

func TestEarlierIndexIsServedOnlyAtTheStart(t *testing.T) {
	f := newFakeStore(t)
	earlier, err := f.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &cachedStore{f, earlier}
	s.indexErr = errors.New("connection refused")
	log, logs := newLogger()
	c := catalog.New(s, catalog.Options{Log: log})
	for range 3 {
		if err := c.Refresh(t.Context()); err == nil {
			t.Fatal("Refresh returned no error")
		}
	}
	serving(t, c, beta)
	if got := c.Degraded(); len(got) != 1 || got[0].State != catalog.Stale {
		t.Errorf("got %v, want a stale list of releases", got)
	}
	if n := strings.Count(logs.String(), "connection refused"); n != 1 || !strings.Contains(logs.String(), `serving="the cached releases"`) || !strings.Contains(logs.String(), "releases=1 degraded=1") {
		t.Errorf("the failure was logged %d times, want once: %s", n, logs)
	}

	added := releasetest.Release(t, "small@2026-04-01-beta")
	s.set(func(f *fakeStore) { f.indexErr, f.releases[added.ID()] = nil, added })
	refresh(t, c)
	serving(t, c, added.Name())
	if len(c.Degraded()) != 0 {
		t.Errorf("after the recovery: got %v, want nothing degraded", c.Degraded())
	}
	s.set(func(f *fakeStore) { f.indexErr = errors.New("connection refused") })
	_ = c.Refresh(t.Context())
	serving(t, c, added.Name())
}

func TestErrorsThatDifferInNumbersAreLoggedOnce(t *testing.T) {
	f := newFakeStore(t)
	log, logs := newLogger()
	c := catalog.New(f, catalog.Options{Log: log})
	for port := range 3 {
		f.set(func(f *fakeStore) { f.indexErr = fmt.Errorf("read tcp 127.0.0.1:%d: connection reset", 40000+port) })
		_ = c.Refresh(t.Context())
	}
	f.set(func(f *fakeStore) { f.indexErr = errors.New("access denied") })
	_ = c.Refresh(t.Context())
	if n := strings.Count(logs.String(), "cannot be listed"); n != 2 {
		t.Errorf("got %d lines, want 2: %s", n, logs)
	}
}
