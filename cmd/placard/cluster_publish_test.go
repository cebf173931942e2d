package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"placard/scripts/envtest"
)

// revisions are the responses of the revisions of a release to [betaRequests].
type revisions struct {
	mu     sync.Mutex
	byHash map[string]revision
}

type revision struct {
	number    int
	responses map[request]response
}

// record adds a revision, whose responses are those of the only server that has it.
func (rs *revisions) record(t *testing.T, server *daemon, number int) (hash string) {
	t.Helper()
	c := &clientConn{addr: server.addr()}
	defer c.close()
	r := revision{number, make(map[request]response)}
	for _, x := range betaRequests {
		got := c.do(x)
		if got.err != nil || got.status != http.StatusOK {
			t.Fatal(got)
		}
		if x != betaRequests[0] && got.header.Get("Service-Content-Hash") != hash {
			t.Fatalf("%v: got content hash %s, want %s", got, got.header.Get("Service-Content-Hash"), hash)
		}
		hash = got.header.Get("Service-Content-Hash")
		r.responses[x] = got
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, other := range rs.byHash {
		for x, got := range r.responses {
			if bytes.Equal(got.body, other.responses[x].body) {
				t.Errorf("%v: revisions %d and %d have the same response", x, number, other.number)
			}
		}
	}
	rs.byHash[hash] = r
	return hash
}

// check compares a response with that of the revision whose content hash it has, and
// returns the number of the revision.
func (rs *revisions) check(got response) (number int, err error) {
	if got.err != nil || got.status != http.StatusOK {
		return 0, fmt.Errorf("%v", got)
	}
	hash := got.header.Get("Service-Content-Hash")
	rs.mu.Lock()
	r, known := rs.byHash[hash]
	rs.mu.Unlock()
	if !known {
		return 0, fmt.Errorf("%v: unknown content hash %q", got, hash)
	}
	want := r.responses[got.request]
	if !bytes.Equal(got.body, want.body) {
		return 0, fmt.Errorf("%v: the body is not that of revision %d, %.300s", got, r.number, want.body)
	}
	for _, name := range []string{"Content-Type", "Cache-Control", "Etag", "Vary"} {
		if got.header.Get(name) != want.header.Get(name) {
			return 0, fmt.Errorf("%v: got %s %q, want that of revision %d, %q", got, name, got.header.Get(name), r.number, want.header.Get(name))
		}
	}
	return r.number, nil
}

func TestClusterFollowsPublishesWithoutMixingReleases(t *testing.T) {
	const (
		clients = 32
		refresh = 500 * time.Millisecond
		slow    = 30 * time.Second // for a machine that is busy with other tests
	)
	publishes := 3
	if envtest.Long {
		publishes = 6
	}
	setStoreCredentials(t)
	s := newClusterStore(t)
	folder := filepath.Join(t.TempDir(), "store")
	reference := start(t, "--store", folder, "--refresh=100ms", "--rate-limit=off", "--log-level=error")
	known := &revisions{byHash: make(map[string]revision)}
	// next returns the folder and the content hash of a new revision.
	number := 0
	next := func() (dir, hash string) {
		number++
		dir = editedBeta(t, number)
		before := reference.contentHash(beta)
		if status, output := placard(t, "", "publish", dir, "--store", folder); status != exitOK {
			t.Fatalf("publish: got status %d, want 0\n%s", status, output)
		}
		reference.eventually("the revision on the reference server", func() bool {
			hash = reference.contentHash(beta)
			return hash != "" && hash != before
		})
		return dir, known.record(t, reference, number)
	}

	dir, _ := next()
	s.run("publish", dir)
	nodes := startNodes(t, 3, "--store", s.address(s.server.Addr), "--refresh", refresh.String(), "--rate-limit=off", "--log-level=error")
	var compared, failed atomic.Int64
	seen := make([][3]atomic.Int64, clients) // the last revision that each client got from each node
	servers := addrs(nodes)
	l := startLoad(clients, servers, betaRequests, func(got response) {
		number, err := known.check(got)
		if err != nil {
			if failed.Add(1) < 10 {
				t.Error(err)
			}
			return
		}
		compared.Add(1)
		for i, server := range servers {
			if server != got.server {
				continue
			}
			if before := seen[got.client][i].Swap(int64(number)); before > int64(number) {
				t.Errorf("%v: got revision %d after revision %d", got, number, before)
			}
		}
	})
	defer l.stop()
	for range publishes {
		dir, hash := next()
		s.run("publish", dir)
		published := time.Now()
		for _, n := range nodes {
			n.eventually("the new revision", func() bool { return n.contentHash(beta) == hash })
		}
		took := time.Since(published)
		t.Logf("revision %d on all nodes after %v", number, took)
		if took > slow {
			t.Errorf("revision %d was on all nodes %v after it was published, want about %v", number, took, refresh)
		}
	}
	l.stop()
	t.Logf("%d responses compared", compared.Load())
	if n := compared.Load(); n < 500 {
		t.Errorf("got %d responses, want at least 500", n)
	}
}

func TestClusterOfPublishersLosesNoRelease(t *testing.T) {
	const publishers, releases = 8, 4
	setStoreCredentials(t)
	s := newClusterStore(t)
	var group sync.WaitGroup
	for p := range publishers {
		group.Go(func() {
			tree := filepath.Join(t.TempDir(), "tree")
			for i := range releases {
				// The releases of all publishers have different dates.
				dir := filepath.Join(tree, "library", publishedBy(p, i))
				if err := os.CopyFS(dir, os.DirFS("../../docs/example/library/2026-09-01-beta")); err != nil {
					t.Error(err)
					return
				}
				status, output := placard(t, "", "publish", dir, "--by", fmt.Sprintf("publisher-%d-%d", p, i), "--store", s.address(s.server.Addr))
				if status != exitOK {
					t.Errorf("publisher %d, release %d: got status %d, want 0\n%s", p, i, status, output)
				}
			}
		})
	}
	group.Wait()
	list, history := s.run("list"), s.run("history")
	for p := range publishers {
		for i := range releases {
			if id := "library@" + publishedBy(p, i) + " "; strings.Count(list, "\n"+id) != 1 {
				t.Errorf("the store does not list %s once: %s", id, list)
			}
			if by := fmt.Sprintf("publisher-%d-%d\n", p, i); strings.Count(history, by) != 1 {
				t.Errorf("the history does not have one change by %s: %s", by, history)
			}
		}
	}
	if n := strings.Count(history, "publisher-"); n != publishers*releases {
		t.Errorf("the history has %d changes, want %d", n, publishers*releases)
	}
	if got, want := s.run("verify"), fmt.Sprintf("%d records checked: 0 errors, 0 warnings.", publishers*releases); !strings.Contains(got, want) {
		t.Errorf("verify: got %s, want %s", got, want)
	}
}

// publishedBy returns the name of the folder of a publisher's release.
func publishedBy(publisher, release int) string {
	return fmt.Sprintf("2026-%02d-%02d-beta", publisher+1, release+1)
}
