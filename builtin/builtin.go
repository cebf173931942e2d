// Package builtin is the taxonomy that Placard brings along: type place, for
// sensing and automated decisions in public space. It embeds the authoring
// tree and the releases compiled from it; a test holds the two together.
package builtin

import (
	"embed"
	"io/fs"

	"placard.dev/store"
)

//go:generate go run ./generate

//go:embed tree
var tree embed.FS

//go:embed compiled
var compiled embed.FS

// Tree returns the authoring tree.
func Tree() fs.FS { return sub(tree, "tree") }

// Store returns the compiled releases as a store.
func Store() store.FS { return store.FS{FS: sub(compiled, "compiled")} }

func sub(fsys fs.FS, dir string) fs.FS {
	below, err := fs.Sub(fsys, dir)
	if err != nil {
		panic(err) // only a malformed dir fails
	}
	return below
}
