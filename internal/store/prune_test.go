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

	"placard/internal/release"
	"placard/internal/release/releasetest"
	"placard/internal/store"
	"placard/internal/store/storetest"
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

// interruptPrune prunes all garbage, and puts the retired release back as if prune
// had been interrupted between the record and the deletion.
func (s *usedStore) interruptPrune(t *testing.T) (before time.Time) {
	t.Helper()
	before = time.Now().Add(time.Hour)
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(s.path(s.retired.Path))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prune(t.Context(), steward, before, s.mustPrunable(t, before)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(s.path(s.retired.Path), os.DirFS(copied)); err != nil {
		t.Fatal(err)
	}
	return before
}

func TestPruneFinishesAnInterruptedPrune(t *testing.T) {
	s := newUsedStore(t)
	before := s.interruptPrune(t)
	if got := findings(t, s); len(got) > 0 {
		t.Errorf("got findings %v, want none", got)
	}
	if diff := cmp.Diff([]string{s.retired.Path}, paths(s.mustPrunable(t, before))); diff != "" {
		t.Errorf("garbage (-want +got):\n%s", diff)
	}
	if _, err := s.Restore(t.Context(), steward, s.retired); err != nil {
		t.Errorf("restore: %v", err)
	}
	if got := findings(t, s); len(got) > 0 {
		t.Errorf("got findings %v, want none", got)
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
