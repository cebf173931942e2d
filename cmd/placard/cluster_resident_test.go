package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"placard/scripts/envtest"
)

func testLoadOnDemand(t *testing.T) {
	const releases, resident = 6, 2
	s := newClusterStore(t)
	proxy := envtest.Proxy(t, s.server.Addr)
	tree := filepath.Join(t.TempDir(), "tree")
	var requests []request
	for i := range releases {
		date := fmt.Sprintf("2026-01-%02d", i+1)
		dir := filepath.Join(tree, "place", date+"-beta")
		if err := os.CopyFS(dir, os.DirFS(editedBeta(t, i+1))); err != nil {
			t.Fatal(err)
		}
		id := "place@" + date + "-beta"
		requests = append(requests,
			request{"GET", "/api/v2/schemas/" + id + "/manifest", ""},
			request{"GET", "/api/v2/schemas/" + id + "/elements/radar", ""},
			request{"GET", "/api/v2/schemas/" + id + "/elements/radar/icon.svg", ""},
		)
	}
	s.run("publish", tree)
	n := startNode(t, "--store", s.address(proxy.Addr), "--rate-limit=off", "--max-resident", fmt.Sprint(resident), "--refresh=200ms", "--pprof")
	reference := startNode(t, "--store", s.address(s.server.Addr), "--rate-limit=off", "--log-level=error", "--pprof")
	want := make(map[request]response)
	c := &clientConn{addr: reference.addr()}
	defer c.close()
	n.ready()
	reference.ready()
	for _, x := range requests {
		want[x] = c.do(x)
		if want[x].err != nil || want[x].status != http.StatusOK {
			t.Fatal(want[x])
		}
	}
	var mu sync.Mutex
	served := make(map[request]int)
	// Most requests load a release. With more clients than loads at a time, a busy machine
	// would not finish them within the time for which requests wait.
	l := startLoad(4, []string{n.addr()}, requests, func(got response) {
		if got.err != nil || got.status != http.StatusOK || string(got.body) != string(want[got.request].body) {
			t.Errorf("%v, want %.300s", got, want[got.request].body)
		}
		mu.Lock()
		defer mu.Unlock()
		served[got.request]++
	})
	defer l.stop()
	n.eventually("responses from all releases", func() bool {
		if got := n.metric("placard_resident_releases"); got > resident {
			t.Fatalf("%v releases are in memory, want at most %d", got, resident)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, x := range requests {
			if served[x] < 5 {
				return false
			}
		}
		return true
	})
	l.stop()
	// The reference has all releases in memory.
	if got, all := heapAfterGC(t, n.admin), heapAfterGC(t, reference.admin); got > all-1<<20 {
		t.Errorf("the heap with %d of %d releases has %.0f bytes, and %.0f with all, want at least 1 MiB less", resident, releases, got, all)
	}

	// The releases in memory are still served.
	proxy.Cut()
	var group sync.WaitGroup
	var ok atomic.Int64
	for _, x := range requests {
		group.Go(func() {
			c := &clientConn{addr: n.addr()}
			defer c.close()
			got := c.do(x)
			switch {
			case got.err == nil && got.status == http.StatusOK && string(got.body) == string(want[x].body):
				ok.Add(1)
			case got.err != nil || got.status != http.StatusBadGateway || !strings.Contains(string(got.body), "upstream_error") || got.header.Get("Retry-After") == "":
				t.Errorf("the store is cut: %v, want upstream_error with Retry-After", got)
			}
		})
	}
	group.Wait()
	if got, want := int(ok.Load()), resident*len(requests)/releases; got != want {
		t.Errorf("the store is cut: got %d responses, want %d, those of the releases in memory", got, want)
	}
	proxy.Restore()
	c = &clientConn{addr: n.addr()}
	defer c.close()
	for _, x := range requests {
		n.eventually("the release of "+x.path, func() bool {
			got := c.do(x)
			return got.err == nil && got.status == http.StatusOK && string(got.body) == string(want[x].body)
		})
	}
}
