package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"placard/scripts/envtest"
)

func TestNewContinuesTheRealTree(t *testing.T) {
	from := filepath.Join(envtest.RealTree(t), "ai", "2026-08-12-beta")
	dir := t.TempDir()
	tree, back, store := filepath.Join(dir, "tree"), filepath.Join(dir, "back"), filepath.Join(dir, "store")
	for _, args := range [][]string{
		{"new", "ai@2027-01-01", tree, "--from", from},
		{"check", tree},
		{"publish", tree, "--store", store},
		{"new", "ai@2027-02-01", back, "--from", "ai@latest", "--store", store},
		{"check", back},
	} {
		if status, output := placard(t, "", args...); status != exitOK || strings.Contains(output, "1 error") {
			t.Fatalf("%s: got status %d, want 0\n%s", args, status, output)
		}
	}
	// The copy and the release that was written from the store have the same content.
	hash := func(dir string) string {
		_, output := placard(t, "", "build", dir, "--out", t.TempDir())
		return strings.Fields(output[strings.Index(output, "ai@"):])[1]
	}
	want := hash(from)
	for _, dir := range []string{tree, back} {
		if got := hash(dir); got != want || !strings.HasPrefix(got, "sha256-") {
			t.Errorf("%s: got content %s, want %s", dir, got, want)
		}
	}
}

func TestParseNewID(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct{ arg, want string }{
		{"parks@2026-12-01", "parks@2026-12-01-beta"},
		{"parks@2026-12-01-beta", "parks@2026-12-01-beta"},
		{"parks@2026-12-01-stable", "parks@2026-12-01-stable"},
		{"A_b-3@2028-02-29", "A_b-3@2028-02-29-beta"},
		{"", "error"},
		{"parks", "error"},
		{"@2026-12-01", "error"},
		{"été@2026-12-01", "error"},
		{"../parks@2026-12-01", "error"},
		{strings.Repeat("a", 129) + "@2026-12-01", "error"},
		{"parks@", "error"},
		{"parks@latest", "error"},
		{"parks@2026-02-29", "error"},
		{"parks@2026-2-3", "error"},
		{"parks@2026.12.01-beta", "error"},
		{"parks@2026-12-01@beta", "error"},
		{"parks@2026-12-01-", "error"},
		{"parks@2026-12-01-Stable", "error"},
		{"parks/2026-12-01-stable", "error"},
	} {
		id, err := parseNewID(test.arg, now)
		if err != nil != (test.want == "error") || err == nil && id.String() != test.want {
			t.Errorf("%q: got %v (%v), want %s", test.arg, id, err, test.want)
		}
	}
}
