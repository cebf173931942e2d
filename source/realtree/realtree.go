// Package realtree finds, for tests, the authoring tree of a published taxonomy
// that others wrote. It is not part of this repository: it lies beside it, or
// where PLACARD_REAL_TREE says.
package realtree

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Dir returns the root of the tree. Where it is absent the test is skipped, but
// in CI it fails: nothing is left out there.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("PLACARD_REAL_TREE")
	if dir == "" {
		_, here, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(here), "..", "..", "..", "shared", "data", "dtpr")
	}
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatal("the real taxonomy is not here; set PLACARD_REAL_TREE: ", err)
		}
		tb.Skip("the real taxonomy is not here: ", err)
	}
	return dir
}
