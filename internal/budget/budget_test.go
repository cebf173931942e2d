package budget

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/problem"
)

func code(err error) problem.Code {
	var p problem.Problem
	errors.As(err, &p)
	return p.Code
}

// burn uses processor time until step returns an error or d has elapsed.
func burn(step func() error, d time.Duration) error {
	for start := time.Now(); time.Since(start) < d; {
		if err := step(); err != nil {
			return err
		}
		for i := range 1000 {
			sink += i
		}
	}
	return nil
}

var sink int

func TestStepFailsAfterTheElapsedTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Budget{Wall: 2 * time.Second}.Start()
		defer m.Stop()
		time.Sleep(2 * time.Second)
		if err := m.Step(); err != nil {
			t.Errorf("Step exactly at the limit: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if err := m.Step(); code(err) != problem.Timeout {
			t.Errorf("Step after the limit: got %v, want a timeout", err)
		}
	})
}

func TestStepFailsAfterTheProcessorTimeLimit(t *testing.T) {
	m := Budget{Wall: time.Minute, CPU: 20 * time.Millisecond}.Start()
	defer m.Stop()
	if err := burn(m.Step, 50*time.Second); code(err) != problem.Timeout {
		t.Errorf("got %v, want a timeout within 50 s", err)
	}
}

func TestProcessorTimeOfOtherGoroutinesDoesNotCount(t *testing.T) {
	m := Budget{CPU: 20 * time.Millisecond}.Start()
	defer m.Stop()
	for !m.locked {
		if err := m.Step(); err != nil {
			t.Fatal(err)
		}
	}
	var others sync.WaitGroup
	others.Go(func() {
		_ = burn(func() error { return nil }, 60*time.Millisecond)
	})
	others.Wait()
	if err := m.Step(); err != nil {
		t.Errorf("Step after waiting for another goroutine: %v", err)
	}
}

func TestProcessorTimeIsMeasuredAfterTheGracePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Resolve.Start()
		defer m.Stop()
		for _, tc := range []struct {
			sleep  time.Duration
			locked bool
		}{{0, false}, {gracePeriod, false}, {time.Nanosecond, true}, {time.Second, true}} {
			time.Sleep(tc.sleep)
			if err := m.Step(); err != nil || m.locked != tc.locked {
				t.Errorf("after sleeping %v: locked = %t, want %t; error %v", tc.sleep, m.locked, tc.locked, err)
			}
		}
		m.Stop()
		if m.locked {
			t.Error("the goroutine is still locked to its thread after Stop")
		}
	})
}

func TestTheGracePeriodCountsAsProcessorTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Budget{CPU: gracePeriod - time.Nanosecond}.Start()
		defer m.Stop()
		time.Sleep(gracePeriod + time.Nanosecond)
		if err := m.Step(); code(err) != problem.Timeout {
			t.Errorf("got %v, want a timeout", err)
		}
	})
}

func TestTheZeroBudgetHasNoLimit(t *testing.T) {
	m := Budget{}.Start()
	defer m.Stop()
	if err := burn(m.Step, 5*time.Millisecond); err != nil {
		t.Error(err)
	}
}

func TestPoolLimitsConcurrentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(2)
		first, err := p.Start(t.Context(), Budget{Wall: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		second, err := p.Start(t.Context(), Budget{Wall: time.Minute})
		if err != nil {
			t.Fatal(err)
		}

		if _, err := p.Start(t.Context(), Budget{Wall: time.Second}); code(err) != problem.Overloaded {
			t.Errorf("third request without a free slot: got %v, want overloaded", err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Start(canceled, Budget{Wall: time.Second}); !errors.Is(err, context.Canceled) {
			t.Errorf("third request with a canceled context: got %v, want %v", err, context.Canceled)
		}

		time.AfterFunc(3*time.Second, first.Stop)
		third, err := p.Start(t.Context(), Budget{Wall: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if err := third.Step(); err != nil {
			t.Errorf("Step 5 s after Start: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if err := third.Step(); code(err) != problem.Timeout {
			t.Errorf("Step more than 5 s after Start: got %v, want a timeout", err)
		}

		second.Stop()
		second.Stop()
		if len(p.slots) != 1 {
			t.Errorf("%d slots are taken, want 1", len(p.slots))
		}
		third.Stop()
	})
}

func BenchmarkStep(b *testing.B) {
	m := Budget{Wall: time.Hour, CPU: time.Hour}.Start()
	defer m.Stop()
	b.ReportAllocs()
	for b.Loop() {
		_ = m.Step()
	}
}

func BenchmarkStartAndStop(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		m := Read.Start()
		_ = m.Step()
		m.Stop()
	}
}
