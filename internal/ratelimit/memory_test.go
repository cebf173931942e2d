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

	"placard/internal/ratelimit"
	"placard/internal/ratelimit/limittest"
)

// clock is a time that passes when a test says so.
type clock struct{ time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 14, 9, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time          { return c.Time }
func (c *clock) advance(d time.Duration) { c.Time = c.Add(d) }

func TestMemoryKeepsTheContract(t *testing.T) {
	limittest.Run(t, func(_ *testing.T, p ratelimit.Policy) limittest.Backend {
		c := newClock()
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{Now: c.now})
		return limittest.Backend{
			Open:    func() ratelimit.Limiter { return m },
			Advance: c.advance,
		}
	})
}

// v4 returns the n-th of many addresses.
func v4(n int) ratelimit.Client {
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], uint32(n)+10<<24)
	return ratelimit.NewClient(netip.AddrFrom4(a), "", ratelimit.DefaultIPv6Prefix)
}

func take(t testing.TB, l ratelimit.Limiter, b ratelimit.Bucket, c ratelimit.Client) ratelimit.Decision {
	d, err := l.Take(t.Context(), b, c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// model is a limiter that forgets nobody and is too plain to be wrong.
type model struct {
	policy  ratelimit.Policy
	windows map[string]*span
}

type span struct {
	ends time.Time
	used int
}

func (m *model) charge(key string, l ratelimit.Limit, now time.Time) (bool, time.Duration) {
	w := m.windows[key]
	if w == nil || !now.Before(w.ends) {
		w = &span{ends: now.Add(l.Window)}
		m.windows[key] = w
	}
	w.used++
	return w.used <= l.Requests, w.ends.Sub(now)
}

func (m *model) open(who string, now time.Time) bool {
	for b := ratelimit.Read; b <= ratelimit.Resolve; b++ {
		if w := m.windows[who+b.String()]; w != nil && now.Before(w.ends) {
			return true
		}
	}
	return false
}

func (m *model) take(b ratelimit.Bucket, c ratelimit.Client, now time.Time) (bool, time.Duration) {
	who := c.Addr().String() + "|" + c.Name() + "|"
	if c.Name() != "" && !m.open(who, now) {
		if ok, _ := m.charge(c.Addr().String(), m.policy.Names, now); !ok {
			who = c.Addr().String() + "||"
		}
	}
	return m.charge(who+b.String(), m.policy.Limit(b), now)
}

func TestMemoryDecidesAsAPlainModelDoes(t *testing.T) {
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
		plain := model{p, make(map[string]*span)}
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			c.advance(time.Duration(rapid.IntRange(0, 1500).Draw(t, "advance")) * time.Millisecond)
			addr := netip.AddrFrom4([4]byte{192, 0, 2, rapid.Byte().Draw(t, "address") % 2})
			name := rapid.SampledFrom([]string{"", "", "a", "b", "c", "d"}).Draw(t, "name")
			bucket := rapid.SampledFrom([]ratelimit.Bucket{ratelimit.Read, ratelimit.Icons, ratelimit.Validate, ratelimit.Resolve}).Draw(t, "bucket")
			who := ratelimit.NewClient(addr, name, ratelimit.DefaultIPv6Prefix)

			got, err := memory.Take(context.Background(), bucket, who)
			if err != nil {
				t.Fatal(err)
			}
			if ok, reset := plain.take(bucket, who, c.now()); got.Allowed != ok || got.Reset != reset {
				t.Fatalf("%v to %v: got %+v, want %t and %v", who, bucket, got, ok, reset)
			}
		}
	})
}

func TestAFloodOfAddressesTakesNoMemory(t *testing.T) {
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{})
	before := heap()
	for n := range 1_000_000 {
		take(t, m, ratelimit.Read, v4(n))
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("a million addresses took %d KiB", (after-before)>>10)
	}
	runtime.KeepAlive(m)
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

func TestAFloodOfAddressesFreesNobodyWhoReachedALimit(t *testing.T) {
	c := newClock()
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{Clients: 1 << 9, Now: c.now})
	abusers := make([]ratelimit.Client, 50)
	for i := range abusers {
		abusers[i] = v4(1<<20 + i)
		for range ratelimit.DefaultPolicy.Resolve.Requests {
			take(t, m, ratelimit.Resolve, abusers[i])
		}
	}
	// Each address of the flood makes several requests, hundreds of times as
	// many addresses as the table has places.
	for n := range 1 << 17 {
		c.advance(100 * time.Microsecond)
		for range 3 {
			take(t, m, ratelimit.Read, v4(n))
		}
	}
	for _, a := range abusers {
		if take(t, m, ratelimit.Resolve, a).Allowed {
			t.Errorf("%v is forgotten", a.Addr())
		}
	}
}

func TestAFloodOfAddressesDoesNotReopenNames(t *testing.T) {
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{Clients: 1 << 12, Now: newClock().now})
	named := func(i int) ratelimit.Client {
		return ratelimit.NewClient(netip.MustParseAddr("192.0.2.1"), fmt.Sprint("name", i), ratelimit.DefaultIPv6Prefix)
	}
	for i := range 100 {
		take(t, m, ratelimit.Read, named(i))
	}
	for n := range 1 << 16 {
		take(t, m, ratelimit.Read, v4(n))
	}
	granted := 0
	for i := range 1000 {
		if take(t, m, ratelimit.Resolve, named(1000+i)).Allowed {
			granted++
		}
	}
	if granted != ratelimit.DefaultPolicy.Resolve.Requests {
		t.Errorf("names past the cap were granted %d requests, want what one client has", granted)
	}
}

func TestNewcomersAreServedWhileTheTableIsFull(t *testing.T) {
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{Clients: 1, Now: newClock().now})
	for n := range 1000 {
		for range ratelimit.DefaultPolicy.Resolve.Requests {
			if !take(t, m, ratelimit.Resolve, v4(n)).Allowed {
				t.Fatalf("client %d is refused within its limit", n)
			}
		}
	}
}

func TestNobodyKnownCountsAsOneClient(t *testing.T) {
	m := ratelimit.NewMemory(ratelimit.DefaultPolicy, ratelimit.MemoryOptions{Now: newClock().now})
	nobody := ratelimit.NewClient(netip.Addr{}, "", ratelimit.DefaultIPv6Prefix)
	for range ratelimit.DefaultPolicy.Resolve.Requests {
		take(t, m, ratelimit.Resolve, nobody)
	}
	if take(t, m, ratelimit.Resolve, nobody).Allowed {
		t.Error("a client without an address is not counted")
	}
}

func BenchmarkTake(b *testing.B) {
	ctx := context.Background()
	p := ratelimit.DefaultPolicy
	p.Names = ratelimit.Limit{}
	b.Run("one client", func(b *testing.B) {
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{})
		who := v4(1)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = m.Take(ctx, ratelimit.Read, who)
		}
	})
	b.Run("one name", func(b *testing.B) {
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{})
		who := ratelimit.NewClient(netip.MustParseAddr("2001:db8::1"), "example-client/1.0", ratelimit.DefaultIPv6Prefix)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = m.Take(ctx, ratelimit.Read, who)
		}
	})
	b.Run("many clients at once", func(b *testing.B) {
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{})
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for n := 0; pb.Next(); n++ {
				_, _ = m.Take(ctx, ratelimit.Read, v4(n%50_000))
			}
		})
	})
	b.Run("a flood of new clients", func(b *testing.B) {
		m := ratelimit.NewMemory(p, ratelimit.MemoryOptions{})
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			_, _ = m.Take(ctx, ratelimit.Read, v4(n))
			n++
		}
	})
}
