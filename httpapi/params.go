package httpapi

import (
	"net/url"
	"strings"

	"placard.dev/problem"
)

// params are the parameters of a query string, in its order.
type params []given

type given struct{ name, value string }

// parseParams reads a query string. It is url.ParseQuery without the map: a
// request has a handful of parameters, and most have none.
func parseParams(raw string) (params, error) {
	if raw == "" {
		return nil, nil
	}
	list := make(params, 0, 8)
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err1 := url.QueryUnescape(name)
		value, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil || strings.Contains(pair, ";") {
			return nil, problem.New(problem.BadRequest, "The query string is malformed.").
				Hint("Percent-encode reserved characters in parameter values, and separate parameters with &.")
		}
		list = append(list, given{name, value})
	}
	return list, nil
}

// get returns the first value that a parameter has.
func (p params) get(name string) string {
	for i := range p {
		if p[i].name == name {
			return p[i].value
		}
	}
	return ""
}
