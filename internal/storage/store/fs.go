package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"placard/internal/core/problem"
	"placard/internal/core/release"
)

// FS is a read-only store, such as one embedded in the program.
type FS struct {
	FS   fs.FS
	Name string // for error messages; may be empty
}

// Index returns the current index. It is empty if nothing has been published.
func (s FS) Index(context.Context) (*Index, error) {
	data, err := release.ReadFile(s.FS, IndexFile)
	if errors.Is(err, fs.ErrNotExist) {
		newErr := s.checkNew()
		if newErr == nil {
			return new(Index), nil
		}
		// A writer may have created the store in the meantime. It writes the index
		// first.
		if data, err = release.ReadFile(s.FS, IndexFile); errors.Is(err, fs.ErrNotExist) {
			return nil, s.damaged(newErr)
		}
	}
	if err != nil {
		return nil, s.damaged(err)
	}
	ix, err := DecodeIndex(data)
	return ix, s.damaged(err)
}

// damaged returns err, which may be nil. If it is about a damaged file, the result is a
// problem that names it.
func (s FS) damaged(err error) error {
	damage, ok := errors.AsType[*release.DamageError](err)
	if !ok {
		return err
	}
	p := problem.Failure("The file %q is damaged: %v.", FileLabel(s.Name, damage.File), cause(damage.Err)).Because(err)
	if damage.File == IndexFile {
		return p.See(problem.Repair())
	}
	return p.See(problem.Verify())
}

// errIndexMissing says that a store has or had releases or a journal, but no index.
var errIndexMissing = errors.New("it is missing, although releases have been published")

// checkNew returns nil if a store without an index is new, and an error if its
// index was lost or it is an export.
func (s FS) checkNew() error {
	if _, err := fs.Stat(s.FS, "."); err != nil {
		return err
	}
	for _, dir := range []string{ReleasesDir, JournalDir} {
		switch _, err := fs.Stat(s.FS, dir); {
		case err == nil:
			return &release.DamageError{File: IndexFile, Err: errIndexMissing}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	switch _, err := fs.Stat(s.FS, ExportFile); {
	case err == nil:
		return problem.Failure("%q is an export, not a store.", s.Name).Hint("Name the store that it was exported from.")
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// Load reads and verifies one release.
func (s FS) Load(_ context.Context, e Entry) (*release.Release, error) {
	sub, err := fs.Sub(s.FS, e.Path)
	if err != nil {
		return nil, err
	}
	r, err := decode(sub, e)
	if err != nil {
		// A release replaced by a file or a broken link is damaged, too.
		if info, statErr := fs.Lstat(s.FS, e.Path); statErr == nil && !info.IsDir() {
			return nil, s.damaged(&release.DamageError{File: e.Path, Err: err})
		}
		return nil, FS{Name: FileLabel(s.Name, e.Path)}.damaged(err)
	}
	return r, nil
}

// decode reads the release in dir and verifies that it is the one that e lists.
func decode(dir fs.FS, e Entry) (*release.Release, error) {
	r, err := release.Decode(dir)
	if err != nil {
		return nil, err
	}
	if r.ID() != e.ID || r.Hash() != e.ContentHash {
		return nil, &release.DamageError{
			File: release.HeaderFile,
			Err:  fmt.Errorf("it belongs to %s with content %s, but the index lists content %s", r.ID(), r.Hash(), e.ContentHash),
		}
	}
	return r, nil
}
