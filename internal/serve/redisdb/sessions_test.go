package redisdb_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"placard/internal/serve/mcpapi"
	"placard/internal/serve/mcpapi/sessiontest"
	"placard/internal/serve/redisdb"
	"placard/scripts/envtest"
)

// advanceSessions makes all entries older, as if the clock of the server had advanced.
var advanceSessions = redis.NewScript(0, `
for _, key in ipairs(redis.call('KEYS', 'placard:{session}*')) do
  redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[1])
end
for _, key in ipairs(redis.call('ZRANGE', 'placard:{session}/use', 0, -1)) do
  redis.call('ZINCRBY', 'placard:{session}/use', -1000 * ARGV[1], key)
end
`)

func TestSessionsContract(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t)
	client := connect(t, server.Addr)
	nodes := []*node{open(t, server.Addr, generous), open(t, server.Addr, generous)}
	sessiontest.Run(t, func(t *testing.T, opts mcpapi.MemoryOptions) sessiontest.Backend {
		command(t, client, "FLUSHALL")
		now := time.Unix(0, 0)
		opts.Now = func() time.Time { return now }
		opened := 0
		return sessiontest.Backend{
			Open: func() mcpapi.SessionStore {
				opened++
				return redisdb.NewSessions(nodes[opened%2].DB, mcpapi.NewMemory(opts), redisdb.SessionOptions{
					IdleTimeout: opts.IdleTimeout, MaxEntries: opts.MaxEntries, MaxBytes: opts.MaxBytes,
				})
			},
			Advance: func(d time.Duration) {
				now = now.Add(d)
				_, err := advanceSessions.Do(client, d.Milliseconds())
				if err != nil {
					t.Fatal(err)
				}
			},
		}
	})
	for i, n := range nodes {
		if n.Failures() != 0 {
			t.Errorf("node %d: got %d failures, want none: %v", i, n.Failures(), n.log.all())
		}
	}
}

// sessionNode is a node with its own connection to the server.
type sessionNode struct {
	*testing.T
	*node
	proxy *envtest.TCPProxy
	store *redisdb.Sessions
}

// openSessions returns two nodes and a client of their server.
func openSessions(t *testing.T, timeout time.Duration) (a, b *sessionNode, client redis.Conn) {
	t.Helper()
	server := envtest.Redis(t)
	var nodes [2]*sessionNode
	for i := range nodes {
		proxy := envtest.Proxy(t, server.Addr)
		n := open(t, proxy.Addr, timeout)
		nodes[i] = &sessionNode{t, n, proxy, newSessions(n)}
	}
	return nodes[0], nodes[1], connect(t, server.Addr)
}

func (n *sessionNode) put(key, value string) {
	n.Helper()
	if stored, err := n.store.Put(n.Context(), key, []byte(value)); err != nil || !stored {
		n.Errorf("key %s: got stored %t, error %v", key, stored, err)
	}
}

func (n *sessionNode) get(key string) string {
	n.Helper()
	value, err := n.store.Get(n.Context(), key)
	if err != nil {
		n.Errorf("key %s: %v", key, err)
	}
	return string(value)
}

func (n *sessionNode) want(key, value string) {
	n.Helper()
	if got := n.get(key); got != value {
		n.Errorf("key %s: got %q, want %q", key, got, value)
	}
}

// cut cuts the connection of a node and waits until the node knows.
func (n *sessionNode) cut() {
	n.Helper()
	n.proxy.Cut()
	waitFor(n.T, func() bool {
		n.get("any")
		return !n.Available()
	})
}

// reconnect restores the connection of a node.
func (n *sessionNode) reconnect() {
	n.Helper()
	n.proxy.Restore()
	waitFor(n.T, n.Available)
}

func TestNodeThatIsAloneHasItsCopies(t *testing.T) {
	t.Parallel()
	a, b, _ := openSessions(t, generous)
	a.put("stored", "A")
	b.put("read", "B")
	a.want("read", "B")
	b.put("other", "B")
	a.cut()
	a.want("stored", "A")
	a.want("read", "B")
	a.want("other", "")
	b.put("stored", "B")
	a.want("stored", "A")
	a.reconnect()
	a.want("stored", "B")
	a.want("other", "B")
}

func TestNewestValueIsValidAfterAFailure(t *testing.T) {
	t.Parallel()
	a, b, client := openSessions(t, 2*time.Second)
	a.put("a", "old")
	a.cut()
	b.put("a", "B")
	a.put("a", "A")
	a.put("new", "A")
	a.want("a", "A")
	a.reconnect()
	a.want("a", "A")
	b.want("a", "B")
	a.want("new", "A")
	b.want("new", "")
	// The version of a value that was stored alone is known only up to the timeout.
	waitFor(t, func() bool {
		b.put("a", "B2")
		return a.get("a") == "B2"
	})
	a.put("a", "A2")
	b.want("a", "A2")
	checkTimeouts(t, client)
}

func TestDelayedWriteDoesNotReplaceANewerValue(t *testing.T) {
	t.Parallel()
	const timeout = time.Second
	a, b, client := openSessions(t, timeout)
	a.proxy.Stall()
	sent := time.Now()
	a.put("a", "delayed")
	b.put("a", "B")
	a.put("a", "A")
	// The server's time is known up to the timeout, and the write has the same time.
	waitFor(t, func() bool { return time.Since(sent) > 2*timeout })
	a.proxy.Restore()
	waitFor(t, func() bool {
		errors, err := redis.String(command(t, client, "INFO", "errorstats"), nil)
		return err == nil && strings.Contains(errors, "errorstat_LATE:count=1")
	})
	b.want("a", "B")
	waitFor(t, a.Available)
	a.want("a", "A")
}

func TestValueThatAReplicaLacksIsReturnedByItsNode(t *testing.T) {
	t.Parallel()
	a, b, client := openSessions(t, generous)
	a.put("a", "new")
	// As if a replica took over that has not received the last write.
	for _, key := range sessionKeys(t, client) {
		command(t, client, "HSET", key, "value", "old", "version", "1")
	}
	b.want("a", "old")
	a.want("a", "new")
}

// sessionKeys returns the keys of all entries on a server.
func sessionKeys(t *testing.T, client redis.Conn) []string {
	t.Helper()
	keys, err := redis.Strings(command(t, client, "KEYS", "placard:{session}:*"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestCopyIsNotReturnedIfTheServerHasLostTheEntry(t *testing.T) {
	t.Parallel()
	a, b, client := openSessions(t, generous)
	a.put("a", "old")
	b.put("a", "new")
	for _, key := range sessionKeys(t, client) {
		command(t, client, "DEL", key)
	}
	a.want("a", "")
	b.want("a", "")
}

func TestSizesOnTheServerAreExact(t *testing.T) {
	t.Parallel()
	a, b, client := openSessions(t, generous)
	const maxEntries, maxBytes = 20, 50_000
	stores := make([]*redisdb.Sessions, 2)
	for i, n := range []*sessionNode{a, b} {
		stores[i] = redisdb.NewSessions(n.DB, mcpapi.NewMemory(mcpapi.MemoryOptions{}), redisdb.SessionOptions{
			IdleTimeout: time.Hour, MaxEntries: maxEntries, MaxBytes: maxBytes,
		})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		store, key := stores[random.IntN(2)], fmt.Sprint(random.IntN(40))
		if _, err := store.Put(t.Context(), key, make([]byte, random.IntN(8000))); err != nil {
			t.Fatal(err)
		}
	}
	keys := sessionKeys(t, client)
	total := 0
	for _, key := range keys {
		size, err := redis.Int64(command(t, client, "HSTRLEN", key, "value"), nil)
		if err != nil {
			t.Fatal(err)
		}
		total += int(size) + 768
	}
	sum, err := redis.Int64(command(t, client, "HGET", "placard:{session}/size", ""), nil)
	if err != nil || int(sum) != total || total > maxBytes || total < maxBytes/2 || len(keys) > maxEntries {
		t.Errorf("got %d entries of %d bytes, recorded as %d; error %v", len(keys), total, sum, err)
	}
	for _, set := range [][]string{{"ZCARD", "placard:{session}/use"}, {"HLEN", "placard:{session}/size"}} {
		n, err := redis.Int64(command(t, client, set...), nil)
		if set[0] == "HLEN" {
			n-- // the sum
		}
		if err != nil || int(n) != len(keys) {
			t.Errorf("%v: got %d, want %d; error %v", set, n, len(keys), err)
		}
	}
	checkTimeouts(t, client)
}

func TestSessionIDsAreNotVisibleOnTheServer(t *testing.T) {
	t.Parallel()
	a, _, client := openSessions(t, generous)
	a.put("view:secret-session", "value")
	keys, err := redis.Strings(command(t, client, "KEYS", "*"), nil)
	if err != nil || !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, "placard:{session}:") }) {
		t.Fatalf("got the keys %v, error %v", keys, err)
	}
	if strings.Contains(strings.Join(keys, " "), "secret-session") {
		t.Errorf("got the keys %v", keys)
	}
}
