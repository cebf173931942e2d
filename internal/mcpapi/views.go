package mcpapi

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Views keeps the view that each session has rendered last. Sessions are named
// by whoever calls, so that a name may be any text.
type Views interface {
	// Put keeps a view, instead of the one that the session had.
	Put(ctx context.Context, session string, html []byte) error
	// Get returns the view of a session, nil where it has none. It must not
	// be changed.
	Get(ctx context.Context, session string) ([]byte, error)
}

// MemoryOptions configure a [Memory].
type MemoryOptions struct {
	Idle  time.Duration    // how long a view lives after its last use; default 1h
	Views int              // how many there are at most; default 10,000
	Bytes int              // how many bytes they have together at most; default 128 MiB
	Now   func() time.Time // default time.Now
}

// Memory keeps views in this process. The one that was used longest ago goes
// first.
type Memory struct {
	opts MemoryOptions

	mu    sync.Mutex
	byKey map[string]*list.Element
	order *list.List // of *kept, the last used first
	bytes int
}

type kept struct {
	session string
	html    []byte
	used    time.Time
}

// keptOverhead is about what it takes to keep a view beside its bytes.
const keptOverhead = 256

func (k *kept) size() int { return len(k.session) + len(k.html) + keptOverhead }

// NewMemory returns a memory without views.
func NewMemory(opts MemoryOptions) *Memory {
	if opts.Idle <= 0 {
		opts.Idle = time.Hour
	}
	if opts.Views <= 0 {
		opts.Views = 10_000
	}
	if opts.Bytes <= 0 {
		opts.Bytes = 128 << 20
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Memory{opts: opts, byKey: make(map[string]*list.Element), order: list.New()}
}

// Put implements [Views]. A view that is larger than all may be together is
// not kept.
func (m *Memory) Put(_ context.Context, session string, html []byte) error {
	k := &kept{session, html, m.opts.Now()}
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.byKey[session]; old != nil {
		m.drop(old)
	}
	m.byKey[session] = m.order.PushFront(k)
	m.bytes += k.size()
	for m.bytes > m.opts.Bytes || m.order.Len() > m.opts.Views || m.expired(m.order.Back(), k.used) {
		m.drop(m.order.Back())
	}
	return nil
}

// Get implements [Views].
func (m *Memory) Get(_ context.Context, session string) ([]byte, error) {
	now := m.opts.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.byKey[session]
	if e == nil {
		return nil, nil
	}
	if m.expired(e, now) {
		m.drop(e)
		return nil, nil
	}
	k := e.Value.(*kept)
	k.used = now
	m.order.MoveToFront(e)
	return k.html, nil
}

func (m *Memory) expired(e *list.Element, now time.Time) bool {
	return e != nil && now.Sub(e.Value.(*kept).used) >= m.opts.Idle
}

func (m *Memory) drop(e *list.Element) {
	k := m.order.Remove(e).(*kept)
	delete(m.byKey, k.session)
	m.bytes -= k.size()
}
