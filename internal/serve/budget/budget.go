// Package budget limits the time spent on one request. Code that knows nothing
// about time limits calls [Meter.Step] regularly, as a function value, and
// stops when it returns an error. Package budget knows nothing about HTTP.
package budget

import (
	"runtime"
	"time"

	"placard/internal/core/problem"
)

// Budget is the time that processing one request may take once the request has
// been read. A zero duration means no limit.
type Budget struct {
	Wall time.Duration // elapsed time
	CPU  time.Duration // processor time
}

// The budgets of each kind of request.
var (
	Read     = Budget{Wall: 2 * time.Second}
	Validate = Budget{Wall: 5 * time.Second}
	Resolve  = Budget{Wall: 5 * time.Second, CPU: 500 * time.Millisecond}
)

// gracePeriod is the elapsed time after which processor time is measured. Most
// requests finish earlier and avoid the cost of measuring.
const gracePeriod = 2 * time.Millisecond

// Meter measures the time spent on one request. It must be used only by the
// goroutine that started it.
type Meter struct {
	budget  Budget
	started time.Time
	cpu     time.Duration // thread time at the presumed start of processing
	pool    *Pool         // holds a slot for this meter, if not nil
	share   *share        // the client's share of the pool, if clients are limited
	locked  bool          // the goroutine is locked to its thread
}

// Start starts a meter.
func (b Budget) Start() Meter {
	return Meter{budget: b, started: time.Now()}
}

// Step returns nil while the request is within its budget, and then a problem
// with code timeout. It takes less than a microsecond.
//
// If processor time is limited, the first Step after two milliseconds locks the
// goroutine to its thread until [Meter.Stop], because processor time is measured
// per thread. The time before that Step counts as two milliseconds, so a request
// exceeds its budget at most by the time between two Steps.
func (m *Meter) Step() error {
	if m.budget == (Budget{}) {
		return nil
	}
	elapsed := time.Since(m.started)
	if m.budget.Wall > 0 && elapsed > m.budget.Wall {
		return problem.New(problem.Timeout, "The request took longer than %v.", m.budget.Wall).
			Hint("Retry. If this persists, request less data at a time.")
	}
	if m.budget.CPU == 0 || elapsed <= gracePeriod {
		return nil
	}
	if !m.locked {
		runtime.LockOSThread()
		m.locked = true
		m.cpu = threadTime(m.started) - gracePeriod
	}
	if threadTime(m.started)-m.cpu > m.budget.CPU {
		return problem.New(problem.Timeout, "The request used more than %v of processor time.", m.budget.CPU).
			Hint("Send a smaller document.")
	}
	return nil
}

// Exclude subtracts time from the elapsed time, such as that spent waiting for
// something that the client did not cause.
func (m *Meter) Exclude(d time.Duration) { m.started = m.started.Add(d) }

// Stop releases the thread and the pool slot, if any. It may be called more
// than once.
func (m *Meter) Stop() {
	if m.locked {
		runtime.UnlockOSThread()
		m.locked = false
	}
	if m.pool != nil {
		m.pool.release(m.share)
		m.pool, m.share = nil, nil
	}
}
