package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"

	"placard/internal/core/release"
)

// folder is a [Backend] in a folder of the local file system. Files are staged in
// the subfolder .work, synced and renamed, the index last. Writers hold a lock;
// readers do not.
type folder struct {
	folderFS
}

const (
	stagingDir = ".work/staging"
	lockFile   = ".work/lock"
)

// IsFolder reports whether dir contains a store to which something was published.
func IsFolder(dir string) bool {
	index, err := os.Stat(filepath.Join(dir, IndexFile))
	if err != nil || !index.Mode().IsRegular() {
		return false
	}
	releases, err := os.Stat(filepath.Join(dir, ReleasesDir))
	return err == nil && releases.IsDir()
}

// OpenFolder returns the store in dir, which need not exist.
func OpenFolder(dir string) *Store { return New(folder{newFolderFS(dir)}, dir) }

// FS implements [Backend].
func (f folder) FS(context.Context) fs.FS { return f.folderFS }

func (f folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// UpdateIndex implements [Backend]. It holds the lock of the store.
func (f folder) UpdateIndex(ctx context.Context, change func(*Index) (bool, error)) error {
	return f.locked(ctx, func() error {
		ix, err := f.index(ctx)
		if err != nil {
			return err
		}
		if ix.Layout == 0 {
			// Write the empty index first, so that a store with releases but no index
			// is known to be damaged.
			if err := f.writeIndex(ctx, ix); err != nil {
				return err
			}
		}
		if err := f.setOrphansAside(ix.Journal); err != nil {
			return err
		}
		next := ix.Clone()
		changed, err := change(next)
		if err != nil || !changed {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return f.writeIndex(ctx, next)
	})
}

// RepairIndex implements [Backend]. It holds the lock of the store.
func (f folder) RepairIndex(ctx context.Context, rebuild func([]byte) (*Index, error)) (repaired bool, err error) {
	err = f.locked(ctx, func() error {
		if _, err := f.index(ctx); !isDamage(err) {
			return err
		}
		data, err := release.ReadFile(f.folderFS, IndexFile)
		if err != nil && !isDamage(err) {
			return err
		}
		ix, err := rebuild(data)
		if err != nil {
			return err
		}
		if err := f.setOrphansAside(ix.Journal); err != nil {
			return err
		}
		// A link keeps the damaged file until the new one replaces it. It is not
		// possible if the index was replaced by a folder.
		index, aside := f.path(IndexFile), setAsideName(f.path(IndexFile), damagedSuffix)
		if err := os.Link(index, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			if err := os.Rename(index, aside); err != nil {
				return err
			}
		}
		repaired = true
		return f.writeIndex(ctx, ix)
	})
	return repaired && err == nil, err
}

func (f folder) index(ctx context.Context) (*Index, error) {
	return FS{FS: f.folderFS, Name: f.dir}.Index(ctx)
}

// locked runs a function while holding the lock of the store, with an empty staging
// folder.
func (f folder) locked(ctx context.Context, run func() error) error {
	staging := f.path(stagingDir)
	if err := os.MkdirAll(staging, 0o755); err != nil {
		return err
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	// Since we hold the lock, any staged files were left by a crashed writer.
	if err := emptyDir(staging); err != nil {
		return err
	}
	if err := run(); err != nil {
		// Staged files take up space on a disk that may be full. The error of the
		// change is more important than that of the cleanup.
		_ = emptyDir(staging)
		return err
	}
	return nil
}

// setOrphansAside renames records that are as new as the newest one, head, or newer.
// Crashed writers left them behind. If the index is lost, it is rebuilt from the
// other records.
func (f folder) setOrphansAside(head Head) error {
	entries, err := os.ReadDir(f.path(JournalDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		file := path.Join(JournalDir, e.Name())
		if revision, ok := recordRevision(file); !ok || revision < head.Revision || file == head.Record {
			continue
		}
		if err := os.Rename(f.path(file), setAsideName(f.path(file), orphanSuffix)); err != nil {
			return err
		}
	}
	return nil
}

// lock acquires the lock of the store. It returns early if ctx is done.
func (f folder) lock(ctx context.Context) (unlock func(), err error) {
	type result struct {
		unlock func()
		err    error
	}
	results := make(chan result, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(f.path(lockFile)).Lock()
		results <- result{unlock, err}
	}()
	select {
	case r := <-results:
		return r.unlock, r.err
	case <-ctx.Done():
		go func() {
			if r := <-results; r.err == nil {
				r.unlock()
			}
		}()
		return nil, ctx.Err()
	}
}

func (f folder) writeIndex(ctx context.Context, ix *Index) error {
	data, err := ix.Encode()
	if err != nil {
		return err
	}
	return f.WriteFile(ctx, File{IndexFile, data})
}

// WriteFile implements [Backend].
func (f folder) WriteFile(_ context.Context, file File) error {
	staged := f.path(path.Join(stagingDir, path.Base(file.Name)))
	if err := os.WriteFile(staged, file.Data, 0o644); err != nil {
		return err
	}
	if err := syncTree(staged); err != nil {
		return err
	}
	return f.install(staged, file.Name)
}

// WriteFolder implements [Backend]. An existing folder, which is damaged or lacks
// icons, is renamed.
func (f folder) WriteFolder(ctx context.Context, dir string, files []File) error {
	staged, err := os.MkdirTemp(f.path(stagingDir), "release-")
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(staged, file.Name), file.Data, 0o644); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Chmod(staged, 0o755); err != nil {
		return err
	}
	if err := syncTree(staged); err != nil {
		return err
	}
	target := f.path(dir)
	aside := setAsideName(target, damagedSuffix)
	err = os.Rename(target, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	renamed := err == nil
	if err := f.install(staged, dir); err != nil {
		if renamed {
			// It may lack only icons. If something was installed, this fails.
			_ = os.Rename(aside, target)
		}
		return err
	}
	return nil
}

// Remove implements [Backend]. It holds the lock of the store: another writer may be
// about to write to a folder that is left empty.
func (f folder) Remove(ctx context.Context, name string) error {
	return f.locked(ctx, func() error { return f.remove(name) })
}

// remove deletes a file or a folder, and the folders that are left empty.
func (f folder) remove(name string) error {
	if _, err := os.Lstat(f.path(name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.RemoveAll(f.path(name)); err != nil {
		return err
	}
	dir := path.Dir(name)
	for dir != "." && dir != ReleasesDir && dir != JournalDir && os.Remove(f.path(dir)) == nil {
		dir = path.Dir(dir)
	}
	return syncFile(f.path(dir))
}

// install renames a staged file or folder to its name in the store, and syncs the
// new directory entry and those of its parents.
func (f folder) install(staged, name string) error {
	target := f.path(name)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if err := os.Rename(staged, target); err != nil {
		return err
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if err := syncFile(f.path(dir)); err != nil || dir == "." {
			return err
		}
	}
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// syncTree syncs a file, or a folder and everything in it, to disk.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncFile(name)
	})
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
