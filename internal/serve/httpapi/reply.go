package httpapi

import (
	"net/http"

	"placard/internal/core/release"
	"placard/internal/serve/compress"
	"placard/internal/serve/lru"
)

// reply is a successful response. Header values are shared slices, so that they
// are not allocated for each request.
type reply struct {
	contentType []string
	cache       []string // Cache-Control
	etag        []string // quoted; nil for POST
	hash        []string // Service-Content-Hash; nil if the route has no version
	policy      []string // Content-Security-Policy; nil for the default of the content type

	body         []byte // nil if the client has cached the response
	isCompressed bool   // the body gains nothing from a content coding
	release      func() // called once the body has been sent; may be nil
}

var (
	typeJSON = []string{"application/json"}
	typeText = []string{"text/plain; charset=utf-8"}
	typeHTML = []string{"text/html; charset=utf-8"}
	typeSVG  = []string{"image/svg+xml; charset=utf-8"}
	typeZip  = []string{"application/zip"}

	typeTurtle = []string{"text/turtle; charset=utf-8"}
	typeJSONLD = []string{"application/ld+json"}
)

// Values of Cache-Control.
var (
	noStore       = []string{"no-store"}
	noCache       = []string{"no-cache"}
	immutableDay  = []string{"public, max-age=86400, immutable"}
	immutableYear = []string{"public, max-age=31536000, immutable"}
	fiveMinutes   = []string{"public, max-age=300"}
	oneDay        = []string{"public, max-age=86400"}
	oneHour       = []string{"public, max-age=3600"}
	oneMinute     = []string{"public, max-age=60"}
)

// jsonReply returns a reply with JSON that does not belong to a version. Clients
// revalidate it.
func jsonReply(body []byte) reply {
	return reply{contentType: typeJSON, cache: noCache, etag: digestTag(body), body: body}
}

// digestTag returns an ETag that changes with content.
func digestTag(content []byte) []string { return []string{`"` + release.Digest(content)[:32] + `"`} }

// write sends a reply and releases its memory.
func (a *api) write(w http.ResponseWriter, r *http.Request, p reply) {
	h := w.Header()
	h["Content-Type"] = p.contentType
	h["Cache-Control"] = p.cache
	if a.Preview && p.etag != nil {
		h["Cache-Control"] = noCache
	}
	if p.hash != nil {
		h["Service-Content-Hash"] = p.hash
	}
	if p.policy != nil {
		h["Content-Security-Policy"] = p.policy
	}
	body := compress.Body{Bytes: p.body, IsCompressed: p.isCompressed}
	if p.etag != nil {
		body.Tag = p.etag[0]
		// A release has few responses without parameters. With parameters there are too
		// many to cache.
		body.IsRepeated = r.URL.RawQuery == ""
	}
	a.Encoded.Send(w, r, http.StatusOK, body)
	if p.release != nil {
		p.release()
	}
}

// isCached reports whether the client has cached the response with this ETag.
func isCached(r *http.Request, tag []string) bool { return compress.KnownTag(r, tag[0]) != "" }

// bodiesSize is the size in bytes of the cache of bodies that take long to write.
const bodiesSize = 48 << 20

func newBodies() *lru.Cache[string, []byte] {
	return lru.New(lru.Options[string, []byte]{
		MaxBytes: bodiesSize,
		// A body that is larger than the cache evicts all others, so that it is not
		// written for each request.
		Size: func(_ string, body []byte) int { return min(len(body), bodiesSize) },
	})
}

// slowBody returns the body with the given entity tag, which takes long to write.
// Bodies are written one at a time, on first use, because few are requested.
func (a *api) slowBody(etag []string, write func() ([]byte, error), step func() error) ([]byte, error) {
	return a.bodies.Fill(etag[0], func() ([]byte, error) {
		a.writing.Lock()
		defer a.writing.Unlock()
		return write()
	}, step)
}
