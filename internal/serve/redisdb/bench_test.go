package redisdb_test

import (
	"log/slog"
	"testing"

	"placard/internal/serve/ratelimit"
	"placard/internal/serve/redisdb"
	"placard/scripts/envtest"
)

// BenchmarkTake compares the cost of a decision in memory, on the server, and while
// the server is away.
func BenchmarkTake(b *testing.B) {
	policy := ratelimit.Policy{Read: ratelimit.Limit{Requests: 1 << 30, Window: ratelimit.DefaultPolicy.Read.Window}}
	address, err := redisdb.ParseAddress("redis://" + envtest.Redis(b).Addr)
	if err != nil {
		b.Fatal(err)
	}
	db := redisdb.Open(address, redisdb.Options{Timeout: generous, Log: slog.New(slog.DiscardHandler)})
	go db.Run(b.Context())
	<-db.Tried()
	away := redisdb.Open(address, redisdb.Options{})
	for _, l := range []struct {
		name string
		ratelimit.Limiter
	}{
		{"memory", ratelimit.NewMemory(policy, smallTable)},
		{"server", redisdb.NewLimiter(db, policy, smallTable)},
		{"away", redisdb.NewLimiter(away, policy, smallTable)},
	} {
		b.Run(l.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if d := l.Take(b.Context(), ratelimit.Read, someClient); !d.Allowed {
						b.Errorf("got %+v", d)
					}
				}
			})
		})
	}
	if db.Failures() > 0 {
		b.Errorf("got %d failures", db.Failures())
	}
}
