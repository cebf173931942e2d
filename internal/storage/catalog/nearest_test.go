package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"placard/internal/core/problem"
	"placard/internal/core/release"
	"placard/internal/core/release/releasetest"
	"placard/internal/core/taxonomy"
	"placard/internal/storage/catalog"
)

func TestNearestVersion(t *testing.T) {
	one := snapshotOf(t, "place@2026-06-01-stable", "place@2026-10-19-beta")
	two := snapshotOf(t, "place@2026-06-01-stable", "library@2026-09-01-beta")
	for _, tc := range []struct {
		s          *catalog.Snapshot
		name, want string
	}{
		{one, "place@2026-06-01-stabel", "place@2026-06-01-stable"},
		{one, "place@2026-06-01-Stable", "place@2026-06-01-stable"},
		{one, "place@LATEST", "place@latest"},
		{one, "place@lates", "place@latest"},
		{one, "Place@latest", "place@latest"},
		{one, "plaec@latest", "place@latest"},
		{one, "place@2026-6-1", "place@2026-06-01"},
		{one, "place@2026-06-01", "place@2026-06-01"},
		{one, "latest", "place@latest"},
		{one, "2026-06-01-stable", "place@2026-06-01-stable"},
		{one, "place", "place@latest"},
		{one, "Place", "place@latest"},
		{one, "", "place@latest"},
		{one, "library@latest", ""},
		{one, "place@xyzzy", ""},
		{one, "place@", ""},
		{one, "@", ""},
		{one, "nonsense", ""},
		{one, strings.Repeat("x", 10000), ""},
		{two, "library", "library@latest"},
		{two, "library@latst", "library@latest"},
		{two, "latest", ""},
		{two, "", ""},
		{snapshotOf(t), "place@latest", ""},
		{nil, "place@latest", ""},
	} {
		if got := tc.s.Nearest(tc.name); got != tc.want {
			t.Errorf("Nearest(%.40q) = %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestHintsAboutVersions(t *testing.T) {
	s := snapshotOf(t, "place@2026-06-01-stable", "place@2026-10-19-beta")
	for name, want := range map[string]string{
		"place@2026-6-1":        `Did you mean "place@2026-06-01"? Write place@<YYYY-MM-DD>-<status> with a real date and the status beta or stable, or an alias such as place@latest.`,
		"nonsense":              "Write <type>@<YYYY-MM-DD>-<status> with a real date and the status beta or stable, or an alias such as <type>@latest.",
		"place@lates":           `Did you mean "place@latest"?`,
		"place@2026-06-01-beta": `Did you mean "place@2026-10-19-beta", "place@2026-06-01" or "place@2026-06-01-stable"?`,
	} {
		_, err := s.Find(name)
		if p, ok := errors.AsType[problem.Problem](err); !ok || p.FixHint != want {
			t.Errorf("%s: got %v with hint %q, want hint %q", name, err, p.FixHint, want)
		}
	}
}

// snapshotOf returns a snapshot of releases with the given ids.
func snapshotOf(t *testing.T, ids ...string) *catalog.Snapshot {
	t.Helper()
	f := &fakeStore{releases: make(map[taxonomy.ID]*release.Release)}
	for _, s := range ids {
		f.releases[id(t, s)] = releasetest.Release(t, s)
	}
	c := catalog.New(f, catalog.Options{})
	if err := c.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := c.Current()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
