// Package lru is a cache in memory that evicts the least recently used entries. It
// does not know what the entries are.
package lru

import (
	"container/list"
	"fmt"
	"sync"
	"time"
)

// Options are the limits of a [Cache].
type Options[K comparable, V any] struct {
	MaxBytes int              // maximum total size; required
	Size     func(K, V) int   // size of an entry in bytes; required
	MaxCount int              // maximum number of entries; default no limit
	MaxIdle  time.Duration    // lifetime of an entry after its last use; default no limit
	Now      func() time.Time // default time.Now
}

// Cache holds values by key. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	opts Options[K, V]

	mu      sync.Mutex
	used    int // total size of the entries
	entries map[K]*list.Element
	recent  *list.List // of *entry[K, V], most recently used first
	filling map[K]*filling[V]
}

type entry[K comparable, V any] struct {
	key      K
	value    V
	size     int
	lastUsed time.Time
}

// filling is a value that is being computed.
type filling[V any] struct {
	done chan struct{} // closed once value and err are set

	value V
	err   error
}

// New returns an empty cache.
func New[K comparable, V any](opts Options[K, V]) *Cache[K, V] {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Cache[K, V]{opts: opts, entries: make(map[K]*list.Element), recent: list.New(), filling: make(map[K]*filling[V])}
}

// Get returns the value of a key. It reports whether there is one.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.get(key)
}

func (c *Cache[K, V]) get(key K) (value V, ok bool) {
	element := c.entries[key]
	if element == nil {
		return value, false
	}
	now := c.opts.Now()
	if c.isExpired(element, now) {
		c.remove(element)
		return value, false
	}
	e := element.Value.(*entry[K, V])
	e.lastUsed = now
	c.recent.MoveToFront(element)
	return e.value, true
}

// Put sets the value of a key. It reports false if the entry is larger than the cache;
// the key then has no value, and no other entry is evicted.
func (c *Cache[K, V]) Put(key K, value V) (stored bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.put(key, value)
}

func (c *Cache[K, V]) put(key K, value V) (stored bool) {
	if old := c.entries[key]; old != nil {
		c.remove(old)
	}
	e := &entry[K, V]{key, value, c.opts.Size(key, value), c.opts.Now()}
	if e.size > c.opts.MaxBytes {
		return false
	}
	c.entries[key] = c.recent.PushFront(e)
	c.used += e.size
	for c.used > c.opts.MaxBytes || c.opts.MaxCount > 0 && c.recent.Len() > c.opts.MaxCount || c.isExpired(c.recent.Back(), e.lastUsed) {
		c.remove(c.recent.Back())
	}
	return true
}

// Fill returns the value of a key. If there is none, fill computes it in a goroutine of
// its own, and concurrent callers wait for the same value. An error is returned to all
// of them and is not stored. A waiting caller calls step, unless it is nil, every few
// milliseconds and gives up if it fails; the value is completed nevertheless, for the
// next caller.
func (c *Cache[K, V]) Fill(key K, fill func() (V, error), step func() error) (V, error) {
	c.mu.Lock()
	value, ok := c.get(key)
	if ok {
		c.mu.Unlock()
		return value, nil
	}
	f := c.filling[key]
	if f == nil {
		f = &filling[V]{done: make(chan struct{})}
		c.filling[key] = f
		go c.fill(key, f, fill)
	}
	c.mu.Unlock()
	return f.wait(step)
}

func (c *Cache[K, V]) fill(key K, f *filling[V], fill func() (V, error)) {
	defer func() {
		// A panic must not end the program, because no caller can recover it.
		if v := recover(); v != nil {
			f.err = fmt.Errorf("panic: %v", v)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.filling, key)
		if f.err == nil {
			c.put(key, f.value)
		}
		close(f.done)
	}()
	f.value, f.err = fill()
}

// stepInterval is the time between two calls of step by a caller that waits.
const stepInterval = 5 * time.Millisecond

func (f *filling[V]) wait(step func() error) (value V, err error) {
	var tick <-chan time.Time
	if step != nil {
		ticker := time.NewTicker(stepInterval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-f.done:
			return f.value, f.err
		case <-tick:
			if err := step(); err != nil {
				return value, err
			}
		}
	}
}

func (c *Cache[K, V]) isExpired(element *list.Element, now time.Time) bool {
	return c.opts.MaxIdle > 0 && element != nil && now.Sub(element.Value.(*entry[K, V]).lastUsed) >= c.opts.MaxIdle
}

func (c *Cache[K, V]) remove(element *list.Element) {
	e := c.recent.Remove(element).(*entry[K, V])
	delete(c.entries, e.key)
	c.used -= e.size
}
