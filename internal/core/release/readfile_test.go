package release_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"placard/internal/core/release"
)

// deniedFS denies access to all files.
type deniedFS struct{ fstest.MapFS }

func (deniedFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestReadFileDistinguishesDamageFromOtherErrors(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o644),
		os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644),
		os.Symlink("file", filepath.Join(dir, "link")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
		os.Mkdir(filepath.Join(dir, "folder"), 0o755),
		os.WriteFile(filepath.Join(dir, "large"), nil, 0o644),
		os.Truncate(filepath.Join(dir, "large"), 30<<30),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"file": "content", "link": "content", "empty": ""} {
		if data, err := release.ReadFile(os.DirFS(dir), name); err != nil || string(data) != want {
			t.Errorf("%s: got %q, %v, want %q", name, data, err, want)
		}
	}
	for _, name := range []string{"missing", "loop", "folder", "large"} {
		_, err := release.ReadFile(os.DirFS(dir), name)
		var damage *release.DamageError
		if !errors.As(err, &damage) || damage.File != name {
			t.Errorf("%s: got %v, want a DamageError", name, err)
		}
	}
	_, err := release.ReadFile(deniedFS{fstest.MapFS{"file": {}}}, "file")
	var damage *release.DamageError
	if !errors.Is(err, fs.ErrPermission) || errors.As(err, &damage) {
		t.Errorf("denied access: got %v, want %v and no DamageError", err, fs.ErrPermission)
	}
}
