package lru

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is a cache as simple as possible: its entries, the most recently used last.
type model struct {
	maxBytes, maxCount int
	maxIdle            time.Duration
	now                time.Time
	entries            []modelEntry
}

type modelEntry struct {
	key, size int
	lastUsed  time.Time
}

func (m *model) find(key int) int {
	return slices.IndexFunc(m.entries, func(e modelEntry) bool { return e.key == key })
}

func (m *model) get(key int) (size int, ok bool) {
	i := m.find(key)
	if i < 0 {
		return 0, false
	}
	e := m.entries[i]
	m.entries = slices.Delete(m.entries, i, i+1)
	if m.isExpired(e) {
		return 0, false
	}
	e.lastUsed = m.now
	m.entries = append(m.entries, e)
	return e.size, true
}

func (m *model) put(key, size int) (stored bool) {
	if i := m.find(key); i >= 0 {
		m.entries = slices.Delete(m.entries, i, i+1)
	}
	if size > m.maxBytes {
		return false
	}
	m.entries = append(m.entries, modelEntry{key, size, m.now})
	for m.used() > m.maxBytes || m.maxCount > 0 && len(m.entries) > m.maxCount || m.isExpired(m.entries[0]) {
		m.entries = m.entries[1:]
	}
	return true
}

func (m *model) isExpired(e modelEntry) bool {
	return m.maxIdle > 0 && !m.now.Before(e.lastUsed.Add(m.maxIdle))
}

func (m *model) used() int {
	used := 0
	for _, e := range m.entries {
		used += e.size
	}
	return used
}

func TestCacheBehavesAsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			maxBytes: rapid.IntRange(0, 30).Draw(t, "maxBytes"),
			maxCount: rapid.IntRange(0, 5).Draw(t, "maxCount"),
			maxIdle:  time.Duration(rapid.IntRange(0, 5).Draw(t, "maxIdle")),
		}
		c := New(Options[int, int]{
			MaxBytes: m.maxBytes, MaxCount: m.maxCount, MaxIdle: m.maxIdle,
			Size: func(_, size int) int { return size },
			Now:  func() time.Time { return m.now },
		})
		keys := rapid.IntRange(0, 8)
		sizes := rapid.IntRange(0, 12)
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				key, size := keys.Draw(t, "key"), sizes.Draw(t, "size")
				if got, want := c.Put(key, size), m.put(key, size); got != want {
					t.Fatalf("Put(%d, %d) = %t, want %t", key, size, got, want)
				}
			},
			"get": func(t *rapid.T) {
				key := keys.Draw(t, "key")
				got, ok := c.Get(key)
				want, wantOK := m.get(key)
				if got != want || ok != wantOK {
					t.Fatalf("Get(%d) = %d, %t, want %d, %t", key, got, ok, want, wantOK)
				}
			},
			"fill": func(t *rapid.T) {
				key, size := keys.Draw(t, "key"), sizes.Draw(t, "size")
				want, ok := m.get(key)
				if !ok {
					m.put(key, size)
					want = size
				}
				got, err := c.Fill(key, func() (int, error) { return size, nil }, nil)
				if got != want || err != nil {
					t.Fatalf("Fill(%d) = %d, %v, want %d", key, got, err, want)
				}
			},
			"wait": func(t *rapid.T) {
				m.now = m.now.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "time")))
			},
			"": func(t *rapid.T) {
				if c.used != m.used() || c.recent.Len() != len(m.entries) || len(c.entries) != len(m.entries) || len(c.filling) > 0 {
					t.Fatalf("got %d bytes in %d entries (%d keys), %d being filled; want %d in %d", c.used, c.recent.Len(), len(c.entries), len(c.filling), m.used(), len(m.entries))
				}
			},
		})
	})
}

// newTextCache returns a cache of texts whose size is their length.
func newTextCache(maxBytes int) *Cache[string, string] {
	return New(Options[string, string]{MaxBytes: maxBytes, Size: func(_, text string) int { return len(text) }})
}

func TestConcurrentCallersFillAKeyOnce(t *testing.T) {
	c := newTextCache(100)
	begin := make(chan struct{})
	var mu sync.Mutex
	calls := 0
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			got, err := c.Fill("a", func() (string, error) {
				<-begin
				mu.Lock()
				defer mu.Unlock()
				calls++
				return fmt.Sprint("value ", calls), nil
			}, nil)
			if got != "value 1" || err != nil {
				t.Errorf("got %q (%v), want the first value", got, err)
			}
		})
	}
	close(begin)
	group.Wait()
}

func TestAValueIsCompletedAfterItsFirstCallerGaveUp(t *testing.T) {
	c := newTextCache(100)
	begin, calls := make(chan struct{}), 0
	fill := func() (string, error) {
		<-begin
		calls++
		return "value", nil
	}
	timeout := errors.New("timeout")
	if _, err := c.Fill("a", fill, func() error { return timeout }); !errors.Is(err, timeout) {
		t.Errorf("got %v, want the error of step", err)
	}
	close(begin)
	if got, err := c.Fill("a", fill, func() error { return nil }); err != nil || got != "value" || calls != 1 {
		t.Errorf("the next caller got %q (%v) after %d calls, want the value after 1", got, err, calls)
	}
}

func TestAValueThatFailedIsFilledAgain(t *testing.T) {
	c := newTextCache(100)
	calls := 0
	fill := func() (string, error) {
		switch calls++; calls {
		case 1:
			return "", errors.New("failed")
		case 2:
			panic("cannot fill")
		}
		return "value", nil
	}
	for range 2 {
		if got, err := c.Fill("a", fill, nil); err == nil {
			t.Errorf("got %q, want an error", got)
		}
	}
	if got, err := c.Fill("a", fill, nil); err != nil || got != "value" {
		t.Errorf("got %q (%v), want the value", got, err)
	}
}

func TestCacheIsSafeForConcurrentUse(t *testing.T) {
	c := newTextCache(40)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 2000 {
				key := fmt.Sprint(i * (worker + 1) % 23)
				switch i % 3 {
				case 0:
					c.Put(key, key)
				case 1:
					if got, ok := c.Get(key); ok && got != key {
						t.Errorf("key %s: got %s", key, got)
					}
				default:
					if got, err := c.Fill(key, func() (string, error) { return key, nil }, nil); got != key || err != nil {
						t.Errorf("key %s: got %s (%v)", key, got, err)
					}
				}
			}
		})
	}
	group.Wait()
	if c.used > 40 || len(c.entries) != c.recent.Len() {
		t.Errorf("got %d bytes in %d entries (%d keys), want at most 40 bytes", c.used, c.recent.Len(), len(c.entries))
	}
}
