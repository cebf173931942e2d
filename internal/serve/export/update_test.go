package export_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"placard/internal/serve/export"
)

func TestExportsOfTheSameReleasesAreEqual(t *testing.T) {
	c := api(t, 0)
	first, second := t.TempDir(), t.TempDir()
	mustExport(t, export.Folder(first), options(t, c, beta))
	mustExport(t, export.Folder(second), options(t, c))
	report := mustExport(t, export.Folder(second), options(t, c, beta))
	if report.Removed == 0 {
		t.Error("got no removed files, want those of the other release")
	}
	if diff := cmp.Diff(files(t, first), files(t, second)); diff != "" {
		t.Errorf("a new export and one that replaces another differ (-new +replaced):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(second, "api/v2/schemas", stable)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the removed release: got %v, want none", err)
	}
	modified := func() map[string]time.Time {
		times := make(map[string]time.Time)
		for name := range files(t, second) {
			info, err := os.Stat(filepath.Join(second, name))
			if err != nil {
				t.Fatal(err)
			}
			times[name] = info.ModTime()
		}
		return times
	}
	before := modified()
	if report := mustExport(t, export.Folder(second), options(t, c, beta)); report.Written != 0 || report.Removed != 0 {
		t.Errorf("got report %+v, want nothing written", report)
	}
	if diff := cmp.Diff(before, modified()); diff != "" {
		t.Errorf("unchanged files were written again (-before +after):\n%s", diff)
	}
}

func TestDamagedFilesAreReplaced(t *testing.T) {
	c := api(t, 0)
	dir := t.TempDir()
	mustExport(t, export.Folder(dir), options(t, c, beta))
	want := files(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "api/v2/codes"), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "_headers")); err != nil {
		t.Fatal(err)
	}
	mustExport(t, export.Folder(dir), options(t, c, beta))
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestInterruptedExportsContinue(t *testing.T) {
	c := api(t, 0)
	fresh := t.TempDir()
	mustExport(t, export.Folder(fresh), options(t, c))
	for _, count := range []int{1, 20, 100} {
		dir := t.TempDir()
		mustExport(t, export.Folder(dir), options(t, c, beta))
		old := files(t, dir)
		// Cancelled contexts stop an export as signals do.
		ctx, cancel := context.WithCancel(t.Context())
		opts := options(t, c)
		opts.Progress = func(done, _ int) {
			if done >= count {
				cancel()
			}
		}
		if _, err := export.Export(ctx, export.Folder(dir), opts); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want it cancelled", err)
		}
		after := files(t, dir)
		want := files(t, fresh)
		for name, content := range old {
			if got := after[name]; name != export.IndexFile && got != content && got != want[name] {
				t.Fatalf("after %d files, %s has neither the old nor the new content", count, name)
			}
		}
		if after["api/v2/schemas/index.json"] != old["api/v2/schemas/index.json"] {
			t.Errorf("after %d files, the list of versions has changed before its content", count)
		}
		var index struct {
			Complete bool `json:"complete"`
		}
		if err := json.Unmarshal([]byte(after[export.IndexFile]), &index); err != nil || index.Complete && !maps.Equal(old, after) {
			t.Errorf("got an index that is complete: %v (%v)", index.Complete, err)
		}
		// A killed process leaves the file that it was writing.
		if err := os.WriteFile(filepath.Join(dir, "api/v2/.placard-ABC"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		mustExport(t, export.Folder(dir), options(t, c))
		if diff := cmp.Diff(want, files(t, dir)); diff != "" {
			t.Errorf("after the second export (-want +got):\n%s", diff)
		}
		// Files of the interrupted export are removed, too.
		mustExport(t, export.Folder(dir), options(t, c, beta))
		if diff := cmp.Diff(old, files(t, dir)); diff != "" {
			t.Errorf("after the third export (-want +got):\n%s", diff)
		}
	}
}

func TestOtherFilesAreNeverTouched(t *testing.T) {
	c := api(t, 0)
	for name, prepare := range map[string]func(dir string) error{
		"mine.txt": func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o644) },
		"_headers": func(dir string) error { return os.WriteFile(filepath.Join(dir, "_headers"), nil, 0o644) },
		"export.json": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "export.json"), []byte(`{"format":1,"files":[{"headers":7}]}`), 0o644)
		},
		"link": func(dir string) error { return os.Symlink("/", filepath.Join(dir, "link")) },
	} {
		dir := t.TempDir()
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := export.Export(t.Context(), export.Folder(dir), options(t, c, beta)); err == nil || !strings.Contains(err.Error(), "is not an export") {
			t.Errorf("a folder with %s: got %v, want an error", name, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("a folder with %s: got %v (%v), want only that file", name, entries, err)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "config"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	mustExport(t, export.Folder(dir), options(t, c))
	mine := filepath.Join(dir, "api/v2/schemas", stable, "mine.svg")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	_, err := export.Export(t.Context(), export.Folder(dir), options(t, c, beta))
	if err == nil || !strings.Contains(err.Error(), strconv.Quote(mine)+" is not part of the export") {
		t.Errorf("got %v, want an error about %s", err, mine)
	}
	if diff := cmp.Diff(before, files(t, dir)); diff != "" {
		t.Errorf("the export has changed files (-before +after):\n%s", diff)
	}
}

func TestFolderCanBeASymbolicLink(t *testing.T) {
	c := api(t, 0)
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "site")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	mustExport(t, export.Folder(link), options(t, c))
	if report := mustExport(t, export.Folder(link), options(t, c, beta)); report.Removed == 0 {
		t.Errorf("got report %+v, want the files of a release removed", report)
	}
	want := t.TempDir()
	mustExport(t, export.Folder(want), options(t, c, beta))
	if diff := cmp.Diff(files(t, want), files(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	_, err := export.Export(t.Context(), export.Folder(link), options(t, c, beta))
	if failed, ok := errors.AsType[*fs.PathError](err); !ok || failed.Path != link {
		t.Errorf("a link to a folder that does not exist: got %v, want an error about %s", err, link)
	}
}

func TestPagesCanBecomeFoldersAndFilesAgain(t *testing.T) {
	bodies := map[string]string{"/api/a": "a", "/api/a/b": "b", "/api/a/c/d": "d", "/api/list": "{}"}
	short := smallSite(http.StatusNotFound, bodies, "/api/a", "/api/list")
	long := smallSite(http.StatusNotFound, bodies, "/api/a", "/api/a/b", "/api/a/c/d", "/api/list")
	dir := t.TempDir()
	for i, opts := range []export.Options{short, long, short} {
		dry := opts
		dry.DryRun = true
		want := mustExport(t, export.Folder(dir), dry)
		got := mustExport(t, export.Folder(dir), opts)
		if got.Written != want.Written || got.Removed != want.Removed || i > 0 && got.Removed == 0 {
			t.Errorf("export %d: got report %+v, want that of the dry run, %+v", i, got, want)
		}
		fresh := t.TempDir()
		mustExport(t, export.Folder(fresh), opts)
		if diff := cmp.Diff(files(t, fresh), files(t, dir)); diff != "" {
			t.Errorf("export %d (-new +replaced):\n%s", i, diff)
		}
	}
}

func TestFailedWritesLeaveTheExportUsable(t *testing.T) {
	c := api(t, 0)
	dir := t.TempDir()
	mustExport(t, export.Folder(dir), options(t, c, beta))
	list := files(t, dir)["api/v2/schemas/index.json"]
	// A folder in place of a file fails like a full disk, after the first files.
	blocked := filepath.Join(dir, "api/v2/schemas", stable, "manifest")
	if err := os.MkdirAll(blocked, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := export.Export(t.Context(), export.Folder(dir), options(t, c))
	if err == nil || !strings.Contains(err.Error(), blocked) {
		t.Fatalf("got %v, want an error about %s", err, blocked)
	}
	if files(t, dir)["api/v2/schemas/index.json"] != list {
		t.Error("the list of versions has changed")
	}
	for name := range files(t, dir) {
		if strings.HasPrefix(filepath.Base(name), ".placard-") {
			t.Errorf("%s is left", name)
		}
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	mustExport(t, export.Folder(dir), options(t, c))
}
