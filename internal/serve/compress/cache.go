package compress

import (
	"bytes"
	"container/list"
	"hash/maphash"
	"sync"
)

// DefaultCacheSize is the default size of a [Cache] in bytes.
const DefaultCacheSize = 32 << 20

// Cache holds compressed bodies. Each is compressed on first use, with
// [CachedEffort]; the least recently used ones are evicted when the cache is full.
type Cache struct {
	size   int
	seeds  [2]maphash.Seed
	encode func([]byte, Coding, Effort) []byte // Bytes, except in tests

	mu      sync.Mutex
	used    int
	entries map[key]*list.Element
	recent  *list.List // of *entry, most recently used first
}

// key identifies one coding of one body. Bodies are identified by 128 bits of
// seeded hash, so that clients cannot construct a collision.
type key struct {
	hash   [2]uint64
	length int
	coding Coding
}

type entry struct {
	key  key
	size int // capacity of bytes as counted in Cache.used; guarded by Cache.mu

	mu    sync.Mutex // held while the body is compressed
	bytes []byte     // nil until the body is compressed
}

// overhead is the approximate memory of an entry in addition to its bytes.
const overhead = 256

// NewCache returns a cache of the given size in bytes. A size of 0 or less means
// [DefaultCacheSize].
func NewCache(size int) *Cache {
	if size <= 0 {
		size = DefaultCacheSize
	}
	return &Cache{
		size:    size,
		seeds:   [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		encode:  Bytes,
		entries: make(map[key]*list.Element),
		recent:  list.New(),
	}
}

// Bytes returns body in the given coding. The result is shared and must not be
// modified.
func (c *Cache) Bytes(body []byte, coding Coding) []byte {
	if coding == Identity {
		return body
	}
	e := c.entry(key{
		hash:   [2]uint64{maphash.Bytes(c.seeds[0], body), maphash.Bytes(c.seeds[1], body)},
		length: len(body),
		coding: coding,
	})
	// If the encoder panics, the entry stays empty and the next call tries again.
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.bytes == nil {
		// A copy, because the capacity of a compressed body is many times its length.
		e.bytes = bytes.Clone(c.encode(body, coding, CachedEffort(len(body))))
		c.account(e, cap(e.bytes))
	}
	return e.bytes
}

// entry returns the entry for k, which may be empty.
func (c *Cache) entry(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.entries[k]; ok {
		c.recent.MoveToFront(element)
		return element.Value.(*entry)
	}
	e := &entry{key: k}
	c.entries[k] = c.recent.PushFront(e)
	c.used += overhead
	return e
}

// account adds the size of a filled entry and evicts entries until the cache is
// within its size.
func (c *Cache) account(e *entry, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element := c.entries[e.key]; element == nil || element.Value != e {
		return // evicted while the body was compressed
	}
	e.size = size
	c.used += size
	for c.used > c.size {
		last := c.recent.Remove(c.recent.Back()).(*entry)
		delete(c.entries, last.key)
		c.used -= overhead + last.size
	}
}
