package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"placard/internal/serve/compress"
)

// reply is a successful response. Header values are shared slices, so that they
// are not allocated for each request.
type reply struct {
	contentType []string
	cache       []string // Cache-Control
	etag        []string // quoted; nil for POST
	hash        []string // Service-Content-Hash; nil if the route has no version
	policy      []string // Content-Security-Policy; nil for the default of the content type

	body         []byte
	isCompressed bool // the body gains nothing from a content coding
	// selection, opening and member are encoded as the body of a read, unless
	// the client has cached the response.
	selection       selection
	opening, member string

	scratch *scratch // released once the body has been sent; may be nil
	release func()   // called once the body has been sent; may be nil
}

var (
	typeJSON = []string{"application/json"}
	typeText = []string{"text/plain; charset=utf-8"}
	typeHTML = []string{"text/html; charset=utf-8"}
	typeSVG  = []string{"image/svg+xml; charset=utf-8"}
	typeZip  = []string{"application/zip"}

	typeTurtle = []string{"text/turtle; charset=utf-8"}
	typeJSONLD = []string{"application/ld+json"}

	varyCoding = []string{"Accept-Encoding"}

	contentCodings = map[compress.Coding][]string{
		compress.Gzip:   {compress.Gzip.String()},
		compress.Zstd:   {compress.Zstd.String()},
		compress.Brotli: {compress.Brotli.String()},
	}
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

// write sends a reply and releases its memory.
func (a *api) write(w http.ResponseWriter, r *http.Request, p reply) {
	h := w.Header()
	h["Cache-Control"] = p.cache
	if a.Preview && p.etag != nil {
		h["Cache-Control"] = noCache
	}
	if p.hash != nil {
		h["Service-Content-Hash"] = p.hash
	}
	if p.selection.layout != layoutNone {
		h["Vary"] = varyCoding
	}
	// Only a read that the client has cached has no body.
	if p.body == nil {
		h["Etag"] = p.etag
		w.WriteHeader(http.StatusNotModified)
	} else {
		a.send(w, r, p)
	}
	if p.scratch != nil {
		p.scratch.release()
	}
	if p.release != nil {
		p.release()
	}
}

// isCached reports whether the client has cached the response, without
// encoding its body. It reports false if the client accepts content codings:
// whether a body is compressed, and therefore its ETag, depends on its size.
func (p *reply) isCached(r *http.Request) bool {
	return len(r.Header["Accept-Encoding"]) == 0 && isNotModified(r, p.etag)
}

// send sends a reply in the content coding that the client prefers.
func (a *api) send(w http.ResponseWriter, r *http.Request, p reply) {
	h := w.Header()
	body := p.body
	coding := compress.Identity
	// A release has few responses without parameters, so they are cached in
	// every coding. With parameters there are too many.
	cached := r.URL.RawQuery == "" && p.etag != nil
	if len(body) >= compress.MinSize && !p.isCompressed {
		h["Vary"] = varyCoding
		if accepted := r.Header["Accept-Encoding"]; len(accepted) > 0 {
			effort := compress.Quick
			if cached {
				effort = compress.CachedEffort(len(body))
			}
			coding = compress.Negotiate(strings.Join(accepted, ","), effort)
		}
	}
	if p.etag != nil {
		if coding != compress.Identity {
			p.etag = []string{compress.TagInCoding(p.etag[0], coding)}
		}
		h["Etag"] = p.etag
		if isNotModified(r, p.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if coding != compress.Identity {
		h["Content-Encoding"] = contentCodings[coding]
		if cached {
			body = a.Encoded.Bytes(body, coding)
		} else {
			body = compress.Bytes(body, coding, compress.Quick)
		}
	}
	h["Content-Type"] = p.contentType
	if p.policy != nil {
		h["Content-Security-Policy"] = p.policy
	}
	// net/http adds the length of a short body itself, without allocating.
	if len(body) >= 2<<10 {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(http.StatusOK)
	// An error means that the client has disconnected.
	_, _ = w.Write(body)
}

// isNotModified reports whether the client has cached the response with this ETag,
// which may be nil.
func isNotModified(r *http.Request, tag []string) bool {
	return len(tag) > 0 && compress.IsNotModified(r, tag[0])
}
