package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// newIndex returns an index with the given releases and pins.
func newIndex(t *testing.T, published, retired []string, pins map[string]string) *store.Index {
	t.Helper()
	index := &store.Index{Pins: map[string]taxonomy.ID{}}
	for _, s := range published {
		index.Releases = append(index.Releases, store.Entry{ID: id(t, s)})
	}
	for _, s := range retired {
		index.Retired = append(index.Retired, store.Entry{ID: id(t, s)})
	}
	for alias, s := range pins {
		index.Pins[alias] = id(t, s)
	}
	return index
}

func TestAliasChanges(t *testing.T) {
	pins := map[string]string{"ai@pilot": "ai@2026-01-01-beta"}
	one := newIndex(t, []string{"ai@2026-01-01-beta"}, nil, pins)
	two := newIndex(t, []string{"ai@2026-01-01-stable"}, []string{"ai@2026-01-01-beta"}, pins)
	var got []string
	for _, c := range catalog.AliasChanges(one, two) {
		got = append(got, fmt.Sprintf("%s: %s, %s", c.Alias, c.Old, c.New))
	}
	want := []string{
		"ai@2026-01-01: ai@2026-01-01-beta, ai@2026-01-01-stable",
		"ai@beta: ai@2026-01-01-beta, @-",
		"ai@latest: ai@2026-01-01-beta, ai@2026-01-01-stable",
		"ai@pilot: ai@2026-01-01-beta, @-",
		"ai@stable: @-, ai@2026-01-01-stable",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if changes := catalog.AliasChanges(two, two); changes != nil {
		t.Errorf("got changes %v between equal indexes", changes)
	}
}

func TestResolve(t *testing.T) {
	index := newIndex(t, []string{"ai@2026-01-01-stable"}, []string{"ai@2026-02-01-beta"}, map[string]string{"ai@pilot": "ai@2026-02-01-beta"})
	for name, want := range map[string]string{
		"ai@latest":            "ai@2026-01-01-stable",
		"ai@2026-01-01":        "ai@2026-01-01-stable",
		"ai@2026-01-01-stable": "ai@2026-01-01-stable",
		"ai@2026-02-01-beta":   "ai@2026-02-01-beta was retired.",
		"ai@pilot":             "ai@2026-02-01-beta was retired.",
		"ai@lates":             `Did you mean "ai@latest"?`,
		"nothing-like-it@x":    "Published versions: ai@2026-01-01-stable.",
	} {
		ref, err := taxonomy.ParseRef(name)
		if err != nil {
			t.Fatal(err)
		}
		id, err := catalog.Resolve(index, ref)
		got := id.String()
		if p, ok := errors.AsType[problem.Problem](err); ok {
			got = p.Message + " " + p.FixHint
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestAliases(t *testing.T) {
	for _, tc := range []struct {
		name      string
		published []string
		pins      map[string]string
		want      map[string][]string
	}{
		{
			"without a stable release, latest is the newest beta",
			[]string{"ai@2026-01-01-beta", "ai@2026-02-01-beta"},
			nil,
			map[string][]string{
				"ai@2026-01-01-beta": {"ai@2026-01-01"},
				"ai@2026-02-01-beta": {"ai@2026-02-01", "ai@beta", "ai@latest"},
			},
		},
		{
			"a stable release takes latest and its date, even if a beta is newer",
			[]string{"ai@2026-01-01-beta", "ai@2026-01-01-stable", "ai@2026-02-01-beta"},
			nil,
			map[string][]string{
				"ai@2026-01-01-stable": {"ai@2026-01-01", "ai@latest", "ai@stable"},
				"ai@2026-02-01-beta":   {"ai@2026-02-01", "ai@beta"},
			},
		},
		{
			"types are separate, and pins to retired releases are ignored",
			[]string{"ai@2026-01-01-stable", "place@2026-03-01-beta"},
			map[string]string{"ai@pilot": "ai@2026-01-01-stable", "ai@old": "ai@2020-01-01-stable"},
			map[string][]string{
				"ai@2026-01-01-stable":  {"ai@2026-01-01", "ai@latest", "ai@pilot", "ai@stable"},
				"place@2026-03-01-beta": {"place@2026-03-01", "place@beta", "place@latest"},
			},
		},
	} {
		index := newIndex(t, tc.published, nil, tc.pins)
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

// fakeStore is an in-memory store that can be made to fail.
type fakeStore struct {
	mu       sync.Mutex
	releases map[taxonomy.ID]*release.Release
	indexErr error
	loadErr  error
	loads    int
}

func (f *fakeStore) set(change func(*fakeStore)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fakeStore) Index(context.Context) (*store.Index, error) {
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

func (f *fakeStore) Load(_ context.Context, e store.Entry) (*release.Release, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loads++
	if f.loadErr != nil {
		return nil, f.loadErr
	}
	return f.releases[e.ID], nil
}

const beta = "small@2026-03-01-beta"

func newFakeStore(t testing.TB, extra ...string) *fakeStore {
	r := releasetest.Release(t, beta, extra...)
	return &fakeStore{releases: map[taxonomy.ID]*release.Release{r.ID(): r}}
}

func newLogger() (*slog.Logger, *bytes.Buffer) {
	logs := new(bytes.Buffer)
	return slog.New(slog.NewTextHandler(logs, nil)), logs
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

func TestRunPicksUpPublishedReleasesAndKeepsOldSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore(t)
		log, _ := newLogger()
		c := catalog.New(f, catalog.Options{Log: log})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go c.Run(ctx)
		synctest.Wait()
		snapshot, err := c.Current()
		if err != nil {
			t.Fatal(err)
		}
		old := serving(t, c, "small@latest")

		next := releasetest.Release(t, beta, "added")
		f.set(func(f *fakeStore) { f.releases[next.ID()] = next })
		time.Sleep(2 * time.Second)
		synctest.Wait()

		if got := serving(t, c, "small@latest"); got.Hash() != next.Hash() {
			t.Error("the new release is not served after two seconds")
		}
		if got, err := snapshot.Release(ref(t, "small@latest")); err != nil || got != old {
			t.Error("the old snapshot has changed")
		}
	})
}

func TestRefreshLoadsOnlyNewReleases(t *testing.T) {
	f := newFakeStore(t)
	log, _ := newLogger()
	c := catalog.New(f, catalog.Options{Log: log})
	for range 5 {
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	other := releasetest.Release(t, "small@2026-04-01-beta")
	f.set(func(f *fakeStore) { f.releases[other.ID()] = other })
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.loads != 2 {
		t.Errorf("got %d loads, want 2", f.loads)
	}
}

func TestReleasesAreServedWhileTheStoreFails(t *testing.T) {
	f := newFakeStore(t)
	log, logs := newLogger()
	c := catalog.New(f, catalog.Options{Log: log})
	if _, err := c.Current(); codeOf(err) != problem.UpstreamError {
		t.Errorf("before the first refresh: got %v, want %s", err, problem.UpstreamError)
	}
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.set(func(f *fakeStore) { f.indexErr = errors.New("disk failure") })
	for range 3 {
		if err := c.Refresh(t.Context()); err == nil {
			t.Fatal("Refresh returned no error")
		}
	}
	serving(t, c, beta)
	if n := strings.Count(logs.String(), "disk failure"); n != 1 {
		t.Errorf("the error was logged %d times, want once", n)
	}
	f.set(func(f *fakeStore) { f.indexErr = nil })
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(logs.String(), "listed again") {
		t.Error("the recovery was not logged")
	}
}

func TestLastGoodCopyIsServedUntilLoadingSucceeds(t *testing.T) {
	f := newFakeStore(t)
	log, logs := newLogger()
	c := catalog.New(f, catalog.Options{Log: log, Retry: time.Nanosecond})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	good := serving(t, c, beta)
	next := releasetest.Release(t, beta, "added")
	added := releasetest.Release(t, "small@2026-04-01-beta")
	f.set(func(f *fakeStore) {
		f.loadErr = errors.New("bad sector")
		f.releases[next.ID()] = next
		f.releases[added.ID()] = added
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
	if _, err := s.Release(ref(t, added.ID().String())); codeOf(err) != problem.UpstreamError || !strings.Contains(err.Error(), "at the moment. ") {
		t.Errorf("a release that was never loaded: got %v, want %s", err, problem.UpstreamError)
	}
	for _, v := range s.Versions() {
		if v.ID == good.ID() && v.ContentHash != good.Hash() {
			t.Errorf("Versions has hash %s, want %s", v.ContentHash, good.Hash())
		}
	}
	if n := strings.Count(logs.String(), "bad sector"); n != 2 {
		t.Errorf("the two errors were logged %d times, want 2", n)
	}
	f.set(func(f *fakeStore) { f.loadErr = nil })
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := serving(t, c, beta); got.Hash() != next.Hash() {
		t.Error("the new release is not served after the failure")
	}
	if !strings.Contains(logs.String(), "can be loaded again") {
		t.Error("the recovery was not logged")
	}
}

func TestLoadingAFailingReleaseIsRetriedAfterAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeStore(t)
		f.loadErr = errors.New("bad sector")
		log, _ := newLogger()
		c := catalog.New(f, catalog.Options{Log: log})
		for range 3 {
			if err := c.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if f.loads != 1 {
			t.Errorf("got %d loads in three seconds, want 1", f.loads)
		}
		time.Sleep(5 * time.Second)
		if err := c.Refresh(t.Context()); err != nil || f.loads != 2 {
			t.Errorf("got %d loads (%v), want 2", f.loads, err)
		}
	})
}

func TestRetiredReleaseIsNotFound(t *testing.T) {
	f := newFakeStore(t)
	log, _ := newLogger()
	c := catalog.New(f, catalog.Options{Log: log})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.set(func(f *fakeStore) { clear(f.releases) })
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{beta, "small@latest"} {
		if _, err := s.Release(ref(t, v)); codeOf(err) != problem.NotFound {
			t.Errorf("%s: got %v, want %s", v, err, problem.NotFound)
		}
	}
}

// racingStore replaces a beta and prunes its old content after the index was read for
// the first time.
type racingStore struct {
	*store.Store
	change func()
}

func (s *racingStore) Index(ctx context.Context) (*store.Index, error) {
	index, err := s.Store.Index(ctx)
	if s.change != nil {
		s.change()
		s.change = nil
	}
	return index, err
}

func TestReleasePrunedWhileItIsLoadedIsReplacedByTheNextRefresh(t *testing.T) {
	const beta = "small@2026-01-02-beta"
	s := &racingStore{Store: store.OpenFolder(t.TempDir())}
	publish := func(extra ...string) {
		if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta, extra...)); err != nil {
			t.Fatal(err)
		}
	}
	publish()
	s.change = func() {
		publish("added")
		before := time.Now()
		garbage, err := s.Prunable(t.Context(), before)
		if err != nil {
			t.Fatal(err)
		}
		if deleted, err := s.Prune(t.Context(), store.Intent{}, before, garbage); err != nil || len(deleted) != 1 {
			t.Fatalf("got %v (%v), want one deleted folder", deleted, err)
		}
	}
	log, _ := newLogger()
	c := catalog.New(s, catalog.Options{Log: log, Retry: time.Hour})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if degraded := c.Degraded(); len(degraded) != 1 {
		t.Errorf("got %v, want the pruned content to be missing", degraded)
	}
	// The index has changed, so nothing waits for the interval of retries.
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := serving(t, c, beta).Element("added"); !ok || len(c.Degraded()) > 0 {
		t.Errorf("the new content is not served; degraded: %v", c.Degraded())
	}
}

func TestMissingIconsAreLoggedOnLoad(t *testing.T) {
	f := newFakeStore(t)
	log, logs := newLogger()
	c := catalog.New(f, catalog.Options{Log: log})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(logs.String(), "icons") {
		t.Errorf("complete release: logged %s", logs)
	}
	next := withoutIcons(t, releasetest.Release(t, beta, "added"))
	f.set(func(f *fakeStore) { f.releases[next.ID()] = next })
	for range 2 {
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(logs.String(), "stored icons are missing"); n != 1 {
		t.Errorf("logged %d times, want once", n)
	}
}

// withoutIcons returns r as loaded from a store without its icons.
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
