// Package limittest is the contract of every rate limiter.
package limittest

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"placard/internal/ratelimit"
)

// Backend is a limiter under test, with nobody counted yet.
type Backend struct {
	// Open returns a limiter. All that one backend returns count together, as
	// those of several processes would.
	Open func() ratelimit.Limiter

	// Advance lets time pass. Beside that, time may go on by itself, but less
	// than half a second in a test.
	Advance func(time.Duration)
}

// Run tests that a backend keeps the contract. A new one is asked for with the
// policy of each test.
func Run(t *testing.T, start func(*testing.T, ratelimit.Policy) Backend) {
	for name, test := range map[string]func(*suite){
		"a window grants its limit and no more":              (*suite).grantsTheLimit,
		"a window starts with a client's first request":      (*suite).startsWithTheFirstRequest,
		"the wait is told to the second":                     (*suite).tellsTheWait,
		"refusals do not prolong a window":                   (*suite).doesNotProlong,
		"a request is charged to its own bucket":             (*suite).keepsBucketsApart,
		"clients do not pay for each other":                  (*suite).keepsClientsApart,
		"what has no limit is not counted":                   (*suite).leavesFree,
		"names past the cap share the anonymous windows":     (*suite).capsNames,
		"a name that is open is opened once":                 (*suite).opensNamesOnce,
		"a name is open as long as one of its windows":       (*suite).closesNames,
		"names are not capped where the policy says so":      (*suite).leavesNames,
		"at the same time, exactly the limit is granted":     (*suite).countsConcurrently,
		"at the same time, exactly the names' cap is opened": (*suite).opensConcurrently,
	} {
		t.Run(name, func(t *testing.T) { test(&suite{T: t, start: start}) })
	}
}

// policy has limits small enough to reach and all different. The windows are
// longer than any test takes.
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

func (s *suite) begin(p ratelimit.Policy) {
	s.Backend = s.start(s.T, p)
	s.limiter = s.Open()
}

// client returns the client of an address and, after a blank, a name.
func client(text string) ratelimit.Client {
	var addr, name string
	if _, err := fmt.Sscan(text, &addr, &name); err != nil && addr == "" {
		panic(err)
	}
	return ratelimit.NewClient(netip.MustParseAddr(addr), name, ratelimit.DefaultIPv6Prefix)
}

func (s *suite) take(b ratelimit.Bucket, who string) ratelimit.Decision {
	s.Helper()
	d, err := s.limiter.Take(s.Context(), b, client(who))
	if err != nil {
		s.Fatal(err)
	}
	return d
}

func (s *suite) granted(n int, b ratelimit.Bucket, who string) {
	s.Helper()
	for i := range n {
		if d := s.take(b, who); !d.Allowed {
			s.Fatalf("%s: request %d of %d to %v is refused for %v", who, i+1, n, b, d.Reset)
		}
	}
}

func (s *suite) refused(b ratelimit.Bucket, who string) {
	s.Helper()
	if s.take(b, who).Allowed {
		s.Fatalf("%s: a request to %v is granted", who, b)
	}
}

func (s *suite) grantsTheLimit() {
	s.begin(policy)
	for range 3 {
		s.granted(5, ratelimit.Read, "192.0.2.1")
		s.refused(ratelimit.Read, "192.0.2.1")
		s.refused(ratelimit.Read, "192.0.2.1")
		s.Advance(time.Minute)
	}
}

func (s *suite) startsWithTheFirstRequest() {
	s.begin(policy)
	s.Advance(40 * time.Second)
	s.granted(1, ratelimit.Read, "192.0.2.1")
	s.Advance(59 * time.Second)
	s.granted(4, ratelimit.Read, "192.0.2.1")
	s.refused(ratelimit.Read, "192.0.2.1")
	s.Advance(time.Second)
	s.granted(5, ratelimit.Read, "192.0.2.1")
	s.refused(ratelimit.Read, "192.0.2.1")
}

func (s *suite) tellsTheWait() {
	s.begin(policy)
	s.granted(2, ratelimit.Resolve, "192.0.2.1")
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
			s.Errorf("told to wait %d s (%v), want %d; allowed: %t", d.RetryAfter(), d.Reset, step.want, d.Allowed)
		}
	}
	s.Advance(time.Second)
	s.granted(2, ratelimit.Resolve, "192.0.2.1")
}

func (s *suite) doesNotProlong() {
	s.begin(policy)
	s.granted(5, ratelimit.Read, "192.0.2.1")
	for range 6 {
		s.Advance(9 * time.Second)
		s.refused(ratelimit.Read, "192.0.2.1")
	}
	s.Advance(6 * time.Second)
	s.granted(5, ratelimit.Read, "192.0.2.1")
}

func (s *suite) keepsBucketsApart() {
	s.begin(policy)
	for _, who := range []string{"192.0.2.1", "192.0.2.1 ada"} {
		for bucket, limit := range map[ratelimit.Bucket]int{
			ratelimit.Read: 5, ratelimit.Icons: 7, ratelimit.Validate: 3, ratelimit.Resolve: 2,
		} {
			s.granted(limit, bucket, who)
			s.refused(bucket, who)
		}
	}
	s.Advance(61 * time.Second)
	s.granted(5, ratelimit.Read, "192.0.2.1")
	s.refused(ratelimit.Validate, "192.0.2.1")
}

func (s *suite) keepsClientsApart() {
	s.begin(policy)
	for _, who := range []string{
		"192.0.2.1", "192.0.2.2", "2001:db8::", "2001:db8:0:1::",
		"192.0.2.1 ada", "192.0.2.2 ada", "192.0.2.1 bea", "2001:db8:: ada",
	} {
		s.granted(5, ratelimit.Read, who)
		s.refused(ratelimit.Read, who)
	}
	s.refused(ratelimit.Read, "2001:db8::2")
	s.refused(ratelimit.Read, "2001:db8::2 ada")
	s.refused(ratelimit.Read, "::ffff:192.0.2.1")
}

func (s *suite) leavesFree() {
	p := policy
	p.Icons = ratelimit.Limit{}
	s.begin(p)
	s.granted(50, ratelimit.Free, "192.0.2.1")
	s.granted(50, ratelimit.Icons, "192.0.2.1")
	s.granted(5, ratelimit.Read, "192.0.2.1")
	s.refused(ratelimit.Read, "192.0.2.1")
}

func (s *suite) capsNames() {
	s.begin(policy)
	for i := range 4 {
		s.granted(1, ratelimit.Read, fmt.Sprintf("192.0.2.1 n%d", i))
	}
	s.Advance(10 * time.Second)
	for i := 4; i < 9; i++ {
		s.granted(1, ratelimit.Read, fmt.Sprintf("192.0.2.1 n%d", i))
	}
	s.refused(ratelimit.Read, "192.0.2.1 n9")
	s.refused(ratelimit.Read, "192.0.2.1")
	s.granted(1, ratelimit.Read, "192.0.2.2 n9")
	// Those that are open keep their own windows.
	s.granted(4, ratelimit.Read, "192.0.2.1 n0")
	s.refused(ratelimit.Read, "192.0.2.1 n0")
	s.Advance(50 * time.Second)
	s.granted(5, ratelimit.Read, "192.0.2.1 n9")
	s.refused(ratelimit.Read, "192.0.2.1 n9")
	s.refused(ratelimit.Read, "192.0.2.1")
}

func (s *suite) opensNamesOnce() {
	s.begin(policy)
	for _, bucket := range []ratelimit.Bucket{ratelimit.Icons, ratelimit.Read, ratelimit.Validate, ratelimit.Resolve} {
		for i := range 4 {
			s.granted(2, bucket, fmt.Sprintf("192.0.2.1 n%d", i))
		}
	}
	s.granted(2, ratelimit.Resolve, "192.0.2.1")
	s.refused(ratelimit.Resolve, "192.0.2.1 n5")
}

func (s *suite) closesNames() {
	s.begin(policy)
	s.granted(1, ratelimit.Validate, "192.0.2.1 long") // 2 minutes
	s.granted(1, ratelimit.Resolve, "192.0.2.1 short") // 30 seconds
	s.Advance(61 * time.Second)
	for i := range 4 {
		s.granted(1, ratelimit.Read, fmt.Sprintf("192.0.2.1 n%d", i))
	}
	s.granted(5, ratelimit.Read, "192.0.2.1")
	s.granted(5, ratelimit.Read, "192.0.2.1 long")
	s.refused(ratelimit.Read, "192.0.2.1 short")
}

func (s *suite) leavesNames() {
	p := policy
	p.Names = ratelimit.Limit{}
	s.begin(p)
	for i := range 50 {
		s.granted(5, ratelimit.Read, fmt.Sprintf("192.0.2.1 n%d", i))
	}
}

// together calls do from 16 goroutines, each with a limiter of its own, and
// returns how often it said yes.
func (s *suite) together(do func(l ratelimit.Limiter, i int) bool) int {
	var yes atomic.Int64
	var group sync.WaitGroup
	for i := range 16 {
		l := s.Open()
		group.Go(func() {
			if do(l, i) {
				yes.Add(1)
			}
		})
	}
	group.Wait()
	return int(yes.Load())
}

func (s *suite) allowed(l ratelimit.Limiter, b ratelimit.Bucket, who string) bool {
	d, err := l.Take(s.Context(), b, client(who))
	if err != nil {
		s.Error(err)
	}
	return d.Allowed
}

func (s *suite) countsConcurrently() {
	s.begin(policy)
	for round := range 20 {
		for _, name := range []string{"", " ada"} {
			who := fmt.Sprintf("192.0.2.%d%s", round, name)
			if n := s.together(func(l ratelimit.Limiter, _ int) bool { return s.allowed(l, ratelimit.Icons, who) }); n != 7 {
				s.Errorf("%s: %d requests are granted, want 7", who, n)
			}
		}
	}
}

func (s *suite) opensConcurrently() {
	s.begin(policy)
	for round := range 20 {
		// Four names have windows of their own; all others have one together.
		n := s.together(func(l ratelimit.Limiter, i int) bool {
			who := fmt.Sprintf("192.0.2.%d n%d", round, i/2)
			return s.allowed(l, ratelimit.Resolve, who)
		})
		if n != 4*2+2 {
			s.Errorf("%d requests are granted to 8 names, want 10", n)
		}
	}
}
