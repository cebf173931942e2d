package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrorsOfRemovedFoldersAreDescribed(t *testing.T) {
	const tree = "../../docs/example"
	for flag, flags := range map[string]func(dir string) releaseFlags{
		"--source": func(dir string) releaseFlags { return releaseFlags{source: dir} },
		"--store":  func(dir string) releaseFlags { return releaseFlags{store: dir} },
	} {
		dir := filepath.Join(t.TempDir(), "folder")
		if flag == "--source" {
			if err := os.CopyFS(dir, os.DirFS(tree)); err != nil {
				t.Fatal(err)
			}
		}
		s, err := flags(dir).open(slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		_, err = s.Index(t.Context())
		if want := `"` + dir + `" does not exist. Check the spelling of the path.`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", flag, err, want)
		}
	}
}
