package server

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"sync/atomic"
)

// inFlight counts the requests in flight, in total and per client. A client has
// an entry only while it has requests in flight.
type inFlight struct {
	limit          int // no limit if not positive
	limitPerClient int // no limit if not positive
	total          atomic.Int64
	seed           maphash.Seed
	shards         [64]inFlightShard
}

type inFlightShard struct {
	mu    sync.Mutex
	count map[netip.Addr]int
}

func newInFlight(limit, limitPerClient int) *inFlight {
	f := &inFlight{limit: limit, limitPerClient: limitPerClient, seed: maphash.MakeSeed()}
	for i := range f.shards {
		f.shards[i].count = make(map[netip.Addr]int)
	}
	return f
}

// Values of the label "bound" of placard_overload_refusals_total.
const (
	boundInFlight  = "in_flight"
	boundPerClient = "in_flight_per_client"
	boundBodies    = "bodies"
)

// acquire counts a request of a client. If a limit is reached, it does not count
// the request and returns the name of that limit.
func (f *inFlight) acquire(client netip.Addr) (bound string) {
	if n := f.total.Add(1); f.limit > 0 && n > int64(f.limit) {
		f.total.Add(-1)
		return boundInFlight
	}
	if f.limitPerClient <= 0 {
		return ""
	}
	s := f.shard(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.count[client]
	if n >= f.limitPerClient {
		f.total.Add(-1)
		return boundPerClient
	}
	s.count[client] = n + 1
	return ""
}

// release ends a request counted by acquire.
func (f *inFlight) release(client netip.Addr) {
	f.total.Add(-1)
	if f.limitPerClient <= 0 {
		return
	}
	s := f.shard(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.count[client]; n > 1 {
		s.count[client] = n - 1
	} else {
		delete(s.count, client)
	}
}

func (f *inFlight) shard(client netip.Addr) *inFlightShard {
	return &f.shards[maphash.Comparable(f.seed, client)%uint64(len(f.shards))]
}
