package httpapi

import (
	"net/url"
	"strings"

	"placard/internal/problem"
)

// params are the parameters of a valid query string. They are decoded on
// access, because most requests have none or few of them.
type params struct {
	raw     string
	escaped bool // raw contains escaped characters
}

// parseParams validates a query string as [url.ParseQuery] does.
func parseParams(raw string) (params, error) {
	p := params{raw, strings.ContainsAny(raw, "%+")}
	if strings.Contains(raw, ";") || p.escaped && !isEscaped(raw) {
		return params{}, problem.New(problem.BadRequest, "The query string is malformed.").
			Hint("Percent-encode reserved characters in parameter values, and separate parameters with &.")
	}
	return p, nil
}

// isEscaped reports whether two hexadecimal digits follow every percent sign.
func isEscaped(raw string) bool {
	const digits = "0123456789abcdefABCDEF"
	for {
		_, after, found := strings.Cut(raw, "%")
		if !found {
			return true
		}
		if len(after) < 2 || strings.Trim(after[:2], digits) != "" {
			return false
		}
		raw = after[2:]
	}
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
		s, _ = url.QueryUnescape(s) // validated by parseParams
	}
	return s
}
