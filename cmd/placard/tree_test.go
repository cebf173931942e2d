package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServeSourceRequiresARelease(t *testing.T) {
	tree := copyTree(t)
	empty, misnamed := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(misnamed, "place", "2026-06-01"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ dir, want string }{
		{empty, "contains no release.\n      = hint: Use the root of an authoring tree, which has folders <type>/<YYYY-MM-DD>-<status>.\n"},
		{filepath.Join(tree, "place"), "contains no release."},
		{filepath.Join(tree, "place/2026-06-01-stable"), "Use the root of its tree, " + tree + ".\n"},
		{filepath.Join(tree, "place/2026-06-01-stable/elements"), "contains no release."},
		{misnamed, filepath.Join(misnamed, "place/2026-06-01") + ": The folder looks like a release, but "},
		{filepath.Join(empty, "missing"), "missing"},
		{filepath.Join(tree, "place/2026-06-01-stable/meta.yaml"), " is a file, not a folder."},
	} {
		for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"validate", "-"}, {"mcp"}} {
			args = append(args, "--source", tc.dir)
			var out strings.Builder
			if code := execute(t.Context(), args, &out, &out); code != exitUsage || !strings.Contains(out.String(), tc.want) {
				t.Errorf("%v: got exit status %d and %q, want %d and %q", args, code, out.String(), exitUsage, tc.want)
			}
		}
	}
}
