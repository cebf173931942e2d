package mcpapi_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"placard/internal/mcpapi"
)

// clock is a time that tests move.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func put(t testing.TB, v mcpapi.Views, session, html string) {
	t.Helper()
	if err := v.Put(context.Background(), session, []byte(html)); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, v mcpapi.Views, session string) string {
	t.Helper()
	html, err := v.Get(context.Background(), session)
	if err != nil {
		t.Fatal(err)
	}
	return string(html)
}

func TestAViewLivesAnHourAfterItsLastUse(t *testing.T) {
	c := &clock{time.Unix(0, 0)}
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{Now: c.Now})
	put(t, m, "a", "A")
	put(t, m, "b", "B")
	c.now = c.now.Add(time.Hour - 1)
	if get(t, m, "a") != "A" {
		t.Error("it is gone too early")
	}
	c.now = c.now.Add(1)
	if get(t, m, "b") != "" {
		t.Error("it is still there after an hour")
	}
	if get(t, m, "a") != "A" {
		t.Error("reading is no use")
	}
	put(t, m, "a", "A2")
	c.now = c.now.Add(time.Hour - 1)
	if get(t, m, "a") != "A2" {
		t.Error("writing is no use")
	}
}

func TestTheViewThatWasUsedLongestAgoGoesFirst(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{Views: 3})
	for _, session := range []string{"a", "b", "c"} {
		put(t, m, session, session)
	}
	get(t, m, "a")
	put(t, m, "d", "d")
	for session, there := range map[string]bool{"a": true, "b": false, "c": true, "d": true} {
		if (get(t, m, session) == session) != there {
			t.Errorf("%s is there: %t", session, !there)
		}
	}
}

func TestViewsNeverTakeMoreThanTheirBytes(t *testing.T) {
	const most = 10_000
	rapid.Check(t, func(t *rapid.T) {
		m := mcpapi.NewMemory(mcpapi.MemoryOptions{Bytes: most, Views: 20})
		kept := make(map[string]int)
		for range rapid.IntRange(1, 60).Draw(t, "puts") {
			session := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"}).Draw(t, "session")
			size := rapid.IntRange(0, 12_000).Draw(t, "size")
			if err := m.Put(context.Background(), session, make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			kept[session] = size
			total := 0
			for session, size := range kept {
				html, err := m.Get(context.Background(), session)
				if err != nil {
					t.Fatal(err)
				}
				if html != nil && len(html) != size {
					t.Fatalf("%s has a view of %d bytes, not %d", session, len(html), size)
				}
				total += len(html)
			}
			if total > most {
				t.Fatalf("%d bytes are kept", total)
			}
		}
	})
}

func TestTheMemoryIsForManyAtATime(t *testing.T) {
	m := mcpapi.NewMemory(mcpapi.MemoryOptions{Views: 10})
	done := make(chan struct{})
	for g := range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := range 2000 {
				session := fmt.Sprint(rand.IntN(20))
				if (i+g)%2 == 0 {
					put(t, m, session, session)
				} else if html := get(t, m, session); html != "" && html != session {
					t.Errorf("session %s sees %s", session, html)
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}
