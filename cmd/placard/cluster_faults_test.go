package main

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"placard/internal/testenv"
)

// disturbance is a fault of a server that nodes depend on.
type disturbance struct {
	name       string
	begin, end func()
	down       bool // the server cannot be used at all
}

// disturbances returns the faults of a server and of the proxy through which nodes
// use it.
func disturbances(server *testenv.Server, proxy *testenv.TCPProxy, delay time.Duration, slowIsDown bool) []disturbance {
	return []disturbance{
		{"cut", proxy.Cut, proxy.Restore, true},
		{"stalled", proxy.Stall, proxy.Restore, true},
		{"slow", func() { proxy.Delay(delay) }, proxy.Restore, slowIsDown},
		{"killed", server.Stop, server.Start, true},
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
// last call, and none of them twice in a row.
func (n *node) checkEvents(period string, most int) {
	n.t.Helper()
	lines := n.events()
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

func TestClusterSurvivesFaultsOfRedis(t *testing.T) {
	redis := testenv.Redis(t)
	proxy := testenv.Proxy(t, redis.Addr)
	// Redis counts the requests of the load, but never refuses one.
	nodes := startSharingNodes(t, proxy.Addr, "--rate-limit-read=10000000/60s", "--rate-limit-icons=10000000/60s")
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
		n.checkEvents("start", 3)
	}
	for _, f := range disturbances(redis, proxy, 500*time.Millisecond, true) {
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
