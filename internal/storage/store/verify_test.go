package store_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

// usedStore is a store with a published, a retired and a replaced release, and the
// five records of its journal, oldest first.
type usedStore struct {
	*store.Store
	dir                          string
	published, retired, replaced store.Entry
	records                      []string
}

func newUsedStore(t *testing.T) *usedStore {
	t.Helper()
	s := &usedStore{dir: t.TempDir()}
	s.Store = store.OpenFolder(s.dir)
	publish := func(id string, extra ...string) store.Entry {
		outcome, err := storetest.Publish(t.Context(), s, releasetest.Release(t, id, extra...))
		if err != nil {
			t.Fatal(err)
		}
		return outcome.Entry
	}
	s.replaced = publish(beta)
	s.retired = publish("small@2026-01-02-stable")
	s.published = publish(beta, "added")
	if _, err := s.Retire(t.Context(), store.Intent{}, s.retired.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetAlias(t.Context(), store.Intent{}, "pilot", s.published.ID); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(s.dir, store.JournalDir, "*.json"))
	if err != nil || len(names) != 5 {
		t.Fatalf("got records %v (%v), want 5", names, err)
	}
	for _, name := range names {
		s.records = append(s.records, store.JournalDir+"/"+filepath.Base(name))
	}
	return s
}

func (s *usedStore) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// findings returns the severity, code and file of each problem of a store.
func findings(t *testing.T, s interface {
	Verify(context.Context, func(int, int, store.Entry)) (*store.Report, error)
},
) []string {
	t.Helper()
	report, err := s.Verify(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range report.Problems {
		if p.FixHint == "" && p.Call.IsZero() || !strings.HasSuffix(p.Message, ".") {
			t.Errorf("%v has no hint or no full sentence", p)
		}
		all = append(all, fmt.Sprintf("%s %s %s", p.Severity, p.Code, p.Pos.File))
	}
	return all
}

// alter changes the bytes of a file.
func alter(change func([]byte) []byte) func(string) error {
	return func(name string) error {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(name, change(data), 0o644)
	}
}

// flip changes one bit of the byte at a position from 0 (the first) to 1 (the last).
func flip(position float64) func(string) error {
	return alter(func(data []byte) []byte {
		data[int(position*float64(len(data)-1))] ^= 1
		return data
	})
}

// flipIn changes one bit in the first occurrence of a text.
func flipIn(text string) func(string) error {
	return alter(func(data []byte) []byte {
		data[bytes.Index(data, []byte(text))] ^= 1
		return data
	})
}

// replaceBy replaces a file or folder with another kind of file.
func replaceBy(create func(string) error) func(string) error {
	return func(name string) error {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
		return create(name)
	}
}

func createFile(name string) error { return os.WriteFile(name, nil, 0o644) }

func createFolder(name string) error { return os.Mkdir(name, 0o755) }

func TestVerifyReportsEveryKindOfDamage(t *testing.T) {
	damages := map[string]func(name string) error{
		"the first byte altered":   flip(0),
		"a byte altered":           flip(0.4),
		"the last byte altered":    flip(1),
		"truncated":                func(name string) error { return os.Truncate(name, 20) },
		"emptied":                  func(name string) error { return os.Truncate(name, 0) },
		"extended":                 alter(func(data []byte) []byte { return append(data, '\n') }),
		"deleted":                  os.Remove,
		"replaced by a folder":     replaceBy(createFolder),
		"replaced by its own link": replaceBy(func(name string) error { return os.Symlink(filepath.Base(name), name) }),
	}
	parts := map[string]map[string]func(name string) error{
		"icons.pack": {
			"the count altered":              flip(0.001),
			"the name of an icon altered":    flipIn("pictures/dark.svg"),
			"an icon altered":                flipIn("<svg"),
			"the last icon altered":          flip(1),
			"the bytes between them altered": flip(0.7),
		},
		"search.pack": {
			"the name of a locale altered": flipIn("fr"),
			"an index altered":             flip(0.7),
		},
	}
	s := newUsedStore(t)
	type target struct{ file, want string }
	targets := []target{{"index.json", "error STORE_INDEX_DAMAGED index.json"}}
	for _, record := range s.records {
		targets = append(targets, target{record, "error STORE_JOURNAL_DAMAGED " + record})
	}
	for _, file := range []string{"release.json", "content.json", "icons.pack", "search.pack"} {
		for e, severity := range map[store.Entry]problem.Severity{s.published: problem.Error, s.retired: problem.Error, s.replaced: problem.Warning} {
			name := e.Path + "/" + file
			targets = append(targets, target{name, fmt.Sprintf("%s STORE_RELEASE_DAMAGED %s", severity, name)})
		}
	}
	for _, target := range targets {
		cases := make(map[string]func(string) error)
		for _, table := range []map[string]func(string) error{damages, parts[filepath.Base(target.file)]} {
			for damage, apply := range table {
				cases[damage] = apply
			}
		}
		for damage, apply := range cases {
			name := s.path(target.file)
			original, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := apply(name); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{target.want}, findings(t, s)); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", target.file, damage, diff)
			}
			if err := replaceBy(func(name string) error { return os.WriteFile(name, original, 0o644) })(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := findings(t, s); len(got) > 0 {
		t.Errorf("got %v in the restored store, want no problems", got)
	}
}

func TestVerifyReportsEveryProblem(t *testing.T) {
	s := newUsedStore(t)
	for name, damage := range map[string]func(string) error{
		"index.json":                      flip(0.5),
		s.records[1]:                      os.Remove,
		s.published.Path:                  os.RemoveAll,
		s.retired.Path:                    replaceBy(createFile),
		s.replaced.Path + "/release.json": flip(0.5),
		s.replaced.Path + "/icons.pack":   flip(1),
		s.replaced.Path + "/search.pack":  flip(1),
	} {
		if err := damage(s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"journal/notes.txt",
		"releases/.DS_Store",
		s.replaced.Path + "/release.json~",
		"journal/00000002-0123456789abcdef.json",
		"journal/00000006-0123456789abcdef.json.orphan-1",
		"index.json.damaged-1",
	} {
		if err := createFile(s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"old", "0123456789abcdef", "0123456789abcdef.damaged-1"} {
		if err := createFolder(s.path("releases/small/2026-01-02-beta/" + name)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"error STORE_INDEX_DAMAGED index.json",
		"error STORE_JOURNAL_DAMAGED " + s.records[1],
		"error STORE_RELEASE_MISSING " + s.published.Path,
		"error STORE_RELEASE_DAMAGED " + s.retired.Path,
		"warning STORE_RELEASE_DAMAGED " + s.replaced.Path + "/release.json",
		"warning STORE_RELEASE_DAMAGED " + s.replaced.Path + "/icons.pack",
		"warning STORE_RELEASE_DAMAGED " + s.replaced.Path + "/search.pack",
		"warning STORE_FILE_UNUSED " + s.replaced.Path + "/release.json~",
		"warning STORE_FILE_UNUSED journal/notes.txt",
		"warning STORE_FILE_UNUSED releases/.DS_Store",
		"warning STORE_FILE_UNUSED releases/small/2026-01-02-beta/old",
		"warning STORE_FILE_UNUSED releases/small/2026-01-02-beta/0123456789abcdef",
		"warning STORE_FILE_UNUSED releases/small/2026-01-02-beta/0123456789abcdef.damaged-1",
		"warning STORE_FILE_UNUSED journal/00000002-0123456789abcdef.json",
		"warning STORE_FILE_UNUSED journal/00000006-0123456789abcdef.json.orphan-1",
		"warning STORE_FILE_UNUSED index.json.damaged-1",
	}
	got := findings(t, s)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestVerifyReportsAnotherReleaseInAFolder(t *testing.T) {
	s := newUsedStore(t)
	if err := replaceBy(func(name string) error { return os.CopyFS(name, os.DirFS(s.path(s.retired.Path))) })(s.path(s.published.Path)); err != nil {
		t.Fatal(err)
	}
	want := []string{"error STORE_RELEASE_DAMAGED " + s.published.Path + "/release.json"}
	if diff := cmp.Diff(want, findings(t, s)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestUnreadableFilesAreReported(t *testing.T) {
	s := newUsedStore(t)
	for _, file := range []string{s.records[0], s.records[4], s.published.Path + "/content.json", s.retired.Path + "/icons.pack"} {
		if diff := cmp.Diff([]string{"error STORE_FILE_UNREADABLE " + file}, findings(t, s.withUnreadable(file))); diff != "" {
			t.Errorf("%s is unreadable: findings (-want +got):\n%s", file, diff)
		}
	}
}

func TestVerifyToleratesAReleaseThatIsPrunedWhileItIsRead(t *testing.T) {
	s := newUsedStore(t)
	before := time.Now().Add(time.Hour)
	garbage := s.mustPrunable(t, before)
	var prune sync.Once
	deleting := store.FS{FS: hookedFS{os.DirFS(s.dir), func(name string) (err error) {
		if name == s.retired.Path+"/content.json" {
			prune.Do(func() { _, err = s.Prune(t.Context(), steward, before, garbage) })
		}
		return err
	}}}
	if got := findings(t, deleting); len(got) > 0 {
		t.Errorf("got findings %v, want none", got)
	}
}

func TestVerifySaysWhatALostRecordAffects(t *testing.T) {
	s := newUsedStore(t)
	wantProblem := func(message, hint string) {
		t.Helper()
		report, err := s.Verify(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range report.Problems {
			if p.Code == store.JournalDamaged && p.Message == message && strings.HasPrefix(p.FixHint, hint) {
				return
			}
		}
		t.Errorf("got %v, want %q with the hint %q", report.Problems, message, hint)
	}
	if err := os.Remove(s.path(s.records[2])); err != nil {
		t.Fatal(err)
	}
	wantProblem("A record of the journal is missing.", "Releases are not affected.")
	if err := os.Remove(s.path(store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	wantProblem("A record of the journal is missing.", "Its changes are missing in an index that is rebuilt")
}
