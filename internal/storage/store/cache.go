package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"placard/internal/core/release"
)

// Cache is a copy of a store on the local disk, so that a server can start and load
// releases while the store cannot be reached. Files are verified before they are
// used, whether they come from the store or the disk. Several processes can use the
// same folder.
//
// The folder has the releases under their paths in the store, and the index in
// cache.json, together with the name of the store.
type Cache struct {
	// Fetched is called after each attempt to read a release from the store, unless it
	// is nil.
	Fetched func(error)

	store *Store
	name  string // identifies the store
	local folder
	log   *slog.Logger

	tried        atomic.Bool // the store has been asked for the index
	reached      atomic.Bool // the index has been read from the store
	unwritable   atomic.Bool // a write failed, which has been logged
	incomplete   atomic.Bool // a release was loaded but not written
	hits, misses atomic.Int64
	failures     atomic.Int64  // of writes
	writing      chan struct{} // has an element during a write

	keptMu sync.Mutex
	kept   []byte // the last cache.json that was written
}

const (
	cacheFile = "cache.json"

	// firstIndexTimeout limits the first read of the index if there is a copy, so that
	// a server starts soon while the store does not respond.
	firstIndexTimeout = 2 * time.Second
	// cacheWriteTimeout limits the wait for a write to the cache, and for other processes
	// that write to it. Requests wait for the release that is written.
	cacheWriteTimeout = 3 * time.Second
)

// NewCache returns a cache of s in dir, which is created if necessary. The copy of
// an index is used only for a store with the same name.
func NewCache(s *Store, name, dir string, log *slog.Logger) *Cache {
	return &Cache{store: s, name: name, local: folder{newFolderFS(dir)}, log: log, writing: make(chan struct{}, 1)}
}

// cachedIndex is the content of cache.json, which is sealed.
type cachedIndex struct {
	Store string `json:"store"`
	Index *Index `json:"index"`
}

// Index returns the index of the store and keeps a copy of it. If the store has not
// been read yet and cannot be read, Index returns the copy, if there is one, and the
// error.
func (c *Cache) Index(ctx context.Context) (*Index, error) {
	var copied *Index
	limited := ctx
	if !c.reached.Load() {
		copied = c.copiedIndex()
		if first := !c.tried.Swap(true); first && copied != nil {
			var cancel context.CancelFunc
			limited, cancel = WithTimeout(ctx, firstIndexTimeout)
			defer cancel()
		}
	}
	ix, err := c.store.Index(limited)
	if err == nil && ix.Layout == 0 && copied != nil && copied.Journal.Record != "" {
		err = c.store.indexMissing()
	}
	switch {
	case err == nil:
		c.reached.Store(true)
		c.keepIndex(ctx, ix)
		return ix, nil
	case copied == nil || errors.Is(ctx.Err(), context.Canceled):
		return nil, err
	}
	return copied, err
}

// copiedIndex returns the copy of the index, or nil if there is none that can be
// used.
func (c *Cache) copiedIndex() *Index {
	data, err := release.ReadFile(c.local.folderFS, cacheFile)
	if err != nil || release.Unseal(data) != nil {
		return nil
	}
	var cached cachedIndex
	if err := json.Unmarshal(data, &cached); err != nil || cached.Store != c.name || cached.Index == nil {
		return nil
	}
	if release.CheckLayout(cacheFile, cached.Index.Layout) != nil {
		return nil
	}
	return cached.Index
}

// keepIndex copies the index, if it differs from the copy, and deletes the releases
// that it does not list.
func (c *Cache) keepIndex(ctx context.Context, ix *Index) {
	c.keptMu.Lock()
	defer c.keptMu.Unlock()
	ix = c.withCopies(ix)
	data, err := c.encode(ix)
	if err != nil {
		c.report(err)
		return
	}
	copied, err := release.ReadFile(c.local.folderFS, cacheFile)
	if err == nil && bytes.Equal(copied, data) && bytes.Equal(c.kept, data) {
		c.report(nil)
		return
	}
	err = c.write(ctx, func(ctx context.Context) error {
		if err := c.local.WriteFile(ctx, File{cacheFile, data}); err != nil {
			return err
		}
		return c.removeUnlisted(ctx, ix)
	})
	if err == nil {
		c.kept = data
	}
	c.report(err)
}

// withCopies returns the index with the earlier content of each release whose listed
// content is not in the cache, if the earlier one is. It is replaced by a later call,
// after the listed content has been loaded.
func (c *Cache) withCopies(ix *Index) *Index {
	copied := c.copiedIndex()
	if copied == nil {
		return ix
	}
	ix = ix.Clone()
	for i, e := range ix.Releases {
		if earlier, ok := copied.Find(e.ID); ok && earlier.Path != e.Path && !c.has(e.Path) && c.has(earlier.Path) {
			ix.Releases[i] = earlier
		}
	}
	return ix
}

// has reports whether the folder of a release is in the cache.
func (c *Cache) has(dir string) bool {
	_, err := c.local.Stat(path.Join(dir, release.HeaderFile))
	return err == nil
}

func (c *Cache) encode(ix *Index) ([]byte, error) {
	ix = ix.Clone()
	ix.Layout = release.Layout // that of an empty store is 0
	object, err := json.Marshal(cachedIndex{c.name, ix}, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return release.Seal(object), nil
}

// canKeep reports whether the folder of a release can be in the cache. An index that
// was tampered with must not cause writes elsewhere.
func canKeep(e Entry) bool {
	return path.Dir(e.Path) == path.Join(ReleasesDir, e.ID.Folder()) && folderFile.MatchString(path.Base(e.Path))
}

// removeUnlisted deletes the cached releases that are not in the index.
func (c *Cache) removeUnlisted(ctx context.Context, ix *Index) error {
	listed := make(map[string]bool)
	for _, e := range ix.Releases {
		listed[e.Path] = true
	}
	folders, err := fs.Glob(c.local.folderFS, ReleasesDir+"/*/*/*")
	if err != nil {
		return err
	}
	for _, name := range folders {
		_, aside := setAsideTime(name)
		if listed[name] || !aside && !folderFile.MatchString(path.Base(name)) {
			continue
		}
		if err := c.local.remove(name); err != nil {
			return err
		}
	}
	return nil
}

// Load loads a release from the disk or, if it is not there or damaged, from the
// store.
func (c *Cache) Load(ctx context.Context, e Entry) (*release.Release, error) {
	copied, err := FS{FS: c.local.folderFS, Name: c.local.dir}.Load(ctx, e)
	if err == nil && copied.HasAllIcons() {
		c.hits.Add(1)
		return copied, nil
	}
	c.misses.Add(1)
	files, r, err := c.fetch(ctx, e)
	if c.Fetched != nil {
		c.Fetched(err)
	}
	switch {
	case err != nil && copied != nil:
		return copied, nil // it lacks only icons
	case err != nil:
		return nil, FS{Name: FileLabel(c.store.name, e.Path)}.damaged(err)
	}
	if canKeep(e) {
		err := c.write(ctx, func(ctx context.Context) error {
			if err := c.local.remove(e.Path); err != nil {
				return err
			}
			return c.local.WriteFolder(ctx, e.Path, files.list())
		})
		if err != nil {
			c.incomplete.Store(true)
		}
		c.report(err)
	}
	return r, nil
}

// fetch reads and verifies a release in the store, and also returns its files.
func (c *Cache) fetch(ctx context.Context, e Entry) (fileMap, *release.Release, error) {
	dir, err := fs.Sub(c.store.backend.FS(ctx), e.Path)
	if err != nil {
		return nil, nil, err
	}
	files := make(fileMap)
	for _, name := range release.FileNames() {
		data, err := release.ReadFile(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // decode knows which files may be missing
		}
		if err != nil {
			return nil, nil, err
		}
		files[name] = data
	}
	r, err := decode(files, e)
	return files, r, err
}

// write changes the folder of the cache. Its error is only reported: the cache is not
// needed while the store can be read. A lock and a stalled disk cannot be interrupted;
// write then returns, and later calls wait until the change has ended.
func (c *Cache) write(ctx context.Context, change func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, cacheWriteTimeout)
	defer cancel()
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-c.writing }()
		// With ctx, each call would leave a thread that waits for the lock.
		done <- c.local.locked(context.WithoutCancel(ctx), func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return change(ctx)
		})
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// report logs once that the cache cannot be written, and once that it can be written
// again, unless a release is missing: it is copied when the server is restarted.
func (c *Cache) report(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		c.failures.Add(1)
	}
	switch {
	case errors.Is(err, context.Canceled):
	case err == nil && !c.incomplete.Load() && c.unwritable.Swap(false):
		c.log.Info("the cache can be written again", "cache", c.local.dir)
	case err != nil && !c.unwritable.Swap(true):
		c.log.Warn("the cache cannot be written; this server cannot start while the store is unavailable", "cache", c.local.dir, "error", err)
	}
}

// CacheStats are the numbers of a cache for metrics.
type CacheStats struct {
	Hits   int64 // releases read from the disk
	Misses int64 // releases read from the store

	Failures int64 // failed writes
	Writable bool  // the cache has everything that was loaded
}

// Stats returns the current numbers.
func (c *Cache) Stats() CacheStats {
	return CacheStats{c.hits.Load(), c.misses.Load(), c.failures.Load(), !c.unwritable.Load()}
}

// ForeignFile returns the name of a file or folder in dir that no cache contains, or
// the empty string. A folder that cannot be read has none.
func ForeignFile(dir string) string {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		// File systems create lost+found.
		if !slices.Contains([]string{cacheFile, ReleasesDir, path.Dir(lockFile), "lost+found"}, e.Name()) {
			return e.Name()
		}
	}
	return ""
}

// fileMap is a folder of files in memory.
type fileMap map[string][]byte

func (m fileMap) list() []File {
	var files []File
	for _, name := range release.FileNames() {
		if data, ok := m[name]; ok {
			files = append(files, File{name, data})
		}
	}
	return files
}

// Open implements [fs.FS].
func (m fileMap) Open(name string) (fs.File, error) {
	data, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return NewFile(name, data), nil
}

// NewFile returns an open file with the given content.
func NewFile(name string, data []byte) fs.File {
	return memoryFile{bytes.NewReader(data), path.Base(name)}
}

// memoryFile is an open file in memory, and its own description.
type memoryFile struct {
	*bytes.Reader
	name string
}

func (f memoryFile) Stat() (fs.FileInfo, error) { return f, nil }
func (memoryFile) Close() error                 { return nil }
func (f memoryFile) Name() string               { return f.name }
func (memoryFile) Mode() fs.FileMode            { return 0o444 }
func (memoryFile) ModTime() time.Time           { return time.Time{} }
func (memoryFile) IsDir() bool                  { return false }
func (memoryFile) Sys() any                     { return nil }
