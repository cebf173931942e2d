package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"placard/internal/release"
)

// Folder is a store in a folder of the local file system:
//
//	index.json                                 the index, sealed
//	releases/<type>/<date>-<status>/<digest>/  the files of one release
//	.work/                                     the publish lock and staged files
//
// Files are staged, synced and renamed, releases before the index that lists
// them. Readers therefore never see a partial write, and a crash leaves either
// the old state or the new one. Publishers hold a lock; readers do not.
type Folder struct {
	FS
	// Now returns the publication time; nil means time.Now.
	Now func() time.Time
	dir string
}

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
func OpenFolder(dir string) *Folder {
	return &Folder{FS: FS{FS: newFolderFS(dir), Name: dir}, dir: dir}
}

// ReleasesDir is the folder of the releases in every store.
const ReleasesDir = "releases"

const (
	stagingDir = ".work/staging"
	lockFile   = ".work/lock"
)

// Publication is a release to publish and the aliases to pin to it.
type Publication struct {
	Release *release.Release
	Pins    []string
}

// Outcome is the result of a publication.
type Outcome struct {
	Entry
	Changed   bool     // whether the index changed
	Published bool     // whether the release is new or was restored
	Pinned    []string // the aliases that are new or were moved, <type>@<name>
}

// Publish publishes a release and pins the aliases to it, atomically.
func (s *Folder) Publish(ctx context.Context, r *release.Release, pins ...string) (Outcome, error) {
	outcomes, err := s.PublishAll(ctx, Publication{r, pins})
	if err != nil {
		return Outcome{}, err
	}
	return outcomes[0], nil
}

// PublishAll publishes several releases atomically: if one is refused, none is
// published.
func (s *Folder) PublishAll(ctx context.Context, publications ...Publication) ([]Outcome, error) {
	for _, p := range publications {
		for _, name := range p.Pins {
			if err := checkPin(name); err != nil {
				return nil, fmt.Errorf("publish %s: %w", p.Release.ID(), err)
			}
		}
	}
	outcomes := make([]Outcome, len(publications))
	err := s.update(ctx, func(ix *Index) (changed bool, err error) {
		for i, p := range publications {
			if outcomes[i], err = s.publish(ctx, ix, p); err != nil {
				return false, fmt.Errorf("publish %s: %w", p.Release.ID(), err)
			}
			changed = changed || outcomes[i].Changed
		}
		return changed, nil
	})
	return outcomes, err
}

// publish adds one release to ix and writes its files. Readers do not see them
// before ix is written.
func (s *Folder) publish(ctx context.Context, ix *Index, p Publication) (Outcome, error) {
	files, e, err := encode(p.Release)
	if err != nil {
		return Outcome{}, err
	}
	e.PublishedAt = s.now()
	published, err := ix.Publish(e)
	if err != nil {
		return Outcome{}, err
	}
	e, _ = ix.Find(e.ID) // the old entry if nothing changed
	var pins []string
	for _, name := range p.Pins {
		pinned, err := ix.Pin(e.ID, name)
		if err != nil {
			return Outcome{}, err
		}
		if pinned {
			pins = append(pins, e.ID.Type+"@"+name)
		}
	}
	written, err := s.ensure(ctx, e, files)
	if err != nil {
		return Outcome{}, err
	}
	if written && !published {
		// The files were restored: a new date makes servers load them again.
		e.PublishedAt, published = s.now(), true
		ix.replace(e)
	}
	return Outcome{Entry: e, Changed: published || pins != nil, Published: published, Pinned: pins}, nil
}

func (s *Folder) now() time.Time {
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	return now().UTC().Truncate(time.Second)
}

type file struct {
	name string
	data []byte
}

// encode returns the files and the index entry of a release. Its folder is named
// after the digest of its header, which has the checksums of the other files.
func encode(r *release.Release) ([]file, Entry, error) {
	seq, err := r.Files()
	if err != nil {
		return nil, Entry{}, err
	}
	var files []file
	var digest string
	for name, data := range seq {
		files = append(files, file{name, data})
		if name == release.HeaderFile {
			digest = release.Digest(data)
		}
	}
	return files, Entry{
		ID:          r.ID(),
		ContentHash: r.Hash(),
		Path:        path.Join(ReleasesDir, r.ID().Folder(), digest[:16]),
	}, nil
}

// ensure writes the folder of e unless it has a complete release, and reports
// whether it did.
func (s *Folder) ensure(ctx context.Context, e Entry, files []file) (written bool, err error) {
	complete, err := s.complete(ctx, e)
	if err != nil || complete {
		return false, err
	}
	return true, s.write(ctx, e, files)
}

// complete reports whether the folder of e has every file of the release, all
// of them undamaged.
func (s *Folder) complete(ctx context.Context, e Entry) (bool, error) {
	r, err := s.Load(ctx, e)
	var damage *release.DamageError
	if errors.As(err, &damage) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return r.HasAllIcons(), nil
}

// write writes the files of a release to its folder. An existing folder, which is
// damaged or lacks icons, is renamed.
func (s *Folder) write(ctx context.Context, e Entry, files []file) error {
	staged, err := os.MkdirTemp(filepath.Join(s.dir, stagingDir), "release-")
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(staged, f.name), f.data, 0o644); err != nil {
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
	target := filepath.Join(s.dir, filepath.FromSlash(e.Path))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(target); err == nil {
		backup := fmt.Sprintf("%s.damaged-%d", target, time.Now().UnixNano())
		if err := os.Rename(target, backup); err != nil {
			return err
		}
	}
	if err := os.Rename(staged, target); err != nil {
		return err
	}
	// Sync the new directory entry, and those of its parents up to the store.
	for dir := path.Dir(e.Path); ; dir = path.Dir(dir) {
		if err := syncFile(filepath.Join(s.dir, filepath.FromSlash(dir))); err != nil || dir == "." {
			return err
		}
	}
}

// update calls change with a copy of the index while holding the publish lock.
// The index is written only if change reports a change.
func (s *Folder) update(ctx context.Context, change func(*Index) (bool, error)) error {
	staging := filepath.Join(s.dir, stagingDir)
	if err := os.MkdirAll(staging, 0o755); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("store: lock: %w", err)
	}
	defer unlock()
	// Since we hold the lock, any staged files were left by a crashed publisher.
	if err := emptyDir(staging); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	ix, err := s.Index(ctx)
	if err != nil {
		return err
	}
	if ix.Layout == 0 {
		// Write the empty index first, so that a store with releases but no index
		// is known to be damaged.
		if err := s.writeIndex(ix); err != nil {
			return err
		}
	}
	next := ix.Clone()
	changed, err := change(next)
	if err != nil || !changed {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.writeIndex(next)
}

// lock acquires the publish lock. It returns early if ctx is done.
func (s *Folder) lock(ctx context.Context) (unlock func(), err error) {
	type result struct {
		unlock func()
		err    error
	}
	results := make(chan result, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(filepath.Join(s.dir, lockFile)).Lock()
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

func (s *Folder) writeIndex(ix *Index) error {
	data, err := ix.Encode()
	if err != nil {
		return fmt.Errorf("store index: %w", err)
	}
	staged := filepath.Join(s.dir, stagingDir, IndexFile)
	if err := os.WriteFile(staged, data, 0o644); err != nil {
		return fmt.Errorf("store index: %w", err)
	}
	if err := syncTree(staged); err != nil {
		return fmt.Errorf("store index: %w", err)
	}
	if err := os.Rename(staged, filepath.Join(s.dir, IndexFile)); err != nil {
		return fmt.Errorf("store index: %w", err)
	}
	return syncFile(s.dir)
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
