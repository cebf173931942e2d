package server

import (
	"math/rand/v2"
	"net/http"
)

const requestID = "X-Request-Id"

// requestIDs are unused request ids. They are generated in batches to save
// allocations.
type requestIDs []string

// forRequest returns the id of a request as a header value: the id sent by the
// client if it is valid, otherwise a new one.
func (ids *requestIDs) forRequest(r *http.Request) []string {
	if sent := r.Header[requestID]; len(sent) > 0 && validRequestID(sent[0]) {
		return sent[:1:1]
	}
	if len(*ids) == 0 {
		*ids = newRequestIDs()
	}
	next := (*ids)[:1:1]
	*ids = (*ids)[1:]
	return next
}

// newRequestIDs returns a batch of random ids. They are not secret, so math/rand
// is sufficient.
func newRequestIDs() requestIDs {
	const (
		alphabet = "abcdefghijklmnopqrstuvwxyz234567"
		size     = 20
	)
	ids := make(requestIDs, 50)
	text := make([]byte, 0, len(ids)*size)
	for len(text) < cap(text) {
		random := rand.Uint64()
		for range size / 2 {
			text = append(text, alphabet[random&31])
			random >>= 5
		}
	}
	all := string(text)
	for i := range ids {
		ids[i], all = all[:size], all[size:]
	}
	return ids
}

// validRequestID reports whether a request id sent by a client is accepted.
func validRequestID(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return 1 <= len(s) && len(s) <= 128
}
