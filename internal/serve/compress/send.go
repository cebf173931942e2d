package compress

import (
	"net/http"
	"strconv"
	"strings"
)

// Body is the body of a response.
type Body struct {
	Bytes []byte // may be nil if the client has cached the response

	Tag          string // entity tag, quoted; empty if the response has none
	IsCompressed bool   // a content coding gains nothing, as for PNG images

	// IsRepeated declares that the same body is sent repeatedly. It is then cached in
	// every coding.
	IsRepeated bool
}

var (
	varyCoding     = []string{"Accept-Encoding"}
	contentCodings = [codings][]string{Gzip: {Gzip.String()}, Zstd: {Zstd.String()}, Brotli: {Brotli.String()}}
)

// Send sends a response in the content coding that the client prefers, or 304 if the
// client has cached it. The headers that do not depend on the coding are set. The
// cache may be nil if the body is not repeated.
func (c *Cache) Send(w http.ResponseWriter, r *http.Request, status int, b Body) {
	header := w.Header()
	isCodable := !b.IsCompressed && (b.Bytes == nil || len(b.Bytes) >= MinSize)
	if isCodable {
		header["Vary"] = append(header["Vary"], varyCoding...)
	}
	if known := KnownTag(r, b.Tag); known != "" && status == http.StatusOK {
		header["Etag"] = []string{known}
		delete(header, "Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body, coding := b.Bytes, Identity
	if accepted := r.Header["Accept-Encoding"]; isCodable && len(accepted) > 0 {
		effort := Quick
		if b.IsRepeated {
			effort = cachedEffort(len(body))
		}
		coding = Negotiate(strings.Join(accepted, ","), effort)
	}
	if coding != Identity {
		header["Content-Encoding"] = contentCodings[coding]
		if b.IsRepeated {
			body = c.Bytes(body, coding)
		} else {
			body = Bytes(body, coding, Quick)
		}
	}
	if b.Tag != "" {
		header["Etag"] = []string{tagInCoding(b.Tag, coding)}
	}
	// net/http adds the length of a short body itself, without allocating.
	if len(body) >= 2<<10 {
		header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(status)
	// An error means that the client has disconnected.
	_, _ = w.Write(body)
}
