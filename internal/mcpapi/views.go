package mcpapi

import (
	"bytes"
	"container/list"
	"context"
	"sync"
	"time"
)

// Views stores the most recently rendered view of each session. Session ids are
// chosen by clients and may be any text.
type Views interface {
	// Put stores a copy of the view of a session, replacing the previous one.
	Put(ctx context.Context, session string, html []byte) error
	// Get returns the view of a session, or nil if there is none. The caller
	// must not modify it.
	Get(ctx context.Context, session string) ([]byte, error)
}

// DefaultViewMemory is the default size of a [Memory] in bytes.
const DefaultViewMemory = 128 << 20

// MemoryOptions configure a [Memory].
type MemoryOptions struct {
	IdleTimeout time.Duration    // lifetime of a view after its last use; default 1h
	MaxViews    int              // maximum number of views; default 10,000
	MaxBytes    int              // maximum total size; default [DefaultViewMemory]
	Now         func() time.Time // default time.Now
}

// Memory is an in-memory [Views] that evicts the least recently used view first.
type Memory struct {
	opts MemoryOptions

	mu      sync.Mutex
	entries map[string]*list.Element
	order   *list.List // of *viewEntry, most recently used first
	bytes   int
}

type viewEntry struct {
	session  string
	html     []byte
	lastUsed time.Time
}

// entryOverhead is the approximate size of an entry without its contents.
const entryOverhead = 256

func (entry *viewEntry) size() int { return len(entry.session) + cap(entry.html) + entryOverhead }

// NewMemory returns an empty [Memory].
func NewMemory(opts MemoryOptions) *Memory {
	if opts.IdleTimeout <= 0 {
		opts.IdleTimeout = time.Hour
	}
	if opts.MaxViews <= 0 {
		opts.MaxViews = 10_000
	}
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultViewMemory
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Memory{opts: opts, entries: make(map[string]*list.Element), order: list.New()}
}

// Put implements [Views]. A view larger than the maximum total size is not
// stored and evicts only the previous view of its session.
func (m *Memory) Put(_ context.Context, session string, html []byte) error {
	// A copy, because the buffer of a page has up to twice its length.
	entry := &viewEntry{session, bytes.Clone(html), m.opts.Now()}
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.entries[session]; old != nil {
		m.remove(old)
	}
	if entry.size() > m.opts.MaxBytes {
		return nil
	}
	m.entries[session] = m.order.PushFront(entry)
	m.bytes += entry.size()
	for m.bytes > m.opts.MaxBytes || m.order.Len() > m.opts.MaxViews || m.expired(m.order.Back(), entry.lastUsed) {
		m.remove(m.order.Back())
	}
	return nil
}

// Get implements [Views].
func (m *Memory) Get(_ context.Context, session string) ([]byte, error) {
	now := m.opts.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	elem := m.entries[session]
	if elem == nil {
		return nil, nil
	}
	if m.expired(elem, now) {
		m.remove(elem)
		return nil, nil
	}
	entry := elem.Value.(*viewEntry)
	entry.lastUsed = now
	m.order.MoveToFront(elem)
	return entry.html, nil
}

func (m *Memory) expired(elem *list.Element, now time.Time) bool {
	return elem != nil && now.Sub(elem.Value.(*viewEntry).lastUsed) >= m.opts.IdleTimeout
}

func (m *Memory) remove(elem *list.Element) {
	entry := m.order.Remove(elem).(*viewEntry)
	delete(m.entries, entry.session)
	m.bytes -= entry.size()
}
