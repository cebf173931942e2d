package server

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"

	"placard/internal/core/problem"
	"placard/internal/serve/ratelimit"
)

// GuardOptions configures a [Guard].
type GuardOptions struct {
	Limiter    ratelimit.Limiter // nil for no rate limits
	IPv6Prefix int               // bits of an IPv6 address that identify a client; default 64

	// There is no limit if these are not positive. A request is in flight from
	// the end of its body to the end of its response; the limit per client
	// includes requests whose body is incomplete.
	MaxInFlight            int
	MaxInFlightPerClient   int
	MaxBodyMemory          int64 // total bytes of the buffers for request bodies
	MaxBodyMemoryPerClient int64

	Metrics *Metrics     // may be nil
	Log     *slog.Logger // default slog.Default()
}

// Default limits, for a machine with a few gigabytes of memory.
const (
	DefaultMaxInFlight          = 1024
	DefaultMaxInFlightPerClient = 256
	DefaultMaxBodyMemory        = 64 << 20
)

// Guard applies rate limits and limits the requests in flight and the memory of
// their bodies. REST and MCP call [Guard.Admit]; [Handler] releases the resources
// of a request when it ends.
type Guard struct {
	GuardOptions
	inFlight   atomic.Int64 // requests
	bodyMemory atomic.Int64 // bytes
	clients    *clientUsage
}

// NewGuard returns a guard with the given options.
func NewGuard(opts GuardOptions) *Guard {
	if opts.IPv6Prefix <= 0 {
		opts.IPv6Prefix = ratelimit.DefaultIPv6Prefix
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	g := &Guard{GuardOptions: opts, clients: newClientUsage(usage{opts.MaxInFlightPerClient, opts.MaxBodyMemoryPerClient})}
	opts.Metrics.registerGuard(g)
	return g
}

// serviceClient is the header in which clients send a name of their choice.
const serviceClient = "Service-Client"

// Admit charges a request to a bucket and counts it until it ends. A request with
// a body is in flight only when the body is complete, so that clients with slow
// bodies do not use up the limit. If the request exceeds a limit, Admit returns a
// [problem.Problem] for the response; for rate limits it also sets Retry-After.
// The request must come from the [Handler] that has this guard in its options.
// The returned address identifies the client; IPv6 addresses are reduced to their
// network.
func (g *Guard) Admit(w http.ResponseWriter, r *http.Request, b ratelimit.Bucket) (netip.Addr, error) {
	x := exchangeOf(w)
	client := ratelimit.NewClient(x.origin.addr, r.Header.Get(serviceClient), g.IPv6Prefix)
	if err := g.charge(w, r, b, client); err != nil {
		return client.Addr(), err
	}
	if x.admitted {
		return client.Addr(), nil // an additional charge for the same request
	}
	x.client = client.Addr()
	if !g.clients.add(x.client, usage{requests: 1}) {
		return x.client, g.overloaded(boundPerClient)
	}
	x.admitted = true
	if x.body != nil && !x.bodyRead {
		return x.client, nil
	}
	return x.client, g.start(x)
}

func (g *Guard) charge(w http.ResponseWriter, r *http.Request, b ratelimit.Bucket, client ratelimit.Client) error {
	if g.Limiter == nil {
		return nil
	}
	d := g.Limiter.Take(r.Context(), b, client)
	if d.Allowed {
		return nil
	}
	g.Metrics.limited(b)
	seconds := d.RetryAfter()
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	limited := problem.New(problem.RateLimited, "Too many requests.")
	if client.Name() != "" {
		return limited.Hint("Wait %d seconds.", seconds)
	}
	return limited.
		Hint("Wait %d seconds, or send a %s header with a name of your choice to be counted separately from other clients at your address.", seconds, serviceClient)
}

// Values of the label "bound" of placard_overload_refusals_total.
const (
	boundInFlight        = "in_flight"
	boundPerClient       = "in_flight_per_client"
	boundBodies          = "bodies"
	boundBodiesPerClient = "bodies_per_client"
)

func (g *Guard) overloaded(bound string) error {
	g.Metrics.overloaded(bound)
	return problem.New(problem.Overloaded, "Too many requests are in progress.").Hint("Retry in a few seconds.")
}

// start counts a request as in flight.
func (g *Guard) start(x *exchange) error {
	if n := g.inFlight.Add(1); g.MaxInFlight > 0 && n > int64(g.MaxInFlight) {
		g.inFlight.Add(-1)
		return g.overloaded(boundInFlight)
	}
	x.inFlight = true
	return nil
}

// reserveBody counts n more bytes of memory for the body of a request.
func (g *Guard) reserveBody(x *exchange, n int64) error {
	if !x.admitted {
		x.client = ratelimit.NewClient(x.origin.addr, "", g.IPv6Prefix).Addr()
	}
	if total := g.bodyMemory.Add(n); g.MaxBodyMemory > 0 && total > g.MaxBodyMemory {
		g.bodyMemory.Add(-n)
		return g.overloaded(boundBodies)
	}
	if !g.clients.add(x.client, usage{bodies: n}) {
		g.bodyMemory.Add(-n)
		return g.overloaded(boundBodiesPerClient)
	}
	x.bodyMemory += n
	return nil
}

// release returns the resources of a request.
func (g *Guard) release(x *exchange) {
	used := usage{bodies: x.bodyMemory}
	if x.admitted {
		used.requests = 1
	}
	g.clients.remove(x.client, used)
	if x.inFlight {
		g.inFlight.Add(-1)
	}
	if x.bodyMemory > 0 {
		g.bodyMemory.Add(-x.bodyMemory)
	}
}
