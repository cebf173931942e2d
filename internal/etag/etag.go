// Package etag compares the entity tags of responses with those that clients have
// cached.
package etag

import (
	"net/http"
	"strings"

	"placard/internal/compress"
)

// IsNotModified reports whether If-None-Match in a request contains tag, which is
// quoted.
func IsNotModified(r *http.Request, tag string) bool {
	known := r.Header["If-None-Match"]
	return len(known) > 0 && matches(strings.Join(known, ","), tag)
}

// InCoding returns the tag of a body in a content coding. Strong tags must differ
// between codings.
func InCoding(tag string, c compress.Coding) string {
	if c == compress.Identity {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + "-" + c.String() + `"`
}

// matches reports whether an If-None-Match header contains tag. The comparison is
// weak, as RFC 9110 requires for this header.
func matches(header, tag string) bool {
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
		if header[:end+2] == tag {
			return true
		}
		header = header[end+2:]
	}
	return false
}
