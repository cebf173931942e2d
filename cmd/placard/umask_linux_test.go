package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestNewFilesHaveTheModeOfTheUmask covers every way in which commands write files.
func TestNewFilesHaveTheModeOfTheUmask(t *testing.T) {
	for umask, want := range map[string]os.FileMode{"002": 0o664, "027": 0o640, "077": 0o600} {
		dir := t.TempDir()
		tree := filepath.Join(dir, "tree")
		if err := os.CopyFS(tree, os.DirFS("../../docs/example")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", `umask `+umask+` && for args in "icons library@latest --source tree -o icons.zip" \
			"icons library@latest --source tree -o icons" "schema --write tree" "diff place@stable place@beta -o diff.txt"; do "$0" $args || exit; done`, os.Args[0])
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), runAsPlacard+"=1")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		for _, name := range []string{"icons.zip", "icons/index.html", "tree/library/2026-09-01-beta/.schema/meta.json", "diff.txt"} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("umask %s, %s: got mode %o, want %o", umask, name, got, want)
			}
		}
	}
}
