package httpapi

import (
	"net/url"
	"unicode/utf8"

	"placard/internal/core/problem"
)

// checkQueryString returns an error if [url.ParseQuery] does not accept raw, or if
// a name or value in it is not valid UTF-8.
func checkQueryString(raw string) error {
	params, err := url.ParseQuery(raw)
	if err != nil {
		return malformedQueryString()
	}
	for name, values := range params {
		for _, value := range values {
			if !utf8.ValidString(name) || !utf8.ValidString(value) {
				return malformedQueryString()
			}
		}
	}
	return nil
}

func malformedQueryString() error {
	return problem.New(problem.BadRequest, "The query string is malformed.").
		Hint("Percent-encode the UTF-8 bytes of reserved characters in parameter values, and separate parameters with &.")
}
