package web

import "net/http"

// Header values, shared by all responses.
var (
	typeHTML = []string{"text/html; charset=utf-8"}
	typeText = []string{"text/plain; charset=utf-8"}
	typeJSON = []string{"application/json"}
	typeXML  = []string{"application/xml"}
	typeSVG  = []string{"image/svg+xml"}
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

// file is a successful response that is not a page.
type file struct {
	body        *body
	contentType []string
	cache       []string // Cache-Control; nil: that of pages
}

// handleFile registers the route of a file.
func (h *Handler) handleFile(pattern string, content func(*request) (file, error)) {
	h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		q := h.newRequest(w, r, route{pattern: pattern})
		var f file
		err := h.admit(w, r)
		if err == nil {
			f, err = content(q)
		}
		if err != nil {
			h.writeError(w, q, err)
			return
		}
		header := w.Header()
		header["Content-Type"] = f.contentType
		header["Cache-Control"] = f.cache
		if f.cache == nil {
			header["Cache-Control"] = h.cacheControl()
		}
		h.send(w, r, http.StatusOK, f.body)
	})
}
