package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplacedLinksStayLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "shared.json"), filepath.Join(dir, "settings.json")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("shared.json", link); err != nil {
		t.Fatal(err)
	}
	if err := replaceContent(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(target)
	if err != nil || string(content) != "new" {
		t.Errorf("got content %q, error %v, want the new text in the file that the link leads to", content, err)
	}
	if to, err := os.Readlink(link); err != nil || to != "shared.json" {
		t.Errorf("got link to %q, error %v, want the link as it was", to, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, error %v, want the mode as it was", info, err)
	}
}

func TestOutputReplacesFilesInOneStep(t *testing.T) {
	dir := t.TempDir()
	out, old := filepath.Join(dir, "page.html"), filepath.Join(dir, "old.html")
	for _, content := range []string{"first", "second"} {
		if err := writeOutput(nil, out, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != content {
			t.Errorf("got %q, error %v, want %q", got, err, content)
		}
		if content == "first" {
			if err := os.Link(out, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The other name of the first file still leads to it, so it was not overwritten.
	if got, err := os.ReadFile(old); err != nil || string(got) != "first" {
		t.Errorf("got %q, error %v, want the first content", got, err)
	}
	if err := writeOutput(nil, os.DevNull, []byte("page")); err != nil {
		t.Errorf("a device: %v", err)
	}
}
