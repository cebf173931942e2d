package server

import (
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
	limit usage // zero or negative means no limit

	mu    sync.Mutex
	usage map[netip.Addr]usage
}

func newClientUsage(limit usage) *clientUsage {
	return &clientUsage{limit: limit, usage: make(map[netip.Addr]usage)}
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
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.usage[client]
	u.requests += delta.requests
	u.bodies += delta.bodies
	if c.limit.requests > 0 && u.requests > c.limit.requests || c.limit.bodies > 0 && u.bodies > c.limit.bodies {
		return false
	}
	c.usage[client] = u
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
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.usage[client]
	u.requests -= delta.requests
	u.bodies -= delta.bodies
	if u == (usage{}) {
		delete(c.usage, client)
	} else {
		c.usage[client] = u
	}
}
