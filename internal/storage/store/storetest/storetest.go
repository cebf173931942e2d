// Package storetest is the contract test for stores that can be published to.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

// Store is the interface under test.
type Store interface {
	Index(context.Context) (*store.Index, error)
	Load(context.Context, store.Entry) (*release.Release, error)
	History(context.Context) ([]store.Record, error)
	Contents(context.Context, taxonomy.ID) ([]store.Content, error)
	Select(context.Context, taxonomy.ID, store.AsOf) (store.Entry, error)
	Publish(context.Context, store.Intent, ...store.Publication) (store.Result, error)
	Promote(ctx context.Context, intent store.Intent, beta taxonomy.ID, pins ...string) (store.Result, error)
	Retire(context.Context, store.Intent, ...taxonomy.ID) (store.Result, error)
	Restore(context.Context, store.Intent, store.Entry) (store.Result, error)
	SetAlias(ctx context.Context, intent store.Intent, name string, id taxonomy.ID) (store.Result, error)
	RemoveAlias(ctx context.Context, intent store.Intent, alias string) (store.Result, error)
	Verify(ctx context.Context, progress func(done, total int, e store.Entry)) (*store.Report, error)
	Repair(context.Context, store.Intent) (store.Repairs, error)
	CopyFrom(ctx context.Context, from *store.Store, progress func(done, total int, e store.Entry)) (store.Copied, error)
	Prunable(ctx context.Context, before time.Time) ([]store.Garbage, error)
	Prune(ctx context.Context, intent store.Intent, before time.Time, garbage []store.Garbage) ([]store.Garbage, error)
}

const (
	beta   = "small@2026-01-02-beta"
	stable = "small@2026-01-02-stable"
)

// Run runs the contract test. Each call to create must create a new, empty store;
// each call to open must open that store as another process would.
func Run(t *testing.T, create func(t *testing.T) (open func() Store)) {
	for name, test := range map[string]func(*testing.T, func() Store){
		"a new store is empty":                         testNewStore,
		"a published release can be loaded":            testPublish,
		"a replaced beta remains readable":             testReplaceBeta,
		"a stable release is written once":             testStable,
		"aliases can be pinned and moved":              testPins,
		"several releases are published atomically":    testPublishAll,
		"a refused publish has no effect":              testRefusedPublish,
		"a beta can be promoted":                       testPromote,
		"a stable release breaks no documents":         testBreaking,
		"a retired release can be skipped":             testSkipRetired,
		"publishing warns about odd dates":             testPublishWarnings,
		"undoing a restoration is a warning":           testUndoneRestore,
		"an untranslated beta is not promoted":         testPromoteUntranslated,
		"a release can be retired and restored":        testRetire,
		"an earlier beta can be restored":              testRestoreBeta,
		"aliases can be set and removed":               testAliases,
		"the journal records every change":             testJournal,
		"a dry run changes nothing":                    testDryRun,
		"a dry run compares releases":                  testDryRunComparison,
		"an intact store needs no repair":              testIntact,
		"a store can be copied":                        testCopy,
		"old files are pruned":                         testPrune,
		"files that are in use again are not pruned":   testPruneInUse,
		"pruning races with publishing and restoring":  testPruneRace,
		"concurrent publishers all succeed":            testConcurrentPublishers,
		"readers never see a partial index or release": testConcurrentReaders,
	} {
		t.Run(name, func(t *testing.T) { test(t, create(t)) })
	}
}

func index(t *testing.T, s Store) *store.Index {
	t.Helper()
	ix, err := s.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// Publisher publishes releases.
type Publisher interface {
	Publish(context.Context, store.Intent, ...store.Publication) (store.Result, error)
}

// Publish publishes one release.
func Publish(ctx context.Context, s Publisher, r *release.Release, pins ...string) (store.Outcome, error) {
	result, err := s.Publish(ctx, store.Intent{}, store.Publication{Release: r, Pins: pins})
	if err != nil {
		return store.Outcome{}, err
	}
	return result.Outcomes[0], nil
}

// publish publishes one release and reports whether the index changed.
func publish(t *testing.T, s Store, r *release.Release, pins ...string) (e store.Entry, changed bool) {
	t.Helper()
	result, err := s.Publish(t.Context(), store.Intent{}, store.Publication{Release: r, Pins: pins})
	if err != nil {
		t.Fatal(err)
	}
	return result.Outcomes[0].Entry, result.Changed()
}

func load(t *testing.T, s Store, e store.Entry) *release.Release {
	t.Helper()
	r, err := s.Load(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ids(ix *store.Index) []string {
	var names []string
	for _, e := range ix.Releases {
		names = append(names, e.ID.String())
	}
	return names
}

func testNewStore(t *testing.T, open func() Store) {
	if ix := index(t, open()); len(ix.Releases) != 0 || len(ix.Pins) != 0 {
		t.Errorf("got %v, want an empty index", ix)
	}
}

func testPublish(t *testing.T, open func() Store) {
	r := releasetest.Release(t, beta)
	entry, changed := publish(t, open(), r)
	if !changed {
		t.Error("the first publish reports no change")
	}
	s := open()
	found, ok := index(t, s).Find(r.ID())
	if !ok || found != entry || found.ContentHash != r.Hash() || found.PublishedAt.IsZero() {
		t.Fatalf("the index has %+v, want %+v", found, entry)
	}
	loaded := load(t, s, found)
	if diff := cmp.Diff(r.Taxonomy, loaded.Taxonomy); diff != "" {
		t.Error(diff)
	}
	if got, want := loaded.Fingerprint(), r.Fingerprint(); got != want {
		t.Errorf("got fingerprint %s, want %s", got, want)
	}
	if _, changed := publish(t, open(), r); changed {
		t.Error("publishing the same release again reports a change")
	}
}

func testReplaceBeta(t *testing.T, open func() Store) {
	s := open()
	old, _ := publish(t, s, releasetest.Release(t, beta))
	next := releasetest.Release(t, beta, "added")
	entry, changed := publish(t, s, next)
	if !changed || entry == old {
		t.Error("publishing new content reports no change")
	}
	if diff := cmp.Diff([]string{beta}, ids(index(t, s))); diff != "" {
		t.Error(diff)
	}
	if got := load(t, s, entry); got.Hash() != next.Hash() {
		t.Errorf("loaded %s, want %s", got.Hash(), next.Hash())
	}
	if got := load(t, s, old); got.Hash() != old.ContentHash {
		t.Errorf("loaded %s from the old index, want %s", got.Hash(), old.ContentHash)
	}
	if again, changed := publish(t, s, releasetest.Release(t, beta)); !changed || again.ContentHash != old.ContentHash {
		t.Errorf("publishing the old content again: got %s, changed %v", again.ContentHash, changed)
	}
}

func testStable(t *testing.T, open func() Store) {
	s := open()
	r := releasetest.Release(t, stable)
	entry, _ := publish(t, s, r)
	if _, changed := publish(t, s, r); changed {
		t.Error("publishing the same content again reports a change")
	}
	tax := releasetest.Taxonomy(t, stable)
	tax.Notes = "Only the notes differ."
	same, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	if again, changed := publish(t, s, same); changed || again != entry {
		t.Errorf("publishing the same content with different notes: got %+v, changed %v", again, changed)
	}
	before := index(t, s)
	_, err = Publish(t.Context(), s, releasetest.Release(t, stable, "added"))
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != store.StableImmutable || p.FixHint == "" {
		t.Errorf("different content: got %v, want %s", err, store.StableImmutable)
	}
	if diff := cmp.Diff(before, index(t, s)); diff != "" {
		t.Errorf("the refused publish changed the index: %s", diff)
	}
	load(t, s, entry)
}

func testPins(t *testing.T, open func() Store) {
	s := open()
	publish(t, s, releasetest.Release(t, beta), "pilot", "demo")
	r := releasetest.Release(t, stable)
	publish(t, s, r)
	want := map[string]taxonomy.ID{}
	for _, alias := range []string{"small@pilot", "small@demo"} {
		id, err := taxonomy.ParseID(beta)
		if err != nil {
			t.Fatal(err)
		}
		want[alias] = id
	}
	if diff := cmp.Diff(want, index(t, s).Pins); diff != "" {
		t.Error(diff)
	}
	if _, changed := publish(t, s, r, "pilot"); !changed {
		t.Error("moving an alias reports no change")
	}
	want["small@pilot"] = r.ID()
	if diff := cmp.Diff(want, index(t, s).Pins); diff != "" {
		t.Error(diff)
	}
}

func testPublishAll(t *testing.T, open func() Store) {
	s := open()
	first, second := releasetest.Release(t, stable), releasetest.Release(t, beta)
	result, err := s.Publish(t.Context(), store.Intent{}, store.Publication{Release: first}, store.Publication{Release: second, Pins: []string{"pilot"}})
	if outcomes := result.Outcomes; err != nil || len(outcomes) != 2 || !outcomes[0].Published || outcomes[1].ID != second.ID() {
		t.Fatalf("got %v (%v), want two new releases", outcomes, err)
	}
	before := index(t, s)
	_, err = s.Publish(t.Context(), store.Intent{},
		store.Publication{Release: releasetest.Release(t, beta, "added")},
		store.Publication{Release: releasetest.Release(t, stable, "added")},
	)
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != store.StableImmutable {
		t.Errorf("got %v, want %s", err, store.StableImmutable)
	}
	if diff := cmp.Diff(before, index(t, s)); diff != "" {
		t.Errorf("one release was refused, but the other was published: %s", diff)
	}
}

func testRefusedPublish(t *testing.T, open func() Store) {
	s := open()
	for _, name := range []string{"latest", "stable", "beta", "2026-01-02", "Pilot", "a b", ""} {
		_, err := Publish(t.Context(), s, releasetest.Release(t, beta), "good", name)
		var p problem.Problem
		if !errors.As(err, &p) || p.Code != store.AliasInvalid {
			t.Errorf("alias %q: got %v, want %s", name, err, store.AliasInvalid)
		}
	}
	if ix := index(t, s); len(ix.Releases) != 0 || len(ix.Pins) != 0 {
		t.Errorf("got %v, want an empty index", ix)
	}
}

func testConcurrentPublishers(t *testing.T, open func() Store) {
	const publishers = 8
	var want []string
	var wg sync.WaitGroup
	for i := range publishers {
		id := fmt.Sprintf("small@2026-01-%02d-beta", i+1)
		want = append(want, id)
		r := releasetest.Release(t, id)
		wg.Go(func() {
			if _, err := Publish(t.Context(), open(), r, fmt.Sprintf("pin-%d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	ix := index(t, open())
	if diff := cmp.Diff(want, ids(ix)); diff != "" {
		t.Error(diff)
	}
	if len(ix.Pins) != publishers {
		t.Errorf("got %d aliases, want %d", len(ix.Pins), publishers)
	}
	if records, err := open().History(t.Context()); err != nil || len(records) != publishers {
		t.Errorf("got %d records (%v), want %d", len(records), err, publishers)
	}
}

func testConcurrentReaders(t *testing.T, open func() Store) {
	versions := []*release.Release{releasetest.Release(t, beta), releasetest.Release(t, beta, "a"), releasetest.Release(t, beta, "a", "b")}
	publish(t, open(), versions[0])
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := open()
			for reads := 0; ; reads++ {
				select {
				case <-done:
					if reads == 0 {
						t.Error("a reader did not read anything")
					}
					return
				default:
				}
				ix, err := s.Index(t.Context())
				if err != nil || len(ix.Releases) != 1 {
					t.Errorf("Index: got %v (%v), want one release", ix, err)
					return
				}
				if _, err := s.Load(t.Context(), ix.Releases[0]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 12 {
		publish(t, open(), versions[i%len(versions)])
	}
	close(done)
	wg.Wait()
}
