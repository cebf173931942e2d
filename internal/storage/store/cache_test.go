package store_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

const stable = "small@2026-01-01-stable"

// cachedFolder is a store in a folder that can be away, and its cache.
type cachedFolder struct {
	*testing.T
	dir, cacheDir string
	store         *store.Store
	logs          *bytes.Buffer
}

func newCachedFolder(t *testing.T, ids ...string) *cachedFolder {
	f := &cachedFolder{T: t, dir: filepath.Join(t.TempDir(), "store"), cacheDir: filepath.Join(t.TempDir(), "cache"), logs: new(bytes.Buffer)}
	f.store = store.OpenFolder(f.dir)
	for _, id := range ids {
		f.publish(releasetest.Release(t, id))
	}
	return f
}

func (f *cachedFolder) publish(r *release.Release) {
	f.Helper()
	if _, err := storetest.Publish(f.Context(), f.store, r); err != nil {
		f.Fatal(err)
	}
}

// open returns the cache as another process sees it.
func (f *cachedFolder) open() *store.Cache {
	return store.NewCache(f.store, f.dir, f.cacheDir, slog.New(slog.NewTextHandler(f.logs, nil)))
}

// setAway moves the store away, or back.
func (f *cachedFolder) setAway(away bool) {
	f.Helper()
	from, to := f.dir+".away", f.dir
	if away {
		from, to = to, from
	}
	if err := os.Rename(from, to); err != nil {
		f.Fatal(err)
	}
}

// loadAll reads the index and all releases, and returns the error of the index.
func (f *cachedFolder) loadAll(c *store.Cache) (*store.Index, error) {
	f.Helper()
	ix, err := c.Index(f.Context())
	if ix == nil {
		return nil, err
	}
	for _, e := range ix.Releases {
		if r, err := c.Load(f.Context(), e); err != nil || r.Hash() != e.ContentHash || !r.HasAllIcons() {
			f.Errorf("%s: %v", e.ID, err)
		}
	}
	return ix, err
}

// wantStale checks that a new process can serve n releases without the store.
func (f *cachedFolder) wantStale(n int) {
	f.Helper()
	f.setAway(true)
	defer f.setAway(false)
	c := f.open()
	ix, err := f.loadAll(c)
	if err == nil || ix == nil || len(ix.Releases) != n {
		f.Fatalf("without the store: got %v (%v), want a stale index with %d releases", ix, err, n)
	}
	if got := c.Stats(); got.Misses != 0 || got.Hits != int64(n) {
		f.Errorf("without the store: got %+v, want %d hits", got, n)
	}
}

// cached returns the files of the releases in the cache.
func (f *cachedFolder) cached() []string {
	f.Helper()
	files, err := filepath.Glob(filepath.Join(f.cacheDir, "releases", "*", "*", "*", "*"))
	if err != nil {
		f.Fatal(err)
	}
	return files
}

func TestCacheReplacesAnUnavailableStore(t *testing.T) {
	f := newCachedFolder(t, beta, stable)
	f.setAway(true)
	if ix, err := f.open().Index(t.Context()); ix != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("with an empty cache: got %v (%v), want %v", ix, err, fs.ErrNotExist)
	}
	f.setAway(false)
	c := f.open()
	if _, err := f.loadAll(c); err != nil {
		t.Fatal(err)
	}
	if got := c.Stats(); got.Hits != 0 || got.Misses != 2 {
		t.Errorf("with an empty cache: got %+v, want 2 misses", got)
	}
	f.wantStale(2)

	// A process that has read the store knows a newer index than the cache may have.
	f.setAway(true)
	if ix, err := c.Index(t.Context()); ix != nil || err == nil {
		t.Errorf("after the store was read: got %v (%v), want only an error", ix, err)
	}
	c = f.open()
	if _, err := f.loadAll(c); err == nil {
		t.Error("without the store: got no error")
	}
	f.setAway(false)
	if _, err := f.loadAll(c); err != nil {
		t.Errorf("after the store came back: %v", err)
	}
	if f.logs.Len() > 0 {
		t.Errorf("logged %s", f.logs)
	}
}

func TestDamagedCacheIsReplaced(t *testing.T) {
	f := newCachedFolder(t, stable)
	if _, err := f.loadAll(f.open()); err != nil {
		t.Fatal(err)
	}
	files := append(f.cached(), filepath.Join(f.cacheDir, "cache.json"))
	if len(files) != 5 {
		t.Fatalf("got files %v, want 5", files)
	}
	for name, damage := range map[string]func(file string) error{
		"removed":              os.Remove,
		"truncated":            func(file string) error { return os.Truncate(file, 100) },
		"empty":                func(file string) error { return os.Truncate(file, 0) },
		"altered":              flip(0.5),
		"replaced by a folder": func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o755)) },
	} {
		for _, file := range files {
			if err := damage(file); err != nil {
				t.Fatal(err)
			}
			if _, err := f.loadAll(f.open()); err != nil {
				t.Errorf("%s is %s: %v", filepath.Base(file), name, err)
			}
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				// A file cannot replace a folder; the operator has to remove it.
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
				if _, err := f.loadAll(f.open()); err != nil {
					t.Fatal(err)
				}
			}
			if got := f.cached(); len(got) != 4 {
				t.Errorf("%s was %s: got files %v, want only those of the release", filepath.Base(file), name, got)
			}
			f.wantStale(1)
		}
	}
	if err := flip(0.5)(filepath.Join(f.cacheDir, "cache.json")); err != nil {
		t.Fatal(err)
	}
	f.setAway(true)
	if ix, err := f.open().Index(t.Context()); ix != nil || err == nil {
		t.Errorf("with a damaged index and without the store: got %v (%v), want an error", ix, err)
	}
}

func TestCacheOfAnotherLayoutIsNotUsed(t *testing.T) {
	f := newCachedFolder(t, stable)
	if _, err := f.loadAll(f.open()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(f.cacheDir, "cache.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	object, _, _ := bytes.Cut(data, []byte(",\n  \"checksum\""))
	other := bytes.Replace(object, []byte(`"layout": `), []byte(`"layout": 9`), 1)
	if bytes.Equal(other, object) || bytes.Equal(object, data) {
		t.Fatalf("unexpected file %s", data)
	}
	if err := os.WriteFile(file, release.Seal(append(other, "\n}"...)), 0o644); err != nil {
		t.Fatal(err)
	}
	f.setAway(true)
	if ix, err := f.open().Index(t.Context()); ix != nil || err == nil {
		t.Errorf("got %v (%v), want an error", ix, err)
	}
	f.setAway(false)
	if _, err := f.loadAll(f.open()); err != nil {
		t.Fatal(err)
	}
	f.wantStale(1)
}

func TestCacheOfAnotherStoreIsNotUsed(t *testing.T) {
	f := newCachedFolder(t, stable)
	if _, err := f.loadAll(f.open()); err != nil {
		t.Fatal(err)
	}
	other := newCachedFolder(t, "other@2026-01-01-stable")
	other.cacheDir = f.cacheDir
	other.setAway(true)
	if ix, err := other.open().Index(t.Context()); ix != nil || err == nil {
		t.Errorf("got %v (%v), want an error", ix, err)
	}
	other.setAway(false)
	if _, err := other.loadAll(other.open()); err != nil {
		t.Fatal(err)
	}
	if got := f.cached(); len(got) != 4 || !strings.Contains(got[0], "other") {
		t.Errorf("got files %v, want those of the other store", got)
	}
}

func TestUnwritableCacheIsReportedOnce(t *testing.T) {
	f := newCachedFolder(t, beta, stable)
	if err := os.WriteFile(f.cacheDir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c := f.open()
	for range 3 {
		if _, err := f.loadAll(c); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(f.logs.String(), "level=WARN"); n != 1 {
		t.Errorf("got %d warnings, want 1: %s", n, f.logs)
	}
	if stats := c.Stats(); stats.Writable || stats.Failures == 0 {
		t.Errorf("got %+v, want failures", stats)
	}
	if err := os.Remove(f.cacheDir); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Index(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.Stats().Writable || strings.Contains(f.logs.String(), "can be written again") {
		t.Errorf("with releases in memory that are not in the cache: got %+v, logged %s", c.Stats(), f.logs)
	}
}

func TestLockedCacheIsWaitedForOnce(t *testing.T) {
	f := newCachedFolder(t, stable)
	if err := os.MkdirAll(filepath.Join(f.cacheDir, ".work"), 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(f.cacheDir, ".work", "lock")).Lock()
	if err != nil {
		t.Fatal(err)
	}
	c := f.open()
	before := runtime.NumGoroutine()
	const attempts = 20
	for range attempts {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		ix, err := c.Index(ctx)
		cancel()
		if err != nil || len(ix.Releases) != 1 {
			t.Fatalf("got %v (%v), want the index", ix, err)
		}
	}
	if got := runtime.NumGoroutine() - before; got >= attempts {
		t.Errorf("%d goroutines are left after %d attempts", got, attempts)
	}
	if c.Stats().Writable {
		t.Error("a locked cache is reported as writable")
	}
	unlock()
	if _, err := f.loadAll(c); err != nil {
		t.Fatal(err)
	}
	if !c.Stats().Writable {
		t.Error("after the lock was released: got a cache that cannot be written")
	}
	f.wantStale(1)
}

func TestProcessesShareACache(t *testing.T) {
	f := newCachedFolder(t, beta, stable)
	f.logs = nil // not safe for concurrent use
	open := func() *store.Cache {
		return store.NewCache(f.store, f.dir, f.cacheDir, slog.New(slog.NewTextHandler(t.Output(), nil)))
	}
	var processes sync.WaitGroup
	for range 4 {
		processes.Go(func() {
			c := open()
			for range 3 {
				if _, err := f.loadAll(c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	processes.Wait()
	f.logs = new(bytes.Buffer)
	f.wantStale(2)
}

func TestCacheHasOnlyListedReleases(t *testing.T) {
	f := newCachedFolder(t, beta, stable)
	c := f.open()
	if _, err := f.loadAll(c); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(f.cacheDir, "releases", "a", "b", "notes")
	if err := os.MkdirAll(mine, 0o755); err != nil {
		t.Fatal(err)
	}
	f.publish(releasetest.Release(t, beta, "added"))
	old, err := f.store.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.store.Retire(t.Context(), store.Intent{}, old.Releases[0].ID); err != nil {
		t.Fatal(err)
	}
	for range 2 { // earlier content is deleted after new content was loaded
		if _, err := f.loadAll(c); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.cached(); len(got) != 4 {
		t.Errorf("got files %v, want those of one release", got)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("a folder that is not a release was removed: %v", err)
	}
	f.wantStale(1)

	// A request of another process may still use the retired release.
	if _, err := c.Load(t.Context(), old.Releases[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := f.loadAll(f.open()); err != nil {
		t.Fatal(err)
	}
	if got := f.cached(); len(got) != 4 {
		t.Errorf("after the next start: got files %v, want those of one release", got)
	}
}

func TestCacheKeepsEarlierContentUntilTheNewOneIsLoaded(t *testing.T) {
	f := newCachedFolder(t, beta, stable)
	c := f.open()
	if _, err := f.loadAll(c); err != nil {
		t.Fatal(err)
	}
	f.publish(releasetest.Release(t, beta, "added"))
	for range 2 {
		if _, err := c.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.wantStale(2)
	}
	for range 2 {
		if _, err := f.loadAll(c); err != nil {
			t.Fatal(err)
		}
		f.wantStale(2)
	}
	if got := f.cached(); len(got) != 8 {
		t.Errorf("got files %v, want those of two releases", got)
	}
}

func TestCacheFollowsAStoreThatWasRestoredFromABackup(t *testing.T) {
	f := newCachedFolder(t, stable)
	backup := t.TempDir()
	if err := os.CopyFS(backup, os.DirFS(f.dir)); err != nil {
		t.Fatal(err)
	}
	f.publish(releasetest.Release(t, beta))
	c := f.open()
	if _, err := f.loadAll(c); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(f.dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(f.dir, os.DirFS(backup)); err != nil {
		t.Fatal(err)
	}
	if ix, err := f.loadAll(c); err != nil || len(ix.Releases) != 1 {
		t.Errorf("got %v (%v), want the index of the backup", ix, err)
	}
	f.wantStale(1)
}

func TestCacheKeepsTheReleasesOfAnEmptiedStore(t *testing.T) {
	f := newCachedFolder(t, stable)
	running := f.open()
	if _, err := f.loadAll(running); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(f.dir), os.Mkdir(f.dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	if ix, err := running.Index(t.Context()); ix != nil || err == nil {
		t.Errorf("got %v (%v), want only an error", ix, err)
	}
	f.store = store.OpenFolder(f.dir) // of another process
	ix, err := f.loadAll(f.open())
	if err == nil || ix == nil || len(ix.Releases) != 1 {
		t.Errorf("after a restart: got %v (%v), want a stale index with one release", ix, err)
	}
	f.publish(releasetest.Release(t, beta))
	if ix, err := f.loadAll(f.open()); err != nil || len(ix.Releases) != 1 || ix.Releases[0].ID.String() != beta {
		t.Errorf("after %s was published: got %v (%v), want only that release", beta, ix, err)
	}
}

// fakeBackend is a backend whose files can be read only.
type fakeBackend struct {
	store.Backend
	files func(context.Context) fs.FS
}

func (b fakeBackend) FS(ctx context.Context) fs.FS { return b.files(ctx) }

// stalledFS never responds.
type stalledFS struct{ context.Context }

func (s stalledFS) Open(string) (fs.File, error) {
	<-s.Done()
	return nil, s.Err()
}

func TestServerStartsSoonWithAStalledStore(t *testing.T) {
	f := newCachedFolder(t, stable)
	if _, err := f.loadAll(f.open()); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		stalled := store.New(fakeBackend{files: func(ctx context.Context) fs.FS { return stalledFS{ctx} }}, f.dir)
		c := store.NewCache(stalled, f.dir, f.cacheDir, slog.New(slog.DiscardHandler))
		start := time.Now()
		ix, err := c.Index(t.Context())
		if err == nil || ix == nil || time.Since(start) != 2*time.Second {
			t.Errorf("got %v (%v) after %v, want a stale index after 2s", ix, err, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if ix, err := c.Index(ctx); ix != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("after the server was stopped: got %v (%v), want %v", ix, err, context.Canceled)
		}
	})
}

// slowFS takes longer than the first read of the index may.
type slowFS struct {
	context.Context
	fs.FS
}

func (s slowFS) Open(name string) (fs.File, error) {
	select {
	case <-s.Done():
		return nil, s.Err()
	case <-time.After(3 * time.Second):
		return s.FS.Open(name)
	}
}

func TestSlowStoreIsFollowedAfterAStartFromTheCache(t *testing.T) {
	f := newCachedFolder(t, stable)
	if _, err := f.loadAll(f.open()); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		slow := store.New(fakeBackend{files: func(ctx context.Context) fs.FS { return slowFS{ctx, os.DirFS(f.dir)} }}, f.dir)
		c := store.NewCache(slow, f.dir, f.cacheDir, slog.New(slog.DiscardHandler))
		if _, err := c.Index(t.Context()); err == nil {
			t.Error("the first read was not limited")
		}
		if ix, err := c.Index(t.Context()); err != nil || len(ix.Releases) != 1 {
			t.Errorf("got %v (%v), want the index of the store", ix, err)
		}
	})
}

func TestCacheWritesOnlyBelowItsFolder(t *testing.T) {
	f := newCachedFolder(t, stable)
	ix, err := f.store.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := ix.Releases[0]
	// The files have other names in this store, as a hostile index may say.
	files, err := fs.Sub(os.DirFS(f.dir), filepath.Dir(e.Path))
	if err != nil {
		t.Fatal(err)
	}
	hostile := store.New(fakeBackend{files: func(context.Context) fs.FS { return files }}, f.dir)
	c := store.NewCache(hostile, f.dir, f.cacheDir, slog.New(slog.DiscardHandler))
	e.Path = filepath.Base(e.Path)
	if _, err := c.Load(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(f.cacheDir, e.Path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the release was written to %s in the cache (%v)", e.Path, err)
	}
}
