package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
)

func TestUpdatesNameTheReleasesThatChanged(t *testing.T) {
	f := newFakeStore(t)
	log, logs := newLogger()
	c := catalog.New(f, catalog.Options{Log: log})
	first := releasetest.Release(t, "small@2026-01-02-beta")
	second := releasetest.Release(t, "small@2026-04-01-stable")
	replaced := releasetest.Release(t, "small@2026-01-02-beta", "added")
	for _, step := range []struct {
		name string
		set  func(*fakeStore)
		want string // the end of the only line; empty for no line
	}{
		{"start", func(f *fakeStore) { f.releases = map[taxonomy.ID]*release.Release{first.ID(): first} }, `releases=1 degraded=0 added=small@2026-01-02-beta`},
		{"no change", func(*fakeStore) {}, ""},
		{"publish", func(f *fakeStore) { f.releases[second.ID()] = second }, `releases=2 degraded=0 added=small@2026-04-01-stable aliases="small@2026-04-01, small@latest, small@stable"`},
		{"publish again", func(f *fakeStore) { f.releases[first.ID()] = replaced }, `releases=2 degraded=0 replaced=small@2026-01-02-beta`},
		{"retire", func(f *fakeStore) { delete(f.releases, second.ID()) }, `releases=1 degraded=0 removed=small@2026-04-01-stable aliases="small@2026-04-01, small@latest, small@stable"`},
		{"failure", func(f *fakeStore) { f.indexErr = errors.New("connection refused") }, `msg="releases cannot be listed" error="connection refused" serving="the releases listed before"`},
	} {
		logs.Reset()
		f.set(step.set)
		_ = c.Refresh(t.Context())
		got := strings.TrimSpace(logs.String())
		if !strings.HasSuffix(got, step.want) || strings.Count(got, "\n") > 0 || step.want == "" && got != "" {
			t.Errorf("%s: got log %q, want one line that ends in %q", step.name, got, step.want)
		}
	}
}

func TestIndexFailureSaysThatNothingIsServed(t *testing.T) {
	f := newFakeStore(t)
	f.indexErr = errors.New("connection refused")
	log, logs := newLogger()
	_ = catalog.New(f, catalog.Options{Log: log}).Refresh(t.Context())
	if !strings.Contains(logs.String(), "serving=nothing") {
		t.Errorf("got log %s, want serving=nothing", logs)
	}
}

func TestEmptyStoreIsAWarning(t *testing.T) {
	log, logs := newLogger()
	refresh(t, catalog.New(&fakeStore{}, catalog.Options{Log: log}))
	if want := `level=WARN msg="catalog updated" releases=0`; !strings.Contains(logs.String(), want) {
		t.Errorf("got logs %s, want %s", logs, want)
	}
}
