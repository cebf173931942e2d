package redisdb

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
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

// Sessions keeps the state of sessions on the server. A node has copies of the values
// that it has stored or read, which it uses while the server is not available. A value
// that it stores in that time remains on this node.
//
// The version of an entry is the time at which it was stored, in microseconds of the
// server's clock. The newest version is valid.
type Sessions struct {
	db     *DB
	opts   SessionOptions
	mu     sync.Mutex // serializes the changes of copies
	copies SessionStore
}

// NewSessions returns a session store on db with copies in local.
func NewSessions(db *DB, local SessionStore, opts SessionOptions) *Sessions {
	return &Sessions{db: db, opts: opts, copies: local}
}

// The braces put all keys into one slot of a cluster, so that scripts can evict
// any of them.
const (
	sessionPrefix = "placard:{session}:"
	sessionUse    = "placard:{session}/use"  // sorted set of keys by last use
	sessionSize   = "placard:{session}/size" // hash of the sizes of keys, and their sum under ""
)

// sessionPreamble is the first part of both scripts. KEYS: entry, use, size.
// ARGV[1] is the idle timeout.
const sessionPreamble = `
local t = redis.call('TIME')
local now, timeout = t[1] * 1000000 + t[2], tonumber(ARGV[1])
local version = redis.call('HGET', KEYS[1], 'version') or '0'
local function touch()
  redis.call('PEXPIRE', KEYS[1], timeout)
  redis.call('ZADD', KEYS[2], now, KEYS[1])
  redis.call('PEXPIRE', KEYS[2], timeout)
  redis.call('PEXPIRE', KEYS[3], timeout)
end
`

// putScript stores a value and evicts expired entries and, while there are too
// many, the least recently used ones. ARGV: timeout, value, deadline, maximum number
// of entries, maximum number of bytes. It returns the version, which is 0 if the
// value is too large. It fails after the deadline: the node no longer waits, and may
// have stored another value since.
var putScript = newScript(sessionPreamble + `
local value, entries, bytes = ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
if now > tonumber(ARGV[3]) then return redis.error_reply('LATE the value arrived after the timeout') end
local function remove(key)
  redis.call('DEL', key)
  redis.call('ZREM', KEYS[2], key)
  local size = redis.call('HGET', KEYS[3], key)
  if size then
    redis.call('HDEL', KEYS[3], key)
    redis.call('HINCRBY', KEYS[3], '', -size)
  end
end
version = string.format('%.0f', math.max(now, version + 1))
remove(KEYS[1])
local size = #value + 768
if size <= bytes then
  redis.call('HSET', KEYS[1], 'version', version, 'value', value)
  redis.call('HSET', KEYS[3], KEYS[1], size)
  redis.call('HINCRBY', KEYS[3], '', size)
  touch()
else
  version = '0'
end
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - timeout * 1000, 'LIMIT', 0, 100)) do remove(key) end
while redis.call('ZCARD', KEYS[2]) > entries or tonumber(redis.call('HGET', KEYS[3], '') or 0) > bytes do
  local oldest = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  if not oldest then
    redis.call('DEL', KEYS[3])
    break
  end
  remove(oldest)
end
return {version}
`)

// getScript reads an entry and records its use. ARGV: timeout, version of the
// caller's copy. It returns the version, which is 0 if there is no entry, and the
// value if the copy has another version.
var getScript = newScript(sessionPreamble + `
if version == '0' then return {version} end
touch()
if version == ARGV[2] then return {version} end
return {version, redis.call('HGET', KEYS[1], 'value')}
`)

// run runs a script on an entry. The name of the entry is hashed, because it contains
// a session id, which is a secret and may be long.
func (s *Sessions) run(ctx context.Context, op Operation, script *script, key string, args ...any) (e entry, err error) {
	sum := sha256.Sum256([]byte(key))
	keys := []string{sessionPrefix + base64.RawURLEncoding.EncodeToString(sum[:]), sessionUse, sessionSize}
	reply, err := redis.ByteSlices(s.db.eval(ctx, op, script, keys, append([]any{milliseconds(s.opts.IdleTimeout)}, args...)...))
	if err != nil {
		return e, err
	}
	if len(reply) == 0 {
		return e, errReply
	}
	if len(reply) > 1 {
		e.value = reply[1]
	}
	e.version, err = strconv.ParseInt(string(reply[0]), 10, 64)
	return e, err
}

// Put stores a value; see mcpapi.SessionStore.
func (s *Sessions) Put(ctx context.Context, key string, value []byte) (stored bool, err error) {
	deadline := s.db.serverTime() + s.db.Timeout.Microseconds()
	e, err := s.run(ctx, PutSession, putScript, key,
		value, deadline, s.opts.MaxEntries, s.opts.MaxBytes)
	e.value = value
	if err != nil {
		// Nothing that the server has stored until now, including this value, has a
		// version after the deadline.
		e.version, e.alone = deadline, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.version == 0 {
		// The value is too large. An empty copy is never returned.
		_, err = s.copies.Put(ctx, key, nil)
		return false, err
	}
	stored, err = s.copies.Put(ctx, key, e.encode())
	return stored || !e.alone, err
}

// Get returns a value; see mcpapi.SessionStore.
func (s *Sessions) Get(ctx context.Context, key string) ([]byte, error) {
	local, err := s.copyOf(ctx, key)
	if err != nil {
		return nil, err
	}
	e, err := s.run(ctx, GetSession, getScript, key, local.version)
	switch {
	case err != nil, e.version == local.version:
		return local.value, nil
	case e.version == 0 && !local.alone:
		return nil, nil // expired or evicted, or the server has lost its data
	case e.version < local.version:
		return local.value, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Another request may have replaced the copy.
	if local, err = s.copyOf(ctx, key); err == nil && local.version < e.version {
		_, err = s.copies.Put(ctx, key, e.encode())
	}
	return e.value, err
}

// entry is a value and its version.
type entry struct {
	value   []byte
	version int64
	alone   bool // stored while the server was not available
}

const entryHeader = 8 + 1

func (e entry) encode() []byte {
	b := make([]byte, entryHeader, entryHeader+len(e.value))
	binary.LittleEndian.PutUint64(b, uint64(e.version))
	if e.alone {
		b[8] = 1
	}
	return append(b, e.value...)
}

// copyOf returns the copy of an entry, or the zero entry if there is none.
func (s *Sessions) copyOf(ctx context.Context, key string) (entry, error) {
	b, err := s.copies.Get(ctx, key)
	if err != nil || len(b) < entryHeader {
		return entry{}, err
	}
	return entry{b[entryHeader:], int64(binary.LittleEndian.Uint64(b)), b[8] == 1}, nil
}
