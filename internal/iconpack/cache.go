package iconpack

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"placard/internal/problem"
	"placard/internal/release"
)

const (
	// CacheSize is the maximum size of the archives in a [Cache] in bytes.
	CacheSize = 32 << 20
	// maxIconBytes is the maximum size in bytes of the icons in a cached archive. It
	// limits the time and memory that writing one takes.
	maxIconBytes = 4 << 20
	// pollInterval is the time between two calls of step by a caller that waits.
	pollInterval = 5 * time.Millisecond
)

// Cache holds complete packs as zip archives. Each is written on first use, because
// few releases are downloaded; the least recently used ones are evicted when the
// cache is full. The zero Cache is empty.
type Cache struct {
	size int                                    // maximum size in bytes; 0 means CacheSize
	pack func(*release.Release) ([]byte, error) // nil means zipAll; other values only in tests

	mu      sync.Mutex
	used    int
	entries []*entry // most recently used first

	writing sync.Mutex // held while an archive is written: one uses a whole processor
}

// entry is the archive of a release.
type entry struct {
	fingerprint string
	done        chan struct{} // closed once the archive is written

	// Set before done is closed.
	data []byte
	err  error
}

// Zip returns the complete pack of a release as a zip archive. Concurrent callers
// wait for the same archive. Zip calls step while it waits and returns its error;
// the archive is completed nevertheless, for the next caller. If the release has
// too many icons, it returns a problem.
func (c *Cache) Zip(r *release.Release, step func() error) ([]byte, error) {
	e, isNew := c.entry(r.Fingerprint())
	if isNew {
		go c.write(e, r)
	}
	if e.isDone() {
		return e.data, e.err
	}
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-e.done:
			return e.data, e.err
		case <-ticker.C:
			if err := step(); err != nil {
				return nil, err
			}
		}
	}
}

// entry returns the entry of a release, which is new if there was none.
func (c *Cache) entry(fingerprint string) (e *entry, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range c.entries {
		if e.fingerprint == fingerprint {
			c.entries = slices.Insert(slices.Delete(c.entries, i, i+1), 0, e)
			return e, false
		}
	}
	e = &entry{fingerprint: fingerprint, done: make(chan struct{})}
	c.entries = slices.Insert(c.entries, 0, e)
	return e, true
}

// write writes the archive of an entry. An entry that cannot be written is removed,
// so that the next caller tries again.
func (c *Cache) write(e *entry, r *release.Release) {
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
	pack := zipAll
	if c.pack != nil {
		pack = c.pack
	}
	e.data, e.err = pack(r)
}

func zipAll(r *release.Release) ([]byte, error) {
	p, err := New(r, Options{})
	if err != nil {
		return nil, err
	}
	size := 0
	for e, i := range p.allIcons() {
		svg, err := p.icon(e, i, nil)
		if err != nil {
			return nil, err
		}
		if size += len(svg); size > maxIconBytes {
			return nil, problem.New(problem.PayloadTooLarge, "The icons of %s have more than %d MiB.", r.Name(), maxIconBytes>>20).
				Hint("Write the pack with the command placard icons, or request icons one at a time.")
		}
	}
	var b bytes.Buffer
	if err := p.Zip(&b, nil); err != nil {
		return nil, err
	}
	return bytes.Clone(b.Bytes()), nil // without the unused capacity
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
	c.used += len(e.data)
	for i := len(c.entries) - 1; i >= 0 && c.used > cmp.Or(c.size, CacheSize); i-- {
		evicted := c.entries[i]
		if evicted != e && evicted.isDone() {
			c.used -= len(evicted.data)
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
