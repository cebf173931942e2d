// Package budget is how long the work for one request may take. Code that does
// not know about time asks a [Meter] now and then, through a function, whether
// to go on. Package budget knows nothing of HTTP.
package budget

import (
	"context"
	"runtime"
	"time"

	"placard/internal/problem"
)

// Budget is what the work for one request may take, from when the request has
// been read.
type Budget struct {
	Wall time.Duration // by the clock; 0: no bound
	CPU  time.Duration // of a processor; 0: no bound
}

// The budgets of the kinds of requests.
var (
	Read     = Budget{Wall: 2 * time.Second}
	Validate = Budget{Wall: 5 * time.Second}
	Resolve  = Budget{Wall: 5 * time.Second, CPU: 500 * time.Millisecond}
)

// soon is how long work may go on before its processor time is counted. Most is
// done by then, and never pays for the counting.
const soon = 2 * time.Millisecond

// Meter measures the work for one request. It belongs to the goroutine that
// started it.
type Meter struct {
	budget  Budget
	started time.Time
	cpu     time.Duration // of the thread, when work is held to have begun
	pool    *Pool         // where a place is held
	locked  bool
}

// Start begins to measure.
func (b Budget) Start() Meter {
	return Meter{budget: b, started: time.Now()}
}

// Step returns nil while the work is within its budget, and a problem with code
// timeout after that. It takes less than a microsecond.
//
// Where processor time is bounded, the first Step after two milliseconds keeps
// the goroutine on its thread until [Meter.Stop], because it is threads that
// have a clock for it. What went before counts as two milliseconds: work gets
// not more than its budget says, but for what passes between two Steps.
func (m *Meter) Step() error {
	if m.budget == (Budget{}) {
		return nil
	}
	passed := time.Since(m.started)
	if m.budget.Wall > 0 && passed > m.budget.Wall {
		return problem.New(problem.Timeout, "The request took longer than %v.", m.budget.Wall).
			Hint("Retry. If this persists, request less data at a time.")
	}
	if m.budget.CPU == 0 || passed <= soon {
		return nil
	}
	if !m.locked {
		runtime.LockOSThread()
		m.locked = true
		m.cpu = threadTime(m.started) - soon
	}
	if threadTime(m.started)-m.cpu > m.budget.CPU {
		return problem.New(problem.Timeout, "The request used more than %v of processor time.", m.budget.CPU).
			Hint("Send a smaller document.")
	}
	return nil
}

// Stop ends the work. It may be called more than once.
func (m *Meter) Stop() {
	if m.locked {
		runtime.UnlockOSThread()
		m.locked = false
	}
	if m.pool != nil {
		<-m.pool.places
		m.pool = nil
	}
}

// Pool lets only so much heavy work be done at a time: what is begun gets done,
// instead of everything being too late.
type Pool struct{ places chan struct{} }

// NewPool returns a pool with n places; not more than 0 means two for each
// processor.
func NewPool(n int) *Pool {
	if n <= 0 {
		n = 2 * runtime.GOMAXPROCS(0)
	}
	return &Pool{make(chan struct{}, n)}
}

// Start begins to measure work, after waiting for a place. Waiting counts as
// the clock does. A request that waits in vain gets a problem with code
// overloaded, and one whose client has gone ctx's error.
func (p *Pool) Start(ctx context.Context, b Budget) (Meter, error) {
	started := time.Now()
	select {
	case p.places <- struct{}{}:
	default:
		if err := p.wait(ctx, b.Wall); err != nil {
			return Meter{}, err
		}
	}
	return Meter{budget: b, started: started, pool: p}, nil
}

func (p *Pool) wait(ctx context.Context, atMost time.Duration) error {
	var over <-chan time.Time
	if atMost > 0 {
		timer := time.NewTimer(atMost)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case p.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-over:
		return problem.New(problem.Overloaded, "Too many documents are being processed.").Hint("Retry in a few seconds.")
	}
}
