package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

func (s *usedStore) mustPrunable(t *testing.T, before time.Time) []store.Garbage {
	t.Helper()
	garbage, err := s.Prunable(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	return garbage
}

func paths(garbage []store.Garbage) []string {
	var names []string
	for _, g := range garbage {
		names = append(names, g.Path)
	}
	return names
}

func TestPruneDeletesLeftoversAndNothingElse(t *testing.T) {
	s := newUsedStore(t)
	old := time.Now().Add(-48 * time.Hour)
	const (
		left     = "releases/small/2026-01-05-beta/0123456789abcdef"
		recent   = "releases/small/2026-01-05-beta/0123456789abcdf0"
		damaged  = "releases/small/2026-01-05-beta/0123456789abcdf1.damaged-1"
		record   = "journal/00000002-0123456789abcdef.json"
		orphan   = "journal/00000006-0123456789abcdef.json.orphan-1"
		newer    = "journal/00000099-0123456789abcdef.json" // of a writer that has not finished
		foreign  = "releases/small/readme.txt"
		oldIndex = "index.json.damaged-1"
	)
	for _, name := range []string{left, recent, damaged} {
		if err := os.MkdirAll(s.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path(name+"/content.json"), make([]byte, 100), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{record, orphan, newer, foreign, oldIndex} {
		if err := os.WriteFile(s.path(name), make([]byte, 10), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{left, record, newer, foreign} {
		if err := os.Chtimes(s.path(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-24 * time.Hour)
	garbage := s.mustPrunable(t, before)
	if diff := cmp.Diff([]string{oldIndex, record, orphan, left, damaged}, paths(garbage)); diff != "" {
		t.Fatalf("garbage (-want +got):\n%s", diff)
	}
	if g := garbage[3]; g.Size != 100 || g.Reason != store.Unreferenced || g.Since != old.UTC().Truncate(time.Second) {
		t.Errorf("got %+v, want 100 bytes, unreferenced since %v", g, old)
	}
	if deleted, err := s.Prune(t.Context(), steward, before, garbage); err != nil || len(deleted) != len(garbage) {
		t.Errorf("got %v (%v), want all garbage deleted", paths(deleted), err)
	}
	for _, name := range paths(garbage) {
		if _, err := os.Lstat(s.path(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s still exists: %v", name, err)
		}
	}
	for _, name := range []string{recent, foreign, s.published.Path, s.retired.Path, s.replaced.Path, s.records[0]} {
		if _, err := os.Lstat(s.path(name)); err != nil {
			t.Errorf("%s was deleted: %v", name, err)
		}
	}
	if staged, err := os.ReadDir(s.path(".work/staging")); err != nil || len(staged) > 0 {
		t.Errorf("got %v (%v) in the staging folder, want nothing", staged, err)
	}
}

func TestPruneRemovesEmptyFolders(t *testing.T) {
	s := newUsedStore(t)
	before := time.Now().Add(time.Hour)
	if _, err := s.Prune(t.Context(), steward, before, s.mustPrunable(t, before)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(s.path(s.retired.Path))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the retired release still exists: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(s.path(s.published.Path))); err != nil {
		t.Error(err)
	}
}

func TestPruneToleratesWrongClocks(t *testing.T) {
	now := time.Now()
	for _, tc := range []struct {
		clock time.Duration // of the writer that retires the release, relative to now
		want  bool          // whether it can be pruned if it was retired an hour ago
	}{
		{-2 * time.Hour, true},
		{-50 * 365 * 24 * time.Hour, false}, // it was retired after it was published
		{time.Hour, false},
	} {
		dir := t.TempDir()
		s := store.OpenFolder(dir)
		s.Now = func() time.Time { return now.Add(-3 * time.Hour) }
		if tc.clock < -24*time.Hour {
			s.Now = func() time.Time { return now.Add(-time.Minute) }
		}
		e, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta))
		if err != nil {
			t.Fatal(err)
		}
		s.Now = func() time.Time { return now.Add(tc.clock) }
		if _, err := s.Retire(t.Context(), steward, e.ID); err != nil {
			t.Fatal(err)
		}
		s.Now = nil
		if garbage, err := s.Prunable(t.Context(), now.Add(-time.Hour)); err != nil || (len(garbage) == 1) != tc.want {
			t.Errorf("clock %v: got garbage %v (%v), want some: %t", tc.clock, paths(garbage), err, tc.want)
		}
	}
}

var errKilled = errors.New("the process was killed")

// interruptPrune prunes all garbage, but is interrupted before it deletes the files
// of the retired release, and after it deleted the header of the replaced one.
func (s *usedStore) interruptPrune(t *testing.T) (before time.Time) {
	t.Helper()
	before = time.Now().Add(time.Hour)
	hooked := store.WithHook(s.Store, func(name string) error {
		if name == s.replaced.Path {
			return errors.Join(errKilled, os.Remove(s.path(name+"/"+release.HeaderFile)))
		}
		return errKilled
	})
	if deleted, err := hooked.Prune(t.Context(), steward, before, s.mustPrunable(t, before)); !errors.Is(err, errKilled) || len(deleted) > 0 {
		t.Fatalf("got %v (%v), want %v", paths(deleted), err, errKilled)
	}
	return before
}

func TestPruneFinishesAnInterruptedPrune(t *testing.T) {
	s := newUsedStore(t)
	before := s.interruptPrune(t)
	want := []string{s.replaced.Path, s.retired.Path}
	slices.Sort(want)
	var warnings []string
	for _, name := range want {
		warnings = append(warnings, "warning STORE_FILE_UNUSED "+name)
	}
	if diff := cmp.Diff(warnings, findings(t, s)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if _, err := s.Restore(t.Context(), steward, s.retired); err == nil {
		t.Error("a release whose files are being deleted was restored")
	} else {
		wantCode(t, err, store.ContentGone)
	}
	if contents, err := s.Contents(t.Context(), s.retired.ID); err != nil || len(contents) != 1 || !contents[0].Gone {
		t.Errorf("got contents %+v (%v), want one that is gone", contents, err)
	}
	// It is garbage, however recently it was in use.
	garbage := s.mustPrunable(t, time.Now().Add(-time.Hour))
	if diff := cmp.Diff(want, paths(garbage)); diff != "" || garbage[0].Reason != store.Interrupted {
		t.Errorf("got %+v, want interrupted deletions: %s", garbage, diff)
	}
	if deleted, err := s.Prune(t.Context(), steward, before, garbage); err != nil || len(deleted) != 2 {
		t.Errorf("got %v (%v), want two deleted folders", paths(deleted), err)
	}
	if got := findings(t, s); len(got) > 0 {
		t.Errorf("got findings %v, want none", got)
	}
	if garbage := s.mustPrunable(t, before); len(garbage) > 0 {
		t.Errorf("got garbage %v, want none", paths(garbage))
	}
}

func TestReleaseIsNotPublishedInAFolderThatIsBeingDeleted(t *testing.T) {
	s := newUsedStore(t)
	before := s.interruptPrune(t)
	again, err := storetest.Publish(t.Context(), s, releasetest.Release(t, s.retired.ID.String()))
	if err != nil || again.Path != s.retired.Path+"-2" {
		t.Fatalf("got folder %s (%v), want %s-2", again.Path, err, s.retired.Path)
	}
	if _, err := s.Prune(t.Context(), steward, before, s.mustPrunable(t, before)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), again.Entry); err != nil {
		t.Error(err)
	}
	if got := findings(t, s); len(got) > 0 {
		t.Errorf("got findings %v, want none", got)
	}
	// The other prune may not have ended: only time releases the folder.
	if marks := len(s.mustIndex(t).Pruning); marks != 2 {
		t.Errorf("got %d marks, want 2", marks)
	}
	if _, err := s.Retire(t.Context(), steward, again.ID); err != nil {
		t.Fatal(err)
	}
	if republished, err := storetest.Publish(t.Context(), s, releasetest.Release(t, again.ID.String())); err != nil || republished.Path != again.Path {
		t.Errorf("got folder %s (%v), want %s", republished.Path, err, again.Path)
	}
	if _, err := s.Retire(t.Context(), steward, again.ID); err != nil {
		t.Fatal(err)
	}
	s.Now = func() time.Time { return time.Now().Add(48 * time.Hour) }
	before = before.Add(48 * time.Hour)
	if deleted, err := s.Prune(t.Context(), steward, before, s.mustPrunable(t, before)); err != nil || len(deleted) != 1 || deleted[0].Path != again.Path {
		t.Errorf("got %v (%v), want %s deleted", paths(deleted), err, again.Path)
	}
	if marks := s.mustIndex(t).Pruning; len(marks) > 0 {
		t.Errorf("got marks %v after two days, want none", marks)
	}
}

func TestFolderIsPublishedAgainWhileItIsPruned(t *testing.T) {
	s := newUsedStore(t)
	before := time.Now().Add(time.Hour)
	var again store.Outcome
	hooked := store.WithHook(s.Store, func(name string) (err error) {
		if name == s.retired.Path {
			again, err = storetest.Publish(t.Context(), store.OpenFolder(s.dir), releasetest.Release(t, s.retired.ID.String()))
		}
		return err
	})
	if deleted, err := hooked.Prune(t.Context(), steward, before, s.mustPrunable(t, before)); err != nil || len(deleted) != 2 {
		t.Fatalf("got %v (%v), want two deleted folders", paths(deleted), err)
	}
	if _, err := s.Load(t.Context(), again.Entry); err != nil {
		t.Error(err)
	}
	if got := findings(t, s); len(got) > 0 {
		t.Errorf("got findings %v, want none", got)
	}
	if marks := s.mustIndex(t).Pruning; len(marks) > 0 {
		t.Errorf("got marks %v, want none", marks)
	}
}

func TestSecondPruneDoesNotReleaseTheFoldersOfTheFirst(t *testing.T) {
	s := newUsedStore(t)
	before := time.Now().Add(time.Hour)
	garbage := s.mustPrunable(t, before)
	var again store.Outcome
	hooked := store.WithHook(s.Store, func(name string) error {
		if name != s.retired.Path {
			return nil
		}
		// Another prune is faster, and the release is published again.
		other := store.OpenFolder(s.dir)
		if _, err := other.Prune(t.Context(), steward, before, garbage); err != nil {
			return err
		}
		var err error
		again, err = storetest.Publish(t.Context(), other, releasetest.Release(t, s.retired.ID.String()))
		return err
	})
	if _, err := hooked.Prune(t.Context(), steward, before, garbage); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), again.Entry); err != nil {
		t.Error(err)
	}
}

func TestRebuiltIndexKeepsTheMarksOfAPrune(t *testing.T) {
	s := newUsedStore(t)
	s.interruptPrune(t)
	if err := os.Remove(s.path(store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	s.mustRepair(t)
	again, err := storetest.Publish(t.Context(), s, releasetest.Release(t, s.retired.ID.String()))
	if err != nil || again.Path == s.retired.Path {
		t.Errorf("got folder %s (%v), want another one than the one that is being deleted", again.Path, err)
	}
}

func TestReadersOfAnOldIndexSeeDamageAfterPrune(t *testing.T) {
	s := newUsedStore(t)
	before := time.Now().Add(time.Hour)
	if _, err := s.Prune(t.Context(), steward, before, s.mustPrunable(t, before)); err != nil {
		t.Fatal(err)
	}
	var damage *release.DamageError
	if _, err := s.Load(t.Context(), s.replaced); !errors.As(err, &damage) {
		t.Errorf("got %v, want a DamageError, after which servers read the index again", err)
	}
}

func TestRetiredReleaseOfLostRecordsIsNotPrunedAtOnce(t *testing.T) {
	s := newUsedStore(t)
	for _, i := range []int{1, 3} { // of the release that is retired
		if err := os.Remove(s.path(s.records[i])); err != nil {
			t.Fatal(err)
		}
	}
	repairs := s.mustRepair(t)
	if garbage := s.mustPrunable(t, repairs.Record.At.Add(-time.Second)); len(garbage) > 0 {
		t.Errorf("got garbage %v right after the repair, want none", paths(garbage))
	}
	if garbage := s.mustPrunable(t, repairs.Record.At); !slices.Contains(paths(garbage), s.retired.Path) {
		t.Errorf("got garbage %v, want %s, too", paths(garbage), s.retired.Path)
	}
	if _, err := s.Prune(t.Context(), steward, repairs.Record.At, s.mustPrunable(t, repairs.Record.At)); err != nil {
		t.Fatal(err)
	}
	if got := findings(t, s); len(got) > 0 {
		t.Errorf("got findings %v after pruning, want none", got)
	}
}
