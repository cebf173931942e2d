package ratelimit_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"

	"placard/internal/serve/ratelimit"
	"placard/internal/serve/ratelimit/limittest"
)

// clock is a manual clock.
type clock struct{ time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 14, 9, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time          { return c.Time }
func (c *clock) advance(d time.Duration) { c.Time = c.Add(d) }

func TestMemoryImplementsLimiter(t *testing.T) {
	limittest.Run(t, func(_ *testing.T, p ratelimit.Policy) limittest.Backend {
		c := newClock()
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{Now: c.now})
		return limittest.Backend{
			Open:    func() ratelimit.Limiter { return m },
			Advance: c.advance,
		}
	})
}

// v4 returns a client with the n-th IPv4 address.
func v4(n int) ratelimit.Client {
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], uint32(n)+10<<24)
	return ratelimit.NewClient(netip.AddrFrom4(a), "", ratelimit.DefaultIPv6Prefix)
}

func take(t testing.TB, l ratelimit.Limiter, b ratelimit.Bucket, c ratelimit.Client) ratelimit.Decision {
	return l.Take(t.Context(), b, c)
}

// model is a limiter that never evicts a client and is simple enough to be
// obviously correct.
type model struct {
	policy  ratelimit.Policy
	windows map[string]*window
}

type window struct {
	ends time.Time
	used int
}

func (m *model) count(key string, l ratelimit.Limit, now time.Time) (bool, time.Duration) {
	w := m.windows[key]
	if w == nil || !now.Before(w.ends) {
		w = &window{ends: now.Add(l.Window)}
		m.windows[key] = w
	}
	w.used++
	return w.used <= l.Requests, w.ends.Sub(now)
}

func (m *model) isOpen(client string, now time.Time) bool {
	for b := ratelimit.Read; b <= ratelimit.Resolve; b++ {
		if w := m.windows[client+b.String()]; w != nil && now.Before(w.ends) {
			return true
		}
	}
	return false
}

func (m *model) take(b ratelimit.Bucket, c ratelimit.Client, now time.Time) (bool, time.Duration) {
	client := c.Addr().String() + "|" + c.Name() + "|"
	if c.Name() != "" && !m.isOpen(client, now) {
		if ok, _ := m.count(c.Addr().String(), m.policy.Names, now); !ok {
			client = c.Addr().String() + "||"
		}
	}
	return m.count(client+b.String(), m.policy.Limit(b), now)
}

func TestMemoryMatchesASimpleModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Custom(func(t *rapid.T) ratelimit.Limit {
			return ratelimit.Limit{
				Requests: rapid.IntRange(1, 4).Draw(t, "requests"),
				Window:   time.Duration(rapid.IntRange(1, 5000).Draw(t, "ms")) * time.Millisecond,
			}
		})
		p := ratelimit.Policy{
			Read: limit.Draw(t, "read"), Icons: limit.Draw(t, "icons"), Validate: limit.Draw(t, "validate"),
			Resolve: limit.Draw(t, "resolve"), Names: limit.Draw(t, "names"),
		}
		c := newClock()
		memory := ratelimit.NewMemory(p, ratelimit.MemoryOptions{Now: c.now, Clients: 1 << 10})
		simple := model{p, make(map[string]*window)}
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			c.advance(time.Duration(rapid.IntRange(0, 1500).Draw(t, "advance")) * time.Millisecond)
			addr := netip.AddrFrom4([4]byte{192, 0, 2, rapid.Byte().Draw(t, "address") % 2})
			name := rapid.SampledFrom([]string{"", "", "a", "b", "c", "d"}).Draw(t, "name")
			bucket := rapid.SampledFrom([]ratelimit.Bucket{ratelimit.Read, ratelimit.Icons, ratelimit.Validate, ratelimit.Resolve}).Draw(t, "bucket")
			client := ratelimit.NewClient(addr, name, ratelimit.DefaultIPv6Prefix)

			got := memory.Take(context.Background(), bucket, client)
			if ok, reset := simple.take(bucket, client, c.now()); got.Allowed != ok || got.Reset != reset {
				t.Fatalf("Take(%v, %v) = %+v, want %t and %v", bucket, client, got, ok, reset)
			}
		}
	})
}

func TestFloodOfAddressesAllocatesNoMemory(t *testing.T) {
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{})
	before := heapSize()
	const addresses = 100_000
	for n := range addresses {
		take(t, m, ratelimit.Read, v4(n))
	}
	if after := heapSize(); after > before+1<<20 {
		t.Errorf("%d addresses allocated %d KiB, want less than 1024", addresses, (after-before)>>10)
	}
	runtime.KeepAlive(m)
}

func heapSize() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

func TestFloodOfAddressesDoesNotEvictLimitedClients(t *testing.T) {
	c := newClock()
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{Clients: 1 << 9, Now: c.now})
	abusers := make([]ratelimit.Client, 50)
	for i := range abusers {
		abusers[i] = v4(1<<20 + i)
		for range ratelimit.DefaultPolicy.Resolve.Requests {
			take(t, m, ratelimit.Resolve, abusers[i])
		}
	}
	// The flood has many times as many addresses as the table has
	// entries, and each address makes several requests.
	for n := range 1 << 14 {
		c.advance(100 * time.Microsecond)
		for range 3 {
			take(t, m, ratelimit.Read, v4(n))
		}
	}
	for _, a := range abusers {
		if take(t, m, ratelimit.Resolve, a).Allowed {
			t.Errorf("%v was evicted", a.Addr())
		}
	}
}

func TestFloodOfAddressesDoesNotResetTheNameLimit(t *testing.T) {
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{Clients: 1 << 12, Now: newClock().now})
	named := func(i int) ratelimit.Client {
		return ratelimit.NewClient(netip.MustParseAddr("192.0.2.1"), fmt.Sprint("name", i), ratelimit.DefaultIPv6Prefix)
	}
	for i := range 100 {
		take(t, m, ratelimit.Read, named(i))
	}
	for n := range 1 << 15 {
		take(t, m, ratelimit.Read, v4(n))
	}
	allowed := 0
	for i := range 1000 {
		if take(t, m, ratelimit.Resolve, named(1000+i)).Allowed {
			allowed++
		}
	}
	if want := ratelimit.DefaultPolicy.Resolve.Requests; allowed != want {
		t.Errorf("%d requests were allowed for names above the limit, want %d", allowed, want)
	}
}

func TestNewClientsAreServedWhenTheTableIsFull(t *testing.T) {
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{Clients: 1, Now: newClock().now})
	for n := range 1000 {
		for range ratelimit.DefaultPolicy.Resolve.Requests {
			if !take(t, m, ratelimit.Resolve, v4(n)).Allowed {
				t.Fatalf("client %d was rejected within its limit", n)
			}
		}
	}
}

func TestRequestsWithoutAnAddressCountAsOneClient(t *testing.T) {
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{Now: newClock().now})
	unknown := ratelimit.NewClient(netip.Addr{}, "", ratelimit.DefaultIPv6Prefix)
	for range ratelimit.DefaultPolicy.Resolve.Requests {
		take(t, m, ratelimit.Resolve, unknown)
	}
	if take(t, m, ratelimit.Resolve, unknown).Allowed {
		t.Error("a request above the limit was allowed")
	}
}

func BenchmarkTake(b *testing.B) {
	ctx := context.Background()
	p := ratelimit.DefaultPolicy
	p.Names = ratelimit.Limit{}
	b.Run("one client", func(b *testing.B) {
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{})
		client := v4(1)
		b.ReportAllocs()
		for b.Loop() {
			m.Take(ctx, ratelimit.Read, client)
		}
	})
	b.Run("one name", func(b *testing.B) {
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{})
		client := ratelimit.NewClient(netip.MustParseAddr("2001:db8::1"), "example-client/1.0", ratelimit.DefaultIPv6Prefix)
		b.ReportAllocs()
		for b.Loop() {
			m.Take(ctx, ratelimit.Read, client)
		}
	})
	b.Run("many concurrent clients", func(b *testing.B) {
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{})
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for n := 0; pb.Next(); n++ {
				m.Take(ctx, ratelimit.Read, v4(n%50_000))
			}
		})
	})
	b.Run("a flood of new clients", func(b *testing.B) {
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{})
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			m.Take(ctx, ratelimit.Read, v4(n))
			n++
		}
	})
}
