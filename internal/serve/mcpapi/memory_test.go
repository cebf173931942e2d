package mcpapi_test

import (
	"context"
	"testing"
	"time"

	"placard/internal/serve/mcpapi"
	"placard/internal/serve/mcpapi/sessiontest"
)

// fakeClock is a clock that tests advance.
type fakeClock struct{ now time.Time }

func (c *fakeClock) Now() time.Time { return c.now }

func put(t testing.TB, m mcpapi.SessionStore, key, value string) {
	t.Helper()
	if _, err := m.Put(context.Background(), key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, m mcpapi.SessionStore, key string) string {
	t.Helper()
	value, err := m.Get(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}

func TestMemoryContract(t *testing.T) {
	sessiontest.Run(t, func(_ *testing.T, opts mcpapi.MemoryOptions) sessiontest.Backend {
		c := &fakeClock{time.Unix(0, 0)}
		opts.Now = c.Now
		m := mcpapi.NewMemory(opts)
		return sessiontest.Backend{
			Open:    func() mcpapi.SessionStore { return m },
			Advance: func(d time.Duration) { c.now = c.now.Add(d) },
		}
	})
}

func TestValuesExpireAnHourAfterTheirLastUse(t *testing.T) {
	c := &fakeClock{time.Unix(0, 0)}
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{Now: c.Now})
	put(t, m, "a", "A")
	c.now = c.now.Add(time.Hour - 1)
	if get(t, m, "a") != "A" {
		t.Error("the value expired within an hour")
	}
	c.now = c.now.Add(time.Hour)
	if get(t, m, "a") != "" {
		t.Error("the value did not expire after an hour")
	}
}

func TestMemoryKeepsNoUnusedCapacity(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{})
	if _, err := m.Put(t.Context(), "a", make([]byte, 100_000, 1_000_000)); err != nil {
		t.Fatal(err)
	}
	value, err := m.Get(t.Context(), "a")
	if err != nil || len(value) != 100_000 || cap(value) > 120_000 {
		t.Errorf("got a value of %d bytes with capacity %d, want 100000 and at most 120000; error %v", len(value), cap(value), err)
	}
}
