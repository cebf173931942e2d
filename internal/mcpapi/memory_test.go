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

func put(t testing.TB, v mcpapi.SessionStore, session, html string) {
	t.Helper()
	if _, err := v.Put(context.Background(), session, []byte(html)); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, v mcpapi.SessionStore, session string) string {
	t.Helper()
	html, err := v.Get(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

func TestViewsExpireAnHourAfterTheirLastUse(t *testing.T) {
	c := &fakeClock{time.Unix(0, 0)}
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{Now: c.Now})
	put(t, m, "a", "A")
	put(t, m, "b", "B")
	c.now = c.now.Add(time.Hour - 1)
	if get(t, m, "a") != "A" {
		t.Error("the view expired within an hour")
	}
	c.now = c.now.Add(1)
	if get(t, m, "b") != "" {
		t.Error("the view did not expire after an hour")
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

func TestLeastRecentlyUsedViewIsEvictedFirst(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxEntries: 3})
	for _, session := range []string{"a", "b", "c"} {
		put(t, m, session, session)
	}
	get(t, m, "a")
	put(t, m, "d", "d")
	for session, want := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if (get(t, m, session) == session) != want {
			t.Errorf("view %s is stored: got %t, want %t", session, !want, want)
		}
	}
}

func TestOversizedViewReplacesOnlyItsOwnSession(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: 10_000})
	put(t, m, "a", "A")
	put(t, m, "b", "B")
	put(t, m, "b", strings.Repeat("B", 10_000))
	if got := get(t, m, "a"); got != "A" {
		t.Errorf("other session: got %q, want %q", got, "A")
	}
	if got := get(t, m, "b"); got != "" {
		t.Errorf("got a view of %d bytes, want none", len(got))
	}
}

func TestViewsStayWithinMaxBytes(t *testing.T) {
	const maxBytes = 10_000
	rapid.Check(t, func(t *rapid.T) {
		m := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxBytes: maxBytes, MaxEntries: 20})
		sizes := make(map[string]int)
		for range rapid.IntRange(1, 60).Draw(t, "puts") {
			session := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"}).Draw(t, "session")
			size := rapid.IntRange(0, 12_000).Draw(t, "size")
			if _, err := m.Put(context.Background(), session, make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			sizes[session] = size
			total := 0
			for session, size := range sizes {
				html, err := m.Get(context.Background(), session)
				if err != nil {
					t.Fatal(err)
				}
				if html != nil && len(html) != size {
					t.Fatalf("session %s: got a view of %d bytes, want %d", session, len(html), size)
				}
				total += len(html)
			}
			if total > maxBytes {
				t.Fatalf("got %d bytes in total, limit %d", total, maxBytes)
			}
		}
	})
}

func TestViewsKeepNoUnusedCapacity(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{})
	if _, err := m.Put(t.Context(), "a", make([]byte, 100_000, 1_000_000)); err != nil {
		t.Fatal(err)
	}
	html, err := m.Get(t.Context(), "a")
	if err != nil || len(html) != 100_000 || cap(html) > 120_000 {
		t.Errorf("got a view of %d bytes with capacity %d, want 100000 and at most 120000; error %v", len(html), cap(html), err)
	}
}

func TestMemoryIsSafeForConcurrentUse(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{MaxEntries: 10})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				session := fmt.Sprint(rand.IntN(20))
				if (i+g)%2 == 0 {
					put(t, m, session, session)
				} else if html := get(t, m, session); html != "" && html != session {
					t.Errorf("session %s: got view %s", session, html)
				}
			}
		})
	}
	wg.Wait()
}
