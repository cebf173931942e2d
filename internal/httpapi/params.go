package httpapi

import (
	"net/url"
	"strings"

	"placard/internal/problem"
)

// params are the parameters of a query string that is well-formed. They are
// read out of it when they are asked for: a request has a handful of them, and
// most have none.
type params struct {
	raw     string
	escaped bool // whether any character is
}

// parseParams checks a query string as url.ParseQuery does.
func parseParams(raw string) (params, error) {
	p := params{raw, strings.ContainsAny(raw, "%+")}
	if strings.Contains(raw, ";") || p.escaped && !isEscaped(raw) {
		return params{}, problem.New(problem.BadRequest, "The query string is malformed.").
			Hint("Percent-encode reserved characters in parameter values, and separate parameters with &.")
	}
	return p, nil
}

// isEscaped reports whether every percent sign has its two digits.
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

// get returns the first value that a parameter has.
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
		s, _ = url.QueryUnescape(s) // it was checked
	}
	return s
}
