package httpapi

import (
	"net/url"
	"strings"

	"placard.dev/problem"
)

// params are the parameters of a query string that is well-formed. They are
// read out of it when they are asked for: a request has a handful of them, and
// most have none.
type params string

// parseParams checks a query string as url.ParseQuery does.
func parseParams(raw string) (params, error) {
	if strings.Contains(raw, ";") || strings.Contains(raw, "%") && !isEscaped(raw) {
		return "", problem.New(problem.BadRequest, "The query string is malformed.").
			Hint("Percent-encode reserved characters in parameter values, and separate parameters with &.")
	}
	return params(raw), nil
}

// isEscaped reports whether every percent sign has its two digits.
func isEscaped(raw string) bool {
	_, err := url.QueryUnescape(raw)
	return err == nil
}

// get returns the first value that a parameter has.
func (p params) get(name string) string {
	for pair := range strings.SplitSeq(string(p), "&") {
		given, value, _ := strings.Cut(pair, "=")
		if unescape(given) == name {
			return unescape(value)
		}
	}
	return ""
}

// unescape decodes a part of a query string that is well-formed.
func unescape(s string) string {
	s, _ = url.QueryUnescape(s)
	return s
}
