package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

func TestServeStartsFromItsCache(t *testing.T) {
	s := newClusterStore(t)
	s.run("publish", "../../builtin/tree")
	args := []string{"--store", s.address(s.server.Addr), "--cache", filepath.Join(t.TempDir(), "cache"), "--refresh", "100ms"}
	first := startNode(t, args...)
	first.ready()
	hash := first.contentHash("place@latest")
	first.eventually("both releases in the cache", func() bool { return first.metric("placard_cache_misses_total") == 2 })
	if code := first.stop(); code != exitOK {
		t.Fatalf("got exit status %d, want 0", code)
	}

	s.server.Stop()
	n := startNode(t, args...)
	n.ready()
	if got := n.contentHash("place@latest"); got != hash || hash == "" {
		t.Errorf("got content hash %q, want %q", got, hash)
	}
	n.eventually("another attempt to read the index", func() bool {
		return strings.Contains(n.metrics(), `placard_store_reads_total{outcome="error",what="index"} 3`)
	})
	if status, body := n.get("/readyz"); status != http.StatusOK || !strings.Contains(body, `"degraded":[{"state":"stale"`) {
		t.Errorf("/readyz: got %d %s, want 200 and a stale list", status, body)
	}
	for name, want := range map[string]float64{"placard_store_reachable": 0, "placard_catalog_complete": 0, "placard_releases": 2, "placard_cache_hits_total": 2} {
		if got := n.metric(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if failures := countLines(n.events(), "serving_cached_list=true"); failures != 1 {
		t.Errorf("the failure was logged %d times, want once", failures)
	}

	s.server.Start()
	n.eventually("the end of the degradation", func() bool {
		_, body := n.get("/readyz")
		return !strings.Contains(body, "degraded") && n.metric("placard_store_reachable") == 1
	})
	s.run("publish", editedBeta(t, 1))
	before := n.contentHash("place@beta")
	n.eventually("the new release", func() bool { return n.contentHash("place@beta") != before })
}

func countLines(lines []string, text string) (n int) {
	for _, line := range lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func TestServeKeepsAFewReleasesInMemory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	if status, output := placard(t, "", "publish", "../../builtin/tree", "--store", dir); status != exitOK {
		t.Fatal(output)
	}
	n := startNode(t, "--store", dir, "--max-resident", "1")
	n.ready()
	for range 2 {
		for _, version := range []string{"place@stable", "place@beta"} {
			if n.contentHash(version) == "" {
				t.Errorf("%s is not served", version)
			}
		}
	}
	for name, want := range map[string]float64{
		"placard_releases": 2, "placard_resident_releases": 1, "placard_catalog_complete": 1,
		"placard_release_loads_total": 3, "placard_release_load_failures_total": 0,
	} {
		if got := n.metric(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
