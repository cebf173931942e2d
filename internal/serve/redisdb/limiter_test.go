package redisdb_test

import (
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"placard/internal/serve/ratelimit"
	"placard/internal/serve/ratelimit/limittest"
	"placard/internal/serve/redisdb"
	"placard/scripts/envtest"
)

var smallTable = ratelimit.MemoryOptions{Clients: 64}

// advanceLimits ends all windows earlier, as if the clock of the server had advanced.
var advanceLimits = redis.NewScript(0, `
if ARGV[1] == '0' then return end
for _, key in ipairs(redis.call('KEYS', 'placard:limit:*')) do
  local ttl = redis.call('PTTL', key) - ARGV[1]
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, -2) == ':e' then redis.call('HINCRBY', key, field, -ARGV[1]) end
  end
  redis.call('PEXPIRE', key, ttl)
end
`)

func TestLimiterContract(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t)
	client := connect(t, server.Addr)
	nodes := openNodes(t, server.Addr)
	limittest.Run(t, func(t *testing.T, policy ratelimit.Policy) limittest.Backend {
		command(t, client, "FLUSHALL")
		opened := 0
		return limittest.Backend{
			Open: func() ratelimit.Limiter {
				opened++
				return redisdb.NewLimiter(nodes[opened%len(nodes)].DB, policy, smallTable)
			},
			Advance: func(d time.Duration) {
				_, err := advanceLimits.Do(client, d.Milliseconds())
				if err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

// checkTimeouts checks that all keys of a server have timeouts, and returns their
// number.
func checkTimeouts(t *testing.T, client redis.Conn) int {
	t.Helper()
	keys, err := redis.Strings(command(t, client, "KEYS", "*"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if ttl, err := redis.Int64(command(t, client, "PTTL", key), nil); err != nil || ttl == -1 {
			t.Errorf("key %s has no timeout", key)
		}
	}
	return len(keys)
}

var someClient = ratelimit.NewClient(netip.MustParseAddr("192.0.2.1"), "", ratelimit.DefaultIPv6Prefix)

// countAllowed sends requests to every limiter concurrently and returns the number that
// were allowed.
func countAllowed(t *testing.T, limiters []*redisdb.Limiter, b ratelimit.Bucket, requests int) int {
	t.Helper()
	var allowed atomic.Int64
	var group sync.WaitGroup
	for _, l := range limiters {
		for range requests {
			group.Go(func() {
				if l.Take(t.Context(), b, someClient).Allowed {
					allowed.Add(1)
				}
			})
		}
	}
	group.Wait()
	return int(allowed.Load())
}

func newLimiters(nodes []*node, policy ratelimit.Policy) []*redisdb.Limiter {
	var limiters []*redisdb.Limiter
	for _, n := range nodes {
		limiters = append(limiters, redisdb.NewLimiter(n.DB, policy, smallTable))
	}
	return limiters
}

func TestThreeNodesAllowExactlyTheLimit(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t)
	nodes := openNodes(t, server.Addr)
	limiters := newLimiters(nodes, ratelimit.DefaultPolicy)
	if n := countAllowed(t, limiters, ratelimit.Read, 1000); n != 300 {
		t.Errorf("got %d of 3000 requests allowed, want 300", n)
	}
	if n := checkTimeouts(t, connect(t, server.Addr)); n != 2 {
		t.Errorf("got %d keys, want one for the client and one for the nodes", n)
	}
	for i, n := range nodes {
		if n.Failures() != 0 {
			t.Errorf("node %d: got %d failures, want none: %v", i, n.Failures(), n.log.all())
		}
	}
}

func TestNodesThatAreAloneAllowTheirShare(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t)
	nodes := openNodes(t, server.Addr)
	limiters := newLimiters(nodes, ratelimit.DefaultPolicy)
	server.Stop()
	for _, l := range limiters {
		if n := countAllowed(t, []*redisdb.Limiter{l}, ratelimit.Read, 200); n != 100 {
			t.Errorf("got %d requests allowed alone, want 100", n)
		}
		if n := countAllowed(t, []*redisdb.Limiter{l}, ratelimit.Resolve, 200); n != 5 {
			t.Errorf("got %d requests allowed alone, want 5", n)
		}
	}
	// Concurrent requests have the share from the first one on.
	for range 500 {
		if n := countAllowed(t, newLimiters(nodes[:1], ratelimit.DefaultPolicy), ratelimit.Read, 150); n != 100 {
			t.Fatalf("got %d concurrent requests allowed alone, want 100", n)
		}
	}
	server.Start()
	for _, n := range nodes {
		waitFor(t, n.Available)
	}
	if n := countAllowed(t, limiters, ratelimit.Read, 200); n != 300 {
		t.Errorf("got %d requests allowed together, want 300", n)
	}
}

// The first node to return to a server that has lost its data is alone on it for a
// moment. It must not take the whole limit if the server fails again.
func TestNodesAreCountedAcrossARestartOfTheServer(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t)
	proxy := envtest.Proxy(t, server.Addr)
	first, second := open(t, server.Addr, generous), open(t, proxy.Addr, generous)
	waitFor(t, func() bool { return first.Nodes() == 2 && second.Nodes() == 2 })
	proxy.Cut()
	server.Stop()
	waitFor(t, func() bool { return !first.Available() })
	server.Start()
	waitFor(t, first.Available)
	if n := first.Nodes(); n != 2 {
		t.Errorf("got %d nodes after the restart, want 2", n)
	}
}

func TestNodesThatStopAreNoLongerCounted(t *testing.T) {
	t.Parallel()
	nodes := openNodes(t, envtest.Redis(t).Addr)
	nodes[2].stop()
	waitFor(t, func() bool { return nodes[0].Nodes() == 2 && nodes[1].Nodes() == 2 })
	if nodes[2].Available() {
		t.Error("the stopped node is available")
	}
}

func TestRequestsWithoutALimitDoNotReachTheServer(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t)
	client := connect(t, server.Addr)
	l := redisdb.NewLimiter(open(t, server.Addr, generous).DB, ratelimit.Policy{Read: ratelimit.DefaultPolicy.Read}, smallTable)
	// Heartbeats are scripts too.
	scripts := func() int {
		info, err := redis.String(command(t, client, "INFO", "commandstats"), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(info) {
			var calls int
			if name, rest, ok := strings.Cut(line, ":calls="); ok && strings.HasPrefix(name, "cmdstat_hmget") {
				if _, err := fmt.Sscanf(rest, "%d,", &calls); err != nil {
					t.Fatal(err)
				}
				n += calls
			}
		}
		return n
	}
	countAllowed(t, []*redisdb.Limiter{l}, ratelimit.Free, 10)
	countAllowed(t, []*redisdb.Limiter{l}, ratelimit.Icons, 10)
	if n := scripts(); n != 0 {
		t.Errorf("got %d decisions of the server, want none", n)
	}
	countAllowed(t, []*redisdb.Limiter{l}, ratelimit.Read, 10)
	if n := scripts(); n != 10 {
		t.Errorf("got %d decisions of the server, want 10", n)
	}
}
