package redisdb

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"sync"
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

// Sessions keeps the state of sessions on the server, and a copy of everything that this
// node has stored or read in a local store. While the server is not available, a node
// has only its copies. What it stores in that time is stored on the server as soon as
// it is available again.
//
// If a copy and the entry on the server differ, the one that was stored last is valid.
// Every entry has the server's time of its storage as its version. The ages of
// copies are measured with the clock of the node, so clocks need not agree.
type Sessions struct {
	db    *DB
	opts  SessionOptions
	start time.Time

	mu           sync.Mutex // serializes the changes of copies
	copies       SessionStore
	pending      map[string]struct{} // keys of copies that are not on the server
	pendingBytes int                 // total size of the keys
	restoring    bool                // a goroutine stores them on the server
}

// maxPendingBytes limits the memory for pending keys, which clients choose. Copies
// whose keys do not fit are stored on the server when they are read.
const maxPendingBytes = 1 << 20

// NewSessions returns a session store on db with copies in local. Only one may be
// created for each db.
func NewSessions(db *DB, local SessionStore, opts SessionOptions) *Sessions {
	s := &Sessions{db: db, opts: opts, start: time.Now(), copies: local, pending: make(map[string]struct{})}
	db.sessions.Store(s)
	return s
}

// The braces put all keys into one slot of a cluster, so that scripts can evict
// any of them.
const (
	sessionPrefix = "placard:{session}:"
	sessionUse    = "placard:{session}/use"   // sorted set of keys by last use
	sessionSize   = "placard:{session}/size"  // hash of the sizes of keys, and their sum under ""
	sessionEpoch  = "placard:{session}/epoch" // changes when the server loses its data
)

// sessionKeys returns the keys of an entry for scripts. The name of an entry is hashed,
// because it contains a session id, which is a secret and may be long.
func sessionKeys(key string) []string {
	sum := sha256.Sum256([]byte(key))
	return []string{sessionPrefix + base64.RawURLEncoding.EncodeToString(sum[:]), sessionUse, sessionSize, sessionEpoch}
}

// sessionPreamble is the first part of both scripts. KEYS: entry, use, size, epoch.
// ARGV[1] is the idle timeout.
const sessionPreamble = `
local t = redis.call('TIME')
local now, timeout = t[1] * 1000000 + t[2], tonumber(ARGV[1])
local epoch = redis.call('GET', KEYS[4]) or string.format('%.0f', now)
redis.call('SET', KEYS[4], epoch, 'PX', 2 * timeout)
local function touch()
  redis.call('PEXPIRE', KEYS[1], timeout)
  redis.call('ZADD', KEYS[2], now, KEYS[1])
  redis.call('PEXPIRE', KEYS[2], timeout)
  redis.call('PEXPIRE', KEYS[3], timeout)
end
`

// putScript stores a value and evicts expired entries and, while there are too
// many, the least recently used ones. ARGV: timeout, value, age in microseconds (0 if
// it is new), maximum number of entries, maximum number of bytes. It returns the
// epoch and the version, which is 0 if the value is too large. A value that is not new
// does not replace a newer one; then only the epoch is returned.
var putScript = valkey.NewLuaScript(sessionPreamble + `
local value, age, entries, bytes = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local function remove(key)
  redis.call('DEL', key)
  redis.call('ZREM', KEYS[2], key)
  local size = redis.call('HGET', KEYS[3], key)
  if size then
    redis.call('HDEL', KEYS[3], key)
    redis.call('HINCRBY', KEYS[3], '', -size)
  end
end
local version, previous = now - age, tonumber(redis.call('HGET', KEYS[1], 'version') or 0)
if age > 0 and previous >= version then return {epoch} end
version = string.format('%.0f', math.max(version, previous + 1))
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
return {epoch, version}
`)

// getScript reads an entry and records its use. ARGV: timeout, version of the
// caller's copy. It returns the epoch, the version if there is an entry, and its age in
// microseconds and its value if the copy has another version.
var getScript = valkey.NewLuaScript(sessionPreamble + `
local version = redis.call('HGET', KEYS[1], 'version')
if not version then return {epoch} end
touch()
if version == ARGV[2] then return {epoch, version} end
return {epoch, version, string.format('%.0f', math.max(0, now - version)), redis.call('HGET', KEYS[1], 'value')}
`)

// entry is a value and where it is stored.
type entry struct {
	value   []byte
	stored  int64 // time of its storage, in nanoseconds since Sessions.start
	version int64 // 0 if it is not on the server
	epoch   int64 // of the server when it had the entry
}

const entryHeader = 3 * 8

func (e entry) encode() []byte {
	b := make([]byte, 0, entryHeader+len(e.value))
	for _, n := range []int64{e.stored, e.version, e.epoch} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return append(b, e.value...)
}

// copyOf returns the copy of an entry. The value is nil if there is none.
func (s *Sessions) copyOf(ctx context.Context, key string) (entry, error) {
	b, err := s.copies.Get(ctx, key)
	if err != nil || len(b) < entryHeader {
		return entry{}, err
	}
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	return entry{b[entryHeader:], number(0), number(1), number(2)}, nil
}

// replaceCopy replaces the copy of an entry, unless another request has replaced it.
func (s *Sessions) replaceCopy(ctx context.Context, key string, previous, e entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	current, err := s.copyOf(ctx, key)
	if err != nil || current.stored != previous.stored || current.version != previous.version {
		return err
	}
	_, err = s.copies.Put(ctx, key, e.encode())
	return err
}

// Put stores a value; see mcpapi.SessionStore.
func (s *Sessions) Put(ctx context.Context, key string, value []byte) (stored bool, err error) {
	e := entry{value: value, stored: s.now()}
	reply, serverErr := s.put(ctx, key, value, 0)
	e.version, e.epoch = reply.version, reply.epoch
	s.mu.Lock()
	defer s.mu.Unlock()
	if serverErr == nil && e.version == 0 {
		// The value is too large. An empty copy is never returned.
		_, err = s.copies.Put(ctx, key, nil)
		return false, err
	}
	stored, err = s.copies.Put(ctx, key, e.encode())
	if stored && e.version == 0 {
		s.addPending(key)
	}
	return stored, err
}

// Get returns a value; see mcpapi.SessionStore.
func (s *Sessions) Get(ctx context.Context, key string) ([]byte, error) {
	local, err := s.copyOf(ctx, key)
	if err != nil {
		return nil, err
	}
	if local.value != nil && local.version == 0 {
		if superseded, err := s.push(ctx, key, local); err != nil || !superseded {
			return local.value, nil
		}
	}
	reply, err := s.get(ctx, key, local.version)
	switch {
	case err != nil, reply.version != 0 && reply.version == local.version:
		return local.value, nil
	case reply.version < local.version && (reply.version != 0 || reply.epoch != local.epoch):
		// The server has lost the entry, or the last version of it.
		_, _ = s.push(ctx, key, local)
		return local.value, nil
	case reply.version == 0:
		return nil, nil // never stored, expired or evicted
	}
	e := entry{reply.value, s.now() - int64(reply.age), reply.version, reply.epoch}
	return e.value, s.replaceCopy(ctx, key, local, e)
}

// push stores a copy on the server, unless a newer entry is there.
func (s *Sessions) push(ctx context.Context, key string, local entry) (superseded bool, err error) {
	age := time.Duration(s.now() - local.stored)
	reply, err := s.put(ctx, key, local.value, max(1, age.Microseconds()))
	if err != nil || reply.version == 0 {
		return err == nil, err
	}
	return false, s.replaceCopy(ctx, key, local, entry{local.value, local.stored, reply.version, reply.epoch})
}

// now returns the time in the unit of entry.stored.
func (s *Sessions) now() int64 { return int64(time.Since(s.start)) }

// reply is the result of a script.
type reply struct {
	epoch, version int64
	age            time.Duration
	value          []byte
}

func parseReply(texts []string, err error) (reply, error) {
	var r reply
	var numbers [3]int64 // epoch, version, age
	for i := 0; i < len(texts) && i < len(numbers) && err == nil; i++ {
		numbers[i], err = strconv.ParseInt(texts[i], 10, 64)
	}
	if err != nil {
		return r, err
	}
	if len(texts) > 3 {
		r.value = []byte(texts[3])
	}
	r.epoch, r.version, r.age = numbers[0], numbers[1], time.Duration(numbers[2])*time.Microsecond
	return r, nil
}

// put runs [putScript].
func (s *Sessions) put(ctx context.Context, key string, value []byte, age int64) (reply, error) {
	keys := sessionKeys(key)
	args := []string{
		milliseconds(s.opts.IdleTimeout), valkey.BinaryString(value), strconv.FormatInt(age, 10), strconv.Itoa(s.opts.MaxEntries), strconv.Itoa(s.opts.MaxBytes),
	}
	return do(ctx, s.db, PutSession, keys[0], func(ctx context.Context, client valkey.Client) (reply, error) {
		return parseReply(putScript.Exec(ctx, client, keys, args).AsStrSlice())
	})
}

// get runs [getScript].
func (s *Sessions) get(ctx context.Context, key string, known int64) (reply, error) {
	keys := sessionKeys(key)
	args := []string{milliseconds(s.opts.IdleTimeout), strconv.FormatInt(known, 10)}
	return do(ctx, s.db, GetSession, keys[0], func(ctx context.Context, client valkey.Client) (reply, error) {
		return parseReply(getScript.Exec(ctx, client, keys, args).AsStrSlice())
	})
}

// addPending adds a key to the pending ones. The caller holds s.mu.
func (s *Sessions) addPending(key string) {
	if _, ok := s.pending[key]; !ok && s.pendingBytes+len(key) <= maxPendingBytes {
		s.pending[key] = struct{}{}
		s.pendingBytes += len(key)
	}
}

// restore stores the pending copies on the server, in the background.
func (s *Sessions) restore(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 || s.restoring {
		return
	}
	keys := slices.Collect(maps.Keys(s.pending))
	clear(s.pending)
	s.pendingBytes, s.restoring = 0, true
	go func() {
		i := 0
		for ; i < len(keys); i++ {
			local, err := s.copyOf(ctx, keys[i])
			if err == nil && local.value != nil && local.version == 0 {
				_, err = s.push(ctx, keys[i], local)
			}
			if err != nil {
				break
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for ; i < len(keys); i++ {
			s.addPending(keys[i])
		}
		s.restoring = false
	}()
}
