package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"placard/internal/compress"
)

// reply is a successful answer, before it is known whether the caller has it.
// The values of headers are lists that replies share, so that none is made per
// request.
type reply struct {
	contentType []string
	cache       []string // Cache-Control
	etag        []string // with its quotes; none on answers to POST
	hash        []string // Service-Content-Hash; none where no version is named

	body []byte
	// selection is what the body is joined from, where it is not made yet. A
	// caller who has the answer already costs no more than the question.
	selection selection
	// opening and member begin a body that is joined.
	opening, member string
	// release, unless it is nil, is called once the body is sent.
	release func()
}

var (
	typeJSON = []string{"application/json"}
	typeSVG  = []string{"image/svg+xml; charset=utf-8"}

	varyCoding = []string{"Accept-Encoding"}
)

// Values of Cache-Control.
var (
	noStore       = []string{"no-store"}
	noCache       = []string{"no-cache"}
	immutableDay  = []string{"public, max-age=86400, immutable"}
	immutableYear = []string{"public, max-age=31536000, immutable"}
	fiveMinutes   = []string{"public, max-age=300"}
	oneHour       = []string{"public, max-age=3600"}
	oneMinute     = []string{"public, max-age=60"}
)

// buffers are lent to replies that are yet to be joined.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// largestBuffer is how many bytes a buffer may have to be kept.
const largestBuffer = 1 << 20

// write sends a reply, unless the caller has it already.
func (a *api) write(w http.ResponseWriter, r *http.Request, p reply) {
	h := w.Header()
	h["Cache-Control"] = p.cache
	if p.hash != nil {
		h["Service-Content-Hash"] = p.hash
	}
	if p.selection.form == asNone {
		a.send(w, r, p)
		if p.release != nil {
			p.release()
		}
		return
	}
	h["Vary"] = varyCoding
	if len(r.Header["Accept-Encoding"]) == 0 && has(r, p.etag) {
		h["Etag"] = p.etag
		w.WriteHeader(http.StatusNotModified)
		return
	}
	buffer := buffers.Get().(*[]byte)
	b := append(append((*buffer)[:0], p.opening...), p.member...)
	p.body = append(p.selection.append(b), '}')
	a.send(w, r, p)
	if cap(p.body) <= largestBuffer {
		*buffer = p.body
	}
	buffers.Put(buffer)
}

// send sends a reply that is made in the coding that the caller prefers.
func (a *api) send(w http.ResponseWriter, r *http.Request, p reply) {
	h := w.Header()
	body := p.body
	coding := compress.Identity
	// What has no parameters is one of a release's few bodies, worth keeping
	// in every coding; of the others there are too many.
	kept := r.URL.RawQuery == "" && p.etag != nil
	if len(body) >= compress.MinSize {
		h["Vary"] = varyCoding
		if accepted := r.Header["Accept-Encoding"]; len(accepted) > 0 {
			effort := compress.Quick
			if kept {
				effort = compress.Thorough
			}
			coding = compress.Negotiate(strings.Join(accepted, ","), effort)
		}
	}
	if p.etag != nil {
		if coding != compress.Identity {
			p.etag = []string{codedETag(p.etag[0], coding)}
		}
		h["Etag"] = p.etag
		if has(r, p.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if coding != compress.Identity {
		h.Set("Content-Encoding", coding.String())
		if kept {
			body = a.Encoded.Bytes(body, coding)
		} else {
			body = compress.Bytes(body, coding, compress.Quick)
		}
	}
	h["Content-Type"] = p.contentType
	// net/http adds the length of a short body itself, without allocating.
	if len(body) >= 2<<10 {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(http.StatusOK)
	// A client that went away needs no answer and no log line of its own.
	_, _ = w.Write(body)
}

// has reports whether the caller says that it has what etag stands for.
func has(r *http.Request, etag []string) bool {
	known := r.Header["If-None-Match"]
	return len(known) > 0 && len(etag) > 0 && matchesETag(strings.Join(known, ","), etag[0])
}

// codedETag returns the tag of one coding of a body: each has bytes of its own.
func codedETag(etag string, c compress.Coding) string {
	return strings.TrimSuffix(etag, `"`) + "-" + c.String() + `"`
}

// matchesETag reports whether an If-None-Match header names etag. The
// comparison is weak, as RFC 9110 asks for this header.
func matchesETag(header, etag string) bool {
	for header != "" {
		header = strings.TrimLeft(header, " \t,")
		if strings.HasPrefix(header, "*") {
			return true
		}
		header = strings.TrimPrefix(header, "W/")
		if !strings.HasPrefix(header, `"`) {
			return false
		}
		end := strings.IndexByte(header[1:], '"')
		if end < 0 {
			return false
		}
		if header[:end+2] == etag {
			return true
		}
		header = header[end+2:]
	}
	return false
}
