package budget

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"placard/internal/core/problem"
)

func TestPoolLimitsConcurrentRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(2, 0)
		first, err := p.Start(t.Context(), netip.Addr{}, Budget{Wall: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		second, err := p.Start(t.Context(), netip.Addr{}, Budget{Wall: time.Minute})
		if err != nil {
			t.Fatal(err)
		}

		if _, err := p.Start(t.Context(), netip.Addr{}, Budget{Wall: time.Second}); code(err) != problem.Overloaded {
			t.Errorf("third request without a free slot: got %v, want overloaded", err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Start(canceled, netip.Addr{}, Budget{Wall: time.Second}); !errors.Is(err, context.Canceled) {
			t.Errorf("third request with a canceled context: got %v, want %v", err, context.Canceled)
		}

		time.AfterFunc(3*time.Second, first.Stop)
		third, err := p.Start(t.Context(), netip.Addr{}, Budget{Wall: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if err := third.Step(); err != nil {
			t.Errorf("Step 5 s after Start: got %v, want nil", err)
		}
		time.Sleep(time.Nanosecond)
		if err := third.Step(); code(err) != problem.Timeout {
			t.Errorf("Step more than 5 s after Start: got %v, want a timeout", err)
		}

		second.Stop()
		second.Stop()
		if len(p.slots) != 1 {
			t.Errorf("got %d slots in use, want 1", len(p.slots))
		}
		third.Stop()
	})
}

var (
	greedy = netip.MustParseAddr("192.0.2.1")
	other  = netip.MustParseAddr("192.0.2.2")
)

func TestPoolLimitsSlotsPerClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(16, 0)
		var group sync.WaitGroup
		started := make(chan Meter, 100)
		for range 20 {
			group.Go(func() {
				m, err := p.Start(t.Context(), greedy, Budget{Wall: time.Minute})
				if err != nil {
					t.Error(err)
					return
				}
				started <- m
			})
		}
		synctest.Wait()
		if len(started) != 2 {
			t.Errorf("a client has %d of 16 slots, want 2", len(started))
		}
		before := time.Now()
		m, err := p.Start(t.Context(), other, Budget{Wall: time.Minute})
		if err != nil || time.Since(before) > 0 {
			t.Errorf("another client: got %v after %v, want a slot at once", err, time.Since(before))
		}
		m.Stop()
		for range 20 {
			m := <-started
			m.Stop()
		}
		group.Wait()
		if len(p.slots) != 0 || len(p.shares) != 0 {
			t.Errorf("%d slots and %d shares remain, want 0", len(p.slots), len(p.shares))
		}
	})
}

func TestPoolLimitsWaitingRequestsPerClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(8, 1)
		m, err := p.Start(t.Context(), greedy, Budget{})
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for range maxWaiting {
			group.Go(func() {
				if _, err := p.Start(t.Context(), greedy, Budget{Wall: time.Minute}); code(err) != problem.Overloaded {
					t.Errorf("waiting request: got %v, want overloaded", err)
				}
			})
		}
		synctest.Wait()
		before := time.Now()
		if _, err := p.Start(t.Context(), greedy, Budget{Wall: time.Minute}); code(err) != problem.Overloaded || time.Since(before) > 0 {
			t.Errorf("one request too many: got %v after %v, want overloaded at once", err, time.Since(before))
		}
		group.Wait()
		m.Stop()
		if len(p.shares) != 0 {
			t.Errorf("%d shares remain, want 0", len(p.shares))
		}
	})
}

func TestNewPoolDefaults(t *testing.T) {
	for _, test := range []struct{ n, perClient, want int }{
		{4, 0, 1}, {8, 0, 1}, {64, 0, 8}, {64, 3, 3}, {4, 4, 4}, {4, 5, 0}, {1, 0, 1},
	} {
		if p := NewPool(test.n, test.perClient); p.perClient != test.want || cap(p.slots) != test.n {
			t.Errorf("NewPool(%d, %d) has %d slots, %d per client, want %d, %d", test.n, test.perClient, cap(p.slots), p.perClient, test.n, test.want)
		}
	}
}

func TestPoolWithoutLimitsPerClient(t *testing.T) {
	for name, test := range map[string]struct {
		pool   *Pool
		client netip.Addr
	}{
		"limits disabled": {NewPool(4, 5), greedy},
		"no address":      {NewPool(4, 1), netip.Addr{}},
	} {
		for i := range 4 {
			if _, err := test.pool.Start(t.Context(), test.client, Budget{Wall: time.Minute}); err != nil {
				t.Errorf("%s: request %d: got %v, want nil", name, i, err)
			}
		}
	}
}
