package ratelimit

import (
	"context"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"
	"time"
)

// MemoryOptions configures a [Memory].
type MemoryOptions struct {
	// Clients is the capacity of the table, rounded up to a power of two. Each
	// entry takes 104 bytes, used or not. The default is [DefaultClients].
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
	now   func() time.Time
	start time.Time
	seed  maphash.Seed

	mu     sync.Mutex
	limits limits
	sets   []set
}

// limits holds the limit of each bucket.
type limits [numBuckets]Limit

// nameBucket is the bucket in which the names opened by an address are counted.
// It reuses the slot of Free, which is never counted.
const nameBucket = Free

// ways is the number of entries in a set.
const ways = 8

type set [ways]entry

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
	m.mu.Lock()
	defer m.mu.Unlock()
	for b := range Bucket(numBuckets) {
		m.limits[b] = p.Limit(b)
	}
	m.limits[nameBucket] = p.Names
}

// Take implements [Limiter].
func (m *Memory) Take(_ context.Context, b Bucket, c Client) Decision {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b == Free || m.limits[b].IsZero() {
		return Decision{Allowed: true}
	}
	now := int64(m.now().Sub(m.start))
	k := key{}
	if c.addr.IsValid() {
		k.addr = c.addr.As16()
	}
	if c.name != "" {
		named := key{k.addr, max(1, maphash.String(m.seed, c.name))} // zero means no name
		if m.isOpen(named, now) || m.limits[nameBucket].IsZero() || m.limits.count(m.insert(k, now), nameBucket, now).Allowed {
			k = named
		}
	}
	return m.limits.count(m.insert(k, now), b, now)
}

// set returns the set of k.
func (m *Memory) set(k key) *set {
	return &m.sets[maphash.Comparable(m.seed, k)&uint64(len(m.sets)-1)]
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
	for i := range s {
		if s[i].key == k {
			return &s[i]
		}
	}
	return nil
}

// insert returns the entry with key k, evicting another entry if k is new.
func (m *Memory) insert(k key, now int64) *entry {
	s := m.set(k)
	if e := s.find(k); e != nil {
		return e
	}
	victim := &s[0]
	minUsage, minEnd := victim.usage(now, &m.limits)
	for i := 1; i < ways && minUsage > 0; i++ {
		e := &s[i]
		// Of entries with equal usage, evict the one that expires first.
		if usage, end := e.usage(now, &m.limits); usage < minUsage || usage == minUsage && end < minEnd {
			victim, minUsage, minEnd = e, usage, end
		}
	}
	*victim = entry{key: k}
	return victim
}

// isOpen reports whether k has an entry with an open window.
func (m *Memory) isOpen(k key, now int64) bool {
	e := m.set(k).find(k)
	return e != nil && slices.ContainsFunc(e.windows[:], func(w window) bool { return now < w.ends })
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
