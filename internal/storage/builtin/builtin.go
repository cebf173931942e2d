// Package builtin provides the built-in taxonomy: type place, for sensing and
// automated decisions in public space. The authoring tree and the compiled
// releases are in the builtin folder at the root of the repository; the releases
// are embedded. A test verifies that they are up to date.
package builtin

import (
	"io/fs"

	"placard"
	"placard/internal/storage/store"
)

//go:generate go run ./generate

// Store returns the compiled releases as a store.
func Store() store.FS {
	compiled, err := fs.Sub(placard.Builtin, "builtin/compiled")
	if err != nil {
		panic(err) // only for a malformed path
	}
	return store.FS{FS: compiled, Name: "built-in"}
}
