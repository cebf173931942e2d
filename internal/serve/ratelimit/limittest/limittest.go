// Package limittest tests implementations of [ratelimit.Limiter].
package limittest

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"placard/internal/serve/ratelimit"
)

// Backend is a limiter under test that has not counted any requests yet.
type Backend struct {
	// Open returns a limiter. All limiters of a backend share their counts, as
	// the limiters of several processes would.
	Open func() ratelimit.Limiter

	// Advance advances the clock. The clock may also run by itself, by less
	// than half a second per test.
	Advance func(time.Duration)
}

// Run tests a limiter. It calls start with the policy of each test to create a
// new backend.
func Run(t *testing.T, start func(*testing.T, ratelimit.Policy) Backend) {
	for name, test := range map[string]func(*suite){
		"a window allows exactly its limit":                     (*suite).testLimit,
		"a window starts with the client's first request":       (*suite).testWindowStart,
		"RetryAfter is the time until the window ends":          (*suite).testRetryAfter,
		"rejected requests do not extend a window":              (*suite).testRejectedRequests,
		"buckets are independent":                               (*suite).testBuckets,
		"clients are independent":                               (*suite).testClients,
		"buckets without a limit are not counted":               (*suite).testUnlimited,
		"names above the limit share the anonymous windows":     (*suite).testNameLimit,
		"an open name counts once towards the limit":            (*suite).testOpenName,
		"a name stays open until its last window ends":          (*suite).testNameExpiry,
		"names are unlimited if the policy does not limit them": (*suite).testUnlimitedNames,
		"concurrent requests are allowed exactly to the limit":  (*suite).testConcurrentRequests,
		"concurrent requests open exactly the limit of names":   (*suite).testConcurrentNames,
	} {
		t.Run(name, func(t *testing.T) { test(&suite{T: t, start: start}) })
	}
}

// policy has small limits that are all different. The windows are longer than
// any test runs.
var policy = ratelimit.Policy{
	Read:     ratelimit.Limit{Requests: 5, Window: time.Minute},
	Icons:    ratelimit.Limit{Requests: 7, Window: time.Minute},
	Validate: ratelimit.Limit{Requests: 3, Window: 2 * time.Minute},
	Resolve:  ratelimit.Limit{Requests: 2, Window: 30 * time.Second},
	Names:    ratelimit.Limit{Requests: 4, Window: time.Minute},
}

type suite struct {
	*testing.T
	start func(*testing.T, ratelimit.Policy) Backend
	Backend
	limiter ratelimit.Limiter
}

func (s *suite) setup(p ratelimit.Policy) {
	s.Backend = s.start(s.T, p)
	s.limiter = s.Open()
}

// client parses an address, optionally followed by a space and a name.
func client(text string) ratelimit.Client {
	var addr, name string
	if _, err := fmt.Sscan(text, &addr, &name); err != nil && addr == "" {
		panic(err)
	}
	return ratelimit.NewClient(netip.MustParseAddr(addr), name, ratelimit.DefaultIPv6Prefix)
}

func (s *suite) take(b ratelimit.Bucket, from string) ratelimit.Decision {
	s.Helper()
	return s.limiter.Take(s.Context(), b, client(from))
}

func (s *suite) wantAllowed(n int, b ratelimit.Bucket, from string) {
	s.Helper()
	for i := range n {
		if d := s.take(b, from); !d.Allowed {
			s.Fatalf("%s: %v request %d of %d was rejected for %v", from, b, i+1, n, d.Reset)
		}
	}
}

func (s *suite) wantRejected(b ratelimit.Bucket, from string) {
	s.Helper()
	if s.take(b, from).Allowed {
		s.Fatalf("%s: a %v request was allowed", from, b)
	}
}

func (s *suite) testLimit() {
	s.setup(policy)
	for range 3 {
		s.wantAllowed(5, ratelimit.Read, "192.0.2.1")
		s.wantRejected(ratelimit.Read, "192.0.2.1")
		s.wantRejected(ratelimit.Read, "192.0.2.1")
		s.Advance(time.Minute)
	}
}

func (s *suite) testWindowStart() {
	s.setup(policy)
	s.Advance(40 * time.Second)
	s.wantAllowed(1, ratelimit.Read, "192.0.2.1")
	s.Advance(59 * time.Second)
	s.wantAllowed(4, ratelimit.Read, "192.0.2.1")
	s.wantRejected(ratelimit.Read, "192.0.2.1")
	s.Advance(time.Second)
	s.wantAllowed(5, ratelimit.Read, "192.0.2.1")
	s.wantRejected(ratelimit.Read, "192.0.2.1")
}

func (s *suite) testRetryAfter() {
	s.setup(policy)
	s.wantAllowed(2, ratelimit.Resolve, "192.0.2.1")
	for _, step := range []struct {
		advance time.Duration
		want    int
	}{
		{0, 30},
		{500 * time.Millisecond, 30},
		{19 * time.Second, 11},
		{9 * time.Second, 2},
		{time.Second, 1},
	} {
		s.Advance(step.advance)
		d := s.take(ratelimit.Resolve, "192.0.2.1")
		if d.Allowed || d.RetryAfter() != step.want {
			s.Errorf("RetryAfter() = %d (%v), want %d; allowed: %t", d.RetryAfter(), d.Reset, step.want, d.Allowed)
		}
	}
	s.Advance(time.Second)
	s.wantAllowed(2, ratelimit.Resolve, "192.0.2.1")
}

func (s *suite) testRejectedRequests() {
	s.setup(policy)
	s.wantAllowed(5, ratelimit.Read, "192.0.2.1")
	for range 6 {
		s.Advance(9 * time.Second)
		s.wantRejected(ratelimit.Read, "192.0.2.1")
	}
	s.Advance(6 * time.Second)
	s.wantAllowed(5, ratelimit.Read, "192.0.2.1")
}

func (s *suite) testBuckets() {
	s.setup(policy)
	for _, from := range []string{"192.0.2.1", "192.0.2.1 ada"} {
		for bucket, limit := range map[ratelimit.Bucket]int{
			ratelimit.Read: 5, ratelimit.Icons: 7, ratelimit.Validate: 3, ratelimit.Resolve: 2,
		} {
			s.wantAllowed(limit, bucket, from)
			s.wantRejected(bucket, from)
		}
	}
	s.Advance(61 * time.Second)
	s.wantAllowed(5, ratelimit.Read, "192.0.2.1")
	s.wantRejected(ratelimit.Validate, "192.0.2.1")
}

func (s *suite) testClients() {
	s.setup(policy)
	for _, from := range []string{
		"192.0.2.1", "192.0.2.2", "2001:db8::", "2001:db8:0:1::",
		"192.0.2.1 ada", "192.0.2.2 ada", "192.0.2.1 bea", "2001:db8:: ada",
	} {
		s.wantAllowed(5, ratelimit.Read, from)
		s.wantRejected(ratelimit.Read, from)
	}
	s.wantRejected(ratelimit.Read, "2001:db8::2")
	s.wantRejected(ratelimit.Read, "2001:db8::2 ada")
	s.wantRejected(ratelimit.Read, "::ffff:192.0.2.1")
}

func (s *suite) testUnlimited() {
	p := policy
	p.Icons = ratelimit.Limit{}
	s.setup(p)
	s.wantAllowed(50, ratelimit.Free, "192.0.2.1")
	s.wantAllowed(50, ratelimit.Icons, "192.0.2.1")
	s.wantAllowed(5, ratelimit.Read, "192.0.2.1")
	s.wantRejected(ratelimit.Read, "192.0.2.1")
}

func (s *suite) testNameLimit() {
	s.setup(policy)
	for i := range 4 {
		s.wantAllowed(1, ratelimit.Read, fmt.Sprintf("192.0.2.1 n%d", i))
	}
	s.Advance(10 * time.Second)
	for i := 4; i < 9; i++ {
		s.wantAllowed(1, ratelimit.Read, fmt.Sprintf("192.0.2.1 n%d", i))
	}
	s.wantRejected(ratelimit.Read, "192.0.2.1 n9")
	s.wantRejected(ratelimit.Read, "192.0.2.1")
	s.wantAllowed(1, ratelimit.Read, "192.0.2.2 n9")
	// Open names keep their own windows.
	s.wantAllowed(4, ratelimit.Read, "192.0.2.1 n0")
	s.wantRejected(ratelimit.Read, "192.0.2.1 n0")
	s.Advance(50 * time.Second)
	s.wantAllowed(5, ratelimit.Read, "192.0.2.1 n9")
	s.wantRejected(ratelimit.Read, "192.0.2.1 n9")
	s.wantRejected(ratelimit.Read, "192.0.2.1")
}

func (s *suite) testOpenName() {
	s.setup(policy)
	for _, bucket := range []ratelimit.Bucket{ratelimit.Icons, ratelimit.Read, ratelimit.Validate, ratelimit.Resolve} {
		for i := range 4 {
			s.wantAllowed(2, bucket, fmt.Sprintf("192.0.2.1 n%d", i))
		}
	}
	s.wantAllowed(2, ratelimit.Resolve, "192.0.2.1")
	s.wantRejected(ratelimit.Resolve, "192.0.2.1 n5")
}

func (s *suite) testNameExpiry() {
	s.setup(policy)
	s.wantAllowed(1, ratelimit.Validate, "192.0.2.1 long") // 2 minutes
	s.wantAllowed(1, ratelimit.Resolve, "192.0.2.1 short") // 30 seconds
	s.Advance(61 * time.Second)
	for i := range 4 {
		s.wantAllowed(1, ratelimit.Read, fmt.Sprintf("192.0.2.1 n%d", i))
	}
	s.wantAllowed(5, ratelimit.Read, "192.0.2.1")
	s.wantAllowed(5, ratelimit.Read, "192.0.2.1 long")
	s.wantRejected(ratelimit.Read, "192.0.2.1 short")
}

func (s *suite) testUnlimitedNames() {
	p := policy
	p.Names = ratelimit.Limit{}
	s.setup(p)
	for i := range 50 {
		s.wantAllowed(5, ratelimit.Read, fmt.Sprintf("192.0.2.1 n%d", i))
	}
}

// countConcurrently calls request from 16 goroutines, each with its own limiter,
// and returns the number of calls that returned true.
func (s *suite) countConcurrently(request func(l ratelimit.Limiter, i int) bool) int {
	var allowed atomic.Int64
	var group sync.WaitGroup
	for i := range 16 {
		l := s.Open()
		group.Go(func() {
			if request(l, i) {
				allowed.Add(1)
			}
		})
	}
	group.Wait()
	return int(allowed.Load())
}

func (s *suite) isAllowed(l ratelimit.Limiter, b ratelimit.Bucket, from string) bool {
	return l.Take(s.Context(), b, client(from)).Allowed
}

func (s *suite) testConcurrentRequests() {
	s.setup(policy)
	for round := range 20 {
		for _, name := range []string{"", " ada"} {
			from := fmt.Sprintf("192.0.2.%d%s", round, name)
			if n := s.countConcurrently(func(l ratelimit.Limiter, _ int) bool { return s.isAllowed(l, ratelimit.Icons, from) }); n != 7 {
				s.Errorf("%s: %d requests were allowed, want 7", from, n)
			}
		}
	}
}

func (s *suite) testConcurrentNames() {
	s.setup(policy)
	for round := range 20 {
		// Four names have their own windows; the others share one.
		n := s.countConcurrently(func(l ratelimit.Limiter, i int) bool {
			return s.isAllowed(l, ratelimit.Resolve, fmt.Sprintf("192.0.2.%d n%d", round, i/2))
		})
		if n != 4*2+2 {
			s.Errorf("%d requests were allowed for 8 names, want 10", n)
		}
	}
}
