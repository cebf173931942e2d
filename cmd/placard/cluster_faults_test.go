package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"placard/scripts/envtest"
)

// TestClusterSurvivesFaults runs its parts in parallel, because they mostly wait for
// timeouts.
func TestClusterSurvivesFaults(t *testing.T) {
	setStoreCredentials(t)
	for _, part := range []struct {
		name string
		test func(*testing.T)
	}{
		{"of the store", testFaultsOfStore},
		{"of Redis", testFaultsOfRedis},
		{"at the start", testStartFromCache},
		{"when a release is loaded", testLoadOnDemand},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t)
		})
	}
}

// serviceLevel records whether clients notice a fault: no response may fail, and
// their latency must stay bounded.
type serviceLevel struct {
	t  *testing.T
	mu sync.Mutex

	took   []time.Duration
	errors int
}

// maxLatency is the bound of the 99th percentile. A healthy node responds within a
// few milliseconds, but the machine may be busy.
const maxLatency = time.Second

func (s *serviceLevel) handle(got response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = append(s.took, got.took)
	if got.err != nil || got.status != http.StatusOK {
		if s.errors++; s.errors < 10 {
			s.t.Error(got)
		}
	}
}

func (s *serviceLevel) responses() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.took)
}

// check checks the responses since the last call.
func (s *serviceLevel) check(period string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.took)
	p99 := s.took[len(s.took)*99/100]
	s.t.Logf("%s: %d responses, median %v, 99th percentile %v", period, len(s.took), s.took[len(s.took)/2], p99)
	if p99 > maxLatency {
		s.t.Errorf("%s: the 99th percentile of latency is %v, want at most %v", period, p99, maxLatency)
	}
	s.took = nil
}

// checkEvents checks that a node logged at most the given number of events since the
// last call, and none of them twice in a row. The start and publishes are not counted.
func (n *node) checkEvents(period string, most int) {
	n.t.Helper()
	lines := slices.DeleteFunc(n.events(), func(line string) bool {
		return strings.Contains(line, `msg="catalog updated"`) || strings.Contains(line, "msg=starting")
	})
	repeated, last := false, ""
	for _, line := range lines {
		_, event, _ := strings.Cut(line, " ") // without the time
		repeated = repeated || event == last
		last = event
	}
	if repeated || len(lines) > most {
		n.t.Errorf("%s: got %d log lines, want at most %d different ones:\n%s", period, len(lines), most, strings.Join(lines[:min(len(lines), 20)], "\n"))
	}
}

func testFaultsOfStore(t *testing.T) {
	s := newClusterStore(t)
	revision := 1
	s.run("publish", editedBeta(t, revision))
	var proxies []*envtest.TCPProxy
	var nodes []*node
	for range 3 {
		proxy := envtest.Proxy(t, s.server.Addr)
		proxies = append(proxies, proxy)
		nodes = append(nodes, startNode(t, "--store", s.address(proxy.Addr), "--rate-limit=off", "--refresh=500ms"))
	}
	for _, n := range nodes {
		n.ready()
		n.checkEvents("start", 0)
	}
	level := &serviceLevel{t: t}
	defer startLoad(16, addrs(nodes), betaRequests, level.handle).stop()

	// publish publishes a new revision, which must reach the given nodes.
	publish := func(nodes ...*node) {
		t.Helper()
		revision++
		hash := nodes[0].contentHash(beta)
		s.run("publish", editedBeta(t, revision))
		for _, n := range nodes {
			n.eventually("the new revision", func() bool { return n.contentHash(beta) != hash })
		}
	}
	waitForStore := func(reachable bool, nodes ...*node) {
		t.Helper()
		for _, n := range nodes {
			n.eventually(fmt.Sprintf("the store to be reachable: %t", reachable), func() bool {
				status, body := n.get("/readyz")
				if status != http.StatusOK {
					t.Errorf("/readyz: got %d %s, want 200", status, body)
				}
				complete, up := n.metric("placard_catalog_complete"), n.metric("placard_store_reachable")
				return strings.Contains(body, `"degraded"`) == !reachable && (complete == 1) == reachable && (up == 1) == reachable
			})
		}
	}

	cut, stalled, slow := 0, 1, 2
	proxies[cut].Cut()
	proxies[stalled].Stall()
	proxies[slow].Delay(300 * time.Millisecond)
	waitForStore(false, nodes[cut], nodes[stalled])
	// Either the request or the refresh reaches its limit of ten seconds first.
	if logs := nodes[stalled].logs.String(); !strings.Contains(logs, "respond") || !strings.Contains(logs, "the network") || !strings.Contains(logs, `serving="the releases listed before"`) {
		t.Errorf("the store is stalled: got logs %s, want the cause, a hint and the releases being served", logs)
	}
	before := nodes[cut].contentHash(beta)
	publish(nodes[slow])
	waitForStore(true, nodes[slow])
	for _, n := range []*node{nodes[cut], nodes[stalled]} {
		if got := n.contentHash(beta); got != before {
			t.Errorf("without the store: got content hash %q, want %q", got, before)
		}
	}
	level.check("the store is cut, stalled or slow")
	for _, proxy := range proxies {
		proxy.Restore()
	}
	waitForStore(true, nodes...)
	publish(nodes...)
	level.check("the store was cut, stalled or slow")
	for _, n := range nodes {
		n.checkEvents("the store was cut, stalled or slow", 5)
	}

	s.server.Stop()
	waitForStore(false, nodes...)
	responses := level.responses()
	nodes[0].eventually("responses without the store", func() bool { return level.responses() > responses+500 })
	level.check("the store is killed")
	s.server.Start()
	waitForStore(true, nodes...)
	publish(nodes...)
	level.check("the store was killed")
	for _, n := range nodes {
		n.checkEvents("the store was killed", 5)
	}
}

func testFaultsOfRedis(t *testing.T) {
	redis := envtest.Redis(t)
	proxy := envtest.Proxy(t, redis.Addr)
	// Redis counts the requests of the load, but never refuses one.
	nodes := startSharingNodes(t, proxy.Addr, "--rate-limit-read=10000000/60s", "--rate-limit-icons=10000000/60s",
		"--redis-timeout=250ms") // on a busy machine, replies take longer than by default
	nodes.waitForRedis()
	version := "/api/v2/schemas/" + stable
	level := &serviceLevel{t: t}
	defer startLoad(16, addrs(nodes), []request{
		{"GET", version + "/elements/radar", ""},
		{"GET", version + "/elements/radar/icon.svg", ""},
		{"POST", mcpPath, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ui://service/datachain/view.html"}}`},
	}, level.handle).stop()
	const limit = 30
	validate := request{"POST", version + "/validate", testDocument("x")}
	for _, n := range nodes {
		n.checkEvents("start", 20)
	}
	type fault struct {
		name       string
		begin, end func()
	}
	for _, f := range envtest.Sample(2, []fault{
		{"stalled", proxy.Stall, proxy.Restore},
		{"killed", redis.Stop, redis.Start},
		{"cut", proxy.Cut, proxy.Restore},
		{"slow", func() { proxy.Delay(500 * time.Millisecond) }, proxy.Restore},
	}) {
		f.begin()
		for _, n := range nodes {
			n.eventually("the state of Redis when it is "+f.name, func() bool { return n.metric("placard_redis_up") == 0 })
		}
		before := level.responses()
		nodes[0].eventually("responses while Redis is "+f.name, func() bool { return level.responses() > before+500 })
		if n := nodes.countAllowed(t, 2*limit, validate, "alone while "+f.name); n == 0 || n > limit {
			t.Errorf("Redis is %s: the nodes allowed %d requests, want at most %d", f.name, n, limit)
		}
		level.check("Redis is " + f.name)
		for _, n := range nodes {
			if status, body := n.get("/readyz"); status != http.StatusOK || strings.Contains(body, "degraded") {
				t.Errorf("Redis is %s: /readyz: got %d %s, want 200 without degradation", f.name, status, body)
			}
		}
		f.end()
		nodes.waitForRedis()
		nodes.checkLimit(t, limit, validate)
		level.check("Redis was " + f.name)
		for _, n := range nodes {
			// On a busy machine, Redis may seem to be away several times.
			n.checkEvents("Redis was "+f.name, 20)
		}
	}
}

func testStartFromCache(t *testing.T) {
	s := newClusterStore(t)
	proxy := envtest.Proxy(t, s.server.Addr)
	s.run("publish", editedBeta(t, 1))
	cached := []string{"--store", s.address(proxy.Addr), "--cache", filepath.Join(t.TempDir(), "cache"), "--refresh=200ms"}
	first := startNodes(t, 1, cached...)[0]
	hash := first.contentHash(beta)
	if status := first.stop(); status != exitOK {
		t.Errorf("exit status = %d, want 0\n%s", status, first.logs)
	}

	proxy.Cut()
	n := startNodes(t, 1, cached...)[0]
	empty := startNode(t, "--store", s.address(proxy.Addr), "--cache", filepath.Join(t.TempDir(), "cache"), "--refresh=200ms")
	if got := n.contentHash(beta); got != hash {
		t.Errorf("from the cache: got content hash %q, want %q", got, hash)
	}
	if status, body := n.get("/readyz"); status != http.StatusOK || !strings.Contains(body, `"degraded"`) {
		t.Errorf("/readyz from the cache: got %d %s, want 200 with degraded", status, body)
	}
	for _, name := range []string{"placard_catalog_complete", "placard_store_reachable"} {
		if got := n.metric(name); got != 0 {
			t.Errorf("%s: got %v from the cache, want 0", name, got)
		}
	}
	if reads := `placard_store_reads_total{outcome="ok",what="release"}`; strings.Contains(n.metrics(), reads) {
		t.Error("releases in the cache are counted as read from the store")
	}
	n.checkEvents("start from the cache", 5)
	if status, body := empty.get("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("/readyz with an empty cache: got %d %s, want 503", status, body)
	}

	proxy.Restore()
	for _, n := range []*node{n, empty} {
		n.eventually("recovery", func() bool {
			status, body := n.get("/readyz")
			return status == http.StatusOK && !strings.Contains(body, "degraded") && n.metric("placard_catalog_complete") == 1
		})
	}
	s.run("publish", editedBeta(t, 2))
	for _, n := range []*node{n, empty} {
		n.eventually("the new revision", func() bool { return n.contentHash(beta) != hash })
	}
}
