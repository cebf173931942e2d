// Package bodycache keeps the bodies of responses that take long to write. It does
// not know what they are.
package bodycache

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// DefaultSize is the default size of a [Cache] in bytes.
const DefaultSize = 32 << 20

// pollInterval is the time between two calls of step by a caller that waits.
const pollInterval = 5 * time.Millisecond

// Cache holds bodies by key. Each is written on first use, because few are
// requested; the least recently used ones are evicted when the cache is full. Only the
// last body may be larger than the cache. The zero Cache is empty.
type Cache struct {
	Size int // maximum size in bytes; default [DefaultSize]

	mu      sync.Mutex
	used    int
	entries []*entry // most recently used first

	writing sync.Mutex // held while a body is written: that uses a whole processor
}

// entry is the body of one key.
type entry struct {
	key  string
	done chan struct{} // closed once the body is written

	// Set before done is closed.
	body []byte
	err  error
}

// Body returns the body with the given key, which must not be modified. If the cache
// does not have it, write returns it, one body at a time. Concurrent callers wait for the same body. Body calls
// step while it waits and returns its error; the body is completed nevertheless, for
// the next caller.
func (c *Cache) Body(key string, write func() ([]byte, error), step func() error) ([]byte, error) {
	e, isNew := c.entry(key)
	if isNew {
		go c.write(e, write)
	}
	if e.isDone() {
		return e.body, e.err
	}
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-e.done:
			return e.body, e.err
		case <-ticker.C:
			if err := step(); err != nil {
				return nil, err
			}
		}
	}
}

// entry returns the entry of a key, which is new if there was none.
func (c *Cache) entry(key string) (e *entry, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.key == key {
			c.entries = slices.Insert(slices.Delete(c.entries, i, i+1), 0, e)
			return e, false
		}
	}
	e = &entry{key: key, done: make(chan struct{})}
	c.entries = slices.Insert(c.entries, 0, e)
	return e, true
}

// write writes the body of an entry. An entry that cannot be written is removed, so
// that the next caller tries again.
func (c *Cache) write(e *entry, write func() ([]byte, error)) {
	c.writing.Lock()
	defer c.writing.Unlock()
	defer close(e.done)
	defer func() {
		// A panic must not end the program, because no caller can recover it.
		if v := recover(); v != nil {
			e.err = fmt.Errorf("panic: %v", v)
		}
		c.account(e)
	}()
	e.body, e.err = write()
}

// account adds the size of an entry and evicts others until the cache is within its
// size.
func (c *Cache) account(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.err != nil {
		c.entries = slices.DeleteFunc(c.entries, func(other *entry) bool { return other == e })
		return
	}
	c.used += len(e.body)
	for i := len(c.entries) - 1; i >= 0 && c.used > cmp.Or(c.Size, DefaultSize); i-- {
		evicted := c.entries[i]
		if evicted != e && evicted.isDone() {
			c.used -= len(evicted.body)
			c.entries = slices.Delete(c.entries, i, i+1)
		}
	}
}

func (e *entry) isDone() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}
