package store

import (
	"context"
	"io/fs"
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
	// again with the new index.
	UpdateIndex(ctx context.Context, change func(*Index) (changed bool, err error)) error

	// WriteFolder writes a folder with the given files, or none of it. It may only be called by
	// the change function of UpdateIndex. A folder that exists is set aside.
	WriteFolder(ctx context.Context, dir string, files []File) error

	// WriteFile writes a file. It may only be called by the change function of
	// UpdateIndex.
	WriteFile(ctx context.Context, f File) error
}

// File is a file of a store.
type File struct {
	Name string
	Data []byte
}
