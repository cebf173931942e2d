package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/storage/store"
	"placard/internal/storage/store/storetest"
)

var steward = store.Intent{By: "steward@example", Note: "after the power cut"}

func (s *usedStore) mustIndex(t *testing.T) *store.Index {
	t.Helper()
	ix, err := s.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// wantIndex compares the index of a store with an earlier one, except for the
// journal.
func (s *usedStore) wantIndex(t *testing.T, want *store.Index) {
	t.Helper()
	if diff := cmp.Diff(want, s.mustIndex(t), cmpopts.IgnoreFields(store.Index{}, "Journal")); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
}

func (s *usedStore) mustRepair(t *testing.T) store.Repairs {
	t.Helper()
	repairs, err := s.Repair(t.Context(), steward)
	if err != nil {
		t.Fatal(err)
	}
	return repairs
}

// orphan adds a record that a writer left behind which was killed before it
// replaced the index. It publishes a release.
func (s *usedStore) orphan(t *testing.T) {
	t.Helper()
	index, err := os.ReadFile(s.path(store.IndexFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, "small@2030-01-01-beta")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path(store.IndexFile), index, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRepairRebuildsADamagedIndex(t *testing.T) {
	for damage, apply := range map[string]func(string) error{
		"altered":                  flip(0.5),
		"truncated":                func(name string) error { return os.Truncate(name, 20) },
		"emptied":                  func(name string) error { return os.Truncate(name, 0) },
		"deleted":                  os.Remove,
		"replaced by a folder":     replaceBy(createFolder),
		"replaced by its own link": replaceBy(func(name string) error { return os.Symlink(filepath.Base(name), name) }),
	} {
		t.Run(damage, func(t *testing.T) {
			s := newUsedStore(t)
			before := s.mustIndex(t)
			if err := apply(s.path(store.IndexFile)); err != nil {
				t.Fatal(err)
			}
			repairs := s.mustRepair(t)
			if !repairs.Rebuilt || repairs.Revision != 5 || len(repairs.Lost) > 0 {
				t.Errorf("got %+v, want the index rebuilt from revision 5", repairs)
			}
			s.wantIndex(t, before)
			records, err := s.History(t.Context())
			if err != nil || len(records) != 6 || records[0].Action != store.Repair || records[0].By != steward.By {
				t.Errorf("got %d records (%v), want six, the last one of the repair", len(records), err)
			}
			var want []string
			if damage != "deleted" {
				kept, err := filepath.Glob(s.path(store.IndexFile + ".damaged-*"))
				if err != nil || len(kept) != 1 {
					t.Fatalf("got %v (%v), want the damaged index", kept, err)
				}
				want = []string{"warning STORE_FILE_UNUSED " + filepath.Base(kept[0])}
			}
			if diff := cmp.Diff(want, findings(t, s)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta, "more")); err != nil {
				t.Errorf("publish after the repair: %v", err)
			}
		})
	}
}

func TestRepairIgnoresOrphansThatTheDamagedIndexDoesNotName(t *testing.T) {
	s := newUsedStore(t)
	before := s.mustIndex(t)
	s.Now = func() time.Time { return time.Now().Add(time.Hour) }
	s.orphan(t)
	s.Now = nil
	if err := flip(0.1)(s.path(store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	if repairs := s.mustRepair(t); repairs.Revision != 5 {
		t.Errorf("rebuilt from revision %d, want 5", repairs.Revision)
	}
	s.wantIndex(t, before)
	// The orphan has the revision of the repair. It is not mistaken for it.
	if err := os.Remove(s.path(store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	if repairs := s.mustRepair(t); repairs.Revision != 6 {
		t.Errorf("rebuilt from revision %d, want 6", repairs.Revision)
	}
	s.wantIndex(t, before)
}

func TestRepairIgnoresOrphansFromBeforeTheLastChange(t *testing.T) {
	s := newUsedStore(t)
	s.Now = func() time.Time { return time.Now().Add(time.Hour) } // the orphan is the newer one by its time
	s.orphan(t)
	s.Now = nil
	if _, err := s.RemoveAlias(t.Context(), steward, "small@pilot"); err != nil {
		t.Fatal(err)
	}
	before := s.mustIndex(t)
	if err := os.Remove(s.path(store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	s.mustRepair(t)
	s.wantIndex(t, before)
}

// copyRecord adds a record with the revision and the predecessor of another one, as a
// writer that lost a race leaves it behind.
func (s *usedStore) copyRecord(t *testing.T, i int) (file string) {
	t.Helper()
	data, err := os.ReadFile(s.path(s.records[i]))
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.Replace(data, []byte(`"at": "`), []byte(`"by": "rival", "at": "`), 1)
	file = fmt.Sprintf("%s/%08d-%s.json", store.JournalDir, i+1, release.Digest(data)[:16])
	if err := os.WriteFile(s.path(file), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRecordsOfLosersAreIgnored(t *testing.T) {
	s := newUsedStore(t)
	before := s.mustIndex(t)
	var want []string
	for i := range s.records {
		want = append(want, "warning STORE_FILE_UNUSED "+s.copyRecord(t, i))
	}
	if records, err := s.History(t.Context()); err != nil || len(records) != 5 || slices.ContainsFunc(records, func(r store.Record) bool { return r.By == "rival" }) {
		t.Errorf("got %+v (%v), want five records, none of a rival", records, err)
	}
	if diff := cmp.Diff(want, findings(t, s)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	// The damaged index still names the last record.
	if err := flip(0.1)(s.path(store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	if repairs := s.mustRepair(t); repairs.Revision != 5 || len(repairs.Lost) > 0 {
		t.Errorf("got %+v, want the index rebuilt from revision 5", repairs)
	}
	s.wantIndex(t, before)
	if garbage := s.mustPrunable(t, time.Now().Add(-time.Hour)); len(garbage) > 0 {
		t.Errorf("got recent garbage %v, want none", paths(garbage))
	}
	losers := 0
	for _, g := range s.mustPrunable(t, time.Now().Add(time.Hour)) {
		if strings.HasPrefix(g.Path, store.JournalDir) {
			losers++
		}
	}
	if losers != len(want) {
		t.Errorf("got %d records as garbage, want %d", losers, len(want))
	}
}

func TestRepairRefusesToGuessTheLastRecord(t *testing.T) {
	s := newUsedStore(t)
	before := s.mustIndex(t)
	rival := s.copyRecord(t, 4)
	if err := os.Remove(s.path(store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Repair(t.Context(), steward)
	wantCode(t, err, store.IndexDamaged)
	p, _ := errors.AsType[problem.Problem](err)
	for _, name := range []string{rival, s.records[4]} {
		if !strings.Contains(p.FixHint, name) {
			t.Errorf("the hint %q does not name %s", p.FixHint, name)
		}
	}
	if diff := cmp.Diff([]string{"error STORE_INDEX_DAMAGED " + store.IndexFile}, findings(t, s)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	// As the hint says.
	if err := os.Remove(s.path(rival)); err != nil {
		t.Fatal(err)
	}
	s.mustRepair(t)
	s.wantIndex(t, before)
}

func TestRecordsBeforeAMissingOneAreNotGuessed(t *testing.T) {
	s := newUsedStore(t)
	rival := s.copyRecord(t, 2)
	damaged := s.path(s.records[3])
	if err := flipIn("retire")(damaged); err != nil { // it still names its predecessor
		t.Fatal(err)
	}
	want := []string{"error STORE_JOURNAL_DAMAGED " + s.records[3], "warning STORE_FILE_UNUSED " + rival}
	if diff := cmp.Diff(want, findings(t, s)); diff != "" {
		t.Errorf("findings with a damaged record (-want +got):\n%s", diff)
	}
	if err := os.Remove(damaged); err != nil {
		t.Fatal(err)
	}
	rivals := []string{rival, s.records[2]}
	slices.Sort(rivals)
	got := findings(t, s)
	slices.Sort(got)
	want = []string{"error STORE_JOURNAL_DAMAGED " + rivals[0], "error STORE_JOURNAL_DAMAGED " + rivals[1], "error STORE_JOURNAL_DAMAGED " + s.records[3]}
	slices.Sort(want)
	// The release of the ambiguous record is published.
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings with a missing record (-want +got):\n%s", diff)
	}
	s.mustRepair(t)
	if records, err := s.History(t.Context()); err != nil || len(records) != 4 {
		t.Errorf("got %d records (%v), want four", len(records), err)
	}
}

func TestRepairRecordsLostRecords(t *testing.T) {
	for i, damage := range []func(string) error{flip(0.5), os.Remove, flip(0.5), os.Remove, flip(0.5)} {
		s := newUsedStore(t)
		before := s.mustIndex(t)
		if err := damage(s.path(s.records[i])); err != nil {
			t.Fatal(err)
		}
		if records, err := s.History(t.Context()); err == nil || len(records) != 4-i {
			t.Errorf("history with damaged revision %d: got %d records (%v), want %d and an error", i+1, len(records), err, 4-i)
		}
		_, err := s.Prunable(t.Context(), time.Now())
		wantCode(t, err, store.JournalDamaged)
		repairs := s.mustRepair(t)
		if diff := cmp.Diff([]string{s.records[i]}, repairs.Lost); diff != "" || repairs.Rebuilt {
			t.Errorf("got %+v, want one lost record and the old index: %s", repairs, diff)
		}
		s.wantIndex(t, before)
		records, err := s.History(t.Context())
		if err != nil || len(records) != 5 || records[0].Action != store.Repair {
			t.Errorf("got %d records (%v), want four and the repair", len(records), err)
		}
		for _, finding := range findings(t, s) {
			if finding != "warning STORE_FILE_UNUSED "+s.records[i] {
				t.Errorf("got finding %q after the repair", finding)
			}
		}
		// The lost record may have been the one that replaced a beta.
		if garbage, err := s.Prunable(t.Context(), repairs.Record.At.Add(-time.Second)); err != nil || len(garbage) > 0 {
			t.Errorf("got garbage %v (%v) right after the repair, want none", garbage, err)
		}
		if repairs := s.mustRepair(t); repairs.Record != nil {
			t.Errorf("second repair: got %+v, want no record", repairs)
		}
	}
}

func TestRepairRebuildsAnIndexFromAnIncompleteJournal(t *testing.T) {
	s := newUsedStore(t)
	before := s.mustIndex(t)
	for _, name := range []string{store.IndexFile, s.records[1], s.records[4]} {
		if err := flip(0.5)(s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	repairs := s.mustRepair(t)
	if diff := cmp.Diff([]string{s.records[1], s.records[4]}, repairs.Lost); diff != "" || repairs.Revision != 4 {
		t.Errorf("got %+v, want two lost records: %s", repairs, diff)
	}
	before.Pins = nil // the last record set the alias
	if diff := cmp.Diff(before, s.mustIndex(t), cmpopts.IgnoreFields(store.Index{}, "Journal"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
	for _, finding := range findings(t, s) {
		if !strings.HasPrefix(finding, "warning STORE_FILE_UNUSED ") {
			t.Errorf("got finding %q after the repair", finding)
		}
	}
}

func TestReleaseOfALostRecordCanBePublishedAgain(t *testing.T) {
	s := newUsedStore(t)
	for _, name := range []string{store.IndexFile, s.records[2]} {
		if err := os.Remove(s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	s.mustRepair(t)
	report, err := s.Verify(t.Context(), nil)
	if err != nil || len(report.Problems) != 1 {
		t.Fatalf("got %+v (%v), want one problem", report, err)
	}
	p := report.Problems[0]
	if p.Code != store.FileUnused || p.Pos.File != s.published.Path || !strings.Contains(p.Message, s.published.ID.String()) {
		t.Errorf("got %v, want a warning about the release of the lost record", p)
	}
	if _, err := storetest.Publish(t.Context(), s, releasetest.Release(t, beta, "added")); err != nil {
		t.Fatal(err)
	}
	if got := findings(t, s); len(got) > 0 {
		t.Errorf("got findings %v, want none", got)
	}
	if e, _ := s.mustIndex(t).Find(s.published.ID); e.Path != s.published.Path {
		t.Errorf("got %+v, want the folder %s", e, s.published.Path)
	}
}

func TestRepairRefusesWithoutAJournal(t *testing.T) {
	s := newUsedStore(t)
	for _, name := range []string{store.IndexFile, store.JournalDir} {
		if err := os.RemoveAll(s.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Repair(t.Context(), steward)
	wantCode(t, err, store.IndexDamaged)
	if _, err := os.Stat(s.path(store.IndexFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused repair wrote an index: %v", err)
	}
	if report, err := s.Verify(t.Context(), nil); err != nil || report.Problems[0].Code != store.IndexDamaged {
		t.Errorf("got %+v (%v), want %s", report, err, store.IndexDamaged)
	}
}

func TestRepairLeavesOtherLayoutsAlone(t *testing.T) {
	s := newUsedStore(t)
	index := release.Seal([]byte("{\n  \"layout\": 99\n}\n"))
	if err := os.WriteFile(s.path(store.IndexFile), index, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Repair(t.Context(), steward); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("got %v, want an error about the layout", err)
	}
	// The index is lost, but the releases have another layout.
	if err := os.Remove(s.path(store.IndexFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path(s.published.Path+"/release.json"), index, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Repair(t.Context(), steward); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("got %v, want an error about the layout", err)
	}
	if _, err := os.Stat(s.path(store.IndexFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refused repair wrote an index: %v", err)
	}
}

// wantCode fails the test if err has no problem with the given code and a hint.
func wantCode(t *testing.T, err error, code problem.Code) {
	t.Helper()
	p, ok := errors.AsType[problem.Problem](err)
	if !ok || p.Code != code || p.FixHint == "" && p.Call.IsZero() {
		t.Errorf("got %v, want %s with a hint", err, code)
	}
}
