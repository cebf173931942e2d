package web

import (
	"net/http"
	"strings"

	"placard/internal/serve/compress"
)

// Header values, shared by all responses.
var (
	typeHTML = []string{"text/html; charset=utf-8"}
	typeJSON = []string{"application/json"}
	typePNG  = []string{"image/png"}

	oneMinute     = []string{"public, max-age=60"}
	immutableYear = []string{"public, max-age=31536000, immutable"}
	noCache       = []string{"no-cache"}
	noStore       = []string{"no-store"}

	varyPage  = []string{"Accept-Encoding, Accept-Language"}
	varyAsset = []string{"Accept-Encoding"}

	// policy allows only what the server itself serves, and no inline script or style.
	policy = []string{"default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
		"connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self'"}
)

// send sends a page.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, status int, b *body) {
	header := w.Header()
	header["Content-Type"] = typeHTML
	header["Content-Security-Policy"] = policy
	if b.policy != nil {
		header["Content-Security-Policy"] = b.policy
	}
	if header["Vary"] == nil {
		header["Vary"] = varyPage
	} else {
		header.Add("Vary", varyPage[0])
	}
	if status == http.StatusOK {
		header["Cache-Control"] = h.cacheControl()
	} else {
		header["Cache-Control"] = noStore
	}
	b.send(w, r, status)
}

// cacheControl returns how long clients may keep pages and pictures.
func (h *Handler) cacheControl() []string {
	if h.Preview {
		return noCache
	}
	return oneMinute
}

// send sends a body in the content coding that the client prefers. All other headers
// are set.
func (b *body) send(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	if status == http.StatusOK {
		// The first response of a page has another coding than those from the cache.
		if known := compress.KnownTag(r, b.etag); known != "" {
			header["Etag"] = []string{known}
			delete(header, "Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	coding := compress.Identity
	if accepted := r.Header["Accept-Encoding"]; len(accepted) > 0 && !b.isPNG && len(b.text) >= compress.MinSize {
		coding = compress.Negotiate(strings.Join(accepted, ","), b.effort)
	}
	coded := b.in(coding)
	header["Etag"] = coded.etag
	if coding != compress.Identity {
		header["Content-Encoding"] = coded.encoding
	}
	header["Content-Length"] = coded.length
	w.WriteHeader(status)
	// An error means that the client has disconnected.
	_, _ = w.Write(coded.bytes)
}
