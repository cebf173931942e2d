package httpapi

import (
	"net/url"
	"path"
	"strings"
)

// routedPath returns the path that ServeMux matches. It is still escaped: an
// escaped slash belongs to a path parameter and does not separate segments. If
// ServeMux would ignore the escapes, routedPath corrects u.RawPath.
func routedPath(u *url.URL) string {
	if u.RawPath == "" {
		return u.Path
	}
	if u.EscapedPath() != u.RawPath {
		u.RawPath = escapeRawPath(u.RawPath)
	}
	return u.RawPath
}

// escapeRawPath escapes the characters of a raw path that must be escaped, and
// keeps its escapes. If there are such characters, [url.URL.EscapedPath] ignores
// the raw path, and ServeMux would match %2F as a slash.
func escapeRawPath(raw string) string {
	parts := strings.Split(raw, "%")
	for i, part := range parts {
		parts[i] = (&url.URL{Path: part}).EscapedPath()
	}
	return strings.Join(parts, "%")
}

// IsClean reports whether the path of u has no empty or dot segments. Proxies may
// interpret other paths differently, and ServeMux would redirect them.
func IsClean(u *url.URL) bool { return isClean(routedPath(u)) }

func isClean(p string) bool {
	if !strings.HasPrefix(p, "/") || strings.Contains(p, "//") {
		return false
	}
	return !strings.Contains(p, "/.") || path.Clean(p) == strings.TrimSuffix(p, "/")
}
