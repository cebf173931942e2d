package main

import (
	"path/filepath"
	"testing"
)

func TestServeKeepsAFewReleasesInMemoryAndOthersOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if status, output := placard(t, "", "publish", "../../builtin/tree", "--store", dir); status != exitOK {
		t.Fatal(output)
	}
	n := startNode(t, "--store", dir, "--max-resident", "1", "--cache", filepath.Join(t.TempDir(), "cache"))
	n.ready()
	for range 2 {
		for _, version := range []string{"place@stable", "place@beta"} {
			if n.contentHash(version) == "" {
				t.Errorf("%s is not served", version)
			}
		}
	}
	for name, want := range map[string]float64{
		"placard_releases": 2, "placard_resident_releases": 1, "placard_catalog_complete": 1, "placard_store_reachable": 1,
		"placard_release_loads_total": 3, "placard_release_load_failures_total": 0,
		"placard_cache_misses_total": 2, "placard_cache_hits_total": 2,
	} {
		if got := n.metric(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
