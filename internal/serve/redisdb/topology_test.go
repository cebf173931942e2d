package redisdb_test

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"placard/internal/serve/mcpapi"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/redisdb"
	"placard/scripts/envtest"
)

// clients returns clients whose windows are in many different slots of a cluster.
func clients() (all []ratelimit.Client) {
	for i := range 20 {
		addr := netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
		all = append(all, ratelimit.NewClient(addr, "", 64), ratelimit.NewClient(addr, fmt.Sprint("name ", i), 64))
	}
	return all
}

// wantExactLimits checks that every client is allowed exactly the limit of a bucket by
// all nodes together.
func wantExactLimits(t *testing.T, nodes []*node, b ratelimit.Bucket, want int) {
	t.Helper()
	limiters := newLimiters(nodes, ratelimit.DefaultPolicy)
	var group sync.WaitGroup
	for _, c := range clients() {
		group.Go(func() {
			allowed := 0
			for i := range want + 3 {
				if limiters[i%len(limiters)].Take(t.Context(), b, c).Allowed {
					allowed++
				}
			}
			if allowed != want {
				t.Errorf("%v %q: got %d requests allowed, want %d", c.Addr(), c.Name(), allowed, want)
			}
		})
	}
	group.Wait()
}

// wantSharedSessions checks that two nodes share sessions and evict the oldest entries.
func wantSharedSessions(t *testing.T, a, b *node) {
	t.Helper()
	opts := redisdb.SessionOptions{IdleTimeout: time.Hour, MaxEntries: 10, MaxBytes: 1 << 20}
	first := redisdb.NewSessions(a.DB, mcpapi.NewMemory(mcpapi.MemoryOptions{}), opts)
	second := redisdb.NewSessions(b.DB, mcpapi.NewMemory(mcpapi.MemoryOptions{}), opts)
	for i := range 20 {
		if stored, err := first.Put(t.Context(), fmt.Sprint(i), []byte("value")); err != nil || !stored {
			t.Errorf("got stored %t, error %v", stored, err)
		}
	}
	for i := range 20 {
		value, err := second.Get(t.Context(), fmt.Sprint(i))
		if err != nil || (value != nil) != (i >= 10) {
			t.Errorf("entry %d: got %q, error %v", i, value, err)
		}
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	servers := envtest.RedisCluster(t)
	url := "redis://" + servers[0].Addr
	nodes := []*node{start(t, url, generous), start(t, url+"?addr="+servers[1].Addr+"&addr="+servers[2].Addr, generous)}
	for _, n := range nodes {
		waitFor(t, n.Available)
	}
	wantExactLimits(t, nodes, ratelimit.Resolve, 15)
	wantSharedSessions(t, nodes[0], nodes[1])
	for i, s := range servers {
		if keys := envtest.RedisCLI(t, s, "DBSIZE"); keys == "0" {
			t.Errorf("server %d has no keys", i)
		}
	}

	// While a slot is moved, and afterwards, no request fails and no count is lost.
	limiters := newLimiters(nodes, ratelimit.DefaultPolicy)
	countAllowed(t, limiters, ratelimit.Read, 50)
	const key = "placard:limit:{192.0.2.1}"
	slot := envtest.RedisCLI(t, servers[0], "CLUSTER", "KEYSLOT", key)
	number, err := strconv.Atoi(slot)
	if err != nil {
		t.Fatal(err)
	}
	from := servers[number*3>>14]
	to := servers[(number*3>>14+1)%3]
	if n := envtest.RedisCLI(t, from, "EXISTS", key); n != "1" {
		t.Fatalf("the key is not on the server of its slot: %s", n)
	}
	target := envtest.RedisCLI(t, to, "CLUSTER", "MYID")
	envtest.RedisCLI(t, to, "CLUSTER", "SETSLOT", slot, "IMPORTING", envtest.RedisCLI(t, from, "CLUSTER", "MYID"))
	envtest.RedisCLI(t, from, "CLUSTER", "SETSLOT", slot, "MIGRATING", target)
	countAllowed(t, limiters, ratelimit.Read, 20)
	port := to.Addr[strings.LastIndex(to.Addr, ":")+1:]
	for _, key := range strings.Fields(envtest.RedisCLI(t, from, "CLUSTER", "GETKEYSINSLOT", slot, "1000")) {
		envtest.RedisCLI(t, from, "MIGRATE", "127.0.0.1", port, key, "0", "5000")
	}
	countAllowed(t, limiters, ratelimit.Read, 20)
	for _, s := range []*envtest.Server{to, from} {
		envtest.RedisCLI(t, s, "CLUSTER", "SETSLOT", slot, "NODE", target)
	}
	for _, n := range nodes {
		waitFor(t, n.Available)
	}
	countAllowed(t, limiters, ratelimit.Read, 20)
	if n := envtest.RedisCLI(t, to, "HGET", key, "read"); n != "220" {
		t.Errorf("got a count of %s, want 220; logs: %v %v", n, nodes[0].log.all(), nodes[1].log.all())
	}

	// Clients of a server that is down are counted alone.
	to.Stop()
	for _, n := range nodes {
		waitFor(t, func() bool {
			countAllowed(t, limiters, ratelimit.Icons, 1)
			return !n.Available()
		})
	}
	for _, c := range clients() {
		if d := limiters[0].Take(t.Context(), ratelimit.Validate, c); !d.Allowed {
			t.Errorf("%v %q: got %+v", c.Addr(), c.Name(), d)
		}
	}
	to.Start()
	for _, n := range nodes {
		waitFor(t, n.Available)
	}
}

func TestSentinelFailover(t *testing.T) {
	t.Parallel()
	master := envtest.Redis(t)
	replica := envtest.Redis(t, "--replicaof", "127.0.0.1 "+master.Addr[strings.LastIndex(master.Addr, ":")+1:])
	waitFor(t, func() bool {
		return strings.Contains(envtest.RedisCLI(t, replica, "INFO", "replication"), "master_link_status:up")
	})
	sentinel := envtest.RedisSentinel(t, master)
	url := "redis://" + sentinel.Addr + "?master_set=placard"
	nodes := []*node{start(t, url, generous), start(t, url, generous)}
	for _, n := range nodes {
		waitFor(t, n.Available)
	}
	wantExactLimits(t, nodes, ratelimit.Resolve, 15)
	sessions := newSessions(nodes[0])
	if _, err := sessions.Put(t.Context(), "key", []byte("value")); err != nil {
		t.Fatal(err)
	}
	// The sentinel must know the replica, and the replica must have received the value.
	waitFor(t, func() bool {
		return strings.Contains(envtest.RedisCLI(t, sentinel, "INFO", "sentinel"), "slaves=1") &&
			envtest.RedisCLI(t, replica, "KEYS", "placard:{session}:*") != ""
	})
	master.Stop()
	// A new store has no copies, so the value comes from the replica.
	for _, n := range nodes {
		waitFor(t, func() bool {
			value, err := newSessions(n).Get(t.Context(), "key")
			return err == nil && string(value) == "value"
		})
	}
	wantExactLimits(t, nodes, ratelimit.Validate, 30)
}

func TestDocumentedPermissionsSuffice(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile("the rules `(~placard:[^`]+)` suffice").FindSubmatch(text)
	if rules == nil {
		t.Fatal("docs/operating.md has no rules for access control lists")
	}
	server := envtest.Redis(t)
	envtest.RedisCLI(t, server, append([]string{"ACL", "SETUSER", "placard", "on", ">password"}, strings.Fields(string(rules[1]))...)...)
	url := "redis://placard:password@" + server.Addr
	nodes := []*node{start(t, url, generous), start(t, url, generous)}
	for _, n := range nodes {
		waitFor(t, n.Available)
	}
	wantExactLimits(t, nodes, ratelimit.Resolve, 15)
	wantSharedSessions(t, nodes[0], nodes[1])
	for _, n := range nodes {
		n.stop()
		if n.Failures() != 0 {
			t.Errorf("got %d failures: %v", n.Failures(), n.log.all())
		}
	}
	if n := envtest.RedisCLI(t, server, "ZCARD", "placard:{session}/nodes"); n != "0" {
		t.Errorf("got %s nodes after all have stopped, want 0", n)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	server, _ := envtest.RedisTLS(t)
	n := start(t, "rediss://"+server.Addr, generous)
	<-n.Tried()
	if log := strings.Join(n.log.all(), "\n"); n.Available() || !strings.Contains(log, "certificate") {
		t.Errorf("a server with an unknown certificate is available: %t; log:\n%s", n.Available(), log)
	}
	waitFor(t, start(t, "rediss://"+server.Addr+"?skip_verify=true", generous).Available)
	plain := start(t, "redis://"+server.Addr, generous)
	<-plain.Tried()
	if plain.Available() {
		t.Error("a server is available without TLS")
	}
}
