package storetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store"
)

// wantIntact fails the test if a store has problems with other codes than the given
// ones.
func wantIntact(t *testing.T, s Store, accepted ...problem.Code) {
	t.Helper()
	report, err := s.Verify(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		if !slices.Contains(accepted, p.Code) {
			t.Errorf("verify: %v", p)
		}
	}
}

func testIntact(t *testing.T, open func() Store) {
	s := open()
	if report, err := s.Verify(t.Context(), nil); err != nil || len(report.Problems) > 0 || report.Releases != 0 {
		t.Errorf("new store: got %+v (%v), want no releases and no problems", report, err)
	}
	e, _ := publish(t, s, releasetest.Release(t, beta), "pilot")
	publish(t, s, releasetest.Release(t, beta, "added"))
	if _, err := s.Promote(t.Context(), intent, e.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Retire(t.Context(), intent, e.ID); err != nil {
		t.Fatal(err)
	}
	var steps []int
	report, err := s.Verify(t.Context(), func(done, total int, _ store.Entry) { steps = append(steps, done, total) })
	if err != nil || report.Releases != 3 || report.Records != 4 || report.Bytes == 0 {
		t.Errorf("got %+v (%v), want three releases and four records", report, err)
	}
	if diff := cmp.Diff([]int{0, 3, 1, 3, 2, 3}, steps); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	wantIntact(t, s)
	before := index(t, s)
	if repairs, err := s.Repair(t.Context(), intent); err != nil || repairs.Record != nil {
		t.Errorf("got repairs %+v (%v), want none", repairs, err)
	}
	if diff := cmp.Diff(before, index(t, s)); diff != "" {
		t.Errorf("repairing an intact store changed its index: %s", diff)
	}
}

// prunable returns the paths of all garbage.
func prunable(t *testing.T, s Store, before time.Time) ([]store.Garbage, []string) {
	t.Helper()
	garbage, err := s.Prunable(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, g := range garbage {
		paths = append(paths, g.Path)
	}
	return garbage, paths
}

func testPrune(t *testing.T, open func() Store) {
	s := open()
	old, _ := publish(t, s, releasetest.Release(t, beta))
	current, _ := publish(t, s, releasetest.Release(t, beta, "added"))
	r := releasetest.Release(t, stable)
	final, _ := publish(t, s, r)
	if _, err := s.Retire(t.Context(), intent, final.ID); err != nil {
		t.Fatal(err)
	}
	past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if _, paths := prunable(t, s, past); len(paths) > 0 {
		t.Errorf("got garbage %v, want none that is an hour old", paths)
	}
	garbage, paths := prunable(t, s, future)
	if diff := cmp.Diff([]string{old.Path, final.Path}, paths); diff != "" {
		t.Fatalf("garbage (-want +got):\n%s", diff)
	}
	for i, want := range []store.Reason{store.Replaced, store.Retired} {
		if g := garbage[i]; g.Reason != want || g.Size == 0 || g.Since.IsZero() || g.ContentHash == "" {
			t.Errorf("got %+v, want reason %q, a size, a time and a content hash", g, want)
		}
	}
	if deleted, err := s.Prune(t.Context(), intent, past, garbage); err != nil || len(deleted) > 0 {
		t.Errorf("pruning files that are too new: got %v (%v), want none", deleted, err)
	}
	deleted, err := s.Prune(t.Context(), intent, future, garbage)
	if err != nil || len(deleted) != 2 {
		t.Fatalf("got %v (%v), want two deleted folders", deleted, err)
	}
	wantIntact(t, s)
	load(t, s, current)
	for _, e := range []store.Entry{old, final} {
		if _, err := s.Load(t.Context(), e); err == nil {
			t.Errorf("%s can still be loaded", e.Path)
		}
		_, err := s.Restore(t.Context(), intent, e)
		wantCode(t, err, store.ContentGone)
	}
	records, err := s.History(t.Context())
	if err != nil || len(records) != 5 || records[0].Action != store.Prune || records[0].By != intent.By || records[0].Note != intent.Note {
		t.Fatalf("got %+v (%v), want five records, the last one of the prune", records, err)
	}
	if diff := cmp.Diff([]string{old.Path, final.Path}, records[0].Removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	if _, paths := prunable(t, s, future); len(paths) > 0 {
		t.Errorf("got garbage %v after pruning, want none", paths)
	}
	if _, err := s.Prune(t.Context(), intent, future, garbage); err != nil || index(t, s).Journal.Revision != 5 {
		t.Errorf("pruning again: %v, want no new record", err)
	}

	_, err = Publish(t.Context(), s, releasetest.Release(t, stable, "added"))
	wantCode(t, err, store.StableImmutable)
	again, _ := publish(t, s, r)
	load(t, s, again)
	wantIntact(t, s)
}

func testPruneInUse(t *testing.T, open func() Store) {
	s := open()
	old, _ := publish(t, s, releasetest.Release(t, beta))
	current, _ := publish(t, s, releasetest.Release(t, beta, "added"))
	future := time.Now().Add(time.Hour)
	garbage, _ := prunable(t, s, future)
	if _, err := open().Restore(t.Context(), intent, old); err != nil {
		t.Fatal(err)
	}
	if deleted, err := s.Prune(t.Context(), intent, future, garbage); err != nil || len(deleted) > 0 {
		t.Errorf("got %v (%v), want nothing deleted", deleted, err)
	}
	load(t, s, old)
	load(t, s, current)
	wantIntact(t, s)
}

func testPruneRace(t *testing.T, open func() Store) {
	s := open()
	first, second := releasetest.Release(t, beta), releasetest.Release(t, beta, "added")
	old, _ := publish(t, s, first)
	publish(t, s, second)
	future := time.Now().Add(time.Hour)
	for round := range 6 {
		var wg sync.WaitGroup
		wg.Go(func() {
			pruner := open()
			garbage, err := pruner.Prunable(t.Context(), future)
			if err == nil {
				_, err = pruner.Prune(t.Context(), intent, future, garbage)
			}
			if err != nil {
				t.Errorf("prune: %v", err)
			}
		})
		wg.Go(func() {
			if round%2 == 0 {
				// Either the restoration or the prune is first.
				if _, err := open().Restore(t.Context(), intent, old); err != nil {
					wantCode(t, err, store.ContentGone)
				}
				return
			}
			if _, err := Publish(t.Context(), open(), first); err != nil {
				t.Errorf("publish: %v", err)
			}
		})
		wg.Wait()
		// A publisher that has used another folder, and loses a race against the end of
		// the prune, leaves that folder behind.
		wantIntact(t, s, store.FileUnused)
		current, _ := index(t, s).Find(first.ID())
		load(t, s, current)
		old, _ = publish(t, s, first)
		publish(t, s, second)
	}
	if marks := index(t, s).Pruning; len(marks) > 0 {
		t.Errorf("got marks %v of finished prunes, want none", marks)
	}
}
