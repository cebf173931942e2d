package server

import (
	"hash/maphash"
	"net/netip"
	"sync"
)

// usage is the resources that requests of a client use.
type usage struct {
	requests int
	bodies   int64 // bytes of request bodies
}

// clientUsage counts the usage of each client. A client has an entry only while
// it has requests.
type clientUsage struct {
	limit  usage // there is no limit for values that are not positive
	seed   maphash.Seed
	shards [64]usageShard
}

type usageShard struct {
	mu    sync.Mutex
	usage map[netip.Addr]usage
}

func newClientUsage(limit usage) *clientUsage {
	c := &clientUsage{limit: limit, seed: maphash.MakeSeed()}
	for i := range c.shards {
		c.shards[i].usage = make(map[netip.Addr]usage)
	}
	return c
}

// addRequest counts a request of a client, unless the limit is reached.
func (c *clientUsage) addRequest(client netip.Addr) bool {
	return c.limit.requests <= 0 || c.add(client, usage{requests: 1})
}

// addBody counts n bytes of a client, unless they exceed the limit.
func (c *clientUsage) addBody(client netip.Addr, n int64) bool {
	return c.limit.bodies <= 0 || c.add(client, usage{bodies: n})
}

func (c *clientUsage) add(client netip.Addr, more usage) bool {
	s := c.shard(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.usage[client]
	u.requests += more.requests
	u.bodies += more.bodies
	if c.limit.requests > 0 && u.requests > c.limit.requests || c.limit.bodies > 0 && u.bodies > c.limit.bodies {
		return false
	}
	s.usage[client] = u
	return true
}

// remove ends the usage of a request.
func (c *clientUsage) remove(client netip.Addr, less usage) {
	if c.limit.requests <= 0 {
		less.requests = 0
	}
	if c.limit.bodies <= 0 {
		less.bodies = 0
	}
	if less == (usage{}) {
		return
	}
	s := c.shard(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.usage[client]
	u.requests -= less.requests
	u.bodies -= less.bodies
	if u == (usage{}) {
		delete(s.usage, client)
	} else {
		s.usage[client] = u
	}
}

func (c *clientUsage) shard(client netip.Addr) *usageShard {
	return &c.shards[maphash.Comparable(c.seed, client)%uint64(len(c.shards))]
}
