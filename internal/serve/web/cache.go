package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"placard/internal/serve/compress"
	"placard/internal/serve/lru"
	"placard/internal/storage/store"
)

// DefaultCacheSize is the default size of the cache of rendered pages in bytes.
const DefaultCacheSize = 32 << 20

// body is a rendered page, or a file that belongs to pages.
type body struct {
	compress.Body
	policy []string // Content-Security-Policy; nil: that of pages
}

// newBody returns the body of a response that is sent once.
func newBody(text []byte) *body {
	digest := sha256.Sum256(text)
	return &body{Body: compress.Body{Bytes: text, Tag: `"` + base64.RawURLEncoding.EncodeToString(digest[:12]) + `"`}}
}

// newRepeatedBody returns the body of a response that is sent repeatedly.
func newRepeatedBody(text []byte) *body {
	b := newBody(text)
	b.IsRepeated = true
	return b
}

// newPNG returns the body of a response with a PNG image.
func newPNG(image []byte) *body {
	b := newBody(image)
	b.IsCompressed = true
	return b
}

// send sends a body. All headers are set that do not depend on its content coding.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, status int, b *body) {
	h.Encoded.Send(w, r, status, b.Body)
}

// cacheKey identifies a rendered page. Pages of another index of releases may differ;
// they are not used any more and therefore evicted.
type cacheKey struct {
	index *store.Index
	page  string
}

// cache holds rendered pages or pictures.
type cache = lru.Cache[cacheKey, *body]

// newCache returns a cache of the given size in bytes; default [DefaultCacheSize].
func newCache(size int) *cache {
	return lru.New(lru.Options[cacheKey, *body]{
		MaxBytes: cmp.Or(max(size, 0), DefaultCacheSize),
		Size:     func(key cacheKey, b *body) int { return len(key.page) + len(b.Bytes) },
	})
}
