package mcpapi_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"placard/internal/mcpapi"
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

func TestValuesExpireAnHourAfterTheirLastUse(t *testing.T) {
	c := &fakeClock{time.Unix(0, 0)}
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{Now: c.Now})
	put(t, m, "a", "A")
	put(t, m, "b", "B")
	c.now = c.now.Add(time.Hour - 1)
	if get(t, m, "a") != "A" {
		t.Error("the value expired within an hour")
	}
	c.now = c.now.Add(1)
	if get(t, m, "b") != "" {
		t.Error("the value did not expire after an hour")
	}
	if get(t, m, "a") != "A" {
		t.Error("reading did not extend the lifetime")
	}
	put(t, m, "a", "A2")
	c.now = c.now.Add(time.Hour - 1)
	if get(t, m, "a") != "A2" {
		t.Error("writing did not extend the lifetime")
	}
}

func TestLeastRecentlyUsedValueIsEvictedFirst(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxEntries: 3})
	for _, key := range []string{"a", "b", "c"} {
		put(t, m, key, key)
	}
	get(t, m, "a")
	put(t, m, "d", "d")
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if (get(t, m, key) == key) != want {
			t.Errorf("value %s is stored: got %t, want %t", key, !want, want)
		}
	}
}

func TestOversizedValueEvictsOnlyItsPredecessor(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: 10_000})
	put(t, m, "a", "A")
	put(t, m, "b", "B")
	put(t, m, "b", strings.Repeat("B", 10_000))
	if got := get(t, m, "a"); got != "A" {
		t.Errorf("other key: got %q, want %q", got, "A")
	}
	if got := get(t, m, "b"); got != "" {
		t.Errorf("got a value of %d bytes, want none", len(got))
	}
}

func TestMemoryStaysWithinMaxBytes(t *testing.T) {
	const maxBytes = 10_000
	rapid.Check(t, func(t *rapid.T) {
		m := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: maxBytes, MaxEntries: 20})
		sizes := make(map[string]int)
		for range rapid.IntRange(1, 60).Draw(t, "puts") {
			key := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"}).Draw(t, "key")
			size := rapid.IntRange(0, 12_000).Draw(t, "size")
			if _, err := m.Put(context.Background(), key, make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			sizes[key] = size
			total := 0
			for key, size := range sizes {
				value, err := m.Get(context.Background(), key)
				if err != nil {
					t.Fatal(err)
				}
				if value != nil && len(value) != size {
					t.Fatalf("key %s: got a value of %d bytes, want %d", key, len(value), size)
				}
				total += len(value)
			}
			if total > maxBytes {
				t.Fatalf("got %d bytes in total, limit %d", total, maxBytes)
			}
		}
	})
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

func TestMemoryIsSafeForConcurrentUse(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxEntries: 10})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				key := fmt.Sprint(rand.IntN(20))
				if (i+g)%2 == 0 {
					put(t, m, key, key)
				} else if value := get(t, m, key); value != "" && value != key {
					t.Errorf("key %s: got value %s", key, value)
				}
			}
		})
	}
	wg.Wait()
}
