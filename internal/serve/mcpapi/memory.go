package mcpapi

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"placard/internal/serve/lru"
)

// SessionStore keeps the state of sessions: the view that was rendered last, and
// the documents that handles refer to. Values expire some time after their last
// use, and earlier if there are too many. Keys contain session ids, which clients
// choose, and may be any text.
type SessionStore interface {
	// Put stores value under key, replacing the previous value. The caller must
	// not modify value afterwards. Put reports false if the value is too large;
	// the key then has no value.
	Put(ctx context.Context, key string, value []byte) (stored bool, err error)
	// Get returns the value of a key, or nil if there is none. The caller must
	// not modify it.
	Get(ctx context.Context, key string) ([]byte, error)
}

// Default bounds of a [Memory].
const (
	DefaultIdleTimeout    = time.Hour
	DefaultSessionEntries = 10_000
	DefaultSessionMemory  = 128 << 20 // bytes
)

// MemoryOptions configure a [Memory].
type MemoryOptions struct {
	IdleTimeout time.Duration    // lifetime of an entry after its last use; default [DefaultIdleTimeout]
	MaxEntries  int              // maximum number of entries; default [DefaultSessionEntries]
	MaxBytes    int              // maximum total size; default [DefaultSessionMemory]
	Now         func() time.Time // default time.Now
}

// Memory is an in-memory [SessionStore] that evicts the least recently used entry
// first.
type Memory struct{ entries *lru.Cache[string, []byte] }

// entryOverhead is the approximate size of an entry without its contents.
const entryOverhead = 256

// NewMemory returns an empty [Memory].
func NewMemory(opts MemoryOptions) *Memory {
	return &Memory{lru.New(lru.Options[string, []byte]{
		MaxBytes: cmp.Or(max(opts.MaxBytes, 0), DefaultSessionMemory),
		Size:     func(key string, value []byte) int { return len(key) + cap(value) + entryOverhead },
		MaxCount: cmp.Or(max(opts.MaxEntries, 0), DefaultSessionEntries),
		MaxIdle:  cmp.Or(max(opts.IdleTimeout, 0), DefaultIdleTimeout),
		Now:      opts.Now,
	})}
}

// Put implements [SessionStore]. A value larger than the maximum total size is not
// stored and evicts only the previous value of its key.
func (m *Memory) Put(_ context.Context, key string, value []byte) (stored bool, err error) {
	if cap(value) > len(value)+len(value)/4 {
		value = bytes.Clone(value) // without the unused capacity
	}
	return m.entries.Put(key, value), nil
}

// Get implements [SessionStore].
func (m *Memory) Get(_ context.Context, key string) ([]byte, error) {
	value, _ := m.entries.Get(key)
	return value, nil
}
