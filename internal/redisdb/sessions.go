package redisdb

import (
	"context"
	"errors"
	"time"

	"github.com/valkey-io/valkey-go"
)

// SessionStore keeps the state of sessions on one node. It is implemented by
// mcpapi.Memory.
type SessionStore interface {
	Put(ctx context.Context, key string, value []byte) (stored bool, err error)
	Get(ctx context.Context, key string) ([]byte, error)
}

// SessionOptions bounds the sessions of all nodes together.
type SessionOptions struct {
	IdleTimeout time.Duration // lifetime of an entry after its last use
	MaxEntries  int
	MaxBytes    int
}

// Sessions keeps the state of sessions on the server and on this node. While the server is
// not available, a node knows only the sessions it has served itself.
type Sessions struct {
	db    *DB
	opts  SessionOptions
	local SessionStore
}

// NewSessions returns a session store on db, with a local copy in local.
func NewSessions(db *DB, local SessionStore, opts SessionOptions) *Sessions {
	return &Sessions{db, opts, local}
}

// The braces put all keys into one slot of a cluster, so that scripts can evict
// any of them.
const (
	sessionPrefix = "placard:{session}:"
	sessionUse    = "placard:{session}/use"  // sorted set of keys by last use
	sessionSize   = "placard:{session}/size" // hash of the sizes of keys, and their sum under ""
)

// putScript stores a value and evicts expired entries and, while there are too
// many, the least recently used ones. KEYS: value, use, size. ARGV: value, timeout,
// entries, bytes.
var putScript = valkey.NewLuaScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local timeout, entries, bytes = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local function remove(key)
  redis.call('DEL', key)
  redis.call('ZREM', KEYS[2], key)
  local size = redis.call('HGET', KEYS[3], key)
  if size then
    redis.call('HDEL', KEYS[3], key)
    redis.call('HINCRBY', KEYS[3], '', -size)
  end
end
remove(KEYS[1])
local size = #ARGV[1] + #KEYS[1] + 256
local stored = 0
if size <= bytes then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', timeout)
  redis.call('ZADD', KEYS[2], now, KEYS[1])
  redis.call('HSET', KEYS[3], KEYS[1], size)
  redis.call('HINCRBY', KEYS[3], '', size)
  stored = 1
end
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - timeout, 'LIMIT', 0, 100)) do remove(key) end
while redis.call('ZCARD', KEYS[2]) > entries or tonumber(redis.call('HGET', KEYS[3], '') or 0) > bytes do
  local oldest = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  if not oldest then
    redis.call('DEL', KEYS[3])
    break
  end
  remove(oldest)
end
redis.call('PEXPIRE', KEYS[2], timeout)
redis.call('PEXPIRE', KEYS[3], timeout)
return stored
`)

// getScript returns a value and records its use. KEYS: value, use, size. ARGV: timeout.
var getScript = valkey.NewLuaScript(`
local value = redis.call('GET', KEYS[1])
if value then
  local t = redis.call('TIME')
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  redis.call('ZADD', KEYS[2], t[1] * 1000 + math.floor(t[2] / 1000), KEYS[1])
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[3], ARGV[1])
end
return value
`)

func sessionKeys(key string) []string { return []string{sessionPrefix + key, sessionUse, sessionSize} }

// Put stores a value; see mcpapi.SessionStore.
func (s *Sessions) Put(ctx context.Context, key string, value []byte) (stored bool, err error) {
	stored, err = s.local.Put(ctx, key, value)
	if err != nil || !stored {
		return stored, err
	}
	err = s.db.do(ctx, func(ctx context.Context, client valkey.Client) error {
		n, err := putScript.Exec(ctx, client, sessionKeys(key), []string{
			valkey.BinaryString(value), milliseconds(s.opts.IdleTimeout), number(s.opts.MaxEntries), number(s.opts.MaxBytes),
		}).AsInt64()
		stored = n == 1
		return err
	})
	if errors.Is(err, errUnavailable) {
		return true, nil // on this node
	}
	return stored, err
}

// Get returns a value; see mcpapi.SessionStore.
func (s *Sessions) Get(ctx context.Context, key string) (value []byte, err error) {
	err = s.db.do(ctx, func(ctx context.Context, client valkey.Client) error {
		text, err := getScript.Exec(ctx, client, sessionKeys(key), []string{milliseconds(s.opts.IdleTimeout)}).ToString()
		if valkey.IsValkeyNil(err) {
			return nil
		}
		value = []byte(text)
		return err
	})
	if err != nil && !errors.Is(err, errUnavailable) {
		return nil, err
	}
	if value == nil {
		// The server may have lost it, or was away when it was stored.
		return s.local.Get(ctx, key)
	}
	return value, nil
}
