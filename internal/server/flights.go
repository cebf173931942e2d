package server

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"sync/atomic"
)

// flights counts the requests being answered, all and those of each client. It
// remembers a client only while it has requests in flight, so that it is never
// larger than their number.
type flights struct {
	max, maxEach int // not more than 0: no bound
	all          atomic.Int64
	seed         maphash.Seed
	shards       [64]flightShard
}

type flightShard struct {
	mu    sync.Mutex
	count map[netip.Addr]int
}

func newFlights(most, mostEach int) *flights {
	f := &flights{max: most, maxEach: mostEach, seed: maphash.MakeSeed()}
	for i := range f.shards {
		f.shards[i].count = make(map[netip.Addr]int)
	}
	return f
}

// Bounds that a request can meet, as metrics name them.
const (
	withinBounds = ""
	boundAll     = "in_flight"
	boundEach    = "in_flight_per_client"
	boundBodies  = "bodies"
)

// begin takes a place for a request of a client, or names the bound that there
// is none within.
func (f *flights) begin(client netip.Addr) (bound string) {
	if n := f.all.Add(1); f.max > 0 && n > int64(f.max) {
		f.all.Add(-1)
		return boundAll
	}
	if f.maxEach <= 0 {
		return withinBounds
	}
	s := f.shard(client)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.count[client]
	if n >= f.maxEach {
		f.all.Add(-1)
		return boundEach
	}
	s.count[client] = n + 1
	return withinBounds
}

// end gives a place back.
func (f *flights) end(client netip.Addr) {
	f.all.Add(-1)
	if f.maxEach <= 0 {
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

func (f *flights) shard(client netip.Addr) *flightShard {
	return &f.shards[maphash.Comparable(f.seed, client)%uint64(len(f.shards))]
}
