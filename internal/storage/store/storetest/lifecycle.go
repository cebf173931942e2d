package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"placard/internal/core/compat"
	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/store"
)

var intent = store.Intent{By: "steward@example", Note: "a reason"}

func parseID(t *testing.T, s string) taxonomy.ID {
	t.Helper()
	id, err := taxonomy.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// wantCode fails the test if err has no problem with the given code and a hint.
func wantCode(t *testing.T, err error, code problem.Code) {
	t.Helper()
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != code {
		t.Errorf("got %v, want %s", err, code)
	} else if p.FixHint == "" && p.Call.IsZero() {
		t.Errorf("%v has no hint", err)
	}
}

func testPromote(t *testing.T, open func() Store) {
	s := open()
	e, _ := publish(t, s, releasetest.Release(t, beta))
	result, err := s.Promote(t.Context(), intent, e.ID, "pilot")
	if err != nil {
		t.Fatal(err)
	}
	promoted := result.Outcomes[0]
	if promoted.ID.String() != stable || promoted.ContentHash != e.ContentHash {
		t.Errorf("got %s with content %s, want %s with content %s", promoted.ID, promoted.ContentHash, stable, e.ContentHash)
	}
	ix := index(t, s)
	if diff := cmp.Diff([]string{beta, stable}, ids(ix)); diff != "" {
		t.Error(diff)
	}
	if ix.Pins["small@pilot"] != promoted.ID {
		t.Errorf("small@pilot is %s, want %s", ix.Pins["small@pilot"], promoted.ID)
	}
	if got := load(t, s, promoted.Entry); got.ID() != promoted.ID {
		t.Errorf("loaded %s, want %s", got.ID(), promoted.ID)
	}
	if result, err := s.Promote(t.Context(), intent, e.ID); err != nil || result.Changed() {
		t.Errorf("promoting again: changed %v (%v)", result.Changed(), err)
	}
	publish(t, s, releasetest.Release(t, beta, "added"))
	_, err = s.Promote(t.Context(), intent, e.ID)
	wantCode(t, err, store.StableImmutable)
	_, err = s.Promote(t.Context(), intent, promoted.ID)
	wantCode(t, err, store.NotABeta)
	_, err = s.Promote(t.Context(), intent, parseID(t, "small@2026-01-03-beta"))
	wantCode(t, err, problem.NotFound)
}

func testBreaking(t *testing.T, open func() Store) {
	const oldID, newID, newBeta = "small@2026-03-01-stable", "small@2026-04-01-stable", "small@2026-04-01-beta"
	s := open()
	old, next := releasetest.Release(t, oldID, "added"), releasetest.Release(t, newID)
	refused := func(name string, err error) {
		t.Helper()
		var problems problem.List
		if !errors.As(err, &problems) || len(problems) != 2 || problems[0].Code != "ELEMENT_REMOVED" || problems[1].Code != store.StableBreaking || problems[1].FixHint == "" {
			t.Errorf("%s: got %v, want ELEMENT_REMOVED and %s", name, err, store.StableBreaking)
		}
	}
	_, err := s.Publish(t.Context(), intent, store.Publication{Release: next}, store.Publication{Release: old})
	refused("both at once", err)
	publish(t, s, old)
	before := index(t, s)
	_, err = Publish(t.Context(), s, next)
	refused("publish", err)
	publish(t, s, releasetest.Release(t, newBeta)) // a beta may break anything
	_, err = s.Promote(t.Context(), intent, parseID(t, newBeta))
	refused("promote", err)
	_, err = s.Promote(t.Context(), store.Intent{DryRun: true}, parseID(t, newBeta))
	refused("promote in a dry run", err)
	if _, err := s.Retire(t.Context(), intent, parseID(t, newBeta)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Releases, index(t, s).Releases); diff != "" {
		t.Errorf("a refused change has an effect: %s", diff)
	}
	publish(t, s, releasetest.Release(t, "small@2026-02-01-stable")) // the release before it has an earlier date
	publish(t, s, releasetest.Release(t, "other@2026-05-01-stable")) // and the same type

	allowed := intent
	allowed.AllowBreaking = true
	if _, err := s.Publish(t.Context(), allowed, store.Publication{Release: next}); err != nil {
		t.Fatal(err)
	}
	if _, changed := publish(t, s, next); changed {
		t.Error("publishing the same release again reports a change")
	}
	if _, err := s.Retire(t.Context(), intent, next.ID()); err != nil {
		t.Fatal(err)
	}
	if _, changed := publish(t, s, next); !changed {
		t.Error("a retired release cannot be published again")
	}
}

func testSkipRetired(t *testing.T, open func() Store) {
	s := open()
	r, other := releasetest.Release(t, beta), releasetest.Release(t, "small@2026-02-01-stable")
	e, _ := publish(t, s, r, "pilot")
	if _, err := s.Retire(t.Context(), intent, e.ID); err != nil {
		t.Fatal(err)
	}
	skipped := store.Publication{Release: releasetest.Release(t, beta, "added"), SkipRetired: true}
	result, err := s.Publish(t.Context(), intent, skipped, store.Publication{Release: other, SkipRetired: true})
	if err != nil {
		t.Fatal(err)
	}
	if o := result.Outcomes[0]; o.Published || !o.WasRetired || o.Entry != e {
		t.Errorf("got outcome %+v, want that of a release that remains retired", o)
	}
	if o := result.Outcomes[1]; !o.Published || o.WasRetired {
		t.Errorf("got outcome %+v, want that of a new release", o)
	}
	wantWarnings(t, result, store.ReleaseRetired)
	ix := index(t, s)
	if got, ok := ix.FindRetired(e.ID); !ok || got != e {
		t.Errorf("got the retired entry %+v, want %+v", got, e)
	}
	result, err = s.Publish(t.Context(), intent, skipped)
	if err != nil || result.Changed() {
		t.Errorf("only the retired release: changed %v (%v)", result.Changed(), err)
	}
	result, err = s.Publish(t.Context(), intent, store.Publication{Release: r})
	if err != nil || !result.Outcomes[0].Published || !result.Outcomes[0].WasRetired {
		t.Errorf("got outcome %+v (%v), want a retired release to be published again", result.Outcomes[0], err)
	}
	wantWarnings(t, result)
}

// wantWarnings fails the test unless a change has warnings with the given codes, and
// each has a hint.
func wantWarnings(t *testing.T, result store.Result, want ...problem.Code) {
	t.Helper()
	var got []problem.Code
	for _, w := range result.Warnings {
		got = append(got, w.Code)
		if w.FixHint == "" || w.Severity != problem.Warning {
			t.Errorf("got %+v, want a warning with a hint", w)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got warnings %v, want %v", got, want)
	}
}

func testPublishWarnings(t *testing.T, open func() Store) {
	s := open()
	published := func(r *release.Release) store.Result {
		t.Helper()
		result, err := s.Publish(t.Context(), intent, store.Publication{Release: r})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	wantWarnings(t, published(releasetest.Release(t, stable)))
	wantWarnings(t, published(releasetest.Release(t, "other@2025-01-01-stable")))
	older := releasetest.Release(t, "small@2025-01-01-stable")
	dry, err := s.Publish(t.Context(), store.Intent{DryRun: true}, store.Publication{Release: older})
	if err != nil {
		t.Fatal(err)
	}
	wantWarnings(t, dry, store.StableNotLatest)
	if c := dry.Outcomes[0].Comparison; c == nil || c.Old.String() != stable {
		t.Errorf("got comparison %+v, want one with %s", c, stable)
	}
	wantWarnings(t, published(older), store.StableNotLatest)
	wantWarnings(t, published(older)) // unchanged

	wantWarnings(t, published(releasetest.Release(t, beta))) // the content of the stable release
	wantWarnings(t, published(releasetest.Release(t, beta, "added")), store.BetaSuperseded)
	if _, err := s.Retire(t.Context(), intent, parseID(t, stable)); err != nil {
		t.Fatal(err)
	}
	wantWarnings(t, published(releasetest.Release(t, beta, "added", "another")), store.BetaSuperseded)

	promoted := releasetest.Release(t, "small@2024-01-01-beta")
	published(promoted)
	result, err := s.Promote(t.Context(), intent, promoted.ID())
	if err != nil {
		t.Fatal(err)
	}
	wantWarnings(t, result, store.StableNotLatest)

	next := published(releasetest.Release(t, "small@2026-06-01-beta", "added"))
	if c := next.Outcomes[0].Comparison; c == nil || c.Old.String() != "small@2025-01-01-stable" {
		t.Errorf("got comparison %+v, want one with the stable release before it", c)
	}
	if c := published(releasetest.Release(t, "small@2026-06-01-beta", "added")).Outcomes[0].Comparison; c != nil {
		t.Errorf("got comparison %+v of an unchanged release, want none", c)
	}
}

func testUndoneRestore(t *testing.T, open func() Store) {
	s := open()
	first, second := releasetest.Release(t, beta), releasetest.Release(t, beta, "added")
	old, _ := publish(t, s, first)
	publish(t, s, second)
	if _, err := s.Restore(t.Context(), intent, old); err != nil {
		t.Fatal(err)
	}
	third := releasetest.Release(t, beta, "another")
	result, err := s.Publish(t.Context(), store.Intent{DryRun: true}, store.Publication{Release: third})
	if err != nil {
		t.Fatal(err)
	}
	wantWarnings(t, result)
	for _, want := range [][]problem.Code{{store.RestoreUndone}, nil} {
		if result, err = s.Publish(t.Context(), intent, store.Publication{Release: second}); err != nil {
			t.Fatal(err)
		}
		wantWarnings(t, result, want...)
	}
}

func testPromoteUntranslated(t *testing.T, open func() Store) {
	s := open()
	tax := releasetest.Taxonomy(t, beta)
	option := &tax.Categories[1].Variables[1].Options[1]
	option.Guidance = option.Guidance[:1]
	r, err := release.Compile(tax)
	if err != nil {
		t.Fatal(err)
	}
	publish(t, s, r)
	_, err = s.Promote(t.Context(), intent, r.ID())
	wantCode(t, err, store.BetaUntranslated)
	if want := "lacks translations into fr (1 text)."; !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func testRetire(t *testing.T, open func() Store) {
	s := open()
	r := releasetest.Release(t, stable)
	e, _ := publish(t, s, r, "pilot")
	publish(t, s, releasetest.Release(t, beta))
	if result, err := s.Retire(t.Context(), intent, e.ID); err != nil || len(result.Warnings) > 0 {
		t.Fatalf("got warnings %v (%v), want none", result.Warnings, err)
	}
	ix := index(t, s)
	if diff := cmp.Diff([]string{beta}, ids(ix)); diff != "" {
		t.Error(diff)
	}
	load(t, s, e)
	_, err := s.Retire(t.Context(), intent, e.ID)
	wantCode(t, err, problem.NotFound)
	_, err = s.Retire(t.Context(), intent, parseID(t, beta), parseID(t, "small@2030-01-01-beta"))
	wantCode(t, err, problem.NotFound)
	if diff := cmp.Diff([]string{beta}, ids(index(t, s))); diff != "" {
		t.Errorf("a refused change has an effect: %s", diff)
	}
	_, err = Publish(t.Context(), s, releasetest.Release(t, stable, "added"))
	wantCode(t, err, store.StableImmutable)
	dry, err := s.Retire(t.Context(), store.Intent{DryRun: true}, parseID(t, beta))
	if err != nil || len(dry.Warnings) != 1 || dry.Warnings[0].Code != store.LastRelease {
		t.Errorf("retiring the last release: got warnings %v (%v), want %s", dry.Warnings, err, store.LastRelease)
	}

	if selected, err := s.Select(t.Context(), e.ID, store.AsOf{}); err != nil || selected != e {
		t.Errorf("got entry %+v (%v), want %+v", selected, err, e)
	}
	if _, err := s.Restore(t.Context(), intent, e); err != nil {
		t.Fatal(err)
	}
	ix = index(t, s)
	if got, _ := ix.Find(e.ID); got != e {
		t.Errorf("the restored entry is %+v, want %+v", got, e)
	}
	if len(ix.Retired) != 0 || ix.Pins["small@pilot"] != e.ID {
		t.Errorf("got index %+v, want no retired releases, and the alias", ix)
	}
	if result, err := s.Restore(t.Context(), intent, e); err != nil || result.Changed() {
		t.Errorf("restoring a published release: changed %v (%v)", result.Changed(), err)
	}

	if _, err := s.Retire(t.Context(), intent, e.ID); err != nil {
		t.Fatal(err)
	}
	if _, changed := publish(t, s, r); !changed || len(index(t, s).Retired) != 0 {
		t.Error("publishing the content of a retired release does not restore it")
	}
}

func testRestoreBeta(t *testing.T, open func() Store) {
	s := open()
	first, _ := publish(t, s, releasetest.Release(t, beta))
	second, _ := publish(t, s, releasetest.Release(t, beta, "added"))
	contents, err := s.Contents(t.Context(), first.ID)
	if err != nil || len(contents) != 2 || contents[0].Entry != second || contents[1].Entry != first {
		t.Fatalf("got contents %+v (%v), want two", contents, err)
	}
	if !contents[0].Until.IsZero() || contents[1].Until.IsZero() {
		t.Errorf("got contents %+v, want only the newest to be published", contents)
	}
	if _, err := s.Restore(t.Context(), intent, contents[1].Entry); err != nil {
		t.Fatal(err)
	}
	if e, _ := index(t, s).Find(first.ID); e.ContentHash != first.ContentHash || e.Path != first.Path {
		t.Errorf("got %+v, want the content of %+v", e, first)
	}
	missing := first
	missing.Path += "0"
	_, err = s.Restore(t.Context(), intent, missing)
	wantCode(t, err, store.ContentGone)
}

func testAliases(t *testing.T, open func() Store) {
	s := open()
	e, _ := publish(t, s, releasetest.Release(t, beta))
	if _, err := s.SetAlias(t.Context(), intent, "pilot", e.ID); err != nil {
		t.Fatal(err)
	}
	if got := index(t, s).Pins["small@pilot"]; got != e.ID {
		t.Errorf("small@pilot is %s, want %s", got, e.ID)
	}
	_, err := s.SetAlias(t.Context(), intent, "latest", e.ID)
	wantCode(t, err, store.AliasInvalid)
	_, err = s.SetAlias(t.Context(), intent, "pilot", parseID(t, stable))
	wantCode(t, err, problem.NotFound)
	_, err = s.RemoveAlias(t.Context(), intent, "small@pilo")
	wantCode(t, err, problem.NotFound)
	if _, err := s.RemoveAlias(t.Context(), intent, "small@pilot"); err != nil {
		t.Fatal(err)
	}
	if pins := index(t, s).Pins; len(pins) != 0 {
		t.Errorf("got aliases %v, want none", pins)
	}
	_, err = s.RemoveAlias(t.Context(), intent, "small@pilot")
	wantCode(t, err, problem.NotFound)
}

func testJournal(t *testing.T, open func() Store) {
	s := open()
	e, _ := publish(t, s, releasetest.Release(t, beta), "pilot")
	next, _ := publish(t, s, releasetest.Release(t, beta, "added"))
	publish(t, s, releasetest.Release(t, beta, "added")) // no change
	if _, err := s.Retire(t.Context(), intent, e.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveAlias(t.Context(), store.Intent{}, "small@pilot"); err != nil {
		t.Fatal(err)
	}
	records, err := open().History(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 4 {
		t.Fatalf("got %d records, want 4: %+v", len(records), records)
	}
	for i, r := range records {
		if want := len(records) - i; r.Revision != want || r.At.IsZero() {
			t.Errorf("record %d has revision %d and time %v, want revision %d", i, r.Revision, r.At, want)
		}
	}
	want := []store.Record{
		{Action: store.RemoveAlias, Aliases: []store.AliasChange{{Alias: "small@pilot", Old: e.ID}}},
		{Action: store.Retire, By: intent.By, Note: intent.Note, Releases: []store.ReleaseChange{{ID: e.ID, Old: &next}}},
		{Action: store.Publish, Releases: []store.ReleaseChange{{ID: e.ID, Old: &e, New: &next}}},
		{Action: store.Publish, Releases: []store.ReleaseChange{{ID: e.ID, New: &e}}, Aliases: []store.AliasChange{{Alias: "small@pilot", New: e.ID}}},
	}
	if diff := cmp.Diff(want, records, cmpopts.IgnoreFields(store.Record{}, "Revision", "At", "Previous")); diff != "" {
		t.Error(diff)
	}
}

func testDryRun(t *testing.T, open func() Store) {
	s, dry := open(), store.Intent{DryRun: true}
	result, err := s.Publish(t.Context(), dry, store.Publication{Release: releasetest.Release(t, beta), Pins: []string{"pilot"}})
	if err != nil || !result.Changed() || len(result.After.Releases) != 1 || !result.Outcomes[0].Published {
		t.Errorf("got %+v (%v), want one release in the resulting index", result, err)
	}
	if ix := index(t, s); len(ix.Releases) != 0 || ix.Journal.Revision != 0 {
		t.Errorf("got index %+v, want an empty one", ix)
	}
	e, _ := publish(t, s, releasetest.Release(t, stable))
	before := index(t, s)
	_, err = s.Publish(t.Context(), dry, store.Publication{Release: releasetest.Release(t, stable, "added")})
	wantCode(t, err, store.StableImmutable)
	if result, err := s.Retire(t.Context(), dry, e.ID); err != nil || len(result.After.Releases) != 0 {
		t.Errorf("got %+v (%v), want no release in the resulting index", result, err)
	}
	if diff := cmp.Diff(before, index(t, s)); diff != "" {
		t.Errorf("a dry run changed the index: %s", diff)
	}
}

func testDryRunComparison(t *testing.T, open func() Store) {
	s, dry := open(), store.Intent{DryRun: true}
	compare := func(id string, extra ...string) *compat.Comparison {
		t.Helper()
		result, err := s.Publish(t.Context(), dry, store.Publication{Release: releasetest.Release(t, id, extra...)})
		if err != nil {
			t.Fatal(err)
		}
		return result.Outcomes[0].Comparison
	}
	if c := compare("other@2026-01-02-beta"); c != nil {
		t.Errorf("got a comparison with %s of the first release of a type, want none", c.Old)
	}
	publish(t, s, releasetest.Release(t, stable))
	publish(t, s, releasetest.Release(t, "small@2026-02-01-beta"))
	publish(t, s, releasetest.Release(t, "small@2026-05-01-beta"))
	for id, want := range map[string]string{
		stable:                    stable,                  // the published content
		"small@2026-02-01-beta":   "small@2026-02-01-beta", // the published content
		"small@2026-03-01-stable": stable,                  // the stable release before it
		"other@2026-01-02-beta":   "",
	} {
		if c := compare(id); c != nil && c.Old.String() != want || c == nil && want != "" {
			t.Errorf("%s: got a comparison with %v, want %s", id, c, want)
		}
	}
	if c := compare("small@2026-02-01-beta", "added"); len(c.Changes) != 1 {
		t.Errorf("got changes %v, want one", c.Changes)
	}
	if _, err := s.Retire(t.Context(), intent, parseID(t, stable)); err != nil {
		t.Fatal(err)
	}
	if c := compare("small@2026-03-01-beta"); c.Old.String() != "small@2026-02-01-beta" {
		t.Errorf("got a comparison with %s, want the beta before it", c.Old)
	}
}

func testCopy(t *testing.T, open func() Store) {
	from, s := store.OpenFolder(t.TempDir()), open()
	publish(t, from, releasetest.Release(t, stable))
	publish(t, from, releasetest.Release(t, "small@2026-02-01-beta"))
	if _, err := from.Retire(t.Context(), store.Intent{}, parseID(t, "small@2026-02-01-beta")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []store.Copied{{Releases: 2, Records: 3}, {Present: 2}} {
		got, err := s.CopyFrom(t.Context(), from, nil)
		if err != nil || got.Releases != want.Releases || got.Present != want.Present || got.Records != want.Records {
			t.Fatalf("got %+v, error %v, want %+v", got, err, want)
		}
	}
	if diff := cmp.Diff(index(t, from), index(t, s)); diff != "" {
		t.Errorf("(-original +copy):\n%s", diff)
	}
	report, err := s.Verify(t.Context(), nil)
	if err != nil || len(report.Problems) > 0 || report.Releases != 2 || report.Records != 3 {
		t.Errorf("got %+v, error %v, want an intact copy", report, err)
	}
	publish(t, s, releasetest.Release(t, "small@2026-03-01-beta"))
	if _, err := s.CopyFrom(t.Context(), from, nil); err == nil {
		t.Error("a store with changes of its own was overwritten")
	}
}
