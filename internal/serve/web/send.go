package web

import "net/http"

// Header values, shared by all responses.
var (
	typeHTML = []string{"text/html; charset=utf-8"}
	typeJSON = []string{"application/json"}
	typePNG  = []string{"image/png"}

	oneMinute     = []string{"public, max-age=60"}
	immutableYear = []string{"public, max-age=31536000, immutable"}
	noCache       = []string{"no-cache"}
	noStore       = []string{"no-store"}

	// policy allows only what the server itself serves, and no inline script or style.
	policy = []string{"default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
		"connect-src 'self'; img-src 'self' data:; script-src 'self'; style-src 'self'"}
)

// sendPage sends a page.
func (h *Handler) sendPage(w http.ResponseWriter, r *http.Request, status int, b *body) {
	header := w.Header()
	header["Content-Type"] = typeHTML
	header["Content-Security-Policy"] = policy
	if b.policy != nil {
		header["Content-Security-Policy"] = b.policy
	}
	header.Add("Vary", "Accept-Language")
	if status == http.StatusOK {
		header["Cache-Control"] = h.cacheControl()
	} else {
		header["Cache-Control"] = noStore
	}
	h.send(w, r, status, b)
}

// cacheControl returns how long clients may keep pages and pictures.
func (h *Handler) cacheControl() []string {
	if h.Preview {
		return noCache
	}
	return oneMinute
}
