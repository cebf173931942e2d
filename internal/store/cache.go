package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"time"

	"placard/internal/release"
)

// Cache is a copy of a store on the local disk, so that a server can start and load
// releases while the store cannot be reached. It has the layout of a store in a
// folder. Files are verified before they are used, whether they come from the store
// or the disk.
type Cache struct {
	store *Store
	local folder
	log   *slog.Logger
}

// NewCache returns a cache of s in dir, which is created if necessary.
func NewCache(s *Store, dir string, log *slog.Logger) *Cache {
	return &Cache{store: s, local: folder{newFolderFS(dir)}, log: log}
}

// StaleError is returned with an index from the cache, because the store cannot be
// read.
type StaleError struct{ Err error }

func (e *StaleError) Error() string { return fmt.Sprintf("%v; the cached index is used", e.Err) }
func (e *StaleError) Unwrap() error { return e.Err }

// Index returns the index of the store and keeps a copy of it. If the store cannot
// be read, Index returns the copy and a [StaleError].
func (c *Cache) Index(ctx context.Context) (*Index, error) {
	ix, err := c.store.Index(ctx)
	if err == nil {
		c.keepIndex(ctx, ix)
		return ix, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	cached, cacheErr := c.local.index(ctx)
	if cacheErr != nil || cached.Layout == 0 {
		return nil, err
	}
	return cached, &StaleError{err}
}

// keepIndex copies the index, if it changed, and deletes the releases that it no
// longer lists. Errors are logged: the cache is not needed while the store can be
// read.
func (c *Cache) keepIndex(ctx context.Context, ix *Index) {
	if cached, err := c.local.index(ctx); err == nil && cached.Journal == ix.Journal && cached.Layout == ix.Layout && ix.Journal.Revision > 0 {
		return
	}
	err := c.local.locked(ctx, func() error {
		if err := c.local.writeIndex(ctx, ix.Clone()); err != nil {
			return err
		}
		return c.removeUnlisted(ctx, ix)
	})
	c.report("the index cannot be cached", err)
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
		if !listed[name] {
			if err := c.local.remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Load loads a release from the disk or, if it is not there or damaged, from the
// store.
func (c *Cache) Load(ctx context.Context, e Entry) (*release.Release, error) {
	r, err := FS{FS: c.local.folderFS, Name: c.local.dir}.Load(ctx, e)
	if err == nil {
		return r, nil
	}
	files, err := c.fetch(ctx, e)
	if err != nil {
		return nil, err
	}
	if r, err = decode(files, e); err != nil {
		return nil, err
	}
	err = c.local.locked(ctx, func() error { return c.local.WriteFolder(ctx, e.Path, files.list()) })
	c.report("a release cannot be cached", err)
	return r, nil
}

// fetch reads the files of a release from the store.
func (c *Cache) fetch(ctx context.Context, e Entry) (fileMap, error) {
	dir, err := fs.Sub(c.store.backend.FS(ctx), e.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.ID, err)
	}
	files := make(fileMap)
	for _, name := range release.FileNames() {
		data, err := release.ReadFile(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // decode knows which files may be missing
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		files[name] = data
	}
	return files, nil
}

func (c *Cache) report(message string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		c.log.Warn(message, "error", err)
	}
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
	return memoryFile{bytes.NewReader(data), path.Base(name)}, nil
}

// memoryFile is an open file of a [fileMap], and its own description.
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
