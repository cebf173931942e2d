package server_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"placard/internal/httpapi"
	"placard/internal/problem"
	"placard/internal/ratelimit"
	"placard/internal/server"
)

func problemOf(err error) problem.Problem { return err.(problem.Problem) }

// failure returns the one problem of an error answer.
func (a answer) failure(t *testing.T) problem.Problem {
	t.Helper()
	var body struct {
		OK     bool         `json:"ok"`
		Errors problem.List `json:"errors"`
	}
	if err := json.Unmarshal([]byte(a.body), &body, json.RejectUnknownMembers(true)); err != nil || body.OK || len(body.Errors) != 1 {
		t.Fatalf("%d is not an error in the envelope: %q (%v)", a.status, a.body, err)
	}
	return body.Errors[0]
}

// clock is a time that passes when a test says so.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// ask is a kind of request that some bucket has.
type ask struct {
	bucket       ratelimit.Bucket
	method, path string
}

var asks = []ask{
	{ratelimit.Read, "GET", "/api/v2/schemas"},
	{ratelimit.Read, "GET", "/api/v2/schemas/" + stable + "/manifest"},
	{ratelimit.Read, "GET", "/api/v2/schemas/place@latest/elements?limit=3"},
	{ratelimit.Icons, "GET", "/api/v2/shapes/circle.svg"},
	{ratelimit.Icons, "HEAD", "/api/v2/schemas/" + stable + "/elements/public_safety/icon.svg"},
	{ratelimit.Validate, "POST", "/api/v2/schemas/" + stable + "/validate"},
	{ratelimit.Resolve, "POST", "/api/v2/schemas/" + stable + "/resolve"},
	{ratelimit.Resolve, "POST", "/api/v2/schemas/" + stable + "/validate_resolved"},
}

func TestManyClientsGetExactlyWhatThePolicyPermits(t *testing.T) {
	const (
		clients  = 16
		requests = 10_000
		windows  = 4
	)
	policy := ratelimit.Policy{
		Read:     ratelimit.Limit{Requests: 30, Window: 12 * time.Second},
		Icons:    ratelimit.Limit{Requests: 20, Window: 12 * time.Second},
		Validate: ratelimit.Limit{Requests: 7, Window: 12 * time.Second},
		Resolve:  ratelimit.Limit{Requests: 3, Window: 12 * time.Second},
		Names:    ratelimit.DefaultPolicy.Names,
	}
	time0 := &clock{now: time.Now()}
	opts := api(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{Now: time0.Now})}, httpapi.Options{})
	opts.Proxies.Trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s := run(t, opts)

	// A quarter of the clients have an address of their own, the others a name.
	identity := func(i int) []string {
		if i%4 == 0 {
			return []string{"X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i)}
		}
		return []string{"X-Forwarded-For", "192.0.2.200", "Service-Client", fmt.Sprint("client ", i)}
	}
	for window := range windows {
		// Each window is asked in three parts; time stands still in each, and
		// what is left of the window is known to the nanosecond.
		left := 12 * time.Second
		granted := make([][ratelimit.Resolve + 1]int, clients)
		asked := make([][ratelimit.Resolve + 1]int, clients)
		for part := range 3 {
			wait := strconv.Itoa(int((left + time.Second - 1) / time.Second))
			var group sync.WaitGroup
			for i := range clients {
				group.Go(func() {
					random := rand.New(rand.NewPCG(uint64(window*10+part), uint64(i)))
					for n := range requests/windows/3/clients + 1 {
						what := asks[random.IntN(len(asks))]
						if part == 0 && n < len(asks) {
							what = asks[n] // each bucket's window starts here
						}
						a, err := s.try(what.method, what.path, strings.NewReader("{}"), identity(i)...)
						if err != nil {
							t.Error(err)
							return
						}
						asked[i][what.bucket]++
						switch {
						case a.status == http.StatusOK:
							granted[i][what.bucket]++
						case a.status != http.StatusTooManyRequests:
							t.Errorf("%s: %d", what.path, a.status)
						case a.header.Get("Retry-After") != wait:
							t.Errorf("%v: told to wait %s s, want %s", what.bucket, a.header.Get("Retry-After"), wait)
						}
					}
				})
			}
			group.Wait()
			step := 3700 * time.Millisecond
			time0.advance(step)
			left -= step
		}
		time0.advance(left)
		for i := range clients {
			for b := ratelimit.Read; b <= ratelimit.Resolve; b++ {
				if want := min(asked[i][b], policy.Limit(b).Requests); granted[i][b] != want {
					t.Errorf("window %d, client %d, %v: %d of %d requests were granted, want %d", window, i, b, granted[i][b], asked[i][b], want)
				}
			}
			if asked[i][ratelimit.Resolve] <= policy.Resolve.Requests {
				t.Errorf("client %d asked too little for this test", i)
			}
		}
	}
}

func TestWhoeverReachedALimitIsToldWhatToDo(t *testing.T) {
	policy := ratelimit.DefaultPolicy
	policy.Resolve = ratelimit.Limit{Requests: 1, Window: time.Minute}
	s := run(t, api(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{})}, httpapi.Options{}))
	path := "/api/v2/schemas/" + stable + "/resolve"
	if a := s.do("POST", path, strings.NewReader("{}")); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	a := s.do("POST", path, strings.NewReader("{}"))
	p := a.failure(t)
	if a.status != 429 || p.Code != problem.RateLimited || !strings.Contains(p.FixHint, "Service-Client") || !strings.Contains(p.FixHint, "Wait") {
		t.Errorf("%d %+v", a.status, p)
	}
	if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 55 || wait > 60 {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	// Preflights are never charged, other buckets are not touched, and a name
	// is counted apart.
	if a := s.do("OPTIONS", path, nil); a.status != http.StatusNoContent {
		t.Errorf("OPTIONS: %d", a.status)
	}
	if a := s.get("/api/v2/schemas"); a.status != 200 {
		t.Errorf("another bucket: %d", a.status)
	}
	if a := s.do("POST", path, strings.NewReader("{}"), "Service-Client", "me"); a.status != 200 {
		t.Errorf("with a name: %d", a.status)
	}
	if a := s.do("POST", path, strings.NewReader("{}"), "Service-Client", "Zoë"); a.status != 429 {
		t.Errorf("with a name that is none: %d", a.status)
	}
}

func TestForgedAddressesChangeNothing(t *testing.T) {
	policy := ratelimit.DefaultPolicy
	policy.Read = ratelimit.Limit{Requests: 2, Window: time.Minute}
	s := run(t, api(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{})}, httpapi.Options{}))
	for i := range 10 {
		want := 200
		if i >= 2 {
			want = 429
		}
		forged := fmt.Sprintf("198.51.100.%d", i)
		if a := s.get("/api/v2/schemas", "X-Forwarded-For", forged, "Forwarded", "for="+forged, "X-Real-Ip", forged); a.status != want {
			t.Errorf("request %d with a forged address: %d, want %d", i, a.status, want)
		}
	}
}

func TestTooManyRequestsInFlightAreRefused(t *testing.T) {
	h := newHeld(server.GuardOptions{MaxInFlight: 3, MaxInFlightPerClient: 2})
	s := run(t, server.Options{Handler: h, Guard: h.guard, Proxies: server.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}})
	var group sync.WaitGroup
	begin := func(addr string) {
		group.Go(func() {
			if a, err := s.try("GET", "/", nil, "X-Forwarded-For", addr); err != nil || a.body != "done" {
				t.Errorf("%s: %+v (%v)", addr, a, err)
			}
		})
		<-h.begun
	}
	refused := func(why, addr string) {
		t.Helper()
		a := s.get("/", "X-Forwarded-For", addr)
		if p := a.failure(t); a.status != 503 || p.Code != problem.Overloaded || a.header.Get("Retry-After") != "1" {
			t.Errorf("%s: %d %+v %v", why, a.status, p, a.header)
		}
	}
	begin("192.0.2.1")
	begin("192.0.2.1")
	refused("a third of one client", "192.0.2.1")
	begin("192.0.2.2")
	refused("a fourth in all", "192.0.2.3")
	// Health is asked for most when there is most to do.
	if a := s.get("/readyz"); a.status != 200 {
		t.Errorf("readyz: %d", a.status)
	}
	close(h.release)
	group.Wait()
	begin("192.0.2.1")
	begin("192.0.2.3")
	group.Wait()
}

func TestARequestThatIsChargedTwiceIsInFlightOnce(t *testing.T) {
	guard := server.NewGuard(server.GuardOptions{MaxInFlight: 1, MaxInFlightPerClient: 1})
	s := run(t, server.Options{Guard: guard, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			if err := guard.Admit(w, r, ratelimit.Free); err != nil {
				httpapi.WriteError(w, problemOf(err))
				return
			}
		}
	})})
	for range 3 {
		if a := s.get("/"); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}

func TestWithoutADecisionRequestsAreServed(t *testing.T) {
	logs := new(logBuffer)
	limiter := &brokenLimiter{broken: true}
	opts := api(t, server.GuardOptions{Limiter: limiter, Log: logs.logger()}, httpapi.Options{})
	s := run(t, opts)
	for range 5 {
		if a := s.get("/api/v2/schemas"); a.status != 200 {
			t.Errorf("%d", a.status)
		}
	}
	if n := strings.Count(logs.String(), "rate limiter failed"); n != 1 {
		t.Errorf("logged %d times", n)
	}
	limiter.repair()
	s.get("/api/v2/schemas")
	if !strings.Contains(logs.String(), "rate limiter recovered") {
		t.Error("the end of the failure is not logged")
	}
}

// brokenLimiter gives no decision until it is repaired.
type brokenLimiter struct {
	mu     sync.Mutex
	broken bool
}

func (l *brokenLimiter) repair() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = false
}

func (l *brokenLimiter) Take(context.Context, ratelimit.Bucket, ratelimit.Client) (ratelimit.Decision, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		return ratelimit.Decision{}, errors.New("connection refused")
	}
	return ratelimit.Decision{Allowed: true}, nil
}
