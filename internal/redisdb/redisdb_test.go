package redisdb_test

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/valkey-io/valkey-go"

	"placard/internal/ratelimit"
	"placard/internal/ratelimit/limittest"
	"placard/internal/redisdb"
	"placard/internal/testenv"
)

// open returns a connected DB.
func open(t *testing.T, addr string) *redisdb.DB {
	t.Helper()
	address, err := redisdb.ParseAddress("redis://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	db := redisdb.Open(address, redisdb.Options{Log: slog.New(slog.DiscardHandler), Timeout: 10 * time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		db.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	waitFor(t, db.Available)
	return db
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the condition does not hold after 30 seconds")
		}
	}
}

// advance ends all windows earlier, as if the clock of the server had advanced.
var advance = valkey.NewLuaScript(`
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
	server := testenv.Redis(t)
	client, err := valkey.NewClient(valkey.ClientOption{InitAddress: []string{server.Addr}, DisableCache: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	nodes := []*redisdb.DB{open(t, server.Addr), open(t, server.Addr), open(t, server.Addr)}
	opened := 0
	limittest.Run(t, func(t *testing.T, policy ratelimit.Policy) limittest.Backend {
		if err := client.Do(t.Context(), client.B().Flushall().Build()).Error(); err != nil {
			t.Fatal(err)
		}
		return limittest.Backend{
			Open: func() ratelimit.Limiter {
				opened++
				return redisdb.NewLimiter(nodes[opened%len(nodes)], policy, ratelimit.MemoryOptions{Clients: 64})
			},
			Advance: func(d time.Duration) {
				err := advance.Exec(t.Context(), client, nil, []string{strconv.FormatInt(d.Milliseconds(), 10)}).Error()
				if err != nil && !valkey.IsValkeyNil(err) {
					t.Fatal(err)
				}
			},
		}
	})
}
