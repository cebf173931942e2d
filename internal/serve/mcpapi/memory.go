package mcpapi

import (
	"bytes"
	"container/list"
	"context"
	"sync"
	"time"
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
type Memory struct {
	opts MemoryOptions

	mu      sync.Mutex
	entries map[string]*list.Element
	order   *list.List // of *memoryEntry, most recently used first
	bytes   int
}

type memoryEntry struct {
	key      string
	value    []byte
	lastUsed time.Time
}

// entryOverhead is the approximate size of an entry without its contents.
const entryOverhead = 256

func (entry *memoryEntry) size() int { return len(entry.key) + cap(entry.value) + entryOverhead }

// NewMemory returns an empty [Memory].
func NewMemory(opts MemoryOptions) *Memory {
	if opts.IdleTimeout <= 0 {
		opts.IdleTimeout = DefaultIdleTimeout
	}
	if opts.MaxEntries <= 0 {
		opts.MaxEntries = DefaultSessionEntries
	}
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultSessionMemory
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Memory{opts: opts, entries: make(map[string]*list.Element), order: list.New()}
}

// Put implements [SessionStore]. A value larger than the maximum total size is not
// stored and evicts only the previous value of its key.
func (m *Memory) Put(_ context.Context, key string, value []byte) (stored bool, err error) {
	if cap(value) > len(value)+len(value)/4 {
		value = bytes.Clone(value) // without the unused capacity
	}
	entry := &memoryEntry{key, value, m.opts.Now()}
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.entries[key]; old != nil {
		m.remove(old)
	}
	if entry.size() > m.opts.MaxBytes {
		return false, nil
	}
	m.entries[key] = m.order.PushFront(entry)
	m.bytes += entry.size()
	for m.bytes > m.opts.MaxBytes || m.order.Len() > m.opts.MaxEntries || m.expired(m.order.Back(), entry.lastUsed) {
		m.remove(m.order.Back())
	}
	return true, nil
}

// Get implements [SessionStore].
func (m *Memory) Get(_ context.Context, key string) ([]byte, error) {
	now := m.opts.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	elem := m.entries[key]
	if elem == nil {
		return nil, nil
	}
	if m.expired(elem, now) {
		m.remove(elem)
		return nil, nil
	}
	entry := elem.Value.(*memoryEntry)
	entry.lastUsed = now
	m.order.MoveToFront(elem)
	return entry.value, nil
}

func (m *Memory) expired(elem *list.Element, now time.Time) bool {
	return elem != nil && now.Sub(elem.Value.(*memoryEntry).lastUsed) >= m.opts.IdleTimeout
}

func (m *Memory) remove(elem *list.Element) {
	entry := m.order.Remove(elem).(*memoryEntry)
	delete(m.entries, entry.key)
	m.bytes -= entry.size()
}
