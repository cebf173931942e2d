package server

import (
	"crypto/rand"
	"net/http"
	"strings"
)

const requestID = "X-Request-Id"

// requestIDOf returns the id that the client has sent, if it is valid, otherwise a
// new one.
func requestIDOf(r *http.Request) string {
	if sent := r.Header.Get(requestID); validRequestID(sent) {
		return sent
	}
	return strings.ToLower(rand.Text())
}

// validRequestID reports whether a request id sent by a client is accepted.
func validRequestID(s string) bool {
	return 1 <= len(s) && len(s) <= 128 && strings.Trim(s, lettersAndDigits+"._-") == ""
}

const lettersAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// traceIDOf returns the id of the trace to which a request belongs, from its header
// traceparent, or "" if that is absent or malformed. See
// https://www.w3.org/TR/trace-context/#traceparent-header.
func traceIDOf(r *http.Request) string {
	sent := r.Header["Traceparent"]
	if len(sent) != 1 {
		return ""
	}
	parts := strings.Split(sent[0], "-")
	if len(parts) < 4 || len(parts) > 4 && parts[0] == "00" || parts[0] == "ff" {
		return "" // later versions may append parts
	}
	for i, size := range []int{2, 32, 16, 2} {
		if len(parts[i]) != size || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return ""
		}
	}
	if strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return parts[1]
}
