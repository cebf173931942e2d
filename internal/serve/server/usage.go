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

// add adds delta to the usage of a client. It reports false, and adds nothing, if that
// would exceed a limit.
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
	if delta == (usage{}) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.usage[client]
	u.requests -= delta.requests
	u.bodies -= delta.bodies
	c.usage[client] = u
	if u == (usage{}) {
		delete(c.usage, client)
	}
}
