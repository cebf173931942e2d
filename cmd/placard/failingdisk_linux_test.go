package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"placard/internal/core/problem"
	"placard/internal/storage/store"
)

// maxFileSizeEnv limits the size of the files that a process can write. A longer
// write fails like one to a full disk.
const maxFileSizeEnv = "PLACARD_TEST_MAX_FILE_SIZE"

func init() {
	if limit, err := strconv.ParseUint(os.Getenv(maxFileSizeEnv), 10, 64); err == nil {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
	}
}

// changes are commands that change the store of [newChangeableStore].
var changes = [][]string{
	{"publish", "../../docs/example"},
	{"promote", "place@2026-10-19-beta"},
	{"retire", "place@2026-10-19-beta"},
	{"restore", "place@2026-06-01-stable"},
	{"alias", "set", "place@trial", "place@2026-10-19-beta"},
	{"alias", "remove", "place@pilot"},
	{"prune", "--older-than", "0d", "--yes"},
}

// newChangeableStore returns a store with a beta, an alias and a retired release.
func newChangeableStore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"publish", smallTree(t)},
		{"alias", "set", "place@pilot", "place@2026-10-19-beta"},
		{"retire", "place@2026-06-01-stable"},
	} {
		if p := runProcess(t, append(args, "--store", dir)...); p.wait() != exitOK {
			t.Fatal(&p.stderr)
		}
	}
	return dir
}

func copyStore(t *testing.T, dir string) string {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return copied
}

// fileSizes returns the sizes of the files in a store by name.
func fileSizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	sizes := make(map[string]int64)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sizes[strings.TrimPrefix(name, dir)] = info.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sizes
}

// wantUnchanged fails the test if a store is damaged, or has another index than
// before a command that failed.
func wantUnchanged(t *testing.T, before, dir string, args []string) {
	t.Helper()
	s := store.OpenFolder(dir)
	report, err := s.Verify(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Problems.HasErrors() {
		t.Errorf("%v: %v", args, report.Problems)
	}
	index, err := s.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, err := store.OpenFolder(before).Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var options cmp.Options
	if args[0] == "prune" {
		// It records and marks what it deletes before it finds that it cannot.
		options = append(options, cmpopts.IgnoreFields(store.Index{}, "Journal", "Pruning"))
	}
	if diff := cmp.Diff(want, index, options); diff != "" {
		t.Errorf("%v changed the index (-before +after):\n%s", args, diff)
	}
	if staged, err := os.ReadDir(filepath.Join(dir, ".work", "staging")); err != nil || len(staged) > 0 {
		t.Errorf("%v left %v in the staging folder (%v)", args, staged, err)
	}
}

func TestCommandsThatCannotWriteAFileChangeNothing(t *testing.T) {
	dir := newChangeableStore(t)
	sizes := fileSizes(t, dir)
	message := regexp.MustCompile(`^placard: ".*" cannot be written, because it would be larger than the system allows\.\n      = hint: .*\n$`)
	for _, args := range changes {
		changed := copyStore(t, dir)
		if p := runProcess(t, append(args, "--store", changed)...); p.wait() != exitOK {
			t.Fatalf("%v: %s", args, &p.stderr)
		}
		limits := []int64{0}
		for name, size := range fileSizes(t, changed) {
			if _, old := sizes[name]; size > 0 && (!old || name == "/index.json") {
				limits = append(limits, size-1)
			}
		}
		slices.Sort(limits)
		for _, limit := range slices.Compact(limits) {
			failing := copyStore(t, dir)
			p := newProcess(t, append(args, "--store", failing)...)
			p.cmd.Env = append(p.cmd.Env, maxFileSizeEnv+"="+strconv.FormatInt(limit, 10))
			p.start()
			if p.wait() != exitFailure || !message.Match(p.stderr.Bytes()) {
				t.Errorf("%v with files of at most %d bytes: exit status %d, want %d\n%s", args, limit, p.wait(), exitFailure, &p.stderr)
			}
			if hint := "hint: Nothing was changed. "; args[0] != "prune" && !strings.Contains(p.stderr.String(), hint) || strings.Contains(p.stderr.String(), ".work") {
				t.Errorf("%v with files of at most %d bytes: got %s, want %q and no names of working files", args, limit, &p.stderr, hint)
			}
			wantUnchanged(t, dir, failing, args)
		}
	}
}

func TestCommandsThatAreDeniedAccessChangeNothing(t *testing.T) {
	dir := newChangeableStore(t)
	// Permissions do not apply to root.
	const nobody = 65534
	message := regexp.MustCompile(`^placard: Access to ".*" is denied\.\n      = hint: .*\n$`)
	failures := 0
	for _, args := range changes {
		for _, folder := range []string{".", ".work", ".work/staging", "journal", "releases", "releases/place", "releases/place/2026-06-01-stable"} {
			failing := copyStore(t, dir)
			if err := os.Chmod(filepath.Join(failing, folder), 0o555); err != nil {
				t.Fatal(err)
			}
			p := newProcess(t, append(args, "--store", failing)...)
			if os.Getuid() == 0 {
				if err := os.Chmod(filepath.Dir(failing), 0o755); err != nil {
					t.Fatal(err)
				}
				for name := range fileSizes(t, failing) {
					for name = filepath.Join(failing, name); len(name) >= len(failing); name = filepath.Dir(name) {
						if err := os.Chown(name, nobody, nobody); err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := os.Chown(filepath.Join(failing, ".work/staging"), nobody, nobody); err != nil {
					t.Fatal(err)
				}
				p.cmd.Path = "/proc/self/exe" // the program may be in a folder that is not accessible
				p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			}
			p.start()
			switch p.wait() {
			case exitOK: // it does not write to the folder
				continue
			case exitFailure:
				failures++
				if !message.Match(p.stderr.Bytes()) {
					t.Errorf("%v without access to %s: %s", args, folder, &p.stderr)
				}
			default:
				t.Errorf("%v without access to %s: exit status %d, want %d\n%s", args, folder, p.wait(), exitFailure, &p.stderr)
			}
			wantUnchanged(t, dir, failing, args)
		}
	}
	if failures < 2*len(changes) {
		t.Errorf("got %d failures, want at least two of each command", failures)
	}
}

func TestExportsThatCannotWriteAFileKeepTheOldOnes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	store := filepath.Join(t.TempDir(), "store")
	if p := runProcess(t, "publish", smallTree(t), "--store", store); p.wait() != exitOK {
		t.Fatal(&p.stderr)
	}
	if p := runProcess(t, "export", "--api-only", "place@beta", "--out", dir, "--store", store); p.wait() != exitOK {
		t.Fatal(&p.stderr)
	}
	before := fileSizes(t, dir)
	// The names of all files are written first. They are more than half of the index.
	for _, limit := range []int64{0, 1000, before["/export.json"] / 2} {
		p := newProcess(t, "export", "--api-only", "--all", "--out", dir, "--store", store)
		p.cmd.Env = append(p.cmd.Env, maxFileSizeEnv+"="+strconv.FormatInt(limit, 10))
		p.start()
		want := "placard: \"" + problem.Clip(filepath.Join(dir, "export.json")) + "\" cannot be written, because it would be larger than the system allows.\n"
		if p.wait() != exitFailure || !strings.HasPrefix(p.stderr.String(), want) {
			t.Errorf("with files of at most %d bytes: got exit status %d and %s, want %d and %s", limit, p.wait(), &p.stderr, exitFailure, want)
		}
		if diff := cmp.Diff(before, fileSizes(t, dir)); diff != "" {
			t.Errorf("with files of at most %d bytes, the export has changed (-before +after):\n%s", limit, diff)
		}
	}
	// The names fit, but not the index that describes the files.
	p := newProcess(t, "export", "--api-only", "--all", "--out", dir, "--store", store)
	p.cmd.Env = append(p.cmd.Env, maxFileSizeEnv+"="+strconv.FormatInt(before["/export.json"], 10))
	p.start()
	if p.wait() != exitFailure {
		t.Errorf("got exit status %d, want %d\n%s", p.wait(), exitFailure, &p.stderr)
	}
	if p := runProcess(t, "export", "--api-only", "place@beta", "--out", dir, "--store", store); p.wait() != exitOK {
		t.Fatal(&p.stderr)
	}
	if diff := cmp.Diff(before, fileSizes(t, dir)); diff != "" {
		t.Errorf("after the next export (-want +got):\n%s", diff)
	}
}
