package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"placard/internal/core/problem"
)

// params are the parameters of a valid query string. They are decoded on
// access, because most requests have none or few of them.
type params struct {
	raw     string
	escaped bool // raw contains escaped characters
}

// paramsOf returns the parameters of a request whose query string has been
// checked.
func paramsOf(r *http.Request) params {
	raw := r.URL.RawQuery
	return params{raw, strings.ContainsAny(raw, "%+")}
}

// checkQueryString returns an error if [url.ParseQuery] does not accept raw, or if
// a name or value in it is not valid UTF-8.
func checkQueryString(raw string) error {
	// Most query strings fit into the array, so that decoding does not allocate.
	var array [256]byte
	decoded := array[:0]
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch c {
		case ';':
			return malformedQueryString()
		case '%':
			b, err := strconv.ParseUint(raw[i+1:min(i+3, len(raw))], 16, 8)
			if err != nil || i+2 >= len(raw) {
				return malformedQueryString()
			}
			c = byte(b)
			i += 2
		}
		decoded = append(decoded, c)
	}
	if !utf8.Valid(decoded) {
		return malformedQueryString()
	}
	return nil
}

func malformedQueryString() error {
	return problem.New(problem.BadRequest, "The query string is malformed.").
		Hint("Percent-encode the UTF-8 bytes of reserved characters in parameter values, and separate parameters with &.")
}

// get returns the first value of a parameter, or the empty string.
func (p params) get(name string) string {
	for rest := p.raw; rest != ""; {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		given, value, _ := strings.Cut(pair, "=")
		if p.unescape(given) == name {
			return p.unescape(value)
		}
	}
	return ""
}

func (p params) unescape(s string) string {
	if p.escaped {
		s, _ = url.QueryUnescape(s) // validated by checkQueryString
	}
	return s
}
