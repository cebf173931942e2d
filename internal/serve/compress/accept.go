package compress

import (
	"slices"
	"strconv"
	"strings"
)

// Negotiate returns the coding for a client that sent this Accept-Encoding
// header (RFC 9110, section 12.5.3): of the codings that it accepts, the one that
// suits the effort. The client's own order is ignored, because clients accept all
// codings alike. It returns Identity if the client accepts no other coding.
func Negotiate(accept string, e Effort) Coding {
	accepted, refused := make([]string, 0, 8), make([]string, 0, 8) // not allocated
	for item := range strings.SplitSeq(strings.ToLower(accept), ",") {
		name, weight, hasWeight := strings.Cut(item, ";")
		name = strings.TrimPrefix(strings.TrimSpace(name), "x-")
		if hasWeight && !isPositive(weight) {
			refused = append(refused, name)
		} else {
			accepted = append(accepted, name)
		}
	}
	for _, c := range preference[e] {
		if slices.Contains(accepted, c.String()) || slices.Contains(accepted, "*") && !slices.Contains(refused, c.String()) {
			return c
		}
	}
	return Identity
}

// isPositive reports whether a weight such as q=0.5 is not 0. A malformed one counts
// as 0: not using a coding is always safe.
func isPositive(weight string) bool {
	q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(weight), "q="), 64)
	return err == nil && q > 0
}
