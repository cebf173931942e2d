package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/catalog"
	"placard/internal/problem"
	"placard/internal/release"
	"placard/internal/release/releasetest"
	"placard/internal/store"
	"placard/internal/taxonomy"
)

func TestAliasesFollowFromWhatIsPublished(t *testing.T) {
	for _, tc := range []struct {
		name      string
		published []string
		pins      map[string]string
		want      map[string][]string
	}{
		{
			"while there is no stable release, latest is the newest beta",
			[]string{"ai@2026-01-01-beta", "ai@2026-02-01-beta"},
			nil,
			map[string][]string{
				"ai@2026-01-01-beta": {"ai@2026-01-01"},
				"ai@2026-02-01-beta": {"ai@2026-02-01", "ai@beta", "ai@latest"},
			},
		},
		{
			"a stable release is latest even when a beta is newer, and keeps its day",
			[]string{"ai@2026-01-01-beta", "ai@2026-01-01-stable", "ai@2026-02-01-beta"},
			nil,
			map[string][]string{
				"ai@2026-01-01-stable": {"ai@2026-01-01", "ai@latest", "ai@stable"},
				"ai@2026-02-01-beta":   {"ai@2026-02-01", "ai@beta"},
			},
		},
		{
			"types do not mix, pins count, and pins to what is gone do not",
			[]string{"ai@2026-01-01-stable", "place@2026-03-01-beta"},
			map[string]string{"ai@pilot": "ai@2026-01-01-stable", "ai@old": "ai@2020-01-01-stable"},
			map[string][]string{
				"ai@2026-01-01-stable":  {"ai@2026-01-01", "ai@latest", "ai@pilot", "ai@stable"},
				"place@2026-03-01-beta": {"place@2026-03-01", "place@beta", "place@latest"},
			},
		},
	} {
		index := &store.Index{Pins: map[string]taxonomy.ID{}}
		for _, s := range tc.published {
			if _, err := index.Publish(store.Entry{ID: id(t, s)}); err != nil {
				t.Fatal(err)
			}
		}
		for alias, s := range tc.pins {
			index.Pins[alias] = id(t, s)
		}
		got := map[string][]string{}
		for id, aliases := range catalog.Aliases(index) {
			got[id.String()] = aliases
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func id(t testing.TB, s string) taxonomy.ID {
	t.Helper()
	id, err := taxonomy.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func ref(t testing.TB, s string) taxonomy.Ref {
	t.Helper()
	r, err := taxonomy.ParseRef(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// flaky is a store in memory that can be made to fail.
type flaky struct {
	mu       sync.Mutex
	releases map[taxonomy.ID]*release.Release
	indexErr error
	loadErr  error
	loads    int
}

func (f *flaky) set(change func(*flaky)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *flaky) Index(context.Context) (*store.Index, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.indexErr != nil {
		return nil, f.indexErr
	}
	index := new(store.Index)
	for id, r := range f.releases {
		if _, err := index.Publish(store.Entry{ID: id, ContentHash: r.Hash(), Path: r.Hash()}); err != nil {
			return nil, err
		}
	}
	return index, nil
}

func (f *flaky) Load(_ context.Context, e store.Entry) (*release.Release, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loads++
	if f.loadErr != nil {
		return nil, f.loadErr
	}
	return f.releases[e.ID], nil
}

const beta = "small@2026-03-01-beta"

func newFlaky(t testing.TB, extra ...string) *flaky {
	r := releasetest.Release(t, beta, extra...)
	return &flaky{releases: map[taxonomy.ID]*release.Release{r.ID(): r}}
}

func logger() (*slog.Logger, *bytes.Buffer) {
	b := new(bytes.Buffer)
	return slog.New(slog.NewTextHandler(b, nil)), b
}

func serving(t testing.TB, c *catalog.Catalog, version string) *release.Release {
	t.Helper()
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Release(ref(t, version))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func codeOf(err error) problem.Code {
	var p problem.Problem
	errors.As(err, &p)
	return p.Code
}

func TestAPublishShowsWithoutARestartAndRequestsInFlightKeepWhatTheyHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlaky(t)
		log, _ := logger()
		c := catalog.New(f, catalog.Options{Log: log})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _ = c.Run(ctx) }()
		synctest.Wait()
		held, err := c.Current()
		if err != nil {
			t.Fatal(err)
		}
		old := serving(t, c, "small@latest")

		next := releasetest.Release(t, beta, "added")
		f.set(func(f *flaky) { f.releases[next.ID()] = next })
		time.Sleep(2 * time.Second)
		synctest.Wait()

		if got := serving(t, c, "small@latest"); got.Hash() != next.Hash() {
			t.Error("the publish does not show after two seconds")
		}
		if got, err := held.Release(ref(t, "small@latest")); err != nil || got != old {
			t.Error("a request in flight changed its release")
		}
	})
}

func TestOnlyWhatChangedIsLoadedAgain(t *testing.T) {
	f := newFlaky(t)
	log, _ := logger()
	c := catalog.New(f, catalog.Options{Log: log})
	for range 5 {
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	other := releasetest.Release(t, "small@2026-04-01-beta")
	f.set(func(f *flaky) { f.releases[other.ID()] = other })
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.loads != 2 {
		t.Errorf("%d loads of two releases", f.loads)
	}
}

func TestWhatIsInMemoryOutlivesTheStore(t *testing.T) {
	f := newFlaky(t)
	log, logs := logger()
	c := catalog.New(f, catalog.Options{Log: log})
	if _, err := c.Current(); codeOf(err) != problem.UpstreamError {
		t.Errorf("before anything was read: %v", err)
	}
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.set(func(f *flaky) { f.indexErr = errors.New("disk on fire") })
	for range 3 {
		if err := c.Refresh(t.Context()); err == nil {
			t.Fatal("the failure is not reported")
		}
	}
	serving(t, c, beta)
	if n := strings.Count(logs.String(), "disk on fire"); n != 1 {
		t.Errorf("logged %d times", n)
	}
	f.set(func(f *flaky) { f.indexErr = nil })
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(logs.String(), "readable again") {
		t.Error("the recovery is not logged")
	}
}

func TestAReleaseThatCannotBeLoadedKeepsItsLastGoodCopyAndIsTriedAgain(t *testing.T) {
	f := newFlaky(t)
	log, logs := logger()
	c := catalog.New(f, catalog.Options{Log: log, Retry: time.Nanosecond})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	good := serving(t, c, beta)
	next := releasetest.Release(t, beta, "added")
	fresh := releasetest.Release(t, "small@2026-04-01-beta")
	f.set(func(f *flaky) {
		f.loadErr = errors.New("bad sector")
		f.releases[next.ID()] = next
		f.releases[fresh.ID()] = fresh
	})
	for range 3 {
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := serving(t, c, beta); got != good {
		t.Error("the last good copy is not served")
	}
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Release(ref(t, fresh.ID().String())); codeOf(err) != problem.UpstreamError || !strings.Contains(err.Error(), "bad sector") {
		t.Errorf("a release that was never good: %v", err)
	}
	for _, v := range s.Versions() {
		if v.ID == good.ID() && v.ContentHash != good.Hash() {
			t.Error("the list names a hash that is not served")
		}
	}
	if n := strings.Count(logs.String(), "bad sector"); n != 2 {
		t.Errorf("two failures are logged %d times", n)
	}
	f.set(func(f *flaky) { f.loadErr = nil })
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := serving(t, c, beta); got.Hash() != next.Hash() {
		t.Error("the new content does not show after the failure")
	}
	if !strings.Contains(logs.String(), "can be loaded again") {
		t.Error("the recovery is not logged")
	}
}

func TestAReleaseThatCannotBeLoadedIsLetAloneForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFlaky(t)
		f.loadErr = errors.New("bad sector")
		log, _ := logger()
		c := catalog.New(f, catalog.Options{Log: log})
		for range 3 {
			if err := c.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if f.loads != 1 {
			t.Errorf("tried %d times in three seconds", f.loads)
		}
		time.Sleep(5 * time.Second)
		if err := c.Refresh(t.Context()); err != nil || f.loads != 2 {
			t.Errorf("tried %d times (%v)", f.loads, err)
		}
	})
}

func TestARetiredReleaseIsNotFound(t *testing.T) {
	f := newFlaky(t)
	log, _ := logger()
	c := catalog.New(f, catalog.Options{Log: log})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.set(func(f *flaky) { clear(f.releases) })
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{beta, "small@latest"} {
		if _, err := s.Release(ref(t, v)); codeOf(err) != problem.NotFound {
			t.Errorf("%s: %v", v, err)
		}
	}
}

func TestMissingIconsAreLoggedOnLoad(t *testing.T) {
	f := newFlaky(t)
	log, logs := logger()
	c := catalog.New(f, catalog.Options{Log: log})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(logs.String(), "icons") {
		t.Errorf("complete release: logged %s", logs)
	}
	next := withoutIcons(t, releasetest.Release(t, beta, "added"))
	f.set(func(f *flaky) { f.releases[next.ID()] = next })
	for range 2 {
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(logs.String(), "stored icons are missing or damaged"); n != 1 {
		t.Errorf("logged %d times, want once", n)
	}
}

// withoutIcons returns r as it is loaded from a store that lost its icons.
func withoutIcons(t *testing.T, r *release.Release) *release.Release {
	t.Helper()
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	stored := make(fstest.MapFS)
	for name, data := range files {
		if name != "icons.pack" {
			stored[name] = &fstest.MapFile{Data: data}
		}
	}
	loaded, err := release.Decode(stored)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
