package server

import (
	"hash/maphash"
	"net/netip"
	"sync"
)

// usage is the amount of resources in use by the requests of a client.
type usage struct {
	requests int
	bodies   int64 // bytes of memory reserved for request bodies
}

// clientUsage tracks the usage of each client. A client has an entry only while
// it has requests in progress.
type clientUsage struct {
	limit  usage // zero or negative means no limit
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

// addRequest counts a request from a client. It reports false, and counts
// nothing, if the client is at its limit.
func (c *clientUsage) addRequest(client netip.Addr) bool {
	return c.limit.requests <= 0 || c.add(client, usage{requests: 1})
}

// addBody reserves n more bytes of body memory for a client. It reports false,
// and reserves nothing, if that would exceed the limit.
func (c *clientUsage) addBody(client netip.Addr, n int64) bool {
	return c.limit.bodies <= 0 || c.add(client, usage{bodies: n})
}

func (c *clientUsage) add(client netip.Addr, delta usage) bool {
	s := c.shard(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.usage[client]
	u.requests += delta.requests
	u.bodies += delta.bodies
	if c.limit.requests > 0 && u.requests > c.limit.requests || c.limit.bodies > 0 && u.bodies > c.limit.bodies {
		return false
	}
	s.usage[client] = u
	return true
}

// remove subtracts the usage of a finished request.
func (c *clientUsage) remove(client netip.Addr, delta usage) {
	if c.limit.requests <= 0 {
		delta.requests = 0
	}
	if c.limit.bodies <= 0 {
		delta.bodies = 0
	}
	if delta == (usage{}) {
		return
	}
	s := c.shard(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.usage[client]
	u.requests -= delta.requests
	u.bodies -= delta.bodies
	if u == (usage{}) {
		delete(s.usage, client)
	} else {
		s.usage[client] = u
	}
}

func (c *clientUsage) shard(client netip.Addr) *usageShard {
	return &c.shards[maphash.Comparable(c.seed, client)%uint64(len(c.shards))]
}
