package store

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"placard/internal/core/problem"
)

// Backend keeps the files of a [Store]. All files but the index are written once and
// never modified:
//
//	index.json                                 the index, sealed
//	releases/<type>/<date>-<status>/<digest>/  the files of one release
//	journal/<revision>-<digest>.json           one change of the index
//
// Readers never see a partial write, and a crash at any time leaves either the old
// index or the new one, with all files that it refers to.
type Backend interface {
	// FS returns the files. The context applies to all reads.
	FS(context.Context) fs.FS

	// UpdateIndex calls change with a copy of the index and, if change reports a
	// change, replaces the index with the copy. If another process changes the
	// index in the meantime, nothing is lost: either it waits, or change is called
	// again with the new index. The error is an [OutcomeUnknownError] if the index may
	// have been replaced.
	UpdateIndex(ctx context.Context, change func(*Index) (changed bool, err error)) error

	// RepairIndex does nothing if the index is undamaged. Otherwise, it calls rebuild
	// with the bytes of the index, or nil if it is missing, and replaces the index with
	// the result. The damaged file is kept under another name. The same guarantees
	// apply as for UpdateIndex. RepairIndex reports whether it replaced the index.
	RepairIndex(ctx context.Context, rebuild func(damaged []byte) (*Index, error)) (repaired bool, err error)

	// WriteFolder writes a folder with the given files. It may only be called by the
	// function passed to UpdateIndex. A folder that exists is damaged or incomplete,
	// and is replaced.
	WriteFolder(ctx context.Context, dir string, files []File) error

	// WriteFile writes a file. It may only be called by the function passed to
	// UpdateIndex or RepairIndex.
	WriteFile(ctx context.Context, f File) error

	// Remove deletes a file or a folder, if it exists. It may only be called for
	// names in [Index.Pruning], and not by the function passed to UpdateIndex. A crash
	// may leave a part of a folder.
	Remove(ctx context.Context, name string) error
}

// Unavailable is implemented by errors of a [Backend]. If its method returns true, the
// whole store cannot be reached, and reading other files would fail, too.
type Unavailable interface {
	error
	Unavailable() bool
}

func isUnavailable(err error) bool {
	e, ok := errors.AsType[Unavailable](err)
	return ok && e.Unavailable()
}

// WithTimeout is like [context.WithTimeout], but the cause of the context is a problem
// that explains the timeout to operators.
func WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, problem.Failure("The store did not respond within %v.", d).
		Hint("Check the network and the server of the store.").Because(context.DeadlineExceeded))
}

// OutcomeUnknownError says that a change may have been made, because the response of
// a server was lost.
type OutcomeUnknownError struct{ Err error }

func (e *OutcomeUnknownError) Error() string { return e.Err.Error() }
func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// File is a file of a store.
type File struct {
	Name string
	Data []byte
}
