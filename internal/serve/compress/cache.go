package compress

import (
	"bytes"
	"cmp"
	"hash/maphash"

	"placard/internal/serve/lru"
)

// DefaultCacheSize is the default size of a [Cache] in bytes.
const DefaultCacheSize = 32 << 20

// Cache holds compressed bodies. Each is compressed on first use; the least recently
// used ones are evicted when the cache is full.
type Cache struct {
	seeds  [2]maphash.Seed
	encode func([]byte, Coding, Effort) []byte // Bytes, except in tests
	bodies *lru.Cache[key, []byte]
}

// key identifies one coding of one body. Bodies are identified by 128 bits of
// seeded hash, so that clients cannot construct a collision.
type key struct {
	hash   [2]uint64
	length int
	coding Coding
}

// overhead is the approximate memory of an entry in addition to its bytes.
const overhead = 256

// NewCache returns a cache of the given size in bytes. A size of 0 or less means
// [DefaultCacheSize].
func NewCache(size int) *Cache {
	return &Cache{
		seeds:  [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		encode: Bytes,
		bodies: lru.New(lru.Options[key, []byte]{
			MaxBytes: cmp.Or(max(size, 0), DefaultCacheSize),
			Size:     func(_ key, body []byte) int { return overhead + cap(body) },
		}),
	}
}

// Bytes returns body in the given coding. The result is shared and must not be
// modified.
func (c *Cache) Bytes(body []byte, coding Coding) []byte {
	if coding == Identity {
		return body
	}
	k := key{
		hash:   [2]uint64{maphash.Bytes(c.seeds[0], body), maphash.Bytes(c.seeds[1], body)},
		length: len(body),
		coding: coding,
	}
	encoded, err := c.bodies.Fill(k, func() ([]byte, error) {
		// A copy, because the capacity of a compressed body is many times its length.
		return bytes.Clone(c.encode(body, coding, cachedEffort(len(body)))), nil
	}, nil)
	if err != nil {
		panic(err) // of the encoder, for the caller to recover
	}
	return encoded
}
