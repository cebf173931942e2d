package compress

import (
	"net/http"
	"strings"
)

// KnownTag returns the tag in If-None-Match of a request that is tag, which is quoted, or a
// tag of the same body in any content coding. It returns an empty string if there is
// none, or if tag is empty.
func KnownTag(r *http.Request, tag string) string {
	if tag == "" {
		return ""
	}
	start := strings.TrimSuffix(tag, `"`)
	known := find(r, func(known string) bool {
		rest, ok := strings.CutPrefix(known, start)
		return ok && (rest == `"` || strings.HasPrefix(rest, "-"))
	})
	if known == anyTag {
		return tag
	}
	return known
}

// tagInCoding returns the tag of a body in a content coding. Strong tags must differ
// between codings.
func tagInCoding(tag string, c Coding) string {
	if c == Identity {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + "-" + c.String() + `"`
}

const anyTag = "*"

// find returns the first tag in If-None-Match that matches, without the mark of weak
// tags, [anyTag], or an empty string. RFC 9110 requires the weak comparison for this
// header.
func find(r *http.Request, matches func(tag string) bool) string {
	known := r.Header["If-None-Match"]
	if len(known) == 0 {
		return ""
	}
	header := strings.Join(known, ",")
	for header != "" {
		header = strings.TrimLeft(header, " \t,")
		if strings.HasPrefix(header, anyTag) {
			return anyTag
		}
		header = strings.TrimPrefix(header, "W/")
		if !strings.HasPrefix(header, `"`) {
			return ""
		}
		end := strings.IndexByte(header[1:], '"')
		if end < 0 {
			return ""
		}
		if tag := header[:end+2]; matches(tag) {
			return tag
		}
		header = header[end+2:]
	}
	return ""
}
