package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

	"placard/internal/core/problem"
	"placard/internal/core/release"
)

// Copied is the result of [Store.CopyFrom].
type Copied struct {
	Releases int // release folders that were copied
	Present  int // release folders that were there before
	Records  int // records of the journal that were copied
	Index    *Index
}

// CopyFrom makes s a copy of from: all releases that can be read, the journal and, last, the
// index. Every release is verified after it is written. s must be empty or an earlier copy
// of from; what it already has is not written again. It calls progress, unless it is nil,
// before each release.
func (s *Store) CopyFrom(ctx context.Context, from *Store, progress func(done, total int, e Entry)) (Copied, error) {
	files := from.files(ctx)
	ix, err := from.Index(ctx)
	if err != nil {
		return Copied{}, err
	}
	if ix.Layout == 0 {
		return Copied{}, problem.New(problem.NotFound, "Nothing is published in the store to copy.").Hint("Check its name.")
	}
	journal, err := files.chain(ctx, ix.Journal)
	if err != nil {
		return Copied{}, err
	}
	if gap, ok := journal.unknownGap(); ok {
		return Copied{}, files.damaged(gap.err)
	}
	uses := journal.uses(ix, time.Now())
	var copied Copied
	err = s.backend.UpdateIndex(ctx, func(old *Index) (bool, error) {
		copied = Copied{}
		if included, err := files.Includes(ix.Journal, old.Journal); err != nil || !included {
			if err == nil {
				err = problem.New(problem.BadRequest, "The target has changes that the store to copy does not have.").
					Hint("Copy into a new store, or into an earlier copy of the same store.")
			}
			return false, err
		}
		for i, name := range slices.Sorted(maps.Keys(uses)) {
			u := uses[name]
			if progress != nil {
				progress(i, len(uses), u.Entry)
			}
			if err := s.copyRelease(ctx, files, u, &copied); err != nil {
				return false, err
			}
		}
		target := s.files(ctx)
		for name := range journal.files {
			if _, err := fs.Stat(target.FS, name); err == nil {
				continue
			}
			data, err := files.recordData(name)
			if err != nil {
				return false, files.damaged(err)
			}
			if err := s.backend.WriteFile(ctx, File{name, data}); err != nil {
				return false, err
			}
			copied.Records++
		}
		changed := old.Journal != ix.Journal
		*old = *ix.Clone()
		old.Pruning = nil // what a prune is deleting is not copied
		copied.Index = old
		return changed, nil
	})
	return copied, err
}

// copyRelease copies the folder of a release, unless s has it. Earlier contents whose files
// have been pruned are left out.
func (s *Store) copyRelease(ctx context.Context, from FS, u *use, copied *Copied) error {
	target := s.files(ctx).FS
	if sub, err := fs.Sub(target, u.Path); err == nil && u.isIn(release.Verify(sub)) {
		copied.Present++
		return nil
	}
	source, err := fs.Sub(from.FS, u.Path)
	if err != nil {
		return err
	}
	found := release.Verify(source)
	if !u.isIn(found) {
		if u.state == replaced || u.removed {
			return nil
		}
		return from.damaged(u.damage(found))
	}
	var files []File
	for _, name := range release.FileNames() {
		data, err := release.ReadFile(source, name)
		if err != nil {
			return from.damaged(err)
		}
		files = append(files, File{name, data})
	}
	if err := s.backend.WriteFolder(ctx, u.Path, files); err != nil {
		return err
	}
	written, err := fs.Sub(target, u.Path)
	if err != nil {
		return err
	}
	if found := release.Verify(written); !u.isIn(found) {
		return s.files(ctx).damaged(u.damage(found))
	}
	copied.Releases++
	return nil
}

// isIn reports whether a folder contains exactly the release of u, undamaged.
func (u *use) isIn(v release.Verification) bool {
	return len(v.Errors) == 0 && v.ID == u.ID && v.ContentHash == u.ContentHash && folderName(v.Digest) == path.Base(baseFolder(u.Path))
}

// damage returns the first error of a folder that should contain the release of u.
func (u *use) damage(v release.Verification) error {
	if len(v.Errors) == 0 {
		return &release.DamageError{File: path.Join(u.Path, release.HeaderFile), Err: errors.New("it is of another release")}
	}
	damage, ok := errors.AsType[*release.DamageError](v.Errors[0])
	if !ok {
		return v.Errors[0]
	}
	return &release.DamageError{File: path.Join(u.Path, damage.File), Err: damage.Err}
}
