package budget

import (
	"context"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"placard/internal/core/problem"
)

// Pool limits the number of expensive requests processed at the same time, so
// that under load some requests complete instead of all of them timing out. Each
// client has a share of the slots, so that one client cannot delay all others.
type Pool struct {
	slots     chan struct{}
	perClient int // maximum number of slots of one client; 0 for no limit

	mu     sync.Mutex
	shares map[netip.Addr]*share
}

// share is the share of one client. It exists while the client has requests.
type share struct {
	client   netip.Addr
	slots    chan struct{}
	requests int // requests that have a slot or wait for one
}

// maxWaiting is the maximum number of requests of one client that wait for a slot.
// It is an eighth of the default limit on requests in flight.
const maxWaiting = 128

// NewPool returns a pool with n slots, of which one client can have perClient. If
// n is not positive, the pool has two slots per processor. If perClient is not
// positive, it is an eighth of the slots, but at least one. If it is larger than
// n, clients are not limited.
func NewPool(n, perClient int) *Pool {
	if n <= 0 {
		n = 2 * runtime.GOMAXPROCS(0)
	}
	if perClient <= 0 {
		perClient = max(1, n/8)
	}
	if perClient > n {
		perClient = 0
	}
	return &Pool{slots: make(chan struct{}, n), perClient: perClient, shares: make(map[netip.Addr]*share)}
}

// Start waits for a free slot and starts a meter. The wait counts as elapsed
// time. Start returns a problem with code overloaded if no slot becomes free
// within the budget or if too many requests of the client are waiting already,
// and ctx.Err() if ctx is done first. The zero Addr is a client without a limit.
func (p *Pool) Start(ctx context.Context, client netip.Addr, b Budget) (Meter, error) {
	m := Meter{budget: b, started: time.Now()}
	if p.perClient > 0 && client.IsValid() {
		s, err := p.join(client)
		if err != nil {
			return Meter{}, err
		}
		if err := m.acquire(ctx, s.slots); err != nil {
			p.leave(s)
			return Meter{}, err
		}
		m.share = s
	}
	if err := m.acquire(ctx, p.slots); err != nil {
		if m.share != nil {
			<-m.share.slots
			p.leave(m.share)
		}
		return Meter{}, err
	}
	m.pool = p
	return m, nil
}

// join counts a request of a client.
func (p *Pool) join(client netip.Addr) (*share, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.shares[client]
	if s == nil {
		s = &share{client: client, slots: make(chan struct{}, p.perClient)}
		p.shares[client] = s
	}
	if s.requests >= p.perClient+maxWaiting {
		return nil, overloaded()
	}
	s.requests++
	return s, nil
}

// leave ends a request counted by join.
func (p *Pool) leave(s *share) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.requests--; s.requests == 0 {
		delete(p.shares, s.client)
	}
}

// release returns a slot, and the slot of the share if s is not nil.
func (p *Pool) release(s *share) {
	<-p.slots
	if s != nil {
		<-s.slots
		p.leave(s)
	}
}

// acquire waits for a free slot within the budget.
func (m *Meter) acquire(ctx context.Context, slots chan<- struct{}) error {
	select {
	case slots <- struct{}{}:
		return nil
	default:
	}
	var expired <-chan time.Time
	if m.budget.Wall > 0 {
		timer := time.NewTimer(time.Until(m.started.Add(m.budget.Wall)))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-expired:
		return overloaded()
	}
}

func overloaded() error {
	return problem.New(problem.Overloaded, "Too many documents are being processed.").Hint("Retry in a few seconds.")
}
