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

// burn uses the processor until step says no, or for d by the clock.
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

func TestWorkIsStoppedWhenTheClockSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Budget{Wall: 2 * time.Second}.Start()
		defer m.Stop()
		time.Sleep(2 * time.Second)
		if err := m.Step(); err != nil {
			t.Errorf("exactly the budget is over it: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if err := m.Step(); code(err) != problem.Timeout {
			t.Errorf("over the budget: %v", err)
		}
	})
}

func TestWorkIsStoppedWhenItUsesTheProcessorTooLong(t *testing.T) {
	m := Budget{Wall: time.Minute, CPU: 20 * time.Millisecond}.Start()
	defer m.Stop()
	if err := burn(m.Step, 50*time.Second); code(err) != problem.Timeout {
		t.Errorf("burnt for 50 s: %v", err)
	}
}

func TestTheWorkOfOthersIsNotCounted(t *testing.T) {
	m := Budget{CPU: 20 * time.Millisecond}.Start()
	defer m.Stop()
	if err := burn(m.Step, 2*soon); err != nil || !m.locked {
		t.Fatalf("processor time is counted: %t; %v", m.locked, err)
	}
	var others sync.WaitGroup
	others.Go(func() {
		_ = burn(func() error { return nil }, 60*time.Millisecond)
	})
	others.Wait()
	if err := m.Step(); err != nil {
		t.Errorf("waiting for 60 ms: %v", err)
	}
}

func TestProcessorTimeIsCountedOnceWorkTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Resolve.Start()
		defer m.Stop()
		for _, at := range []struct {
			sleep  time.Duration
			counts bool
		}{{0, false}, {soon, false}, {time.Nanosecond, true}, {time.Second, true}} {
			time.Sleep(at.sleep)
			if err := m.Step(); err != nil || m.locked != at.counts {
				t.Errorf("%v later it is counted: %t, want %t; %v", at.sleep, m.locked, at.counts, err)
			}
		}
		m.Stop()
		if m.locked {
			t.Error("the goroutine stays on its thread after Stop")
		}
	})
}

func TestWhatWentBeforeTheCountingIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Budget{CPU: soon - time.Nanosecond}.Start()
		defer m.Stop()
		time.Sleep(soon + time.Nanosecond)
		if err := m.Step(); code(err) != problem.Timeout {
			t.Errorf("%v of a budget of %v: %v", soon, soon-time.Nanosecond, err)
		}
	})
}

func TestNoBudgetNeverStops(t *testing.T) {
	m := Budget{}.Start()
	defer m.Stop()
	if err := burn(m.Step, 5*time.Millisecond); err != nil {
		t.Error(err)
	}
}

func TestAPoolLetsSoManyWorkAtATime(t *testing.T) {
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
			t.Errorf("a third, waiting in vain: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Start(gone, Budget{Wall: time.Second}); !errors.Is(err, context.Canceled) {
			t.Errorf("a third whose client has gone: %v", err)
		}

		time.AfterFunc(3*time.Second, first.Stop)
		third, err := p.Start(t.Context(), Budget{Wall: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if err := third.Step(); err != nil {
			t.Errorf("5 s after it came: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if err := third.Step(); code(err) != problem.Timeout {
			t.Errorf("waiting is not counted: %v", err)
		}

		second.Stop()
		second.Stop()
		if len(p.places) != 1 {
			t.Errorf("%d places are taken, want that of the third", len(p.places))
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
