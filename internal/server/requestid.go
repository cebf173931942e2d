package server

import (
	"math/rand/v2"
	"net/http"
)

const requestID = "X-Request-Id"

// requestIDs are ids that nobody has got yet. They are made many at a time,
// because each alone would be an allocation.
type requestIDs []string

// of returns the id of a request as headers have it: the client's own, if it
// can be kept, or a new one.
func (ids *requestIDs) of(r *http.Request) []string {
	if own := r.Header[requestID]; len(own) > 0 && validRequestID(own[0]) {
		return own[:1:1]
	}
	if len(*ids) == 0 {
		*ids = newRequestIDs()
	}
	next := (*ids)[:1:1]
	*ids = (*ids)[1:]
	return next
}

// newRequestIDs returns ids that no other request has. They are no secret, so
// they need not come from the system's own source of chance.
func newRequestIDs() requestIDs {
	const (
		alphabet = "abcdefghijklmnopqrstuvwxyz234567"
		size     = 20
	)
	ids := make(requestIDs, 50)
	text := make([]byte, 0, len(ids)*size)
	for len(text) < cap(text) {
		chance := rand.Uint64()
		for range size / 2 {
			text = append(text, alphabet[chance&31])
			chance >>= 5
		}
	}
	all := string(text)
	for i := range ids {
		ids[i], all = all[:size], all[size:]
	}
	return ids
}

// validRequestID reports whether a client's own request id is kept.
func validRequestID(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return 1 <= len(s) && len(s) <= 128
}
