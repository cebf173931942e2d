package server

import (
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"

	"placard/internal/problem"
	"placard/internal/ratelimit"
)

// GuardOptions configure a [Guard].
type GuardOptions struct {
	Limiter    ratelimit.Limiter // nil: requests are not counted
	IPv6Prefix int               // bits of an IPv6 address that tell clients apart; default 64

	// Not more than 0 means no bound.
	MaxInFlight          int
	MaxInFlightPerClient int
	MaxBodyMemory        int64 // bytes of request bodies being held

	Metrics *Metrics     // nil: nothing is measured
	Log     *slog.Logger // default slog.Default()
}

// Bounds that suit a machine of a few gigabytes.
const (
	DefaultMaxInFlight          = 1024
	DefaultMaxInFlightPerClient = 256
	DefaultMaxBodyMemory        = 64 << 20
)

// Guard decides which requests are worked on. The faces ask it through
// [Guard.Admit]; the handler of this package gives back what it lent.
type Guard struct {
	GuardOptions
	flights *flights
	bodies  atomic.Int64 // bytes being held
	failing atomic.Bool  // the limiter gave no decision the last time
}

// NewGuard returns a guard with nothing in flight.
func NewGuard(opts GuardOptions) *Guard {
	if opts.IPv6Prefix <= 0 {
		opts.IPv6Prefix = ratelimit.DefaultIPv6Prefix
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	g := &Guard{GuardOptions: opts, flights: newFlights(opts.MaxInFlight, opts.MaxInFlightPerClient)}
	opts.Metrics.watch(g)
	return g
}

// serviceClient is the header in which a client gives itself a name.
const serviceClient = "Service-Client"

// Admit charges a request to a bucket and finds a place for it among those in
// flight. Its error is the answer to a request for which there is none; the
// headers that go with it are set. The request must have come through the
// [Handler] of this guard, which gives the place back.
func (g *Guard) Admit(w http.ResponseWriter, r *http.Request, b ratelimit.Bucket) error {
	x := exchangeOf(w)
	client := ratelimit.NewClient(x.origin.addr, r.Header.Get(serviceClient), g.IPv6Prefix)
	if err := g.charge(w, r, b, client); err != nil {
		return err
	}
	if x.flying {
		return nil // charged again, for more work in the same request
	}
	if bound := g.flights.begin(client.Addr()); bound != withinBounds {
		return g.overloaded(bound)
	}
	x.flight = client.Addr()
	x.flying = true
	return nil
}

func (g *Guard) charge(w http.ResponseWriter, r *http.Request, b ratelimit.Bucket, client ratelimit.Client) error {
	if g.Limiter == nil {
		return nil
	}
	d, err := g.Limiter.Take(r.Context(), b, client)
	if err != nil {
		// Without a decision everybody is served: the other bounds still hold.
		if !g.failing.Swap(true) {
			g.Log.Error("requests are not counted", "error", err)
		}
		return nil
	}
	if g.failing.Load() && g.failing.Swap(false) {
		g.Log.Info("requests are counted again")
	}
	if d.Allowed {
		return nil
	}
	g.Metrics.limited(b)
	seconds := d.RetryAfter()
	w.Header()[retryAfter] = []string{strconv.Itoa(seconds)}
	return problem.New(problem.RateLimited, "Too many requests.").
		Hint("Wait %d seconds, or send a %s header with a name of your own to be counted apart from others at your address.", seconds, serviceClient)
}

func (g *Guard) overloaded(bound string) error {
	g.Metrics.overloaded(bound)
	return problem.New(problem.Overloaded, "Too many requests are being answered.").Hint("Retry in a few seconds.")
}

// hold accounts for n more bytes of request bodies.
func (g *Guard) hold(n int) error {
	if held := g.bodies.Add(int64(n)); g.MaxBodyMemory > 0 && held > g.MaxBodyMemory {
		return g.overloaded(boundBodies)
	}
	return nil
}

// release gives back what a request was lent.
func (g *Guard) release(x *exchange) {
	if x.flying {
		g.flights.end(x.flight)
	}
	if x.held > 0 {
		g.bodies.Add(-x.held)
	}
}
