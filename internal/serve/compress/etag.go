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
	for item := range strings.SplitSeq(strings.Join(r.Header["If-None-Match"], ","), ",") {
		// RFC 9110 requires the weak comparison for this header.
		known := strings.TrimPrefix(strings.TrimSpace(item), "W/")
		if known == "*" {
			return tag
		}
		coding, ok := strings.CutPrefix(known, start)
		if ok && (coding == `"` || strings.HasPrefix(coding, "-") && strings.HasSuffix(coding, `"`)) {
			return known
		}
	}
	return ""
}

// tagInCoding returns the tag of a body in a content coding. Strong tags must differ
// between codings.
func tagInCoding(tag string, c Coding) string {
	if c == Identity {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + "-" + c.String() + `"`
}
