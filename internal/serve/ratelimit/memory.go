package ratelimit

import (
	"context"
	"hash/maphash"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
)

// MemoryOptions configures a [Memory].
type MemoryOptions struct {
	// Clients is the capacity of the table, rounded up to a power of two. Each
	// entry takes 105 bytes, used or not. The default is [DefaultClients].
	Clients int

	Now func() time.Time // default time.Now
}

// DefaultClients is the default capacity of a [Memory].
const DefaultClients = 1 << 17

// Memory is a [Limiter] for one process.
//
// It is a set-associative table of fixed size: a key hashes to one set of eight
// entries. If all eight hold clients with open windows, a new client evicts the
// one that has used the smallest share of its limits. A flood of addresses
// therefore takes no additional memory and evicts mostly itself. A client near a
// limit is evicted only if all others in its set have used as large a share, and
// since keys are hashed with a random seed, an attacker cannot choose the set.
type Memory struct {
	limits atomic.Pointer[limits]
	now    func() time.Time
	start  time.Time
	seed   maphash.Seed
	sets   []set
}

// limits holds the limit of each bucket.
type limits [numBuckets]Limit

// nameBucket is the bucket in which the names opened by an address are counted.
// It reuses the slot of Free, which is never counted.
const nameBucket = Free

// ways is the number of entries in a set.
const ways = 8

type set struct {
	mu      sync.Mutex
	entries [ways]entry
}

// entry holds the windows of one client. It contains no pointers, so the garbage
// collector does not scan the table.
type entry struct {
	key     key
	windows [numBuckets]window
}

// key identifies a client. Two names of the same address collide with a
// probability of 2^-64; two addresses never do.
type key struct {
	addr [16]byte
	name uint64 // hash of the name; 0 for none
}

type window struct {
	ends int64 // nanoseconds since Memory.start
	used uint32
}

// NewMemory returns an empty limiter.
func NewMemory(policy Policy, opts MemoryOptions) *Memory {
	if opts.Clients <= 0 {
		opts.Clients = DefaultClients
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	m := &Memory{
		now:   opts.Now,
		start: opts.Now(),
		seed:  maphash.MakeSeed(),
		sets:  make([]set, 1<<bits.Len(uint((opts.Clients-1)/ways))),
	}
	m.SetPolicy(policy)
	return m
}

// SetPolicy replaces the limits. Requests in open windows remain counted. The new
// policy must limit the same buckets.
func (m *Memory) SetPolicy(p Policy) {
	var l limits
	for b := range Bucket(numBuckets) {
		l[b] = p.Limit(b)
	}
	l[nameBucket] = p.Names
	m.limits.Store(&l)
}

// Take implements [Limiter]. It never returns an error.
func (m *Memory) Take(_ context.Context, b Bucket, c Client) (Decision, error) {
	limits := m.limits.Load()
	if b == Free || limits[b].IsZero() {
		return Decision{Allowed: true}, nil
	}
	now := int64(m.now().Sub(m.start))
	anonymous := key{}
	if c.addr.IsValid() {
		anonymous.addr = c.addr.As16()
	}
	if c.name == "" {
		s := &m.sets[m.index(anonymous)]
		s.mu.Lock()
		defer s.mu.Unlock()
		return limits.count(s.insert(anonymous, now, limits), b, now), nil
	}

	named := anonymous
	// Zero means no name.
	named.name = max(1, maphash.String(m.seed, c.name))
	s := &m.sets[m.index(named)]
	s.mu.Lock()
	if e := s.find(named); e != nil && e.isOpen(now) {
		defer s.mu.Unlock()
		return limits.count(e, b, now), nil
	}
	s.mu.Unlock()
	return m.openName(limits, named, anonymous, b, now), nil
}

// openName counts the first request of a name. If the address may not open
// another name, the request counts as anonymous.
func (m *Memory) openName(limits *limits, named, anonymous key, b Bucket, now int64) Decision {
	i, j := m.index(named), m.index(anonymous)
	namedSet, anonymousSet := &m.sets[i], &m.sets[j]
	// Locking both sets prevents a name from being opened twice. Locking them
	// in index order prevents deadlocks.
	first, second := &m.sets[min(i, j)], &m.sets[max(i, j)]
	first.mu.Lock()
	defer first.mu.Unlock()
	if second != first {
		second.mu.Lock()
		defer second.mu.Unlock()
	}
	if e := namedSet.find(named); e != nil && e.isOpen(now) {
		return limits.count(e, b, now)
	}
	if !limits[nameBucket].IsZero() {
		e := anonymousSet.insert(anonymous, now, limits)
		if !limits.count(e, nameBucket, now).Allowed {
			return limits.count(e, b, now)
		}
	}
	return limits.count(namedSet.insert(named, now, limits), b, now)
}

func (m *Memory) index(k key) uint64 {
	return maphash.Comparable(m.seed, k) & uint64(len(m.sets)-1)
}

// count counts one request in the window of e for bucket b.
func (l *limits) count(e *entry, b Bucket, now int64) Decision {
	w, limit := &e.windows[b], l[b]
	if now >= w.ends {
		*w = window{ends: now + int64(limit.Window)}
	}
	d := Decision{Allowed: int(w.used) < limit.Requests, Reset: time.Duration(w.ends - now)}
	if d.Allowed {
		w.used++
	}
	return d
}

// find returns the entry with key k, or nil.
func (s *set) find(k key) *entry {
	for i := range s.entries {
		if s.entries[i].key == k {
			return &s.entries[i]
		}
	}
	return nil
}

// insert returns the entry with key k, evicting another entry if k is new.
func (s *set) insert(k key, now int64, limits *limits) *entry {
	if e := s.find(k); e != nil {
		return e
	}
	victim := &s.entries[0]
	minUsage, minEnd := victim.usage(now, limits)
	for i := 1; i < ways && minUsage > 0; i++ {
		e := &s.entries[i]
		// Of entries with equal usage, evict the one that expires first.
		if usage, end := e.usage(now, limits); usage < minUsage || usage == minUsage && end < minEnd {
			victim, minUsage, minEnd = e, usage, end
		}
	}
	*victim = entry{key: k}
	return victim
}

// isOpen reports whether any window of e is open.
func (e *entry) isOpen(now int64) bool {
	for i := range e.windows {
		if now < e.windows[i].ends {
			return true
		}
	}
	return false
}

// fullUsage is the usage of a client that has reached a limit.
const fullUsage = 1 << 20

// usage returns the largest share of a limit that e has used, and the end of its
// last open window. Both are zero if no window is open.
func (e *entry) usage(now int64, limits *limits) (share, end int64) {
	for i := range e.windows {
		if w := &e.windows[i]; now < w.ends {
			share = max(share, int64(w.used)*fullUsage/int64(limits[i].Requests))
			end = max(end, w.ends)
		}
	}
	// A client with an open window never counts as unused.
	if end > 0 {
		share = max(share, 1)
	}
	return share, end
}
