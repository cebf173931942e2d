package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"placard/internal/release"
)

// FS is a store that is only read, such as one embedded in the program.
type FS struct {
	FS   fs.FS
	Name string // for error messages; may be empty
}

// Index returns the index as it is now. A store in which nothing was published
// yet has an empty one.
func (s FS) Index(context.Context) (*Index, error) {
	data, err := fs.ReadFile(s.FS, IndexFile)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.isNew(); err != nil {
			return nil, fmt.Errorf("store %s: %w", s.Name, err)
		}
		return new(Index), nil
	}
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", s.Name, err)
	}
	ix, err := DecodeIndex(data)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", s.Name, err)
	}
	return ix, nil
}

// isNew returns nil where there is no index because nothing was published yet,
// and an error where it got lost.
func (s FS) isNew() error {
	if _, err := fs.Stat(s.FS, "."); err != nil {
		return err
	}
	switch _, err := fs.Stat(s.FS, releasesDir); {
	case err == nil:
		return &release.DamageError{File: IndexFile, Err: errors.New("it is missing, and there are releases")}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return err
	}
}

// Load reads and verifies one release.
func (s FS) Load(_ context.Context, e Entry) (*release.Release, error) {
	sub, err := fs.Sub(s.FS, e.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.ID, err)
	}
	r, err := release.Decode(sub)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.ID, err)
	}
	if r.ID() != e.ID || r.Hash() != e.ContentHash {
		return nil, fmt.Errorf("%s: %w", e.ID, &release.DamageError{
			File: release.HeaderFile,
			Err:  fmt.Errorf("it is of %s with content %s, and the index says %s", r.ID(), r.Hash(), e.ContentHash),
		})
	}
	return r, nil
}
