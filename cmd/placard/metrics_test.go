package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"placard/scripts/envtest"
)

func TestDocumentedMetricsAreComplete(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	if status, output := placard(t, "", "publish", "../../builtin/tree", "--store", store); status != exitOK {
		t.Fatalf("publish: got status %d\n%s", status, output)
	}
	n := startNode(t, "--store", store, "--cache", filepath.Join(dir, "cache"), "--redis", "redis://"+envtest.Redis(t).Addr, "--log-level=error")
	n.ready()
	n.get("/api/v2/schemas") // series with labels exist from their first value on
	served := make(map[string]bool)
	for _, name := range regexp.MustCompile(`(?m)^# TYPE (placard_\w+)`).FindAllStringSubmatch(n.metrics(), -1) {
		served[name[1]] = true
	}
	text, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := make(map[string]bool)
	for _, cell := range regexp.MustCompile("(?m)^\\| (`placard_[^|]+) \\|").FindAllSubmatch(text, -1) {
		for _, name := range regexp.MustCompile("`(placard_\\w+)").FindAllSubmatch(cell[1], -1) {
			documented[string(name[1])] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(served))); diff != "" {
		t.Errorf("the metrics differ from the table in docs/operating.md (-documented +served):\n%s", diff)
	}
}
