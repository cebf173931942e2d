package redisdb_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"placard/internal/serve/mcpapi"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/redisdb"
	"placard/scripts/envtest"
)

// faulty is a server that tests disturb. The nodes are connected through the proxy.
type faulty struct {
	*testing.T
	server *envtest.Server
	proxy  *envtest.TCPProxy
	client redis.Conn
}

func (f *faulty) send(words ...string) { command(f.T, f.client, words...) }

func TestNoRequestFailsBecauseOfTheServer(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]struct{ cause, repair func(*faulty) }{
		"the server is killed": {
			func(f *faulty) { f.server.Stop() },
			func(f *faulty) { f.server.Start() },
		},
		"the connection is cut": {
			func(f *faulty) { f.proxy.Cut() },
			func(f *faulty) { f.proxy.Restore() },
		},
		"the server stops answering": {
			func(f *faulty) { f.proxy.Stall() },
			func(f *faulty) { f.proxy.Restore() },
		},
		"the server is slow": {
			func(f *faulty) { f.proxy.Delay(3 * time.Second) },
			func(f *faulty) { f.proxy.Restore() },
		},
		"the server pauses clients": {
			func(f *faulty) { f.send("CLIENT", "PAUSE", "1000000", "WRITE") },
			func(f *faulty) { f.send("CLIENT", "UNPAUSE") },
		},
		"the server becomes a replica": {
			func(f *faulty) { f.send("REPLICAOF", "127.0.0.1", "1") },
			func(f *faulty) { f.send("REPLICAOF", "NO", "ONE") },
		},
		"the server has no memory": {
			func(f *faulty) { f.send("CONFIG", "SET", "maxmemory", "1") },
			func(f *faulty) { f.send("CONFIG", "SET", "maxmemory", "0") },
		},
		"the password changes": {
			func(f *faulty) {
				f.send("CONFIG", "SET", "requirepass", "another")
				f.send("CLIENT", "KILL", "TYPE", "normal")
			},
			func(f *faulty) { f.send("CONFIG", "SET", "requirepass", "") },
		},
		"a command is not permitted": {
			func(f *faulty) { f.send("ACL", "SETUSER", "default", "-evalsha", "-eval") },
			func(f *faulty) { f.send("ACL", "SETUSER", "default", "+evalsha", "+eval") },
		},
		"a key has another type": {
			func(f *faulty) { f.send("SET", "placard:limit:{192.0.2.1}", "") },
			func(f *faulty) { f.send("DEL", "placard:limit:{192.0.2.1}") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := envtest.Redis(t)
			f := &faulty{t, server, envtest.Proxy(t, server.Addr), connect(t, server.Addr)}
			n := open(t, f.proxy.Addr, time.Second)
			limiter := redisdb.NewLimiter(n.DB, ratelimit.DefaultPolicy, smallTable)
			sessions := newSessions(n)
			request := func() {
				t.Helper()
				ctx := redisdb.RequestContext(t.Context())
				if d := limiter.Take(ctx, ratelimit.Read, someClient); !d.Allowed {
					t.Fatalf("got %+v", d)
				}
				if stored, err := sessions.Put(ctx, "key", []byte("value")); err != nil || !stored {
					t.Fatalf("got stored %t, error %v", stored, err)
				}
				if value, err := sessions.Get(ctx, "key"); err != nil || string(value) != "value" {
					t.Fatalf("got the value %q, error %v", value, err)
				}
			}
			request()
			fault.cause(f)
			for n.Available() {
				request()
			}
			request()
			failures := n.Failures()
			if failures == 0 {
				t.Error("the failure was not counted")
			}
			// The node tries again, and does not log it.
			waitFor(t, func() bool { return n.Failures() > failures || name == "a key has another type" })
			request()
			fault.repair(f)
			waitFor(t, n.Available)
			request()
			log := n.log.all()
			for i, line := range log {
				want := "redis answers"
				if i%2 == 1 {
					want = "; this node decides alone address=redis://"
				}
				if !strings.Contains(line, want) {
					t.Errorf("got the log\n%s\nwant one line per change", strings.Join(log, "\n"))
					break
				}
			}
			if len(log) < 3 {
				t.Errorf("got the log\n%s\nwant at least two changes", strings.Join(log, "\n"))
			}
		})
	}
}

func TestScriptsAreLoadedAgain(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t)
	client := connect(t, server.Addr)
	n := open(t, server.Addr, generous)
	limiters := newLimiters([]*node{n}, ratelimit.DefaultPolicy)
	for range 3 {
		command(t, client, "SCRIPT", "FLUSH")
		countAllowed(t, limiters, ratelimit.Read, 10)
	}
	if n.Failures() != 0 || !n.Available() {
		t.Errorf("got %d failures, available: %t", n.Failures(), n.Available())
	}
	if allowed := countAllowed(t, limiters, ratelimit.Read, 300); allowed != 270 {
		t.Errorf("got %d requests allowed, want 270", allowed)
	}
}

func TestStalledServerDelaysManyRequestsOnlyBriefly(t *testing.T) {
	server := envtest.Redis(t)
	proxy := envtest.Proxy(t, server.Addr)
	n := open(t, proxy.Addr, 200*time.Millisecond)
	limiters := newLimiters([]*node{n}, ratelimit.DefaultPolicy)
	proxy.Stall()
	start := time.Now()
	const requests = 20_000
	if allowed := countAllowed(t, limiters, ratelimit.Read, requests); allowed != 300 {
		t.Errorf("got %d requests allowed alone, want 300", allowed)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("%d requests took %v", requests, took)
	}
	if n.Available() {
		t.Error("the stalled server is available")
	}
	// The operations end even if the server never answers. Only checks continue.
	waitFor(t, func() bool {
		stacks := make([]byte, 8<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return bytes.Count(stacks, []byte("redigo/redis.(*conn).")) < 10
	})
	proxy.Restore()
	waitFor(t, n.Available)
}

func TestOneSlowReplyIsNoFailure(t *testing.T) {
	t.Parallel()
	proxy := envtest.Proxy(t, envtest.Redis(t).Addr)
	address, err := redisdb.ParseAddress("redis://" + proxy.Addr)
	if err != nil {
		t.Fatal(err)
	}
	log := new(logRecorder)
	// Heartbeats do not disturb the test.
	db := redisdb.Open(address, redisdb.Options{Log: slog.New(log), Timeout: time.Second, Heartbeat: time.Hour})
	go db.Run(t.Context())
	waitFor(t, db.Available)
	limiter := redisdb.NewLimiter(db, ratelimit.DefaultPolicy, smallTable)
	for range 2 {
		proxy.Stall()
		for range 2 {
			limiter.Take(t.Context(), ratelimit.Read, someClient)
		}
		proxy.Restore()
		if !db.Available() {
			t.Fatalf("the server is not available after two slow replies: %v", log.all())
		}
		limiter.Take(t.Context(), ratelimit.Read, someClient)
	}
	if got := db.Failures(); got != 4 {
		t.Errorf("got %d failures, want 4", got)
	}
	proxy.Stall()
	for range 3 {
		limiter.Take(t.Context(), ratelimit.Read, someClient)
	}
	if db.Available() {
		t.Error("the server is available after three slow replies in a row")
	}
}

func TestOperationsOfARequestShareTheTimeout(t *testing.T) {
	t.Parallel()
	proxy := envtest.Proxy(t, envtest.Redis(t).Addr)
	n := open(t, proxy.Addr, 2*time.Second)
	sessions := newSessions(n)
	// The first call loads the script.
	if _, err := sessions.Put(t.Context(), "0", []byte("value")); err != nil {
		t.Fatal(err)
	}
	proxy.Delay(700 * time.Millisecond)
	start := time.Now()
	ctx := redisdb.RequestContext(t.Context())
	for i := range 10 {
		if stored, err := sessions.Put(ctx, fmt.Sprint(i), []byte("value")); err != nil || !stored {
			t.Errorf("got stored %t, error %v", stored, err)
		}
	}
	if took := time.Since(start); took > 6*time.Second {
		t.Errorf("a request waited for %v, want at most 2s", took)
	}
	if !n.Available() {
		t.Errorf("the server is not available, although every operation was fast enough: %v", n.log.all())
	}
}

func TestCancelledRequestsAreNotFailures(t *testing.T) {
	t.Parallel()
	proxy := envtest.Proxy(t, envtest.Redis(t).Addr)
	n := open(t, proxy.Addr, generous)
	limiter := redisdb.NewLimiter(n.DB, ratelimit.DefaultPolicy, smallTable)
	proxy.Stall()
	var group sync.WaitGroup
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		group.Go(func() { limiter.Take(ctx, ratelimit.Read, someClient) })
		cancel()
	}
	group.Wait()
	proxy.Restore()
	if n.Failures() != 0 || !n.Available() {
		t.Errorf("got %d failures, available: %t", n.Failures(), n.Available())
	}
}

func TestNodeStartsWithoutTheServer(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t)
	server.Stop()
	n := start(t, "redis://"+server.Addr, generous)
	<-n.Tried()
	limiters := newLimiters([]*node{n}, ratelimit.DefaultPolicy)
	if allowed := countAllowed(t, limiters, ratelimit.Resolve, 50); allowed != 15 {
		t.Errorf("got %d requests allowed, want 15", allowed)
	}
	server.Start()
	waitFor(t, n.Available)
	if log := n.log.all(); len(log) != 2 {
		t.Errorf("got the log\n%s", strings.Join(log, "\n"))
	}
}

func TestPasswordIsNotLogged(t *testing.T) {
	t.Parallel()
	server := envtest.Redis(t, "--requirepass", "right")
	n := start(t, "redis://ada:wrong-password@"+server.Addr+"/0", generous)
	waitFor(t, func() bool { return n.Failures() > 3 })
	log := n.log.all()
	if len(log) != 1 || !strings.Contains(log[0], "WRONGPASS") || strings.Contains(log[0], "wrong-password") {
		t.Errorf("got the log\n%s", strings.Join(log, "\n"))
	}
	waitFor(t, start(t, "redis://:right@"+server.Addr, generous).Available)
	waitFor(t, start(t, "redis://default:right@"+server.Addr+"/3", generous).Available)
}

func TestServerThatLoadsItsDataIsNotAvailable(t *testing.T) {
	t.Parallel()
	// The server takes two seconds to load its data.
	server := envtest.Redis(t, "--key-load-delay", "100000", "--loading-process-events-interval-bytes", "1024")
	client := connect(t, server.Addr)
	for i := range 20 {
		value := make([]byte, 2<<10)
		_, _ = rand.Read(value) // never fails
		command(t, client, "SET", fmt.Sprint(i), string(value))
	}
	command(t, client, "SAVE")
	server.Stop()
	server.Start()
	n := start(t, "redis://"+server.Addr, generous)
	waitFor(t, n.Available)
	if log := n.log.all(); len(log) != 2 || !strings.Contains(log[0], "LOADING") {
		t.Errorf("got the log\n%s", strings.Join(log, "\n"))
	}
}

func newSessions(n *node) *redisdb.Sessions {
	return redisdb.NewSessions(n.DB, mcpapi.NewMemory(mcpapi.MemoryOptions{}), redisdb.SessionOptions{
		IdleTimeout: time.Hour, MaxEntries: 1000, MaxBytes: 1 << 20,
	})
}
