package server_test

import (
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

	"placard/internal/core/problem"
	"placard/internal/serve/httpapi"
	"placard/internal/serve/ratelimit"
	"placard/internal/serve/server"
	"placard/scripts/envtest"
)

func asProblem(err error) problem.Problem { return err.(problem.Problem) }

// problem returns the problem in an error response. It fails the test if the body
// is not an error envelope with exactly one problem.
func (r response) problem(t *testing.T) problem.Problem {
	t.Helper()
	var body struct {
		OK     bool         `json:"ok"`
		Errors problem.List `json:"errors"`
	}
	if err := json.Unmarshal([]byte(r.body), &body, json.RejectUnknownMembers(true)); err != nil || body.OK || len(body.Errors) != 1 {
		t.Fatalf("status %d: got body %q (%v), want an envelope with one error", r.status, r.body, err)
	}
	return body.Errors[0]
}

// fakeClock is a clock that a test advances.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// limitedRequests are requests with the bucket that each is charged to.
var limitedRequests = []struct {
	bucket       ratelimit.Bucket
	method, path string
}{
	{ratelimit.Read, "GET", "/api/v2/schemas"},
	{ratelimit.Read, "GET", "/api/v2/schemas/" + stableVersion + "/manifest"},
	{ratelimit.Read, "GET", "/api/v2/schemas/place@latest/elements?limit=3"},
	{ratelimit.Icons, "GET", "/api/v2/shapes/circle.svg"},
	{ratelimit.Icons, "HEAD", "/api/v2/schemas/" + stableVersion + "/elements/public_safety/icon.svg"},
	{ratelimit.Validate, "POST", "/api/v2/schemas/" + stableVersion + "/validate"},
	{ratelimit.Resolve, "POST", "/api/v2/schemas/" + stableVersion + "/resolve"},
	{ratelimit.Resolve, "POST", "/api/v2/schemas/" + stableVersion + "/validate_resolved"},
	{ratelimit.Resolve, "POST", "/api/v2/schemas/" + stableVersion + "/render"},
	{ratelimit.Resolve, "POST", "/api/v2/schemas/" + stableVersion + "/sign"},
}

func TestRateLimitsAreExactForConcurrentClients(t *testing.T) {
	const clients = 16
	requests, windows := 2_000, 2
	if envtest.Long {
		requests, windows = 10_000, 4
	}
	policy := ratelimit.Policy{
		Read:     ratelimit.Limit{Requests: 30, Window: 12 * time.Second},
		Icons:    ratelimit.Limit{Requests: 20, Window: 12 * time.Second},
		Validate: ratelimit.Limit{Requests: 7, Window: 12 * time.Second},
		Resolve:  ratelimit.Limit{Requests: 3, Window: 12 * time.Second},
		Names:    ratelimit.DefaultPolicy.Names,
	}
	clock := &fakeClock{now: time.Now()}
	opts := apiOptions(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{Now: clock.Now})}, httpapi.Options{})
	opts.Proxies.Trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s := startServer(t, opts)

	// A quarter of the clients have their own address; the others share one and
	// have a name.
	identity := func(i int) []string {
		if i%4 == 0 {
			return []string{"X-Forwarded-For", fmt.Sprintf("192.0.2.%d", i)}
		}
		return []string{"X-Forwarded-For", "192.0.2.200", "Service-Client", fmt.Sprint("client ", i)}
	}
	for window := range windows {
		// The clock advances only between the three parts of a window, so the
		// value of Retry-After is known exactly.
		remaining := 12 * time.Second
		granted := make([][ratelimit.Resolve + 1]int, clients)
		sent := make([][ratelimit.Resolve + 1]int, clients)
		for part := range 3 {
			wait := strconv.Itoa(int((remaining + time.Second - 1) / time.Second))
			var group sync.WaitGroup
			for i := range clients {
				group.Go(func() {
					random := rand.New(rand.NewPCG(uint64(window*10+part), uint64(i)))
					for n := range requests/windows/3/clients + 1 {
						request := limitedRequests[random.IntN(len(limitedRequests))]
						if part == 0 && n < len(limitedRequests) {
							request = limitedRequests[n] // start the window of every bucket
						}
						resp, err := s.try(request.method, request.path, strings.NewReader("{}"), identity(i)...)
						if err != nil {
							t.Error(err)
							return
						}
						sent[i][request.bucket]++
						switch {
						case resp.status == http.StatusOK:
							granted[i][request.bucket]++
						case resp.status != http.StatusTooManyRequests:
							t.Errorf("%s: got status %d, want 200 or 429", request.path, resp.status)
						case resp.header.Get("Retry-After") != wait:
							t.Errorf("%v: got Retry-After %s, want %s", request.bucket, resp.header.Get("Retry-After"), wait)
						}
					}
				})
			}
			group.Wait()
			step := 3700 * time.Millisecond
			clock.advance(step)
			remaining -= step
		}
		clock.advance(remaining)
		for i := range clients {
			for b := ratelimit.Read; b <= ratelimit.Resolve; b++ {
				if want := min(sent[i][b], policy.Limit(b).Requests); granted[i][b] != want {
					t.Errorf("window %d, client %d, %v: got %d of %d requests granted, want %d", window, i, b, granted[i][b], sent[i][b], want)
				}
			}
			if sent[i][ratelimit.Resolve] <= policy.Resolve.Requests {
				t.Errorf("client %d sent %d requests, want more than the limit of %d", i, sent[i][ratelimit.Resolve], policy.Resolve.Requests)
			}
		}
	}
}

func TestRateLimitedResponseExplainsWhatToDo(t *testing.T) {
	policy := ratelimit.DefaultPolicy
	policy.Resolve = ratelimit.Limit{Requests: 1, Window: time.Minute}
	s := startServer(t, apiOptions(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{})}, httpapi.Options{}))
	path := "/api/v2/schemas/" + stableVersion + "/resolve"
	if resp := s.do("POST", path, strings.NewReader("{}")); resp.status != 200 {
		t.Fatalf("first request: got %d %s, want 200", resp.status, resp.body)
	}
	resp := s.do("POST", path, strings.NewReader("{}"))
	p := resp.problem(t)
	if resp.status != 429 || p.Code != problem.RateLimited || !strings.Contains(p.FixHint, "Service-Client") || !strings.Contains(p.FixHint, "Wait") {
		t.Errorf("second request: got %d %+v, want 429 with a hint about Service-Client", resp.status, p)
	}
	if wait, err := strconv.Atoi(resp.header.Get("Retry-After")); err != nil || wait < 55 || wait > 60 {
		t.Errorf("got Retry-After %q, want 55 to 60", resp.header.Get("Retry-After"))
	}
	// Preflight requests, other buckets and other client names are not limited.
	if resp := s.do("OPTIONS", path, nil); resp.status != http.StatusNoContent {
		t.Errorf("OPTIONS: got status %d, want 204", resp.status)
	}
	if resp := s.get("/api/v2/schemas"); resp.status != 200 {
		t.Errorf("another bucket: got status %d, want 200", resp.status)
	}
	if resp := s.do("POST", path, strings.NewReader("{}"), "Service-Client", "me"); resp.status != 200 {
		t.Errorf("with a client name: got status %d, want 200", resp.status)
	}
	if p := s.do("POST", path, strings.NewReader("{}"), "Service-Client", "me").problem(t); p.Code != problem.RateLimited || strings.Contains(p.FixHint, "Service-Client") {
		t.Errorf("again with a client name: got %+v, want rate_limited without a hint to send a name", p)
	}
	if resp := s.do("POST", path, strings.NewReader("{}"), "Service-Client", "Zoë"); resp.status != 429 {
		t.Errorf("with an invalid client name: got status %d, want 429", resp.status)
	}
}

func TestForgedAddressesAreIgnored(t *testing.T) {
	policy := ratelimit.DefaultPolicy
	policy.Read = ratelimit.Limit{Requests: 2, Window: time.Minute}
	s := startServer(t, apiOptions(t, server.GuardOptions{Limiter: ratelimit.NewMemory(policy, ratelimit.MemoryOptions{})}, httpapi.Options{}))
	for i := range 10 {
		want := 200
		if i >= 2 {
			want = 429
		}
		forged := fmt.Sprintf("198.51.100.%d", i)
		if resp := s.get("/api/v2/schemas", "X-Forwarded-For", forged, "Forwarded", "for="+forged, "X-Real-Ip", forged); resp.status != want {
			t.Errorf("request %d: got status %d, want %d", i, resp.status, want)
		}
	}
}

func TestRequestsInFlightAreLimited(t *testing.T) {
	h := newBlockingHandler(server.GuardOptions{MaxInFlight: 3, MaxInFlightPerClient: 2})
	s := startServer(t, server.Options{Handler: h, Guard: h.guard, Proxies: server.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}})
	var group sync.WaitGroup
	startRequest := func(addr string) {
		group.Go(func() {
			if resp, err := s.try("GET", "/", nil, "X-Forwarded-For", addr); err != nil || resp.body != "done" {
				t.Errorf("%s: got %+v (%v), want the body %q", addr, resp, err, "done")
			}
		})
		<-h.started
	}
	expectRefused := func(name, addr string) {
		t.Helper()
		resp := s.get("/", "X-Forwarded-For", addr)
		if p := resp.problem(t); resp.status != 503 || p.Code != problem.Overloaded || resp.header.Get("Retry-After") != "1" {
			t.Errorf("%s: got %d %+v with headers %v, want 503 overloaded with Retry-After: 1", name, resp.status, p, resp.header)
		}
	}
	startRequest("192.0.2.1")
	startRequest("192.0.2.1")
	expectRefused("third request of a client", "192.0.2.1")
	startRequest("192.0.2.2")
	expectRefused("fourth request in total", "192.0.2.3")
	// Health checks are never refused.
	if resp := s.get("/readyz"); resp.status != 200 {
		t.Errorf("readyz: got status %d, want 200", resp.status)
	}
	close(h.unblock)
	group.Wait()
	startRequest("192.0.2.1")
	startRequest("192.0.2.3")
	group.Wait()
}

func TestRequestChargedTwiceIsInFlightOnce(t *testing.T) {
	guard := server.NewGuard(server.GuardOptions{MaxInFlight: 1, MaxInFlightPerClient: 1})
	s := startServer(t, server.Options{Guard: guard, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			if _, err := guard.Admit(w, r, ratelimit.Free); err != nil {
				httpapi.WriteError(w, asProblem(err))
				return
			}
		}
	})})
	for range 3 {
		if resp := s.get("/"); resp.status != 200 {
			t.Errorf("got %d %s, want status 200", resp.status, resp.body)
		}
	}
}
