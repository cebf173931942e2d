package redisdb

import (
	"context"
	"encoding/hex"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"

	"placard/internal/serve/ratelimit"
)

// Limiter is a [ratelimit.Limiter] whose windows all nodes share. While the server is
// not available, each node allows its own share of each limit.
type Limiter struct {
	db     *DB
	policy ratelimit.Policy
	alone  *ratelimit.Memory // counts while the server is not available

	mu    sync.Mutex   // serializes changes of the share
	nodes atomic.Int64 // alone allows the share of one of this number of nodes
}

// NewLimiter returns a limiter that counts in db. While db is not available, it counts
// in a [ratelimit.Memory] with the given options.
func NewLimiter(db *DB, policy ratelimit.Policy, opts ratelimit.MemoryOptions) *Limiter {
	return &Limiter{db: db, policy: policy, alone: ratelimit.NewMemory(policy, opts)}
}

// takeScript counts one request, as [ratelimit.Memory] does. KEYS are the windows of
// the address and, if the client has a name, of the name. ARGV are the field of the bucket, its limit
// and window, and the limit and window of names (0: no limit). The time is the
// server's, so that all nodes agree. A key expires with its last window, so a name
// is open while its key exists.
var takeScript = newScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function count(key, bucket, limit, window)
  local w = redis.call('HMGET', key, bucket, bucket .. ':e')
  local used, ends = tonumber(w[1]) or 0, tonumber(w[2]) or 0
  if now >= ends then
    used, ends = 0, now + window
    redis.call('HSET', key, bucket, 0, bucket .. ':e', ends)
    if redis.call('PTTL', key) < window then redis.call('PEXPIREAT', key, ends) end
  end
  if used >= limit then return {0, ends - now} end
  redis.call('HINCRBY', key, bucket, 1)
  return {1, ends - now}
end
local key = KEYS[1]
if KEYS[2] then
  if redis.call('EXISTS', KEYS[2]) == 1 or tonumber(ARGV[4]) == 0 or count(KEYS[1], 'n', tonumber(ARGV[4]), tonumber(ARGV[5]))[1] == 1 then
    key = KEYS[2]
  end
end
return count(key, ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]))
`)

// Take implements [ratelimit.Limiter].
func (l *Limiter) Take(ctx context.Context, b ratelimit.Bucket, c ratelimit.Client) ratelimit.Decision {
	limit := l.policy.Limit(b)
	if limit.IsZero() {
		return ratelimit.Decision{Allowed: true}
	}
	if !l.db.Available() {
		return l.takeAlone(ctx, b, c)
	}
	// The braces put both keys into the same slot of a cluster.
	address := "placard:limit:{" + c.Addr().String() + "}"
	keys := []string{address}
	if c.Name() != "" {
		keys = append(keys, address+":"+hex.EncodeToString([]byte(c.Name())))
	}
	reply, err := redis.Int64s(l.db.eval(ctx, TakeLimit, takeScript, keys,
		b.String(), limit.Requests, milliseconds(limit.Window), l.policy.Names.Requests, milliseconds(l.policy.Names.Window)))
	if err != nil || len(reply) != 2 {
		return l.takeAlone(ctx, b, c)
	}
	return ratelimit.Decision{Allowed: reply[0] == 1, Reset: time.Duration(reply[1]) * time.Millisecond}
}

// takeAlone counts a request against this node's share of the limits.
func (l *Limiter) takeAlone(ctx context.Context, b ratelimit.Bucket, c ratelimit.Client) ratelimit.Decision {
	if l.nodes.Load() != l.db.nodes.Load() {
		l.mu.Lock()
		n := l.db.nodes.Load()
		l.alone.SetPolicy(l.policy.Share(int(n)))
		l.nodes.Store(n)
		l.mu.Unlock()
	}
	return l.alone.Take(ctx, b, c)
}
