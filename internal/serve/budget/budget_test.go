package budget

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/core/problem"
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
			t.Errorf("Step exactly at the limit: got %v, want nil", err)
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
		t.Errorf("Step after waiting for another goroutine: got %v, want nil", err)
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
				t.Errorf("after sleeping %v: locked = %t (%v), want %t", tc.sleep, m.locked, err, tc.locked)
			}
		}
		m.Stop()
		if m.locked {
			t.Error("after Stop: locked = true, want false")
		}
	})
}

func TestGracePeriodCountsAsProcessorTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Budget{CPU: gracePeriod - time.Nanosecond}.Start()
		defer m.Stop()
		time.Sleep(gracePeriod + time.Nanosecond)
		if err := m.Step(); code(err) != problem.Timeout {
			t.Errorf("got %v, want a timeout", err)
		}
	})
}

func TestZeroBudgetHasNoLimit(t *testing.T) {
	m := Budget{}.Start()
	defer m.Stop()
	if err := burn(m.Step, 5*time.Millisecond); err != nil {
		t.Error(err)
	}
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
