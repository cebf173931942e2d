package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"placard/scripts/testenv"
)

func TestNewContinuesTheRealTree(t *testing.T) {
	from := filepath.Join(testenv.RealTree(t), "ai", "2026-08-12-beta")
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
		{"", `"" is not of the form TYPE@DATE. Write a type and a date, such as parks@2026-11-15.`},
		{"parks", `"parks" is not of the form TYPE@DATE. Write a type and a date, such as parks@2026-11-15.`},
		{"@2026-12-01", `"" is not a valid type. Use only a-z, A-Z, 0-9, _ and -, as in parks@2026-11-15.`},
		{"été@2026-12-01", `"été" is not a valid type. Use only a-z, A-Z, 0-9, _ and -, as in parks@2026-11-15.`},
		{"../parks@2026-12-01", `"../parks" is not a valid type. Use only a-z, A-Z, 0-9, _ and -, as in parks@2026-11-15.`},
		{strings.Repeat("a", 129) + "@2026-12-01", `"` + strings.Repeat("a", 80) + `…" is too long for a type. Use at most 128 characters.`},
		{"parks@", `"" is not a valid date. Write the date as YYYY-MM-DD, as in parks@2026-11-15.`},
		{"parks@latest", `"latest" is not a valid date. Write the date as YYYY-MM-DD, as in parks@2026-11-15.`},
		{"parks@2026-02-29", `"2026-02-29" is not a valid date. Write the date as YYYY-MM-DD, as in parks@2026-11-15.`},
		{"parks@2026-2-3", `"2026-2-3" is not a valid date. Write the date as YYYY-MM-DD, as in parks@2026-11-15.`},
		{"parks@2026.12.01-beta", `"2026.12.01" is not a valid date. Write the date as YYYY-MM-DD, as in parks@2026-11-15.`},
		{"parks@01.12.2026", `"01.12.2026" is not a valid date. Write the date as YYYY-MM-DD, as in parks@2026-11-15.`},
		{"parks@2026-12-01@beta", `"2026-12-01@beta" is not a valid date. Write the date as YYYY-MM-DD, as in parks@2026-11-15.`},
		{"parks@2026-12-01-", `"" is not a status. Use beta or stable. Without a status, the release is a beta.`},
		{"parks@2026-12-01-bta", `"bta" is not a status. Did you mean "beta"?`},
		{"parks@2026-12-01-Stable", `"Stable" is not a status. Did you mean "stable"?`},
		{"parks@2026-12-01-draft", `"draft" is not a status. Use beta or stable. Without a status, the release is a beta.`},
		{"parks/2026-12-01-stable", `"parks/2026-12-01-stable" is not of the form TYPE@DATE. Write a type and a date, such as parks@2026-11-15.`},
	} {
		id, err := parseNewID(test.arg, now)
		got := id.String()
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %s, want %s", test.arg, got, test.want)
		}
	}
}
