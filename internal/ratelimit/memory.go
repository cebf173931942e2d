package ratelimit

import (
	"context"
	"hash/maphash"
	"math/bits"
	"sync"
	"time"
)

// MemoryOptions configure a [Memory].
type MemoryOptions struct {
	// Clients is how many clients are remembered, rounded up to a power of
	// two; default 131072. Each takes 105 bytes, whether it is there or not.
	Clients int

	Now func() time.Time // default time.Now
}

// DefaultClients is how many clients a [Memory] remembers by default.
const DefaultClients = 1 << 17

// Memory is a [Limiter] for one process.
//
// It is a table of fixed size that a client's key leads into, like a processor's
// cache: a key has eight places where it may stand, and a newcomer that finds
// them all taken by clients with open windows replaces the one that has used
// the least of its limits. So a flood of addresses takes no memory and pushes
// out only its own kind. Whoever is near a limit, or has reached it, can be made
// forgotten only by as many others that have used as much of theirs; and since
// keys are hashed with a secret, by that many in every part of the table.
type Memory struct {
	limits [buckets]Limit
	now    func() time.Time
	start  time.Time
	seed   maphash.Seed
	sets   []set
}

// names is the window in which the names of an address are counted. It has the
// place of the bucket that is never charged.
const names = Free

// ways is how many places there are for a key.
const ways = 8

type set struct {
	mu      sync.Mutex
	clients [ways]counts
}

// counts are the windows of one client. It holds no pointers, so that the
// collector never looks at the table.
type counts struct {
	key     key
	windows [buckets]window
}

// key tells clients apart. Two names of one address have the same key once in
// 2^64 times; two addresses never do.
type key struct {
	addr [16]byte
	name uint64 // hash of the name; 0 for none
}

type window struct {
	ends int64 // nanoseconds after the table's start
	used uint32
}

// NewMemory returns a limiter that has seen nobody yet.
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
	for b := range Bucket(buckets) {
		m.limits[b] = policy.Limit(b)
	}
	m.limits[names] = policy.Names
	return m
}

// Take implements [Limiter]; it never fails.
func (m *Memory) Take(_ context.Context, b Bucket, c Client) (Decision, error) {
	if b == Free || m.limits[b].IsZero() {
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
		return m.charge(s.place(anonymous, now, &m.limits), b, now), nil
	}

	named := anonymous
	// Zero is taken, by no name.
	named.name = max(1, maphash.String(m.seed, c.name))
	s := &m.sets[m.index(named)]
	s.mu.Lock()
	if open := s.find(named); open != nil && open.live(now) {
		defer s.mu.Unlock()
		return m.charge(open, b, now), nil
	}
	s.mu.Unlock()
	return m.open(named, anonymous, b, now), nil
}

// open charges the first request of a name, or the address where it has opened
// enough of them.
func (m *Memory) open(named, anonymous key, b Bucket, now int64) Decision {
	i, k := m.index(named), m.index(anonymous)
	s, base := &m.sets[i], &m.sets[k]
	// Both, so that one name is not opened twice at the same time; and always
	// in the same order, so that nobody waits for ever.
	first, second := &m.sets[min(i, k)], &m.sets[max(i, k)]
	first.mu.Lock()
	defer first.mu.Unlock()
	if second != first {
		second.mu.Lock()
		defer second.mu.Unlock()
	}
	if open := s.find(named); open != nil && open.live(now) {
		return m.charge(open, b, now)
	}
	if !m.limits[names].IsZero() {
		address := base.place(anonymous, now, &m.limits)
		if !m.charge(address, names, now).Allowed {
			return m.charge(address, b, now)
		}
	}
	return m.charge(s.place(named, now, &m.limits), b, now)
}

func (m *Memory) index(k key) uint64 {
	return maphash.Comparable(m.seed, k) & uint64(len(m.sets)-1)
}

// charge counts one request in a window of c.
func (m *Memory) charge(c *counts, b Bucket, now int64) Decision {
	w, limit := &c.windows[b], m.limits[b]
	if now >= w.ends {
		*w = window{ends: now + int64(limit.Window)}
	}
	d := Decision{Allowed: int(w.used) < limit.Requests, Reset: time.Duration(w.ends - now)}
	if d.Allowed {
		w.used++
	}
	return d
}

// find returns the client with a key, or nil.
func (s *set) find(k key) *counts {
	for i := range s.clients {
		if s.clients[i].key == k {
			return &s.clients[i]
		}
	}
	return nil
}

// place returns the client with a key, making room for it where it is new.
func (s *set) place(k key, now int64, limits *[buckets]Limit) *counts {
	if c := s.find(k); c != nil {
		return c
	}
	victim := &s.clients[0]
	used, ends := victim.pressure(now, limits)
	for i := 1; i < ways && used > 0; i++ {
		c := &s.clients[i]
		// Of equals the one goes that would be forgotten first anyway.
		if u, e := c.pressure(now, limits); u < used || u == used && e < ends {
			victim, used, ends = c, u, e
		}
	}
	*victim = counts{key: k}
	return victim
}

// live reports whether any window of c is open.
func (c *counts) live(now int64) bool {
	for i := range c.windows {
		if now < c.windows[i].ends {
			return true
		}
	}
	return false
}

// full is the pressure of a client that has reached a limit.
const full = 1 << 20

// pressure returns the greatest part that c has used of any limit, and when
// the last of its windows ends. Nothing is used where no window is open.
func (c *counts) pressure(now int64, limits *[buckets]Limit) (used, ends int64) {
	for i := range c.windows {
		if w := &c.windows[i]; now < w.ends {
			used = max(used, int64(w.used)*full/int64(limits[i].Requests))
			ends = max(ends, w.ends)
		}
	}
	// An open window is never nothing, however small its part.
	if ends > 0 {
		used = max(used, 1)
	}
	return used, ends
}
