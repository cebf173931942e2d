package httpapi

import (
	"net/url"
	"strings"

	"placard.dev/problem"
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
	malformed := strings.Contains(raw, ";")
	if p.escaped {
		_, err := url.QueryUnescape(raw)
		malformed = malformed || err != nil
	}
	if malformed {
		return params{}, problem.New(problem.BadRequest, "The query string is malformed.").
			Hint("Percent-encode reserved characters in parameter values, and separate parameters with &.")
	}
	return p, nil
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
