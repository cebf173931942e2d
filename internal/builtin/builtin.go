// Package builtin opens the taxonomy that Placard ships with: type place, for
// sensing and automated decisions in public space. The files are in the builtin
// folder at the root of the repository: the authoring tree and the releases
// compiled from it, which are embedded. A test checks that the two agree.
package builtin

import (
	"io/fs"

	"placard"
	"placard/internal/store"
)

//go:generate go run ./generate

// Store returns the compiled releases as a store.
func Store() store.FS {
	compiled, err := fs.Sub(placard.Builtin, "builtin/compiled")
	if err != nil {
		panic(err) // only a malformed name fails
	}
	return store.FS{FS: compiled}
}
