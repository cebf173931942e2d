package web

import (
	"container/list"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"sync"

	"placard/internal/serve/compress"
	"placard/internal/storage/store"
)

// DefaultCacheSize is the default size of the cache of rendered pages in bytes.
const DefaultCacheSize = 32 << 20

// body is a rendered page, or a file that belongs to pages, with its compressed
// forms.
type body struct {
	text   []byte
	etag   string          // quoted
	effort compress.Effort // for compressing it
	isPNG  bool            // it is compressed already
	policy []string        // Content-Security-Policy; nil: that of pages

	mu    sync.Mutex
	coded map[compress.Coding]codedBody
}

// codedBody is a body in one content coding, with the headers that depend on it.
type codedBody struct {
	bytes                  []byte
	etag, length, encoding []string
}

// newBody returns the body of a response. The effort suits the number of responses
// that it is sent with.
func newBody(text []byte, effort compress.Effort) *body {
	digest := sha256.Sum256(text)
	return &body{
		text:   text,
		etag:   `"` + base64.RawURLEncoding.EncodeToString(digest[:12]) + `"`,
		effort: effort,
		coded:  make(map[compress.Coding]codedBody),
	}
}

// in returns the body in a content coding, which is compressed on first use.
func (b *body) in(c compress.Coding) codedBody {
	b.mu.Lock()
	defer b.mu.Unlock()
	coded, ok := b.coded[c]
	if !ok {
		coded = b.encode(c)
		b.coded[c] = coded
	}
	return coded
}

func (b *body) encode(c compress.Coding) codedBody {
	bytes, tag := b.text, compress.TagInCoding(b.etag, c)
	if c != compress.Identity {
		bytes = compress.Bytes(b.text, c, b.effort)
		if b.effort == compress.Quick {
			tag = strings.TrimSuffix(tag, `"`) + `-quick"` // the bytes differ from those of other efforts
		}
	}
	return codedBody{
		bytes: bytes, etag: []string{tag}, length: []string{strconv.Itoa(len(bytes))}, encoding: []string{c.String()},
	}
}

// cache holds the rendered pages of one index of releases. The least recently used
// ones are evicted when it is full.
type cache struct {
	size int

	mu      sync.Mutex
	index   *store.Index // whose pages the cache holds
	used    int
	entries map[string]*list.Element
	recent  *list.List // of *cachedPage, most recently used first
}

type cachedPage struct {
	key  string
	body *body
	size int
}

// codedShare is the assumed size of all compressed forms of a page, relative to the
// page.
const codedShare = 1.0

func newCache(size int) *cache {
	if size <= 0 {
		size = DefaultCacheSize
	}
	return &cache{size: size, entries: make(map[string]*list.Element), recent: list.New()}
}

// find returns the page with the given key, or nil.
func (c *cache) find(index *store.Index, key string) *body {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index != index {
		return nil
	}
	element, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.recent.MoveToFront(element)
	return element.Value.(*cachedPage).body
}

// add adds a page. Pages of another index are dropped.
func (c *cache) add(index *store.Index, key string, b *body) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index != index {
		c.index, c.used = index, 0
		clear(c.entries)
		c.recent.Init()
	}
	if _, ok := c.entries[key]; ok {
		return // rendered by two requests at the same time
	}
	p := &cachedPage{key, b, len(key) + int((1+codedShare)*float64(len(b.text)))}
	c.entries[key] = c.recent.PushFront(p)
	c.used += p.size
	for c.used > c.size {
		last := c.recent.Remove(c.recent.Back()).(*cachedPage)
		delete(c.entries, last.key)
		c.used -= last.size
	}
}
