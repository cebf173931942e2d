// Command generate compiles the built-in authoring tree into the embedded store.
// It is run by go generate in the folder internal/storage/builtin.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"placard/internal/core/release"
	"placard/internal/core/source"
	"placard/internal/storage/store"
)

func main() {
	if err := generate("../../../builtin/tree", "../../../builtin/compiled"); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(tree, out string) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	fsys := os.DirFS(tree)
	ids, problems := source.Releases(fsys)
	if len(problems) > 0 {
		return problems
	}
	folder := store.OpenFolder(out)
	for _, id := range ids {
		t, problems := source.Load(fsys, id)
		if len(problems) > 0 {
			return problems
		}
		// The publication time is taken from the tree, for reproducible output.
		created, err := time.Parse(time.RFC3339, t.CreatedAt)
		if err != nil {
			return fmt.Errorf("%s: created_at: %w", id, err)
		}
		folder.Now = func() time.Time { return created }
		r, err := release.Compile(t)
		if err != nil {
			return err
		}
		if _, err := folder.Publish(context.Background(), store.Intent{By: "placard"}, store.Publication{Release: r}); err != nil {
			return err
		}
	}
	return nil
}
