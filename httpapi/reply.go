package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"placard.dev/catalog"
	"placard.dev/compress"
	"placard.dev/release"
	"placard.dev/taxonomy"
)

// reply is a successful answer, before it is known whether the caller has it.
type reply struct {
	contentType string
	cache       string // Cache-Control
	etag        string // with its quotes; none on answers to POST
	hash        string // Service-Content-Hash; none where no version is named
	body        []byte
}

const (
	typeJSON = "application/json"
	typeSVG  = "image/svg+xml; charset=utf-8"
)

// Values of Cache-Control.
const (
	noStore       = "no-store"
	noCache       = "no-cache"
	immutableDay  = "public, max-age=86400, immutable"
	immutableYear = "public, max-age=31536000, immutable"
	fiveMinutes   = "public, max-age=300"
	oneHour       = "public, max-age=3600"
	oneMinute     = "public, max-age=60"
)

// write sends a reply in the coding that the caller prefers, or tells it that
// it has the reply already.
func (a *api) write(w http.ResponseWriter, r *http.Request, p reply) {
	h := w.Header()
	// What has no parameters is one of a release's few bodies, worth keeping
	// in every coding; of the others there are too many.
	kept := r.URL.RawQuery == "" && p.etag != ""
	coding := compress.Identity
	if len(p.body) >= compress.MinSize {
		effort := compress.Quick
		if kept {
			effort = compress.Thorough
		}
		coding = compress.Negotiate(strings.Join(r.Header["Accept-Encoding"], ","), effort)
		h.Set("Vary", "Accept-Encoding")
	}
	h.Set("Cache-Control", p.cache)
	if p.etag != "" {
		p.etag = codedETag(p.etag, coding)
		h.Set("ETag", p.etag)
	}
	if p.hash != "" {
		h.Set("Service-Content-Hash", p.hash)
	}
	if p.etag != "" && matchesETag(strings.Join(r.Header["If-None-Match"], ","), p.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	switch {
	case coding == compress.Identity:
	case kept:
		p.body = a.Encoded.Bytes(p.body, coding)
	default:
		p.body = compress.Bytes(p.body, coding, compress.Quick)
	}
	if coding != compress.Identity {
		h.Set("Content-Encoding", coding.String())
	}
	h.Set("Content-Type", p.contentType)
	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	w.WriteHeader(http.StatusOK)
	// A client that went away needs no answer and no log line of its own.
	_, _ = w.Write(p.body)
}

// codedETag returns the tag of one coding of a body: each has bytes of its own.
func codedETag(etag string, c compress.Coding) string {
	if c == compress.Identity {
		return etag
	}
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

// version is the release a request names, and how it names it.
type version struct {
	*release.Release
	byAlias bool
	// snapshot is what the release was found in: a request answers from one.
	snapshot *catalog.Snapshot
}

func (v version) stable() bool { return v.Manifest.Status == taxonomy.Stable }

// json returns a JSON reply about v.
func (v version) json(body []byte) reply {
	cache := noStore
	switch {
	// Only exact ids are immutable: an alias may move at any publish.
	case v.stable() && v.byAlias:
		cache = fiveMinutes
	case v.stable():
		cache = immutableDay
	}
	return v.reply(typeJSON, cache, body)
}

// svg returns an SVG reply about v, cached as beta says where v is a beta.
func (v version) svg(body []byte, beta string) reply {
	cache := beta
	switch {
	case v.stable() && v.byAlias:
		cache = fiveMinutes
	case v.stable():
		cache = immutableYear
	}
	return v.reply(typeSVG, cache, body)
}

// reply tags an answer with the release's fingerprint: all that can be read
// below one address changes with that and with nothing else.
func (v version) reply(contentType, cache string, body []byte) reply {
	return reply{contentType, cache, `"` + v.Fingerprint() + `"`, v.Hash(), body}
}
