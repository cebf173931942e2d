package compress

import (
	"container/list"
	"hash/maphash"
	"sync"
)

// DefaultCacheSize is how many bytes a [Cache] keeps by default.
const DefaultCacheSize = 32 << 20

// Cache keeps compressed forms of bodies, each made once and thoroughly, when
// it is first asked for. What was used longest ago goes when it is full.
type Cache struct {
	size  int
	seeds [2]maphash.Seed

	mu      sync.Mutex
	used    int
	entries map[form]*list.Element
	recent  *list.List // of *entry, most recent first
}

// form is one coding of one body. A body is known by 128 bits that nobody
// outside can predict, so that neither chance nor intent makes two alike.
type form struct {
	hash   [2]uint64
	length int
	coding Coding
}

type entry struct {
	form  form
	make  sync.Once
	bytes []byte
}

// overhead is what an entry takes beside its bytes, roughly.
const overhead = 256

// NewCache returns a cache of size bytes; not more than 0 means
// [DefaultCacheSize].
func NewCache(size int) *Cache {
	if size <= 0 {
		size = DefaultCacheSize
	}
	return &Cache{
		size:    size,
		seeds:   [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		entries: make(map[form]*list.Element),
		recent:  list.New(),
	}
}

// Bytes returns body in a coding, as [Bytes] does with [Thorough] effort. The
// result is shared and must not be changed.
func (c *Cache) Bytes(body []byte, coding Coding) []byte {
	if coding == Identity {
		return body
	}
	f := form{
		hash:   [2]uint64{maphash.Bytes(c.seeds[0], body), maphash.Bytes(c.seeds[1], body)},
		length: len(body),
		coding: coding,
	}
	e := c.entry(f)
	e.make.Do(func() {
		c.keep(e, Bytes(body, coding, Thorough))
	})
	return e.bytes
}

// entry returns the entry of a form, which may have yet to be made.
func (c *Cache) entry(f form) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[f]; ok {
		c.recent.MoveToFront(at)
		return at.Value.(*entry)
	}
	e := &entry{form: f}
	c.entries[f] = c.recent.PushFront(e)
	c.used += overhead
	return e
}

// keep gives an entry its bytes, and makes room for them.
func (c *Cache) keep(e *entry, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.bytes = b
	if at := c.entries[e.form]; at == nil || at.Value != e {
		return // pushed out while they were made
	}
	c.used += len(b)
	for c.used > c.size {
		last := c.recent.Remove(c.recent.Back()).(*entry)
		delete(c.entries, last.form)
		c.used -= overhead + len(last.bytes)
	}
}
